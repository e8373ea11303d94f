// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// LangChain.js: a middleware for agents, or tools that are claimed where they run.
// Use one of them: with both, a call would be claimed twice.
import { ToolMessage } from "@langchain/core/messages";
import type { StructuredToolInterface } from "@langchain/core/tools";
import { interrupt, isCommand, isGraphBubbleUp, isGraphInterrupt, type Command } from "@langchain/langgraph";
import { createMiddleware, type AgentMiddleware } from "langchain";
import type { Call } from "./call.js";
import { NotBegun, type Gate } from "./gate.js";
import { Guard, type Guarding as Common } from "./guard.js";
import { read, same, write } from "./json.js";
import { whole } from "./pieces.js";
import { Refused, ToolFailed, Untold, type Ran } from "./refused.js";

/** As for every framework; the session is the thread_id where none is named. */
export interface Guarding extends Omit<Common, "session"> {
  session?: Common["session"] | undefined;
  /**
   * Interrupt the graph where a person must approve, with what waits as the value;
   * resume it once that person did. Needs a checkpointer. Otherwise the model is
   * told that the call waits.
   */
  pause?: boolean;
}

/** What an interrupted graph says it waits for. */
export interface Waiting {
  type: "toolverdict";
  tool: string;
  callId: string | undefined;
  confirmation: NonNullable<Refused["confirmation"]>;
}

export interface Guarded {
  /** For createAgent. Put it last: one that comes after it may change what was decided, and is then refused. */
  middleware: AgentMiddleware;
  /** A tool that is claimed where it runs, for graphs of your own. */
  tool<T extends StructuredToolInterface>(tool: T): T;
}

/** Guards tools. */
export function guard(gate: Gate, of: Guarding): Guarded {
  const g = new Guarder(new Guard(gate, { ...of, session: of.session ?? "" }), of.pause ?? false);
  return {
    middleware: createMiddleware({ name: "Toolverdict", wrapToolCall: (request, handler) => g.wrap(request as Request, handler as Handler) }) as AgentMiddleware,
    tool: (tool) => g.tool(tool),
  };
}

interface ToolCall { name: string; args: Record<string, unknown>; id?: string }
interface Request { toolCall: ToolCall; tool: unknown; runtime?: { configurable?: { thread_id?: unknown }; signal?: AbortSignal } }
type Handler = (request: Request) => Promise<ToolMessage | Command>;
type Called = (input: unknown, manager: unknown, config: Config) => unknown;
interface Config { configurable?: { thread_id?: unknown }; toolCall?: { id?: string }; signal?: AbortSignal }

class Guarder {
  constructor(
    readonly guard: Guard,
    readonly pause: boolean,
  ) {}

  call(name: string, id: string | undefined, args: unknown, thread: unknown): Call {
    return this.guard.call(name, id, args, this.guard.of.session || typeof thread !== "string" ? undefined : thread);
  }

  /** Claims and runs, and interrupts the graph where a person must approve first. When it is resumed it comes here again, and claims. */
  async run(call: Call, fn: (args: Record<string, unknown>) => Promise<unknown>, signal: AbortSignal | undefined): Promise<Ran> {
    try {
      return await this.guard.run(call, fn, signal);
    } catch (e) {
      if (!this.pause || !(e instanceof Refused) || !e.waits) throw e;
      interrupt({ type: "toolverdict", tool: call.tool!, callId: call.id, confirmation: e.confirmation! } satisfies Waiting);
      return await this.guard.run(call, fn, signal);
    }
  }

  async wrap(request: Request, handler: Handler): Promise<ToolMessage | Command> {
    const { toolCall, runtime } = request;
    let answer: ToolMessage | Command | undefined;
    let bubbled: unknown;
    try {
      const ran = await this.run(this.call(toolCall.name, toolCall.id, toolCall.args, runtime?.configurable?.thread_id), async (args) => {
        const { tool } = request;
        try {
          answer = await handler({ ...request, toolCall: { ...toolCall, args }, tool: tool === undefined ? tool : pinned(tool as StructuredToolInterface, args) });
        } catch (e) {
          if (isGraphInterrupt(e)) throw new NotBegun(e);
          if (!isGraphBubbleUp(e)) throw e;
          bubbled = e; // a tool that hands over to another graph has run
        }
        if (answer !== undefined && ToolMessage.isInstance(answer) && answer.status === "error") throw new Error(answer.text);
        return said(answer).map((m) => m.content);
      }, runtime?.signal);
      if (bubbled !== undefined) throw bubbled;
      return cleaned(answer, ran, toolCall);
    } catch (e) {
      return refusal(e, toolCall);
    }
  }

