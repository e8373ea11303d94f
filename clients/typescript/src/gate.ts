// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

import type { CallVerdict, Result, ToldOutcome, ToolView, Run as StartedRun } from "./api.js";
import { Approvals, pause } from "./approvals.js";
import { context, written, type Call, type Context, type Written } from "./call.js";
import { Claimed, leave, ranOf, verdictOf, type Expected } from "./claimed.js";
import { NotJson, read, writeMessage, writeResult, type Node } from "./json.js";
import { Link, type Address, type Asking } from "./link.js";
import { next, type Answered, type Shape } from "./message.js";
import { generator, whole } from "./pieces.js";
import { AlreadyRan, cutShort, lost, Refused, ToolFailed, Untold, unavailable, type Grounds, type Ran } from "./refused.js";

/** What holds of one claim. */
export interface Claiming extends Asking {
  /** The digest of an earlier decision: another call is refused. */
  digest?: string | undefined;
  /** Milliseconds to wait for a person, where one must approve. */
  wait?: number | undefined;
}

/** A tool's function. It gets exactly the claimed arguments, read; claimed.text has them as text. */
export type ToolFunction<T> = (args: Record<string, unknown>, claimed: Claimed) => T | PromiseLike<T>;

/** What came of a claimed call. */
export interface Told {
  status: "succeeded" | "failed" | "notSent" | "unknown";
  code?: "TOOL_ERROR" | "TOOL_TIMEOUT";
  /** Any JSON, as text. */
  result?: string;
  message?: string;
  shape?: Shape;
}

/** A message of a model, and whose it is. */
export interface Message extends Context {
  shape: Shape;
  /** The message as the model's API gave it, or its JSON text. */
  message: unknown;
  server?: string;
  turn?: string;
}

/** What holds where a claimed call is run. */
interface Carrying {
  shape?: Shape | undefined;
  signal?: AbortSignal | undefined;
}

const maxHold = 60_000;

/** Gate is one caller of one gate. */
export class Gate {
  readonly #link: Link;
  /** What waits for people, and their answers. */
  readonly approvals: Approvals;

