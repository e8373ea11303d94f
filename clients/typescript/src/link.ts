// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

import type { Problem } from "./api.js";
import { read, type Node } from "./json.js";
import { lost, Refused, shown, unavailable } from "./refused.js";

/** Where a gate is and who asks it. */
export interface Address {
  /** Such as http://127.0.0.1:8711. */
  url: string;
  /** The caller's API key. */
  key: string;
  /** Milliseconds until an answer counts as lost; 10 seconds where it is not said. */
  timeout?: number;
  /** What sends requests; the global fetch where it is not said. */
  fetch?: typeof fetch;
}

/** What holds of one request. */
export interface Asking {
  signal?: AbortSignal | undefined;
  /** Milliseconds on top of the timeout, where the gate holds its answer. */
  held?: number;
}

/** What tools and models said stands in these members: it is theirs to write. */
const others = ["result", "answer", "messages", "arguments", "value", "tools", "inputSchema", "card"];

/** The most that is read of an answer, in bytes. */
const maxAnswer = 64 << 20;

/**
 * Link sends requests to one gate. It never retries and follows nowhere. Only an
 * answer with status 200 and strict JSON comes back; everything else is thrown.
 */
export class Link {
  readonly #base: string;
  readonly #key: string;
  readonly #timeout: number;
  readonly #fetch: typeof fetch;

  constructor(a: Address) {
    let url: URL;
    try { url = new URL(a.url); } catch { throw new TypeError("the gate's address is none: give one such as http://127.0.0.1:8711"); }
    if (url.protocol !== "http:" && url.protocol !== "https:" || url.username || url.password || url.search || url.hash) {
      throw new TypeError("the gate's address is none: give one such as http://127.0.0.1:8711");
    }
    // An empty or broken key would be sent as one, and refused where nobody sees why.
    if (typeof a.key !== "string" || !/^[\x21-\x7e]+$/.test(a.key)) throw new TypeError("the key is empty, or no API key: white space at its ends, as in a file, is to be taken off");
    const timeout = a.timeout ?? 10_000;
    if (!(timeout > 0 && timeout <= 600_000)) throw new TypeError("timeout is in milliseconds, 1 to 600000");
    this.#base = url.href.replace(/\/+$/, "");
    this.#key = a.key;
    this.#timeout = timeout;
    this.#fetch = a.fetch ?? globalThis.fetch;
  }

