// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

import type { CallVerdict, ConfirmationInfo, Edited, FieldError, ToldOutcome } from "./api.js";

/** What a refusal is made of, besides its words. */
export interface Grounds {
  code: string;
  reason: string;
  recommendedAction?: string | undefined;
  retryable?: boolean | undefined;
  retryAfter?: number | undefined;
  details?: readonly FieldError[] | undefined;
  confirmation?: ConfirmationInfo | undefined;
  verdict?: CallVerdict | undefined;
  status?: number | undefined;
  cause?: unknown;
}

/**
 * The call was not run: the gate refused it, a person must approve it first, or
 * there was no answer that is leave. The message is fit for the model.
 */
export class Refused extends Error {
  override readonly name: string = "Refused";
  /** A reason code of the gate; GATE_UNAVAILABLE where it did not answer as one. */
  readonly code: string;
  /** Why, without the code and what to do. */
  readonly reason: string;
  readonly recommendedAction: string | undefined;
  readonly retryable: boolean;
  /** Seconds to wait. */
  readonly retryAfter: number | undefined;
  readonly details: readonly FieldError[];
  /** What waits for a person, where the code is CONFIRMATION_REQUIRED. */
  readonly confirmation: ConfirmationInfo | undefined;
  /** The whole answer of the gate, where there was one. */
  readonly verdict: CallVerdict | undefined;
  /** The HTTP status of an answer that was no decision. */
  readonly status: number | undefined;

  constructor(g: Grounds) {
    super(sentence(g), { cause: g.cause });
    this.code = g.code;
    this.reason = g.reason;
    this.recommendedAction = g.recommendedAction;
    this.retryable = g.retryable ?? false;
    this.retryAfter = g.retryAfter;
    this.details = g.details ?? [];
    this.confirmation = g.confirmation;
    this.verdict = g.verdict;
    this.status = g.status;
  }

  /** Whether a person must approve the call. */
  get waits(): boolean { return this.code === "CONFIRMATION_REQUIRED" && this.confirmation !== undefined; }
}

function sentence(g: Grounds): string {
  const parts = [`${g.code}: ${g.reason}`];
  for (const d of g.details ?? []) parts.push(`${d.path}: ${d.message}.`);
  if (g.recommendedAction) parts.push(g.recommendedAction);
  if (g.confirmation) parts.push(`Confirmation: ${g.confirmation.id}.`);
  return parts.join(" ");
}

/** No answer that a gate gives: nothing may run on it. */
export function unavailable(reason: string, more: Partial<Grounds> = {}): Refused {
  return new Refused({
    code: "GATE_UNAVAILABLE", retryable: true, recommendedAction: "Nothing was run. Retry later; if it persists, tell the operator.", ...more, reason,
  });
}

/** What came of a call that ran, as the gate lets the model read it: without the secrets that it holds. */
export interface Ran {
  /** For the model: the result where it is text, and its JSON where it is not. */
  readonly text: string;
  /** The result read; undefined where the tool gave none. */
  readonly value: unknown;
  /** Nothing was run now: this is the stored result of the same act. */
  readonly replayed: boolean;
  /** What an approver changed before it ran. */
  readonly edited: Edited | undefined;
}

/** The same act ran before, and nothing was run now. */
export class AlreadyRan extends Refused {
  override readonly name: string = "AlreadyRan";
  constructor(readonly ran: Ran, verdict: CallVerdict) {
    super({ code: "ALREADY_RAN", reason: "The same call was run before; its stored result stands.", verdict });
  }
}

/** The tool was entered and failed. The message is what the gate lets the model read. */
export class ToolFailed extends Error {
  override readonly name = "ToolFailed";
  constructor(readonly told: ToldOutcome, cause: unknown) {
    super(`${told.error?.code ?? "TOOL_ERROR"}: ${told.error?.message ?? "the tool failed"}`, { cause });
  }
}

/**
 * The call was run, or may have been: the gate could not be told what came of it,
 * or its own answer was lost. It must not be run again as if nothing had happened.
 * What the tool answered is not given out, since nobody hid its secrets.
 */
export class Untold extends Error {
  override readonly name = "Untold";
  readonly code = "OUTCOME_UNKNOWN";
  constructor(why: string, cause: unknown, what = "the tool ran, and the gate could not be told what came of it") {
    super(`OUTCOME_UNKNOWN: ${what} (${why.replace(/\.$/, "")}). Do not retry.`, { cause });
  }
}

/** The gate was asked to run a call, and what came of that is not known. */
export function lost(why: string, cause?: unknown): Untold {
  return new Untold(why, cause, "the gate may have run the call, and its answer was lost");
}

// A class of its own for it has each HTTP client and each database.
const cutName = /^(Untold|.*(Abort|Timeout|Cancell?ed)(Error)?)$/i;
const cutCode = /TIMEDOUT|TIMEOUT|ABORT|CANCEL|^ECONNRESET$|^EPIPE$|^UND_ERR_SOCKET$/;

/**
 * Whether what a tool threw leaves open what it did: it was cut short, or what it
 * called did not answer in time.
 */
export function cutShort(e: unknown): boolean {
  for (let depth = 0; depth < 16 && typeof e === "object" && e !== null; depth++) {
    const { name, code, cause } = e as { name?: unknown; code?: unknown; cause?: unknown };
    if (typeof name === "string" && cutName.test(name) || typeof code === "string" && cutCode.test(code)) return true;
    e = cause;
  }
  return false;
}

/** Text of strangers made fit for a message: no control, bidirectional or invisible characters, and not long. */
export function shown(text: string): string {
  const clean = text.toWellFormed().replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, " ").trim();
  return clean.length > 500 ? `${clean.slice(0, 499)}…` : clean;
}