  constructor(address: Address) {
    this.#link = new Link(address);
    this.approvals = new Approvals(this.#link);
  }

  /** What would be decided about a call. It is no leave to run it. */
  async decide(call: Call, asking?: Asking): Promise<CallVerdict> {
    const w = written(call);
    return verdictOf(await this.#link.post("/v1/decide", w.body, asking), w).verdict;
  }

  /** What would be decided about several calls, at most 64, in their order. */
  async decideAll(calls: readonly Call[], asking?: Asking): Promise<CallVerdict[]> {
    const all = calls.map((c) => written(c));
    const answers = results(await this.#link.post("/v1/decide", many(all), asking), all.length);
    return answers.map((n, i) => verdictOf(n, all[i]!).verdict);
  }

  /**
   * Asks for leave to run a call. There is leave where this returns: run
   * claimed.arguments once and tell the outcome. Everything else is thrown.
   */
  async claim(call: Call, claiming: Claiming = {}): Promise<Claimed> {
    const until = Date.now() + (claiming.wait ?? 0);
    for (;;) {
      const hold = Math.min(Math.max(until - Date.now(), 0), maxHold);
      const w = written(call, hold > 0 ? hold : undefined);
      const answer = await this.#link.claim("/v1/claim", w.body, { signal: claiming.signal, held: hold }, (late) => this.#giveBack(late));
      try {
        return await this.#leave(answer, w, claiming);
      } catch (e) {
        const left = until - Date.now();
        if (!(e instanceof Refused && e.waits) || left <= 0) throw e;
        // Where the gate does not hold its answer, it is not asked without end.
        await pause(Math.min(left, 1000), claiming.signal).catch(() => { throw unavailable("The question to the gate was given up."); });
      }
    }
  }

  /** Reads leave out of an answer. Leave for something else than was asked about is given back. */
  async #leave(answer: Node, asked: Expected, claiming: Claiming): Promise<Claimed> {
    const { claimed, wrong } = leave(answer, asked, claiming.digest);
    if (!wrong) return claimed;
    await this.outcome(claimed, { status: "notSent", message: wrong }).catch(() => undefined);
    throw new Refused({ code: "INVALID_INPUT", reason: `${wrong} Nothing was run.` });
  }

  /** Leave that came too late for who asked for it. */
  async #giveBack(answer: Node): Promise<void> {
    for (const n of answer.members.get("results")?.items ?? [answer]) {
      try {
        await this.outcome(leave(n, {}, undefined).claimed, { status: "notSent", message: "The caller went away before the tool was run." });
      } catch { /* it is no leave, or ends as unknown without a word */ }
    }
  }

  /** Tells what came of a claim, once. The answer holds what the model may be told. */
  async outcome(claimed: Claimed, told: Told, asking?: Asking): Promise<ToldOutcome> {
    return (await this.#told(claimed, told, asking)).told;
  }

  async #tell(claimed: Claimed, told: Told, asking?: Asking): Promise<{ told: ToldOutcome; result: Node | undefined }> {
    const { result: written, ...rest } = told;
    const words = JSON.stringify({ claim: claimed.id, token: claimed.token(), ...rest });
    const body = written === undefined ? words : `${words.slice(0, -1)},"result":${written}}`;
    let answer: Node;
    try {
      answer = await this.#link.post("/v1/outcome", body, asking);
    } catch (e) {
      // The same words are taken once however often they come: a lost answer is asked for again.
      if (!(e instanceof Refused) || e.status !== undefined && e.status < 500) throw e;
      answer = await this.#link.post("/v1/outcome", body, asking);
    }
    const out = JSON.parse(answer.text) as ToldOutcome;
    if (out.claim !== claimed.id || typeof out.success !== "boolean") throw unavailable("What answered is no gate: it does not say what it was told.");
    const result = answer.members.get("result");
    // Where the gate does not give the result again, nobody hid the secrets in it.
    if (out.repeated === true && out.success && (told.shape ? out.answer === undefined : told.result !== undefined && !result)) {
      throw new Untold("it was told twice", undefined, "the tool ran, and what the gate made of its result was lost");
    }
    return { told: out, result };
  }

  /**
   * Claims a call, runs exactly what was claimed, tells what came of it, and
   * returns what the gate lets the model read. The function is entered at most once,
   * and only with leave.
   */
  async run(call: Call, fn: ToolFunction<unknown>, claiming: Claiming = {}): Promise<Ran> {
    try {
      return await this.#carry(await this.claim(call, claiming), fn, { signal: claiming.signal });
    } catch (e) {
      if (e instanceof AlreadyRan) return e.ran;
      throw e;
    }
  }

  async #carry(claimed: Claimed, fn: ToolFunction<unknown>, { shape, signal }: Carrying): Promise<Ran & { told: ToldOutcome }> {
    const of = shape ? { shape } : {};
    let args: Record<string, unknown>;
    try {
      args = claimed.arguments;
    } catch (cause) {
      throw await this.#unused(claimed, { code: "MALFORMED_CALL", reason: "The claimed arguments cannot be read without changing them.", cause }, of);
    }
    // By now the gate may have told somebody else that the outcome is unknown.
    if (Date.now() >= claimed.deadline.getTime()) {
      throw await this.#unused(claimed, { code: "TOOL_TIMEOUT", reason: "The leave ended before the tool was entered. Nothing was run.", recommendedAction: "Call it again.", retryable: true }, of);
    }
    if (signal?.aborted) {
      throw await this.#unused(claimed, { code: "GATE_UNAVAILABLE", reason: "The call was given up before the tool was entered. Nothing was run." }, of);
    }
    let result: unknown;
    try {
      result = await fn(args, claimed);
      // Until somebody reads its pieces, a generator has not begun.
      if (generator(result)) result = await whole(result, true);
    } catch (e) {
      throw await this.#failed(claimed, e, of, signal);
    }
    let json: string | undefined;
    try { json = result === undefined ? undefined : writeResult(result); } catch { json = JSON.stringify("The tool ran; its result is no JSON."); }
    const { told, result: clean } = await this.#told(claimed, { status: "succeeded", ...(json === undefined ? {} : { result: json }), ...of });
    return { ...ranOf(clean, false), edited: claimed.edited, told };
  }