  tool<T extends StructuredToolInterface>(tool: T): T {
    const run = (tool as unknown as { _call?: Called })._call;
    if (typeof run !== "function") throw new TypeError(`the tool ${JSON.stringify(tool.name)} has no function of its own that could be claimed`);
    const pair = (tool as { responseFormat?: unknown }).responseFormat === "content_and_artifact";
    const _call: Called = async (input, manager, config) => {
      // A tool of one text gets it as it is; the gate knows it by its name in the schema.
      const text = typeof input === "string";
      let artifact: unknown;
      let direct: ToolMessage | Command | undefined;
      const call = this.call(tool.name, config?.toolCall?.id, text ? { input } : input, config?.configurable?.thread_id);
      const ran = await this.run(call, async (args) => {
        try {
          const out = await whole(run.call(tool, text ? args["input"] : args, manager, config), true);
          if (ToolMessage.isInstance(out) || isCommand(out)) {
            direct = out;
            return said(direct).map((m) => m.content);
          }
          if (!pair) return out;
          const [content, rest] = out as [unknown, unknown];
          artifact = rest;
          return content;
        } catch (e) {
          if (isGraphInterrupt(e)) throw new NotBegun(e);
          throw e;
        }
      }, config?.signal);
      if (direct) return cleaned(direct, ran, { name: tool.name, args: {}, ...config?.toolCall });
      const clean = typeof ran.value === "string" || ran.value === undefined ? ran.text : ran.value;
      return pair ? [clean, artifact] : clean;
    };
    return Object.create(tool, { _call: { value: _call } }) as T;
  }
}

/** A tool that runs these arguments and no others: a middleware behind ours may have changed them. */
function pinned(tool: StructuredToolInterface, args: Record<string, unknown>): StructuredToolInterface {
  const want = write(args);
  return new Proxy(tool, {
    get(target, name) {
      const v: unknown = Reflect.get(target, name, target);
      if (typeof v !== "function") return v;
      if (name !== "invoke") return v.bind(target) as unknown;
      return (input: ToolCall, config: never) => {
        if (!same(read(write(input.args)), read(want))) {
          throw new NotBegun(new Refused({ code: "INVALID_INPUT", reason: "A middleware behind the gate's changed the arguments. Put the gate's last." }));
        }
        return target.invoke(input as never, config);
      };
    },
  });
}

/** The messages in an answer that the model will read. */
function said(answer: ToolMessage | Command | undefined): ToolMessage[] {
  if (answer === undefined) return [];
  if (!isCommand(answer)) return [answer];
  const { messages } = (answer.update ?? {}) as { messages?: unknown };
  return (Array.isArray(messages) ? messages : []).filter((m) => ToolMessage.isInstance(m));
}

/** The same answer in the gate's words. */
function cleaned(answer: ToolMessage | Command | undefined, ran: Ran, call: ToolCall): ToolMessage | Command {
  const contents = Array.isArray(ran.value) ? ran.value as Array<ToolMessage["content"]> : [];
  if (answer === undefined) return message(call, contents.map((c) => typeof c === "string" ? c : JSON.stringify(c)).join("\n") || ran.text);
  said(answer).forEach((m, i) => { m.content = contents[i] ?? ""; });
  return answer;
}

function message(call: ToolCall, content: string, status: "success" | "error" = "success"): ToolMessage {
  return new ToolMessage({ content, status, name: call.name, tool_call_id: call.id ?? "" });
}

function refusal(e: unknown, call: ToolCall): ToolMessage {
  if (e instanceof Refused || e instanceof ToolFailed || e instanceof Untold) return message(call, e.message, "error");
  throw e;
}
