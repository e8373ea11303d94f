// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// The Vercel AI SDK: an approval function for pausing and showing, and tools that
// are claimed where they run. The first alone is no gate: a history that comes
// back from a browser may say that anything was approved.
import type { ModelMessage, ToolApprovalStatus, ToolSet } from "ai";
import type { Gate } from "./gate.js";
import { Guard, type Guarding } from "./guard.js";
import { whole } from "./pieces.js";
import type { Refused } from "./refused.js";

export type { Guarding } from "./guard.js";

/** A tool call as the approval function is given it. */
export interface Asked {
  toolCall: { toolName: string; toolCallId: string; input: unknown; providerExecuted?: boolean | undefined; invalid?: boolean | undefined };
  tools?: ToolSet | undefined;
  messages?: ModelMessage[];
  toolsContext?: unknown;
}

/** Tools and the approval function that belongs to them. */
export interface Guarded {
  /** The same tools, which run only what the gate gave leave for. */
  tools<T extends ToolSet>(tools: T): T;
  /** For toolApproval: pauses what a person must approve, and denies what is refused. */
  approval(asked: Asked): Promise<ToolApprovalStatus>;
}

/** Guards tools of one conversation. */
export function guard(gate: Gate, of: Guarding): Guarded {
  const g = new Guard(gate, of);
  const ours: Ours = new WeakSet();
  return {
    tools: <T extends ToolSet>(tools: T): T =>
      Object.fromEntries(Object.entries(tools).map(([name, tool]) => [name, guarded(g, name, tool, ours)])) as T,
    approval: (asked) => approval(g, asked, ours),
  };
}

/** The functions that claim. */
type Ours = WeakSet<object>;

function guarded(g: Guard, name: string, tool: ToolSet[string], ours: Ours): ToolSet[string] {
  const execute = tool.execute as ((input: unknown, options: Running) => unknown) | undefined;
  if (typeof execute !== "function") {
    throw new TypeError(`the tool ${JSON.stringify(name)} has no execute: what the provider or a browser runs cannot be claimed here; leave it out, and toolApproval still denies it`);
  }
  const claiming = async (input: unknown, options: Running): Promise<unknown> => {
    const call = g.call(name, options.toolCallId, input);
    return (await g.run(call, (args) => whole(execute.call(tool, args, options)), options.abortSignal)).value;
  };
  ours.add(claiming);
  return { ...tool, execute: claiming } as ToolSet[string];
}

interface Running {
  toolCallId: string;
  abortSignal?: AbortSignal;
}

async function approval(g: Guard, asked: Asked, ours: Ours): Promise<ToolApprovalStatus> {
  const { toolCall, tools } = asked;
  if (toolCall.providerExecuted) return { type: "denied", reason: "The provider runs this call itself, outside the gate." };
  if (toolCall.invalid) return { type: "denied", reason: "The call could not be read." };
  const look = await g.look(g.call(toolCall.toolName, toolCall.toolCallId, toolCall.input));
  switch (look.verdict) {
    case "allow": return await theirs(asked) ? "user-approval" : "not-applicable";
    case "replayed": {
      const runs: unknown = tools && Object.hasOwn(tools, toolCall.toolName) ? tools[toolCall.toolName]?.execute : undefined;
      if (typeof runs === "function" && ours.has(runs)) return "not-applicable";
      return { type: "denied", reason: `The same call was run before; its stored result stands: ${look.text}` };
    }
    case "ask": return { type: "user-approval", reason: question(look.why) };
    default: return { type: "denied", reason: look.why.message };
  }
}

/** Whether the tool's own needsApproval asks: with toolApproval the framework no longer does. */
async function theirs({ toolCall: { toolName, toolCallId, input }, tools, messages = [], toolsContext }: Asked): Promise<boolean> {
  const needs: unknown = tools && Object.hasOwn(tools, toolName) ? tools[toolName]?.needsApproval : undefined;
  if (typeof needs !== "function") return needs === true;
  const context = (toolsContext as Record<string, unknown> | undefined)?.[toolName];
  return await (needs as (input: unknown, options: unknown) => unknown)(input, { toolCallId, messages, context }) !== false;
}

function question(why: Refused): string {
  const { confirmation } = why;
  return confirmation ? `${confirmation.summary} (confirmation ${confirmation.id})` : why.message;
}
