// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// JSON read strictly and kept as it was written. JSON.parse keeps the last of two
// members of one name and rounds integers: what a person approved and what a tool
// gets could then differ.

/** One value of a JSON text. */
export interface Node {
  readonly kind: "null" | "boolean" | "number" | "string" | "array" | "object";
  /** The value as it stands in the source, byte for byte. */
  readonly text: string;
  /** The text that a string means. */
  readonly string: string;
  readonly items: readonly Node[];
  readonly members: ReadonlyMap<string, Node>;
}

/** JSON that two readers could read differently, or that is none. */
export class NotJson extends Error {
  override readonly name = "NotJson";
}

const maxDepth = 256;
const none: ReadonlyMap<string, Node> = new Map();
const space = /[ \t\n\r]*/y;
const number = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
// What a string may hold between its quotes without being looked at.
const plain = /[^"\\\u0000-\u001f]*/y;

/**
 * Reads one JSON text. What stands in members named in loose is a tool's own
 * words, in which names may be written twice.
 */
export function read(source: string, loose: readonly string[] = []): Node {
  const r = new Reader(source, loose);
  const v = r.value(0, false);
  r.skip(space);
  if (r.at !== source.length) throw new NotJson("there is more behind the value");
  return v;
}

class Reader {
  at = 0;
  constructor(
    readonly source: string,
    readonly loose: readonly string[],
  ) {}

  skip(pattern: RegExp): void {
    pattern.lastIndex = this.at;
    if (pattern.test(this.source)) this.at = pattern.lastIndex;
  }

  take(mark: string): boolean {
    this.skip(space);
    if (!this.source.startsWith(mark, this.at)) return false;
    this.at += mark.length;
    return true;
  }

  value(depth: number, free: boolean): Node {
    if (depth > maxDepth) throw new NotJson("it is nested too deeply");
    this.skip(space);
    const start = this.at;
    const node = (kind: Node["kind"], rest: Partial<Node> = {}): Node => ({
      kind, string: "", items: [], members: none, ...rest, text: this.source.slice(start, this.at),
    });
    if (this.take("{")) {
      const members = this.object(depth, free);
      return node("object", { members });
    }
    if (this.take("[")) {
      const items: Node[] = [];
      if (!this.take("]")) {
        do items.push(this.value(depth + 1, free)); while (this.take(","));
        if (!this.take("]")) throw new NotJson("a list does not end");
      }
      return node("array", { items });
    }
    if (this.source[start] === '"') {
      const string = this.string();
      return node("string", { string });
    }
    if (this.take("null")) return node("null");
    if (this.take("true") || this.take("false")) return node("boolean");
    this.skip(number);
    if (this.at === start) throw new NotJson("a value is missing or is none");
    return node("number");
  }

  object(depth: number, free: boolean): Map<string, Node> {
    const members = new Map<string, Node>();
    if (this.take("}")) return members;
    do {
      this.skip(space);
      if (this.source[this.at] !== '"') throw new NotJson("a name is missing");
      const name = this.string();
      if (!free && members.has(name)) throw new NotJson("a name stands twice in one object");
      if (!this.take(":")) throw new NotJson("a name has no value");
      members.set(name, this.value(depth + 1, free || this.loose.includes(name)));
    } while (this.take(","));
    if (!this.take("}")) throw new NotJson("an object does not end");
    return members;
  }

  string(): string {
    const start = this.at++;
    for (;;) {
      this.skip(plain);
      const c = this.source[this.at];
      if (c === '"') break;
      if (c !== "\\") throw new NotJson("a text does not end, or holds what must be escaped");
      this.at += 2;
    }
    this.at++;
    let text: string;
    try {
      text = JSON.parse(this.source.slice(start, this.at)) as string;
    } catch {
      throw new NotJson("a text holds an escape that is none");
    }
    if (!text.isWellFormed()) throw new NotJson("a text holds half a character");
    return text;
  }
}

/**
 * A node as a JavaScript value. An integer that a number cannot hold becomes a
 * bigint; anything else that would change is an error.
 */
export function value(n: Node): unknown {
  switch (n.kind) {
    case "null": return null;
    case "boolean": return n.text === "true";
    case "string": return n.string;
    case "array": return n.items.map(value);
    case "number": return numeric(n.text);
    case "object": {
      const out: Record<string, unknown> = {};
      for (const [name, v] of n.members) {
        // As an own member it would still become the prototype of whatever copies it.
        if (name === "__proto__") throw new NotJson("a member is called __proto__");
        out[name] = value(v);
      }
      return out;
    }
  }
}

function numeric(text: string): number | bigint {
  const n = Number(text);
  if (/^-?[0-9]+$/.test(text) && !Number.isSafeInteger(n)) return BigInt(text);
  if (!Number.isFinite(n) || normal(String(n)) !== normal(text)) throw new NotJson("a number changes when it is read as a 64-bit float");
  return n;
}

/** The same decimal number always gives the same text. */
function normal(text: string): string {
  const m = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/.exec(text);
  if (!m) throw new NotJson("a number is none");
  const [, sign = "", whole = "", part = "", power = "0"] = m;
  const all = (whole + part).replace(/^0+/, "");
  const digits = all.replace(/0+$/, "");
  if (digits === "") return "0";
  const exponent = Number(power) - part.length + all.length - digits.length;
  if (!Number.isSafeInteger(exponent)) throw new NotJson("a number is too large");
  return `${sign}${digits}e${exponent}`;
}

/** Whether two values say the same, however they are written. */
export function same(a: Node, b: Node): boolean {
  if (a.kind !== b.kind) return false;
  switch (a.kind) {
    case "null": return true;
    case "boolean": return a.text === b.text;
    case "number": return normal(a.text) === normal(b.text);
    case "string": return a.string === b.string;
    case "array": return a.items.length === b.items.length && a.items.every((v, i) => same(v, b.items[i]!));
    case "object":
      return a.members.size === b.members.size &&
        [...a.members].every(([name, v]) => { const w = b.members.get(name); return w !== undefined && same(v, w); });
  }
}

/** What may be written how: exact numbers only, and objects that are plain JSON only. */
interface Rules { readonly exact: boolean; readonly plain: boolean }

/**
 * Writes arguments. Only what JSON can hold as it is has a form here: a number
 * that was rounded before, a Date or a Map would reach the tool as something else
 * than was decided.
 */
export function write(v: unknown): string { return text(v, 0, { exact: true, plain: true }); }

/** Writes a model's message, which frameworks hold as objects of their own. */
export function writeMessage(v: unknown): string { return text(v, 0, { exact: true, plain: false }); }

/** Writes a tool's result, as JSON.stringify would, bigints as integers. */
export function writeResult(v: unknown): string { return text(v, 0, { exact: false, plain: false }); }

function text(v: unknown, depth: number, by: Rules): string {
  if (depth > maxDepth) throw new NotJson("it is nested too deeply, or holds itself");
  if (!by.plain && typeof (v as { toJSON?: unknown } | null | undefined)?.toJSON === "function") v = (v as { toJSON(): unknown }).toJSON();
  switch (typeof v) {
    case "boolean": return String(v);
    case "string": return JSON.stringify(v);
    case "bigint": return String(v);
    case "number": return numeral(v, by);
    case "object": return v === null ? "null" : Array.isArray(v) ? list(v, depth, by) : members(v, depth, by);
    default: throw new NotJson(`a ${typeof v} has no JSON form`);
  }
}

function numeral(v: number, by: Rules): string {
  if (!Number.isFinite(v)) {
    if (!by.exact) return "null";
    throw new NotJson("a number is not finite");
  }
  if (by.exact && Number.isInteger(v) && !Number.isSafeInteger(v)) {
    throw new NotJson("an integer beyond 2^53 may have been rounded: give it as a bigint, or the arguments as JSON text");
  }
  return JSON.stringify(v);
}

function list(v: readonly unknown[], depth: number, by: Rules): string {
  const items: string[] = [];
  for (let i = 0; i < v.length; i++) items.push(!by.plain && nothing(v[i]) ? "null" : text(v[i], depth + 1, by));
  return `[${items.join(",")}]`;
}

function members(v: object, depth: number, by: Rules): string {
  const parent: unknown = Object.getPrototypeOf(v);
  // Objects of another realm have another Object.prototype, whose own parent is null too.
  if (by.plain && parent !== null && Object.getPrototypeOf(parent) !== null) throw new NotJson("an object that is more than JSON, such as a Date or a Map, has no form of its own");
  const out: string[] = [];
  for (const [name, member] of Object.entries(v)) {
    if (member === undefined || !by.plain && nothing(member)) continue;
    out.push(`${JSON.stringify(name)}:${text(member, depth + 1, by)}`);
  }
  return `{${out.join(",")}}`;
}

function nothing(v: unknown): boolean { return v === undefined || typeof v === "function" || typeof v === "symbol"; }

/** Whether all programs read a text alike. */
export function strict(source: string): boolean {
  try { read(source); return true; } catch { return false; }
}
