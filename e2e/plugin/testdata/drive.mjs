// Does with plugins what opencode does: a call before and after each, and prints what
// came of it. Arguments: the plugin's file, then cases as JSON.
import { pathToFileURL } from "node:url"

const [file, text] = process.argv.slice(2)
const { args, servers, fails, early } = JSON.parse(text)
const modules = await import(pathToFileURL(file).href)
const [plugin, ...more] = Object.values(modules)
const hooks = await plugin({ directory: "/workspace" })
const said = { exports: 1 + more.length }
await hooks.config({ mcp: Object.fromEntries(servers.map((name) => [name, {}])) })
const input = { tool: "my-srv_x_read_it", sessionID: "s", callID: "c" }
const output = { args }
if (early === "replace") { // what a plugin before it may do
  output.args = { id: 3, deep: [0] }
}
if (early === "freeze" || args?.frozen) {
  Object.freeze(args)
}
try {
  await hooks["tool.execute.before"](input, output)
  said.runs = true
  for (const change of [() => (output.args.id = 2), () => (output.args = {}), () => output.args.deep.push(1)]) {
    try {
      change()
      said.changed = true
    } catch {}
  }
} catch (error) {
  said.why = error.message
}
if (fails) {
  const part = { type: "tool", tool: input.tool, sessionID: "s", callID: "c", state: { status: "error" } }
  await hooks.event({ event: { type: "message.part.updated", properties: { part } } })
  await hooks.event({ event: { type: "session.idle" } })
} else {
  await hooks["tool.execute.after"]({ ...input, args }, { output: "" })
}
await hooks["tool.execute.after"]({ ...input, callID: "another", args }, { output: "" })
if (early) {
  try {
    await hooks["tool.execute.before"]({ ...input, callID: "next" }, { args: { id: 4 } })
  } catch (error) {
    said.next = error.message
  }
}
console.log(JSON.stringify(said))