  post(path: string, body: string, asking?: Asking): Promise<Node> { return this.#send("POST", path, body, asking); }

  /**
   * As post, for calls that the gate runs itself: once it was sent, only a status
   * 4xx says that nothing was run. Everything else is thrown as Untold.
   */
  async run(path: string, body: string, asking: Asking = {}): Promise<Node> {
    if (asking.signal?.aborted) throw unavailable(givenUp);
    try {
      return await this.#send("POST", path, body, asking);
    } catch (e) {
      if (!(e instanceof Refused) || notRun(e)) throw e;
      throw lost(e.reason, e);
    }
  }

  /**
   * As post, for leave. Who gives up or waited long enough goes on at once, and the
   * question is not torn off with it: leave that is given by then would be in
   * nobody's hands. For as long again its answer is awaited, and handed to late.
   */
  claim(path: string, body: string, asking: Asking, late: (answer: Node) => Promise<void>): Promise<Node> {
    const { signal, held = 0 } = asking;
    if (signal?.aborted) return Promise.reject(unavailable(givenUp));
    const torn = new AbortController();
    const asked = this.#send("POST", path, body, { signal: torn.signal, held: held + 2 * this.#timeout });
    return new Promise((resolve, reject) => {
      let gone = false;
      const go = (reason: string): void => {
        gone = true;
        signal?.removeEventListener("abort", end);
        clearTimeout(timer);
        timer = setTimeout(() => { torn.abort(); }, this.#timeout);
        reject(unavailable(reason));
      };
      const end = (): void => { go(givenUp); };
      let timer = setTimeout(() => { go(tooLate); }, this.#timeout + held);
      signal?.addEventListener("abort", end, { once: true });
      asked.then((answer) => gone ? late(answer) : resolve(answer)).catch(reject).finally(() => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", end);
      });
    });
  }

  get(path: string, asking?: Asking): Promise<Node> { return this.#send("GET", path, undefined, asking); }

  async #send(method: string, path: string, body: string | undefined, asking: Asking = {}): Promise<Node> {
    // Half a character would be sent as another one.
    if (body !== undefined && !body.isWellFormed()) throw new Refused({ code: "MALFORMED_CALL", reason: "The call holds half a character." });
    const late = AbortSignal.timeout(this.#timeout + (asking.held ?? 0));
    const signal = asking.signal ? AbortSignal.any([late, asking.signal]) : late;
    let answer: Response;
    let text: string | undefined;
    try {
      answer = await this.#fetch(this.#base + path, {
        method, signal, redirect: "manual", cache: "no-store", credentials: "omit",
        headers: { Authorization: `Bearer ${this.#key}`, Accept: "application/json", ...(body === undefined ? {} : { "Content-Type": "application/json" }) },
        ...(body === undefined ? {} : { body }),
      });
      text = await content(answer);
    } catch (cause) {
      throw unavailable(broken(late, asking.signal, cause), { cause });
    }
    if (answer.status !== 200) throw problem(answer.status, text);
    if (!json(answer, "application/json") || text === undefined) throw unavailable("What answered is no gate: its answer is no JSON.");
    try {
      return read(text, others);
    } catch (cause) {
      throw unavailable("What answered is no gate: its answer is broken, or can be read in two ways.", { cause });
    }
  }
}

const givenUp = "The question to the gate was given up.";
const tooLate = "The gate did not answer in time.";

function broken(late: AbortSignal, theirs: AbortSignal | undefined, cause: unknown): string {
  if (late.aborted) return tooLate;
  if (theirs?.aborted) return givenUp;
  return unreached(cause) ? "The gate cannot be reached: is it running?" : "The gate's answer was lost: the connection broke.";
}

/** Whether there was no connection, so that nothing was sent. */
function unreached(cause: unknown): boolean {
  const code = (cause as { cause?: { code?: unknown } } | undefined)?.cause?.code;
  return code === "ECONNREFUSED" || code === "ENOTFOUND" || code === "EAI_AGAIN" || code === "UND_ERR_CONNECT_TIMEOUT";
}

/** Whether a request to run something surely ran nothing. */
function notRun(e: Refused): boolean {
  // 408 comes from what stands in between, which does not say what it had passed on.
  if (e.status !== undefined) return e.status >= 400 && e.status < 500 && e.status !== 408;
  return e.code === "MALFORMED_CALL" || unreached(e.cause);
}

function json(answer: Response, kind: string): boolean {
  return answer.headers.get("Content-Type")?.split(";", 1)[0]?.trim().toLowerCase() === kind;
}

/** Reads an answer that is UTF-8 and not too large. */
async function content(answer: Response): Promise<string | undefined> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of (answer.body ?? []) as AsyncIterable<Uint8Array>) {
    size += part.byteLength;
    if (size > maxAnswer) return undefined;
    parts.push(part);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.concat(parts));
  } catch {
    return undefined;
  }
}

function problem(status: number, text: string | undefined): Refused {
  let detail = "";
  try {
    const p = JSON.parse(text ?? "") as Partial<Problem> | null;
    if (typeof p?.detail === "string") detail = shown(p.detail);
  } catch { /* a proxy in between may answer otherwise */ }
  const reason = detail || `What answered gave status ${status} and no decision.`;
  if (status === 429) return new Refused({ code: "RATE_LIMITED", reason, status, retryable: true });
  return unavailable(reason, { status, retryable: status >= 500, recommendedAction: "Nothing was run." });
}
