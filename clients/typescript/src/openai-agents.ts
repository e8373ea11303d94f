// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// OpenAI Agents: tools with an approval that asks the gate and a
// function that is claimed where it runs. The approval alone is no gate: the same
// state approved twice runs twice, and a changed one runs as it was changed.
import type { FunctionTool, RunContext, ToolInputGuardrailDefinition } from "@openai/agents";
import type { Gate } from "./gate.js";
import { Guard, type Guarding } from "./guard.js";
import { strict, write } from "./json.js";
import { whole } from "./pieces.js";
import { Refused, ToolFailed, Untold } from "./refused.js";

export type { Guarding } from "./guard.js";

/** What is guarded of a tool's options; the others stay as they are. */
interface Options {
  name?: string;
  execute: (...args: never[]) => unknown;
  needsApproval?: boolean | ((...args: never[]) => Promise<boolean>);
  errorFunction?: unknown;
}

export interface Guarded {
  /** The framework's tool(), whose tools run only what the gate gave leave for. */
  define<F extends (options: any) => unknown>(tool: F): F;
  /** A tool that is made already, such as agent.asTool(). What it turns into text itself counts as its result. */
  tool<T extends FunctionTool<any, any, any>>(tool: T): T;
  /** For inputGuardrails of a tool that can be neither: it is decided, and not claimed. */
  guardrail: ToolInputGuardrailDefinition<any>;
}

interface Details { toolCall?: { callId?: string; arguments?: string }; signal?: AbortSignal }

/** Guards tools of one conversation. */
export function guard(gate: Gate, of: Guarding): Guarded {
  const g = new Guard(gate, of);
  return {
    define: <F extends (options: any) => unknown>(tool: F): F => ((options: Options) => tool(guarded(g, options))) as F,
    tool: (tool) => wrapped(g, tool),
    guardrail: {
      type: "tool_input",
      name: "toolverdict",
      run: async ({ toolCall }) => {
        const look = await g.look(g.call(toolCall.name, toolCall.callId, toolCall.arguments));
        if (look.verdict === "allow") return { behavior: { type: "allow" } };
        return { behavior: { type: "rejectContent", message: look.verdict === "replayed" ? look.text : look.why.message } };
      },
    },
  };
}

function guarded(g: Guard, options: Options): unknown {
  const name = options.name ?? options.execute.name;
  if (!name) throw new TypeError("a tool needs a name");
  const execute = options.execute as unknown as (input: unknown, context: unknown, details: Details | undefined) => unknown;
  return {
    ...options,
    name,
    needsApproval: async (context: RunContext, input: unknown, callId?: string) =>
      await theirs(options.needsApproval, context, input, callId) || await waits(g, name, input, callId),
    execute: (input: unknown, context: unknown, details?: Details) => {
      const raw = details?.toolCall?.arguments;
      // The framework keeps the last of two members of one name; the gate refuses them.
      const args = raw !== undefined && !strict(raw) ? raw : input;
      return answered(async () => (await g.run(g.call(name, details?.toolCall?.callId, args), (a) => whole(execute(a, context, details)), details?.signal)).value ?? "", options.errorFunction === undefined);
    },
  };
}

function wrapped<T extends FunctionTool<any, any, any>>(g: Guard, tool: T): T {
  const { name } = tool;
  // A shell, a computer or a tool of the provider is run by other functions than invoke, or elsewhere.
  if ((tool.type as string) !== "function" || typeof tool.invoke !== "function") {
    throw new TypeError(`the tool ${JSON.stringify(name)} is no function tool: what runs it cannot be claimed here`);
  }
  return {
    ...tool,
    needsApproval: async (context: RunContext, input: unknown, callId?: string) =>
      await theirs(tool.needsApproval, context, input, callId) || await waits(g, name, input, callId),
    invoke: (context: RunContext, input: string, details?: Details) =>
      answered(async () => (await g.run(g.call(name, details?.toolCall?.callId, input), (_, claimed) => tool.invoke(context, claimed.text, details as never), details?.signal)).value ?? ""),
  };
}

async function theirs(needs: unknown, ...args: unknown[]): Promise<boolean> {
  return typeof needs === "function" ? await (needs as (...args: unknown[]) => Promise<boolean>)(...args) !== false : needs === true;
}

/** Whether a person must approve first. What is refused goes on to where it is claimed, which says why. */
async function waits(g: Guard, name: string, input: unknown, callId: string | undefined): Promise<boolean> {
  return (await g.look(g.call(name, callId, typeof input === "string" ? input : text(input)))).verdict === "ask";
}

function text(input: unknown): string {
  try { return write(input); } catch { return ""; }
}

/**
 * A refusal as the tool's answer, and a failure where nobody else words it: of an
 * error the framework would tell the model nothing.
 */
async function answered(run: () => Promise<unknown>, failures = false): Promise<unknown> {
  try {
    return await run();
  } catch (e) {
    if (e instanceof Refused || e instanceof Untold || failures && e instanceof ToolFailed) return e.message;
    throw e;
  }
}
