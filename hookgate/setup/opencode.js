// Written by 'toolverdict hook install opencode': asks the gate before each tool.
// Whatever goes wrong here stops the tool: only the answer {} lets it run.
import { spawn } from "node:child_process"
import { mkdirSync, renameSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"

const SETUP = null

const MAX_ANSWER = 64 * 1024

// Says that the plugin is loaded, for 'toolverdict doctor'. Nothing depends on it.
function shine(state) {
  try {
    mkdirSync(dirname(SETUP.beacon), { recursive: true, mode: 0o700 })
    const draft = SETUP.beacon + "." + process.pid
    writeFileSync(draft, JSON.stringify(state) + "\n", { mode: 0o600 })
    renameSync(draft, SETUP.beacon)
  } catch {}
}

// Runs the gate's program, without a shell and not in the project's folder, which may
// be gone. It settles with the answer, or fails.
function run(message, directory) {
  return new Promise((resolve, reject) => {
    const child = spawn(SETUP.program, SETUP.arguments, {
      cwd: "/",
      env: { ...process.env, OPENCODE_PROJECT_DIR: directory },
      stdio: ["pipe", "pipe", "ignore"],
      windowsHide: true,
    })
    // What it started may hold its output open: it is not read any further.
    const give = (up) => {
      clearTimeout(timer)
      child.kill("SIGKILL")
      child.stdout.destroy()
      child.stdin.destroy()
      child.unref()
      reject(new Error(up))
    }
    const timer = setTimeout(() => give("it gave no answer in time"), SETUP.deadline)
    let answer = ""
    child.stdout.setEncoding("utf8")
    child.stdout.on("data", (part) => {
      answer += part
      if (answer.length > MAX_ANSWER) {
        give("its answer has no end")
      }
    })
    child.stdout.on("error", () => {})
    child.on("error", (error) => give("it could not be started (" + (error?.code ?? "error") + ")"))
    child.on("close", (code) => {
      clearTimeout(timer)
      resolve({ code, answer })
    })
    child.stdin.on("error", () => {})
    child.stdin.end(JSON.stringify(message))
  })
}

// Why a call must not run, "" where there is no objection.
function objection({ code, answer }) {
  const text = answer.trim()
  if (code === 0 && text === "{}") {
    return ""
  }
  try {
    const said = JSON.parse(text)
    if (said.decision === "deny" && typeof said.reason === "string" && said.reason) {
      return said.reason
    }
  } catch {}
  return "Toolverdict gave no answer that can be relied on, so this call must not run. Tell the user."
}

// No plugin that comes after this one changes what was decided.
// One before it may have frozen an object and not what lies in it.
function fix(value, seen = new Set()) {
  if (value && typeof value === "object" && !seen.has(value)) {
    seen.add(value)
    Object.values(value).forEach((inner) => fix(inner, seen))
    Object.freeze(value)
  }
}

// Whether opencode ran with other arguments than the gate was asked about. It runs
// with the object that it made, whatever a plugin put in the place of that.
function replaced(ran, asked) {
  return ran !== undefined && ran !== asked && JSON.stringify(ran) !== JSON.stringify(asked)
}

const REPLACED = "Toolverdict: another plugin put arguments of its own in the place of a call's, so that opencode ran what was not decided. No call runs until opencode is started without that plugin. Tell the user."

export const Toolverdict = async (context) => {
  const directory = String(context?.directory ?? "")
  const state = { agent: "opencode", pid: process.pid, loaded: new Date().toISOString(), directory }
  const open = new Map()
  let servers = []
  let betrayed = false
  shine(state)

  const message = (event, input, args) => ({
    event, sessionID: input.sessionID, callID: input.callID, tool: input.tool, args, directory, servers,
  })
  const key = (input) => input.sessionID + " " + input.callID
  // Tells what came of a tool. It has run: nothing can be refused any more.
  const tell = async (event, input) => {
    const asked = open.get(key(input))
    if (!asked) {
      return
    }
    open.delete(key(input))
    betrayed ||= replaced(input.args, asked.args)
    try {
      await run(message(event, asked.input, asked.args), directory)
    } catch {}
  }

  return {
    config: async (config) => {
      servers = Object.keys(config?.mcp ?? {})
    },
    "tool.execute.before": async (input, output) => {
      let why
      try {
        const args = output.args
        fix(output)
        why = objection(await run(message("tool.execute.before", input, args), directory))
        if (betrayed) {
          why = REPLACED
        }
        if (!why) {
          open.set(key(input), { input: { ...input }, args })
        }
      } catch (error) {
        why = "Toolverdict could not decide this call, so it must not run: " + (error?.message ?? "error") + ". Tell the user."
      }
      if (why) {
        throw new Error(why)
      }
      if (state.session !== input.sessionID) {
        state.session = input.sessionID
        state.asked = new Date().toISOString()
        shine(state)
      }
    },
    "tool.execute.after": async (input) => tell("tool.execute.after", input),
    // Of a tool that failed, opencode tells no plugin but by this.
    event: async ({ event }) => {
      const part = event?.type === "message.part.updated" ? event.properties?.part : undefined
      if (part?.type === "tool" && part.state?.status === "error") {
        await tell("tool.execute.failed", part)
      }
    },
  }
}