  /** Gives leave back for which nothing may run. */
  async #unused(claimed: Claimed, why: Grounds, of: { shape?: Shape }): Promise<Refused> {
    try {
      const { claim: _, ...told } = await this.outcome(claimed, { status: "notSent", message: why.reason, ...of });
      return new Refused({ ...why, verdict: { ...claimed.verdict, ...told } });
    } catch {
      return new Refused(why); // it ends as unknown without a word
    }
  }

  async #failed(claimed: Claimed, e: unknown, of: { shape?: Shape }, signal: AbortSignal | undefined): Promise<Error> {
    // The tool itself says that it did not begin.
    if (e instanceof NotBegun) {
      await this.#told(claimed, { status: "notSent", message: "the tool did not begin", ...of });
      return e.cause as Error;
    }
    // A tool that was cut short may have done all of it: told as failed, it could be done again.
    const cut = signal?.aborted === true || cutShort(e);
    const message = (e instanceof Error ? e.message : String(e)).toWellFormed();
    const { told } = await this.#told(claimed, { status: cut ? "unknown" : "failed", code: cut ? "TOOL_TIMEOUT" : "TOOL_ERROR", message, ...of });
    return new ToolFailed(told, e);
  }

  async #told(claimed: Claimed, told: Told, asking?: Asking): Promise<{ told: ToldOutcome; result: Node | undefined }> {
    try {
      return await this.#tell(claimed, told, asking);
    } catch (cause) {
      if (cause instanceof Untold) throw cause;
      const what = told.status === "notSent" ? "the tool was not run, and the gate could not be told so" : undefined;
      throw new Untold(cause instanceof Refused ? cause.reason : "it cannot be reached", cause, what);
    }
  }

  /** Has the gate run a call through its upstream. Where it may have run it and its answer was lost, that is Untold. */
  async call(call: Call, claiming: Claiming = {}): Promise<Ran> {
    const hold = Math.min(claiming.wait ?? 0, maxHold);
    const w = written(call, hold > 0 ? hold : undefined);
    return done(await this.#link.run("/v1/calls", w.body, { signal: claiming.signal, held: hold }));
  }

  /**
   * Has the gate run several calls, at most 64. One that was refused, failed, or may
   * have run stands in its place as the error. Where the whole answer was lost, that is thrown.
   */
  async batch(calls: readonly Call[], asking?: Asking): Promise<Array<Ran | Refused | Untold>> {
    const answer = await this.#link.run("/v1/batch", many(calls.map((c) => written(c))), asking);
    const all = answer.members.get("results")?.items;
    if (all?.length !== calls.length) throw lost("What answered is no gate: it does not answer each call.");
    return all.map((n) => {
      try { return done(n); } catch (e) { if (e instanceof Refused || e instanceof Untold) return e; throw e; }
    });
  }

  /**
   * Claims and runs the calls of a model's message, and returns what is to be
   * appended to the conversation: every call is answered, in the same form. A tool
   * goes by its full name; one without a function is not run.
   */
  async message(m: Message, tools: { readonly [tool: string]: ToolFunction<unknown> }, asking: Asking = {}): Promise<unknown[]> {
    const answer = await this.#link.claim("/v1/claim", envelope(m), asking, (late) => this.#giveBack(late));
    const all = answer.members.get("results")?.items;
    if (!all) throw leave(answer, {}, undefined).claimed && unavailable("What answered is no gate: it does not answer each call.");
    const answers = await Promise.all(all.map((n) => this.#one(n, tools, { shape: m.shape, signal: asking.signal })));
    const failed = answers.find((a) => a.fault);
    if (failed) throw failed.fault;
    return next(m.shape, answers.map((a) => a.answer));
  }

  async #one(n: Node, tools: { readonly [tool: string]: ToolFunction<unknown> }, of: Carrying & { shape: Shape }): Promise<Answered> {
    try {
      const claimed = await this.#leave(n, {}, {});
      const fn = Object.hasOwn(tools, claimed.tool) ? tools[claimed.tool] : undefined;
      if (!fn) {
        const told = await this.outcome(claimed, { status: "notSent", message: "There is no function for this tool.", shape: of.shape });
        return { answer: told.answer };
      }
      return { answer: (await this.#carry(claimed, fn, of)).told.answer };
    } catch (e) {
      if (e instanceof ToolFailed) return { answer: e.told.answer };
      if (e instanceof Refused && e.verdict?.answer !== undefined) return { answer: e.verdict.answer };
      return { answer: undefined, fault: e };
    }
  }

  /** The tools that the caller may see, or the tool list that a model's API wants. */
  async tools(): Promise<ToolView[]>;
  async tools(of: { shape?: undefined; run?: string; readOnly?: boolean; all?: boolean }): Promise<ToolView[]>;
  async tools(of: { shape: Shape; run?: string; readOnly?: boolean; all?: boolean }): Promise<unknown>;
  async tools(of: { shape?: Shape | undefined; run?: string; readOnly?: boolean; all?: boolean } = {}): Promise<unknown> {
    const query = new URLSearchParams();
    if (of.shape) query.set("shape", of.shape);
    if (of.run !== undefined) query.set("run", of.run);
    if (of.readOnly) query.set("readOnly", "true");
    if (of.all) query.set("all", "true");
    const answer = await this.#link.get(`/v1/tools?${query}`);
    return (JSON.parse(answer.text) as { tools?: unknown }).tools;
  }

  /** Starts a run: what is said here holds for every call that names it. */
  async startRun(run: { readOnly?: boolean; disabled?: readonly string[]; environment?: Record<string, string>; expires?: string } = {}): Promise<StartedRun> {
    return started(await this.#link.post("/v1/runs", JSON.stringify(run)));
  }

  async getRun(id: string): Promise<StartedRun> { return started(await this.#link.get(`/v1/runs/${encodeURIComponent(id)}`)); }
  async endRun(id: string): Promise<StartedRun> { return started(await this.#link.post(`/v1/runs/${encodeURIComponent(id)}/end`, "{}")); }

  /** A text with secrets hidden, for prompts and transcripts before they go to a model. */
  async redact(text: string): Promise<string> {
    const out = (await this.#link.post("/v1/redact", JSON.stringify({ text }))).members.get("text");
    // Without an answer the text must not go on as it is.
    if (out?.kind !== "string") throw unavailable("What answered is no gate: it gives no text back.");
    return out.string;
  }
}

/**
 * Thrown by a tool's function that was entered and did nothing, such as one that
 * pauses: the claim is given back, and the cause goes on.
 */
export class NotBegun extends Error {
  override readonly name = "NotBegun";
  constructor(cause: Error) { super("the tool did not begin", { cause }); }
}

const many = (all: readonly Written[]): string => `{"calls":[${all.map((w) => w.body).join(",")}]}`;

function envelope(m: Message): string {
  let message: string;
  try {
    message = typeof m.message === "string" ? read(m.message).text : writeMessage(m.message);
  } catch (e) {
    if (!(e instanceof NotJson)) throw e;
    throw new Refused({ code: "MALFORMED_CALL", reason: `The message cannot be sent as it is: ${e.message}.`, retryable: true, cause: e });
  }
  const rest = JSON.stringify({ shape: m.shape, server: m.server, turn: m.turn });
  return `${rest.slice(0, -1)},"message":${message}${context(m)}}`;
}

function results(answer: Node, want: number): readonly Node[] {
  const all = answer.members.get("results")?.items;
  if (!all || all.length !== want) throw unavailable("What answered is no gate: it does not answer each call.");
  return all;
}

function started(answer: Node): StartedRun {
  const run = JSON.parse(answer.text) as StartedRun;
  if (typeof run.id !== "string" || run.id === "") throw unavailable("What answered is no gate: it names no run.");
  return run;
}

/** The result of a call that the gate ran. */
function done(n: Node): Ran {
  const r = JSON.parse(n.text) as Result | null;
  if (r?.success === true && r.error === undefined) return { ...ranOf(n.members.get("result"), r.replayed === true), edited: r.edited };
  if (r?.success !== false || typeof r.error?.code !== "string") throw lost("What answered is no gate: it neither ran the call nor refused it.");
  const { code, message, ...rest } = r.error;
  throw new Refused({ code, reason: message, ...rest, confirmation: r.confirmation });
}
