// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

import { coerceMessageLikeToMessage, isBaseMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";
import { isCommand, Send, type Command } from "@langchain/langgraph";
import { Untold } from "./refused.js";

/** What a tool gives to the graph. */
export type Handed = ToolMessage | Command;

/**
 * The messages that the graph is given, which models will read: of a command all of
 * them, wherever they stand. A form that is not known is an error, since what is in
 * it would go on unseen.
 */
export function messages(of: Handed): BaseMessage[] {
  if (!isCommand(of)) return [of];
  const all: BaseMessage[] = [];
  try {
    const { update } = of as { update?: unknown };
    if (Array.isArray(update) && update.every((t) => Array.isArray(t) && t.length === 2 && typeof t[0] === "string")) {
      for (const pair of update as Array<[string, unknown]>) pair[1] = channel(pair[0], pair[1], all);
    } else if (Array.isArray(update) && update.every((m) => isBaseMessage(m))) {
      all.push(...update);
    } else if (typeof update === "object" && update !== null && !Array.isArray(update)) {
      state(update, all);
    } else if (update !== undefined && update !== null) {
      throw new TypeError("an update of a form that is not known");
    }
    for (const to of of.goto as unknown[]) {
      if (to instanceof Send && typeof to.args === "object" && to.args !== null) state(to.args as object, all);
    }
  } catch (cause) {
    throw new Untold("what it hands to the graph has no form that is known", cause, "the tool ran, and its answer cannot be shown");
  }
  return all;
}

function state(of: object, all: BaseMessage[]): void {
  for (const [name, v] of Object.entries(of)) (of as Record<string, unknown>)[name] = channel(name, v, all);
}

/** Takes the messages out of what one channel is given, read as the graph would read them. */
function channel(name: string, v: unknown, all: BaseMessage[]): unknown {
  if (v === undefined || v === null) return v;
  const list: unknown[] = Array.isArray(v) ? v : [v];
  if (name !== "messages" && !list.some((m) => isBaseMessage(m))) return v;
  const read = list.map((m) => name === "messages" ? coerceMessageLikeToMessage(m as BaseMessage) : m);
  all.push(...read.filter((m) => isBaseMessage(m)));
  return name === "messages" || Array.isArray(v) ? read : read[0];
}

/** What is said to fail in an answer to this call; undefined where nothing is. */
export function failure(all: readonly BaseMessage[], callId: string | undefined): string | undefined {
  const failed = all.find((m): m is ToolMessage => ToolMessage.isInstance(m) && m.status === "error" && (!callId || m.tool_call_id === callId));
  return failed?.text;
}
