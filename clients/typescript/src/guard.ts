// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// What the wrappers of all frameworks have in common: they name the call, ask
// before it runs for the sake of showing, and claim it where it runs.
import type { Call, Run } from "./call.js";
import type { Claimed } from "./claimed.js";
import type { Gate } from "./gate.js";
import { write } from "./json.js";
import { AlreadyRan, Refused, type Ran } from "./refused.js";

/** Whose tools are guarded, and in which conversation. */
export interface Guarding {
  /** The server that the catalog has these tools under: "app" makes app/NAME. */
  server: string;
  /**
   * The conversation. With the framework's id of a call it names the act, so that
   * a history that is played again, or a state that is resumed twice, runs it once.
   */
  session: string | (() => string);
  run?: Run | undefined;
  /** Milliseconds to wait for a person where one must approve, before the call is refused. */
  wait?: number | undefined;
}

/** What would be decided about a call. */
export type Look = { verdict: "allow" } | { verdict: "ask" | "deny"; why: Refused } | {
  /** It ran before: a tool that claims gives the stored result, and any other would run it again. */
  verdict: "replayed"; text: string;
};

/** How many digests of calls that were looked at are kept, and how many questions. */
const maxSeen = 4096;

export class Guard {
  readonly #seen = new Map<string, string>();
  /**
   * Questions that wait, by the exact call. A framework's id names the act, and a model that makes
   * a call again once somebody approved it does so under another id: without this it would be
   * asked about anew, for ever.
   */
  readonly #waiting = new Map<string, string>();

  constructor(
    readonly gate: Gate,
    readonly of: Guarding,
  ) {
    if (!of.server) throw new TypeError("name the server that the catalog has these tools under");
  }

  /** A framework's call as the gate knows it. */
  call(tool: string, id: string | undefined, args: unknown, session?: string): Call {
    const { server, run } = this.of;
    const named = session ?? (typeof this.of.session === "function" ? this.of.session() : this.of.session);
    if (!named) throw new TypeError("name the session: it tells a repeat from a new call");
    return {
      tool: `${server}/${tool}`, arguments: args as Call["arguments"], session: named, run,
      // As a list: a model that picks an id with a slash in it must not name another session's act.
      ...(id ? { id, idempotencyKey: JSON.stringify([named, id]) } : {}),
    };
  }

  /**
   * What would be decided, and where a person must approve, the question is put.
   * It never throws: what is not known is no leave.
   */
  async look(call: Call): Promise<Look> {
    try {
      const named = this.#named(call);
      const v = await this.gate.decide(named);
      if (named !== call && v.error?.code === over) {
        this.#wait(call);
        return await this.look(call);
      }
      if (v.digest) keep(this.#seen, key(call), v.digest);
      if (v.verdict === "allow") return { verdict: "allow" };
      if (v.replayed === true && v.success) return { verdict: "replayed", text: typeof v.result === "string" ? v.result : JSON.stringify(v.result ?? "") };
      const { code, message, ...rest } = v.error ?? { code: "GATE_UNAVAILABLE", message: "The gate refuses without a reason." };
      const why = new Refused({ code, reason: message, ...rest, confirmation: v.confirmation, verdict: v });
      if (v.verdict === "ask" && !why.waits) return await this.#ask(call);
      this.#wait(call, why);
      return { verdict: why.waits ? "ask" : "deny", why };
    } catch (e) {
      if (e instanceof Refused) return { verdict: "deny", why: e };
      return { verdict: "deny", why: new Refused({ code: "MALFORMED_CALL", reason: "The call cannot be put to the gate.", cause: e }) };
    }
  }

  /** Only a claim puts the question to a person. */
  async #ask(call: Call): Promise<Look> {
    try {
      const claimed = await this.gate.claim(call);
      // Somebody approved in between: the call is claimed again where it runs.
      await this.gate.outcome(claimed, { status: "notSent", message: "only looked at" });
      return { verdict: "allow" };
    } catch (e) {
      if (e instanceof AlreadyRan) return { verdict: "replayed", text: e.ran.text };
      this.#wait(call, e);
      if (e instanceof Refused) return { verdict: e.waits ? "ask" : "deny", why: e };
      throw e;
    }
  }

  /** Claims the call and runs it: exactly what was looked at, where it was. */
  async run(call: Call, fn: (args: Record<string, unknown>, claimed: Claimed) => unknown, signal?: AbortSignal): Promise<Ran> {
    const named = this.#named(call);
    try {
      const ran = await this.gate.run(named, fn, { digest: this.#seen.get(key(call)), wait: this.of.wait, signal });
      this.#wait(call);
      return ran;
    } catch (e) {
      this.#wait(call, e);
      if (named !== call && e instanceof Refused && e.code === over) return await this.run(call, fn, signal);
      throw e;
    }
  }

  /** The call with the question that waits for it, or as it is. */
  #named(call: Call): Call {
    const id = this.#waiting.get(exact(call));
    return id ? { ...call, confirmation: id } : call;
  }

  /** Remembers the question that a refusal names, and forgets the one there was. */
  #wait(call: Call, why?: unknown): void {
    const of = exact(call);
    this.#waiting.delete(of);
    if (of && why instanceof Refused && why.waits && why.confirmation) keep(this.#waiting, of, why.confirmation.id);
  }
}

/** What the gate says of a question that can lead to no run any more: the call is another act. */
const over = "CONFIRMATION_INVALID";

function keep(all: Map<string, string>, of: string, what: string): void {
  if (all.size >= maxSeen) {
    for (const oldest of all.keys()) { all.delete(oldest); break; }
  }
  all.set(of, what);
}

/** The exact call, or "" where it has no id of its own, or names a question itself. */
function exact(call: Call): string {
  if (!call.id || call.confirmation !== undefined) return "";
  try {
    return JSON.stringify([call.tool, call.session, call.run, typeof call.arguments === "string" ? call.arguments : write(call.arguments)]);
  } catch {
    return ""; // the claim says what is wrong with it
  }
}

function key(call: Call): string { return JSON.stringify([call.tool, call.session, call.id]); }
