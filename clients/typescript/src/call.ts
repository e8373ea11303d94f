// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

import { NotJson, read, write, type Node } from "./json.js";
import { Refused } from "./refused.js";

/**
 * Arguments of a call: an object that is plain JSON, or the JSON text itself.
 * Text goes to the gate as it is. In an object an integer beyond 2^53 must be a
 * bigint: as a number it may have been rounded, and is refused.
 */
export type Arguments = string | { readonly [name: string]: unknown };

/** The run that calls belong to: its id, or what holds of it. */
export type Run = string | { id?: string; readOnly?: boolean; disabled?: readonly string[] };

/** What calls and messages both may say. */
export interface Context {
  run?: Run | undefined;
  session?: string | undefined;
  model?: string | undefined;
  trace?: string | undefined;
  /** Names the act: of one that was done before, the stored result is answered. */
  idempotencyKey?: string | undefined;
}

/** One call. It names a tool, or the confirmation whose stored call is meant. */
export interface Call extends Context {
  /** SERVER/TOOL */
  tool?: string | undefined;
  arguments?: Arguments | undefined;
  confirmation?: string | undefined;
  /** Your own id of the call. */
  id?: string | undefined;
}

/** A call as a request holds it, and what it says. */
export interface Written {
  body: string;
  tool: string | undefined;
  id: string;
  /** What was sent as arguments; undefined where the gate is to refuse them. */
  arguments: Node | undefined;
}

const field = (name: string, json: string | undefined): string => json === undefined ? "" : `,${JSON.stringify(name)}:${json}`;
const quoted = (text: string | undefined): string | undefined => text === undefined ? undefined : JSON.stringify(text);

/** Writes a call. The id is made here where the caller gave none, so that an answer can be told from that of another call. */
export function written(call: Call, wait?: number): Written {
  const id = call.id ?? crypto.randomUUID();
  let args: Node | undefined;
  let sent: string | undefined;
  if (call.arguments !== undefined) {
    ({ args, sent } = embedded(call.arguments));
  } else if (call.confirmation === undefined) {
    args = read("{}");
  }
  const body = `{"id":${JSON.stringify(id)}${field("tool", quoted(call.tool))}${field("arguments", sent)}${field("confirmation", quoted(call.confirmation))}` +
    `${wait === undefined ? "" : field("wait", JSON.stringify(`${Math.ceil(wait)}ms`))}${context(call)}}`;
  return { body, id, tool: call.tool, arguments: args };
}

/** What stands beside a call or a message. */
export function context(c: Context): string {
  const run = c.run === undefined ? undefined : JSON.stringify(typeof c.run === "string" ? { id: c.run } : c.run);
  return field("run", run) + field("session", quoted(c.session)) + field("model", quoted(c.model)) + field("trace", quoted(c.trace)) + field("idempotencyKey", quoted(c.idempotencyKey));
}

/**
 * Arguments as a request holds them. Text that is no strict JSON goes as a JSON
 * string, which the gate refuses and records; nothing in it can pass for another
 * member of the request.
 */
function embedded(given: Arguments): { args: Node | undefined; sent: string } {
  if (typeof given === "string") {
    try {
      const args = read(given);
      if (args.kind === "object") return { args, sent: given };
    } catch (e) {
      if (!(e instanceof NotJson)) throw e;
    }
    return { args: undefined, sent: JSON.stringify(given) };
  }
  try {
    const sent = write(given);
    return { args: loosely(sent), sent };
  } catch (e) {
    if (!(e instanceof NotJson)) throw e;
    throw new Refused({ code: "MALFORMED_CALL", reason: `The arguments cannot be sent as they are: ${e.message}.`, retryable: true, cause: e });
  }
}

/** Arguments as a request holds them. */
export function sentAs(args: Arguments): string { return embedded(args).sent; }

// Half a character in a text is written as an escape, which the gate refuses itself.
function loosely(sent: string): Node | undefined {
  try { return read(sent); } catch { return undefined; }
}
