// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// LangChain.js: a middleware for agents, or tools that are claimed where they run.
// Use one of them: with both, a call would be claimed twice.
import { ToolMessage } from "@langchain/core/messages";
import type { StructuredToolInterface } from "@langchain/core/tools";
import { interopParseAsync, isInteropZodSchema } from "@langchain/core/utils/types";
import { isCommand, isGraphBubbleUp, isGraphInterrupt, isParentCommand } from "@langchain/langgraph";
import { createMiddleware, type AgentMiddleware } from "langchain";
import type { Call } from "./call.js";
import { NotBegun, type Gate } from "./gate.js";
import { Guard, type Guarding as Common } from "./guard.js";
import { read, same, write } from "./json.js";
import { failure, messages, type Handed } from "./langgraph-handed.js";
import { ask, before, fill } from "./langgraph-pause.js";
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
type Handler = (request: Request) => Promise<Handed>;
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
    const was = this.pause ? before() : "none";
    try {
      return await this.guard.run(call, (args) => {
        if (was === "open") fill();
        return fn(args);
      }, signal);
    } catch (e) {
      if (!this.pause || !(e instanceof Refused) || !e.waits || was === "answered") throw e;
      ask({ type: "toolverdict", tool: call.tool!, callId: call.id, confirmation: e.confirmation! } satisfies Waiting, was);
      return await this.guard.run(call, fn, signal);
    }
  }

  async wrap(request: Request, handler: Handler): Promise<Handed> {
    const { toolCall, runtime, tool } = request;
    let answer: Handed | undefined;
    let bubbled: unknown;
    try {
      const full = await filled(tool, toolCall.args);
      const ran = await this.run(this.call(toolCall.name, toolCall.id, full, runtime?.configurable?.thread_id), async (args) => {
        try {
          answer = await handler({ ...request, toolCall: { ...toolCall, args }, tool: tool === undefined ? tool : pinned(tool as StructuredToolInterface, args) });
        } catch (e) {
          if (isGraphInterrupt(e)) throw new NotBegun(e);
          if (!isGraphBubbleUp(e)) throw e;
          bubbled = e; // a tool that hands over to another graph has run
          answer = isParentCommand(e) ? e.command : undefined;
        }
        return said(answer, toolCall.id);
      }, runtime?.signal);
      if (answer) reword(answer, ran);
      if (bubbled !== undefined) throw bubbled;
      return answer ?? message(toolCall, spoken(ran));
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
      let direct: Handed | undefined;
      let bubbled: unknown;
      const call = this.call(tool.name, config?.toolCall?.id, text ? { input } : input, config?.configurable?.thread_id);
      const ran = await this.run(call, async (args) => {
        try {
          const out = await whole(run.call(tool, text ? args["input"] : args, manager, config), true);
          if (ToolMessage.isInstance(out) || isCommand(out)) {
            direct = out;
            return said(direct, config?.toolCall?.id);
          }
          if (!pair) return out;
          const [content, rest] = out as [unknown, unknown];
          artifact = rest;
          return content;
        } catch (e) {
          if (isGraphInterrupt(e)) throw new NotBegun(e);
          if (!isGraphBubbleUp(e)) throw e;
          bubbled = e; // it has run
          direct = isParentCommand(e) ? e.command : undefined;
          return said(direct, config?.toolCall?.id);
        }
      }, config?.signal);
      if (direct) reword(direct, ran);
      if (bubbled !== undefined) throw bubbled;
      if (direct) return direct;
      const clean = typeof ran.value === "string" || ran.value === undefined ? ran.text : ran.value;
      return pair ? [clean, artifact] : clean;
    };
    return Object.create(tool, { _call: { value: _call } }) as T;
  }
}

/**
 * Arguments as the tool's schema fills them in, so that what is decided is what runs.
 * Those that the schema refuses, or makes into what is no JSON, stay as they are.
 */
async function filled(tool: unknown, args: Record<string, unknown>): Promise<Record<string, unknown>> {
  const { schema } = (tool ?? {}) as { schema?: unknown };
  if (!isInteropZodSchema(schema)) return args;
  try {
    const full = await interopParseAsync(schema, args) as Record<string, unknown>;
    write(full);
    return full;
  } catch {
    return args;
  }
}

/** A tool that runs these arguments and no others: a middleware behind ours, or its schema, may change them. */
function pinned(tool: StructuredToolInterface, args: Record<string, unknown>): StructuredToolInterface {
  const want = read(write(args));
  const hold = (given: unknown, why: string): void => {
    let is: boolean;
    try { is = same(read(write(given)), want); } catch { is = false; }
    if (!is) throw new NotBegun(new Refused({ code: "INVALID_INPUT", reason: why }));
  };
  const run = (tool as unknown as { _call?: Called })._call;
  const inner = typeof run !== "function" ? tool : Object.create(tool, { _call: { value: (input: unknown, manager: unknown, config: Config): unknown => {
    hold(input, "The tool's schema changes the arguments that were decided. Nothing was run.");
    return run.call(tool, input, manager, config);
  } } }) as StructuredToolInterface;
  return new Proxy(tool, {
    get(target, name) {
      const v: unknown = Reflect.get(target, name, target);
      if (typeof v !== "function") return v;
      if (name !== "invoke") return v.bind(target) as unknown;
      return (input: ToolCall, config: never) => {
        hold(input.args, "A middleware behind the gate's changed the arguments. Put the gate's last.");
        return inner.invoke(input as never, config);
      };
    },
  });
}

/** What the model will read of an answer. What says that it failed is thrown. */
function said(answer: Handed | undefined, callId: string | undefined): unknown[] {
  if (answer === undefined) return [];
  const all = messages(answer);
  const failed = failure(all, callId);
  if (failed !== undefined) throw new Error(failed);
  return all.map((m) => m.content);
}

/** Puts the gate's words into an answer. */
function reword(answer: Handed, ran: Ran): void {
  const contents = Array.isArray(ran.value) ? ran.value as Array<ToolMessage["content"]> : [];
  messages(answer).forEach((m, i) => { m.content = contents[i] ?? ""; });
}

/** A stored result in words. */
function spoken(ran: Ran): string {
  const contents: unknown[] = Array.isArray(ran.value) ? ran.value : [];
  return contents.map((c) => typeof c === "string" ? c : JSON.stringify(c)).join("\n") || ran.text;
}

function message(call: ToolCall, content: string, status: "success" | "error" = "success"): ToolMessage {
  return new ToolMessage({ content, status, name: call.name, tool_call_id: call.id ?? "" });
}

function refusal(e: unknown, call: ToolCall): ToolMessage {
  if (e instanceof Refused || e instanceof ToolFailed || e instanceof Untold) return message(call, e.message, "error");
  throw e;
}
