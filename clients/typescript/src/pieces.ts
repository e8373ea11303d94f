// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

/** Whether a function only made a generator, whose body is entered when its pieces are read. */
export function generator(v: unknown): boolean {
  const kind = Object.prototype.toString.call(v);
  return kind === "[object Generator]" || kind === "[object AsyncGenerator]";
}

/**
 * A result; of a tool that answers piece by piece the last one, or what it
 * returns: nothing is shown before its secrets are hidden.
 */
export async function whole(result: unknown, returned = false): Promise<unknown> {
  const all = await result;
  const iterator = pieces(all);
  if (!iterator) return all;
  let last: unknown;
  for (;;) {
    const step = await iterator.next();
    if (step.done) return returned && step.value !== undefined ? step.value : last;
    last = await step.value;
  }
}

function pieces(v: unknown): AsyncIterator<unknown> | Iterator<unknown> | undefined {
  const many = v as Partial<AsyncIterable<unknown>> | null | undefined;
  if (typeof many?.[Symbol.asyncIterator] === "function") return many[Symbol.asyncIterator]!();
  return generator(v) ? (v as Generator<unknown>) : undefined;
}
