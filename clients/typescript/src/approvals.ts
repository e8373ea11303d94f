// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

import type { Approval } from "./api.js";
import { sentAs, type Arguments } from "./call.js";
import type { Node } from "./json.js";
import type { Link } from "./link.js";
import { unavailable } from "./refused.js";

/** What waits for people, as far as the caller may see it. */
export class Approvals {
  readonly #link: Link;
  constructor(link: Link) { this.#link = link; }

  async list(status?: string): Promise<Approval[]> {
    const answer = await this.#link.get(`/v1/approvals${status === undefined ? "" : `?status=${encodeURIComponent(status)}`}`);
    return answer.members.get("approvals")?.items.map(read) ?? [];
  }

  async get(id: string, signal?: AbortSignal): Promise<Approval> {
    return read(await this.#link.get(`/v1/approvals/${encodeURIComponent(id)}`, { signal }));
  }

  /**
   * Waits until an approval is answered or ends, and returns it. Where an approver
   * changed the call, it follows to the approval that stands in its place. It is
   * for showing: leave to run is only what a claim gives.
   */
  async wait(id: string, of: { timeout?: number; every?: number; signal?: AbortSignal } = {}): Promise<Approval> {
    const until = Date.now() + (of.timeout ?? 3_600_000);
    for (;;) {
      const a = await this.get(id, of.signal);
      if (a.replacedBy) id = a.replacedBy;
      else if (a.status !== "pending" || Date.now() >= until) return a;
      else await pause(of.every ?? 1000, of.signal);
    }
  }

  /** Answers of people: with the key of an approver. */
  approve(id: string, reason = ""): Promise<Approval> { return this.#answer(id, "approve", reason); }
  reject(id: string, reason: string): Promise<Approval> { return this.#answer(id, "reject", reason); }
  /** Changes the call before it is approved, which then somebody else does. The approval that stands in its place is returned. */
  async edit(id: string, args: Arguments, reason: string): Promise<Approval> {
    return read(await this.#link.post(`/v1/approvals/${encodeURIComponent(id)}/edit`, `{"arguments":${sentAs(args)},"reason":${JSON.stringify(reason)}}`));
  }

  /** Takes the question back. */
  cancel(id: string, reason = ""): Promise<Approval> { return this.#answer(id, "cancel", reason); }

  async #answer(id: string, verb: string, reason: string): Promise<Approval> {
    return read(await this.#link.post(`/v1/approvals/${encodeURIComponent(id)}/${verb}`, JSON.stringify({ reason })));
  }
}

function read(n: Node): Approval {
  const a = JSON.parse(n.text) as Approval;
  if (typeof a.id !== "string" || typeof a.status !== "string") throw unavailable("What answered is no gate: it shows no approval.");
  return a;
}

/** Waits, unless it is given up. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (): void => { clearTimeout(timer); reject(signal?.reason); };
    const timer = setTimeout(() => { signal?.removeEventListener("abort", end); resolve(); }, ms);
    signal?.addEventListener("abort", end, { once: true });
    if (signal?.aborted) end();
  });
}
