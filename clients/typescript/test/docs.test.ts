// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const folder = join(import.meta.dirname, "..");
const lines = (text: string): string => text.split("\n").map((l) => l.trim()).filter(Boolean).join("\n");

for (const page of ["typescript.md", "typescript.zh-CN.md"]) {
  test(`the pieces of docs/${page} compile`, () => {
    const compiled = lines(readFileSync(join(folder, "test", "docs.ts"), "utf8"));
    const pieces = [...readFileSync(join(folder, "..", "..", "docs", page), "utf8").matchAll(/```ts\n(.*?)```/gs)].map((m) => lines(m[1]!));
    assert.equal(pieces.length, 5);
    for (const piece of pieces) assert.ok(compiled.includes(piece), piece);
  });
}
