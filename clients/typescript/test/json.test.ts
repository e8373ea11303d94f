// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

import assert from "node:assert/strict";
import { test } from "node:test";
import { NotJson, read, same, value, write, writeResult } from "../dist/json.js";

/** Numbers that look random and are the same each time. */
function random(seed: number): (below: number) => number {
  return (below) => { seed = (seed * 1103515245 + 12345) % 2147483648; return Math.floor((seed / 2147483648) * below); };
}

function something(next: (below: number) => number, depth: number): unknown {
  switch (next(depth > 3 ? 5 : 7)) {
    case 0: return null;
    case 1: return next(2) === 0;
    case 2: return next(1 << 30) - (1 << 29);
    case 3: return (next(1 << 30) - (1 << 29)) / 2 ** next(60);
    case 4: return String.fromCodePoint(...Array.from({ length: next(6) }, () => [34, 92, 10, 0, 0x41, 0xe9, 0x2028, 0x1f600][next(8)]!));
    case 5: return Array.from({ length: next(4) }, () => something(next, depth + 1));
    default: return Object.fromEntries(Array.from({ length: next(4) }, (_, i) => [`n${i}${String(something(next, 4))}`, something(next, depth + 1)]));
  }
}

test("whatever JSON.stringify writes is read as JSON.parse reads it", () => {
  const next = random(7);
  for (let i = 0; i < 3000; i++) {
    const v = something(next, 0);
    const text = JSON.stringify(v, null, next(3));
    assert.deepEqual(value(read(text)), JSON.parse(text));
    assert.equal(read(text).text, text);
    assert.ok(same(read(text), read(write(v))), text);
    assert.equal(writeResult(v), JSON.stringify(v));
  }
});

test("what JSON.parse refuses is refused, and more", () => {
  const next = random(11);
  const marks = ['"', "{", "}", "[", "]", ",", ":", "\\", "0", "-", "e", ".", "t", "n", " ", "\u0000", "\ufeff", "\u00a0"];
  let refused = 0;
  for (let i = 0; i < 5000; i++) {
    const text = [...JSON.stringify(something(next, 0))];
    text.splice(next(text.length + 1), next(2), marks[next(marks.length)]!);
    const source = text.join("");
    let ours: unknown;
    try { ours = read(source); } catch (e) { assert.ok(e instanceof NotJson, source); refused++; continue; }
    assert.ok(ours);
    assert.doesNotThrow(() => JSON.parse(source), source);
  }
  assert.ok(refused > 1000);
  for (const source of ['{"a":1,"a":1}', '{"a":1,"\\u0061":1}', '[{"b":{"a":1,"a":1}}]', '"\\ud800"', '"\ud800"', "[".repeat(300) + "]".repeat(300), "01", "1.", ".5", "+1", "NaN", "'a'", "1 2", "", " "]) {
    assert.throws(() => read(source), NotJson, source);
  }
});

test("a tool's own words may say a thing twice", () => {
  assert.ok(read('{"result":{"a":1,"a":2}}', ["result"]));
  assert.throws(() => read('{"result":{"a":1},"result":{}}', ["result"]), NotJson);
  assert.throws(() => read('{"verdict":{"a":1,"a":2}}', ["result"]), NotJson);
});

test("numbers are exact or refused", () => {
  for (const [text, want] of [["1e2", 100], ["1.0", 1], ["9007199254740991", 9007199254740991], ["9007199254740992", 9007199254740992n], ["-9007199254740993", -9007199254740993n], ["1e300", 1e300], ["0.1", 0.1]] as const) {
    assert.equal(value(read(text)), want);
  }
  for (const text of ["1e400", "0.10000000000000000001", "1e-400", "9007199254740993.0", "1e99999999999999999999"]) assert.throws(() => value(read(text)), NotJson, text);
  assert.ok(same(read("1.50e1"), read("15")) && same(read("-0"), read("0")) && !same(read("9007199254740993"), read("9007199254740992")));
  assert.ok(!same(read('{"a":1}'), read('{"a":1,"b":1}')) && !same(read("[1]"), read("[1,1]")) && !same(read('"1"'), read("1")) && !same(read("true"), read("false")));
});
