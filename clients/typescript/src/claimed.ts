// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

import type { CallVerdict, Edited } from "./api.js";
import type { Written } from "./call.js";
import { same, strict, value, type Node } from "./json.js";
import { AlreadyRan, Refused, unavailable, type Ran } from "./refused.js";

/** What was asked about, as far as it is known here. */
export type Expected = Partial<Pick<Written, "tool" | "id" | "arguments">>;

/** Claimed is leave to run one call, once. */
export class Claimed {
  readonly #token: string;
  readonly #arguments: Node;

  constructor(
    readonly id: string,
    token: string,
    args: Node,
    readonly tool: string,
    readonly digest: string,
    /** Until when the outcome is awaited. */
    readonly deadline: Date,
    /** What an approver changed. */
    readonly edited: Edited | undefined,
    /** The whole answer, without the claim. */
    readonly verdict: CallVerdict,
  ) {
    this.#token = token;
    this.#arguments = args;
  }

  /** The exact arguments that may run, as the gate decided them. */
  get text(): string { return this.#arguments.text; }

  /**
   * The same, read: integers that a number cannot hold are bigints. Each time
   * they are made anew, so that nobody changes what another one gets.
   */
  get arguments(): Record<string, unknown> { return value(this.#arguments) as Record<string, unknown>; }

  /** The proof that the outcome comes from who claimed. It is no field, so that it reaches no log. */
  token(): string { return this.#token; }
}

/** Reads a verdict. A word that is none, or an answer to another call, is thrown. */
export function verdictOf(n: Node, asked: Expected): { verdict: CallVerdict; claim: Node | undefined } {
  const word = n.members.get("verdict")?.string;
  if (word !== "allow" && word !== "ask" && word !== "deny") throw unavailable("What answered is no gate: its verdict is none.");
  const { claim: _, ...verdict } = JSON.parse(n.text) as CallVerdict;
  if (word === "allow" && (asked.id !== undefined && verdict.id !== asked.id || asked.tool !== undefined && verdict.tool !== asked.tool)) {
    throw unavailable("What answered is no gate: it answers another call.");
  }
  return { verdict, claim: n.members.get("claim") };
}

/**
 * Reads leave. Only the literal verdict with a whole claim is leave; wrong says
 * why a claim is not for what was asked about.
 */
export function leave(n: Node, asked: Expected, digest: string | undefined): { claimed: Claimed; wrong: string | undefined } {
  const { verdict, claim } = verdictOf(n, asked);
  if (verdict.verdict !== "allow") throw refused(n, verdict);
  const claimed = complete(n, verdict, claim);
  let wrong: string | undefined;
  // What an approver changed is another call, and the one that was approved.
  if (digest !== undefined && !claimed.edited && claimed.digest !== digest) wrong = "The call is not the one that was decided about.";
  const args = claim?.members.get("arguments");
  if (asked.arguments && !claimed.edited && args && !same(args, asked.arguments)) wrong = "The gate gave leave for other arguments.";
  return { claimed, wrong };
}

function complete(n: Node, verdict: CallVerdict, claim: Node | undefined): Claimed {
  const text = (name: string): string => { const v = claim?.members.get(name); return v?.kind === "string" ? v.string : ""; };
  const args = claim?.members.get("arguments");
  const deadline = new Date(text("deadline"));
  const digest = n.members.get("digest")?.string ?? "";
  if (n.members.get("success")?.text !== "true" || verdict.error) throw unavailable("What answered is no gate: it allows and refuses at once.");
  if (!text("id") || !text("token") || !digest || args?.kind !== "object" || Number.isNaN(deadline.getTime()) || !verdict.tool) {
    throw unavailable("What answered is no gate: it allows the call and gives no claim.");
  }
  // Elsewhere in an answer arguments are a stranger's words; these are run.
  if (!strict(args.text)) throw unavailable("What answered is no gate: its claim can be read in two ways.");
  return new Claimed(text("id"), text("token"), args, verdict.tool, digest, deadline, verdict.edited, verdict);
}

function refused(n: Node, verdict: CallVerdict): Refused {
  if (verdict.replayed === true && verdict.success === true) return new AlreadyRan(ranOf(n.members.get("result"), true), verdict);
  if (!verdict.error) return unavailable("What answered is no gate: it refuses without a reason.");
  const { code, message, ...rest } = verdict.error;
  return new Refused({ code, reason: message, ...rest, confirmation: verdict.confirmation, verdict });
}

/** A result for the model. */
export function ranOf(n: Node | undefined, replayed: boolean): Ran {
  if (!n) return { text: "", value: undefined, replayed, edited: undefined };
  return { text: n.kind === "string" ? n.string : n.text, value: JSON.parse(n.text) as unknown, replayed, edited: undefined };
}
