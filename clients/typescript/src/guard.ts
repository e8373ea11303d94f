// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// What the wrappers of all frameworks have in common: they name the call, ask
// before it runs for the sake of showing, and claim it where it runs.
import type { Call, Run } from "./call.js";
import type { Claimed } from "./claimed.js";
import type { Gate } from "./gate.js";
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

/** How many digests of calls that were looked at are kept. */
const maxSeen = 4096;

export class Guard {
  readonly #seen = new Map<string, string>();

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
      const v = await this.gate.decide(call);
      if (v.digest) this.#keep(key(call), v.digest);
      if (v.verdict === "allow") return { verdict: "allow" };
      if (v.replayed === true && v.success) return { verdict: "replayed", text: typeof v.result === "string" ? v.result : JSON.stringify(v.result ?? "") };
      const { code, message, ...rest } = v.error ?? { code: "GATE_UNAVAILABLE", message: "The gate refuses without a reason." };
      const why = new Refused({ code, reason: message, ...rest, confirmation: v.confirmation, verdict: v });
      if (v.verdict === "ask" && !why.waits) return await this.#ask(call);
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
      if (e instanceof Refused) return { verdict: e.waits ? "ask" : "deny", why: e };
      throw e;
    }
  }

  /** Claims the call and runs it: exactly what was looked at, where it was. */
  run(call: Call, fn: (args: Record<string, unknown>, claimed: Claimed) => unknown, signal?: AbortSignal): Promise<Ran> {
    return this.gate.run(call, fn, { digest: this.#seen.get(key(call)), wait: this.of.wait, signal });
  }

  #keep(of: string, digest: string): void {
    if (this.#seen.size >= maxSeen) {
      for (const oldest of this.#seen.keys()) { this.#seen.delete(oldest); break; }
    }
    this.#seen.set(of, digest);
  }
}

function key(call: Call): string { return JSON.stringify([call.tool, call.session, call.id]); }
