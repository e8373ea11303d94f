// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

import assert from "node:assert/strict";
import { test } from "node:test";
import { AlreadyRan, Gate, NotBegun, Refused, ToolFailed, Untold } from "@toolverdict/client";
import { between, gateForTests, json, RealGate, spoiled, type Spoil } from "./rig.js";

const real = await gateForTests();
const agent = real.as("agent");
const boss = real.as("boss");
const never = (): never => { throw new Error("the tool was entered"); };

/** The refusal that something ends in. */
async function refused(p: Promise<unknown>): Promise<Refused> {
  try {
    await p;
  } catch (e) {
    if (e instanceof Refused) return e;
    throw e;
  }
  throw new Error("it was not refused");
}

test("a call that is allowed runs once with the claimed arguments", async () => {
  const entered: unknown[] = [];
  const ran = await agent.run({ tool: "app/lookup", arguments: { id: "A1" } }, (args, claimed) => {
    entered.push(args, claimed.text, claimed.tool);
    return { state: "paid", when: new Date(0) };
  });
  assert.deepEqual(entered, [{ id: "A1" }, '{"id":"A1"}', "app/lookup"]);
  assert.equal(ran.replayed, false);
  assert.deepEqual(JSON.parse(ran.text), { state: "paid", when: "1970-01-01T00:00:00.000Z" });
  assert.deepEqual(ran.value, JSON.parse(ran.text));
});

test("what the model reads is what the gate says of the result", async () => {
  const rogue = await between(real, "/v1/outcome", (a, r) => json(r, a.replace("held", "[HIDDEN]")));
  const ran = await real.as("agent", { url: rogue.url }).run({ tool: "app/lookup", arguments: {} }, () => ({ key: "held" }));
  assert.deepEqual([ran.text, ran.value], ['{"key":"[HIDDEN]"}', { key: "[HIDDEN]" }]);
  await rogue.close();
});

test("a denied call is not entered, and says why", async () => {
  const e = await refused(agent.run({ tool: "app/wipe", arguments: { all: true } }, never));
  assert.equal(e.code, "POLICY_DENIED");
  assert.match(e.message, /POLICY_DENIED: .*Do not retry/s);
  assert.equal(e.verdict?.decision.rule, "never-wipe");
  assert.equal((await refused(agent.run({ tool: "app/gone", arguments: {} }, never))).code, "UNKNOWN_TOOL");
  assert.equal((await refused(agent.run({ tool: "app/refund", arguments: { order: "A1", amount: 1, more: 1 } }, never))).code, "INVALID_INPUT");
});

test("a call that a person must approve waits, and runs once", async () => {
  const call = { tool: "app/refund", arguments: { order: "A1", amount: 500 } };
  const e = await refused(agent.run(call, never));
  assert.equal(e.code, "CONFIRMATION_REQUIRED");
  assert.ok(e.waits && e.confirmation);
  const card = await boss.approvals.get(e.confirmation.id);
  assert.equal(card.status, "pending");
  await boss.approvals.approve(card.id, "fine");
  assert.equal((await agent.approvals.wait(card.id)).status, "approved");
  assert.equal((await agent.decide(call)).verdict, "allow");
  let entered = 0;
  assert.equal((await agent.run(call, () => { entered++; return "done"; })).text, "done");
  const again = await agent.run(call, never);
  assert.deepEqual([again.replayed, again.text, entered], [true, "done", 1]);
  assert.ok((await refused(agent.claim(call))) instanceof AlreadyRan);
});

test("a claim waits for a person while it is held", async () => {
  const call = { tool: "app/refund", arguments: { order: "held", amount: 501 } };
  const e = await refused(agent.run(call, never));
  const held = agent.run(call, () => "done", { wait: 20_000 });
  await boss.approvals.approve(e.confirmation!.id, "fine");
  assert.equal((await held).text, "done");
});

test("a confirmation alone names the stored call", async () => {
  const e = await refused(agent.run({ tool: "app/refund", arguments: '{"order":"stored","amount":503}' }, never));
  await boss.approvals.approve(e.confirmation!.id, "fine");
  await agent.run({ confirmation: e.confirmation!.id }, (args, claimed) => {
    assert.deepEqual([claimed.tool, args], ["app/refund", { order: "stored", amount: 503 }]);
  });
  assert.equal((await refused(agent.run({ confirmation: e.confirmation!.id }, never))).code, "CONFIRMATION_INVALID");
});

test("a rejected call says so", async () => {
  const call = { tool: "app/refund", arguments: { order: "A1", amount: 502 } };
  const e = await refused(agent.run(call, never));
  await boss.approvals.reject(e.confirmation!.id, "too much");
  assert.match((await refused(agent.run(call, never))).message, /too much/);
});

test("one act is done once, whoever repeats it", async () => {
  const call = { tool: "app/note", arguments: { text: "once" }, idempotencyKey: "act-1" };
  let entered = 0;
  await agent.run(call, () => { entered++; return { n: entered }; });
  const again = await agent.run(call, never);
  assert.deepEqual([again.replayed, again.value, entered], [true, { n: 1 }, 1]);
  assert.equal((await refused(agent.run({ ...call, arguments: { text: "twice" } }, never))).code, "INVALID_INPUT");
});

test("what a tool throws is told, and its secrets are hidden", async () => {
  const secret = new Error("no access with ghp_0123456789abcdefghijABCDEFGHIJ012345");
  await assert.rejects(agent.run({ tool: "app/lookup", arguments: {} }, () => { throw secret; }), (e: unknown) => {
    assert.ok(e instanceof ToolFailed);
    assert.equal(e.cause, secret);
    assert.match(e.message, /TOOL_ERROR: no access with/);
    assert.doesNotMatch(e.message, /ghp_/);
    return true;
  });
});

test("integers stay what they are", async () => {
  const text = '{"number": 9007199254740993, "text": "\\u00e9"}';
  await agent.run({ tool: "app/note", arguments: text }, (args, claimed) => {
    assert.deepEqual(args, { number: 9007199254740993n, text: "é" });
    assert.match(claimed.text, /9007199254740993/);
  });
  const ran = await agent.run({ tool: "app/note", arguments: { number: 2n ** 64n } }, (args) => args);
  assert.equal(ran.text, '{"number":18446744073709551616}');
  for (const number of [2 ** 53, 9007199254740993, -(2 ** 53), 1e21, Infinity, NaN]) {
    const e = await refused(agent.run({ tool: "app/note", arguments: { number } }, never));
    assert.equal(e.code, "MALFORMED_CALL");
  }
});

test("arguments that two programs could read differently are refused", async () => {
  for (const [name, args] of Object.entries({
    "a name twice": '{"text":"a","text":"b"}',
    "a name in two cases": '{"text":"a","Text":"b"}',
    "a comment": '{"text":"a"/**/}',
    "no object": "[1]",
    "JSON in JSON in JSON": '"{}"',
    "another member": '{},"confirmation":"x","arguments":{}',
    "half a character": '{"text":"\\ud800"}',
    "a float that changes": '{"number":0.10000000000000000001}',
    "too large": '{"number":1e999}',
    "minus nothing": '{"number":-0}',
    "nothing": "",
  })) {
    const e = await refused(agent.run({ tool: "app/note", arguments: args }, never));
    assert.match(e.code, /^(MALFORMED_CALL|INVALID_INPUT)$/, `${name}: ${e.message}`);
  }
  assert.equal((await refused(agent.run({ tool: "app/note", arguments: '{"text":"\ud800"}' }, never))).code, "MALFORMED_CALL");
  assert.equal((await refused(agent.run({ tool: "app/note", arguments: { text: "\ud800" } }, never))).code, "MALFORMED_CALL");
  for (const odd of [new Date(0), new Map(), () => 1, Symbol("x")]) {
    assert.equal((await refused(agent.run({ tool: "app/note", arguments: { text: odd } }, never))).code, "MALFORMED_CALL");
  }
  const loop: Record<string, unknown> = {};
  loop["text"] = loop;
  assert.equal((await refused(agent.run({ tool: "app/note", arguments: loop }, never))).code, "MALFORMED_CALL");
  assert.match((await refused(agent.run({ tool: "app/lookup", arguments: '{"id":{"__proto__":{"a":1}}}' }, never))).code, /MALFORMED_CALL/);
});

test("what the caller changes while it waits does not reach the tool", async () => {
  const args = { id: "A1" };
  const asked = agent.run({ tool: "app/lookup", arguments: args }, (a) => a);
  args.id = "B2";
  assert.deepEqual((await asked).value, { id: "A1" });
});

test("a digest holds a claim to what was decided", async () => {
  const one = await agent.decide({ tool: "app/note", arguments: { text: "one" } });
  assert.equal(one.verdict, "allow");
  assert.equal(one.claim, undefined);
  assert.equal((await agent.run({ tool: "app/note", arguments: '{ "text" : "one" }' }, () => "ran", { digest: one.digest })).text, "ran");
  const e = await refused(agent.run({ tool: "app/note", arguments: { text: "two" } }, never, { digest: one.digest }));
  assert.match(e.message, /not the one that was decided/);
});

test("what an approver changed is what runs", async () => {
  const e = await refused(agent.run({ tool: "app/refund", arguments: { order: "A2", amount: 900 } }, never));
  const now = await boss.approvals.edit(e.confirmation!.id, { order: "A2", amount: 90 }, "less");
  assert.equal((await agent.approvals.wait(e.confirmation!.id, { timeout: 0 })).id, now.id, "it follows to what stands in its place");
  // Whoever changed it does not approve it, and the old question leads to the new one.
  assert.equal((await refused(agent.run({ tool: "app/refund", arguments: { order: "A2", amount: 900 } }, never))).confirmation?.id, now.id);
  await real.as("chief").approvals.approve(now.id, "fine");
  const ran = await agent.run({ tool: "app/refund", arguments: { order: "A2", amount: 900 } }, (args, claimed) => [args, claimed.text]);
  assert.deepEqual(ran.value, [{ order: "A2", amount: 90 }, '{"order":"A2","amount":90}']);
  assert.equal(ran.edited?.by, "boss");
});

for (const [name, spoil] of Object.entries(spoiled)) {
  test(`no leave: ${name}`, async () => {
    const rogue = await between(real, "/v1/claim", spoil);
    try {
      const hangs = name === "no answer" || name === "an answer that never ends";
      const gate = real.as("agent", { url: rogue.url, timeout: hangs ? 400 : 30_000 });
      const e = await refused(gate.run({ tool: "app/lookup", arguments: { id: "A1" } }, never));
      assert.match(e.code, /^(GATE_UNAVAILABLE|INVALID_INPUT)$/);
      assert.ok(e.reason.length > 10 && !e.message.includes("<html>"), e.message);
      assert.ok(rogue.seen.filter((s) => s.includes("claim")).length <= 1, "it asked again, or followed");
    } finally {
      await rogue.close();
    }
  });
}

test("a digest that is another one's is no leave", async () => {
  const rogue = await between(real, "/v1/claim", (a, r) => json(r, a.replace(/"digest":"[^"]*"/, '"digest":"other"')));
  const gate = real.as("agent", { url: rogue.url });
  const call = { tool: "app/lookup", arguments: { id: "A1" } };
  const { digest } = await gate.decide(call);
  assert.match((await refused(gate.run(call, never, { digest }))).message, /not the one/);
  await rogue.close();
});

test("a gate that dies, or is not there, says so", async () => {
  const mortal = await RealGate.start();
  const gate = mortal.as("agent");
  await assert.rejects(gate.run({ tool: "app/note", arguments: { text: "last" } }, async () => { await mortal.end("SIGKILL"); return "secret"; }), (e: unknown) => {
    assert.ok(e instanceof Untold);
    assert.doesNotMatch(e.message, /secret/);
    return true;
  });
  const e = await refused(gate.run({ tool: "app/note", arguments: { text: "later" } }, never));
  assert.match(e.message, /GATE_UNAVAILABLE: The gate cannot be reached/);
  await mortal.remove();
});

test("a lost answer to an outcome is asked for again, and told once", async () => {
  let lost = 0;
  const rogue = await between(real, "/v1/outcome", (a, r) => { if (lost++ === 0) r.socket?.destroy(); else json(r, a); });
  const gate = real.as("agent", { url: rogue.url });
  let entered = 0;
  const ran = await gate.run({ tool: "app/note", arguments: { text: "told" } }, () => { entered++; return "done"; });
  assert.deepEqual([ran.text, ran.replayed, entered, lost], ["done", false, 1, 2]);
  await gate.run({ tool: "app/note", arguments: { text: "nothing to lose" } }, () => { lost = 0; });
  assert.equal(lost, 2);
  await rogue.close();
});

test("a result whose cleaned form was lost is not given out, and not given as nothing", async () => {
  let lost = 0;
  const rogue = await between(real, "/v1/outcome", (a, r) => {
    if (lost++ === 0) { r.socket?.destroy(); return; }
    const { result: _, answer: __, ...rest } = JSON.parse(a) as Record<string, unknown>;
    json(r, JSON.stringify(rest));
  });
  const gate = real.as("agent", { url: rogue.url });
  await assert.rejects(gate.run({ tool: "app/note", arguments: { text: "lost" } }, () => "held"), (e: unknown) => {
    assert.ok(e instanceof Untold, String(e));
    assert.match(e.message, /the tool ran.*Do not retry/);
    assert.doesNotMatch(e.message, /held/);
    return true;
  });
  lost = 0;
  await assert.rejects(gate.message({ shape: "openai-chat", message: { role: "assistant", tool_calls: [{ id: "l", type: "function", function: { name: "app__note", arguments: "{}" } }] } }, { "app/note": () => "held" }), Untold);
  await rogue.close();
});

// Each of them may come after the gate ran the call: told as "nothing was run", it would be run twice.
for (const [path, ask] of Object.entries({
  "/v1/calls": (g: Gate) => g.call({ tool: "app/wipe", arguments: {} }),
  "/v1/batch": (g: Gate) => g.batch([{ tool: "app/wipe", arguments: {} }]).then((all) => { for (const a of all) throw a; }),
})) {
  for (const name of ["an empty body", "an empty object", "null", "a list", "a truncated answer", "more behind it", "a page", "an answer without a kind", "status 204", "status 201", "status 500", "a redirect", "a broken connection", "half an answer, then nothing", "no answer"]) {
    test(`${path} answers with ${name}: what came of it is not known`, async () => {
      const rogue = await between(real, path, spoiled[name]!);
      await assert.rejects(ask(real.as("agent", { url: rogue.url, timeout: name === "no answer" ? 300 : 30_000 })), (e: unknown) => {
        assert.ok(e instanceof Untold, String(e));
        assert.match(e.message, /OUTCOME_UNKNOWN: the gate may have run the call.*Do not retry/);
        return true;
      });
      await rogue.close();
    });
  }

  test(`${path}: nothing was run`, async () => {
    const stop = AbortSignal.abort();
    for (const [status, want] of [[400, Refused], [403, Refused], [404, Refused], [429, Refused], [408, Untold], [502, Untold], [504, Untold]] as const) {
      const rogue = await between(real, path, (_, r) => json(r, '{"detail":"no"}', status));
      await assert.rejects(ask(real.as("agent", { url: rogue.url })), (e: unknown) => e instanceof want, String(status));
      await rogue.close();
    }
    const gone = await between(real, path, () => undefined);
    await gone.close();
    assert.match((await refused(ask(real.as("agent", { url: gone.url })))).message, /cannot be reached.*Nothing was run/);
    const early = await between(real, path, () => undefined);
    assert.match((await refused(real.as("agent", { url: early.url }).call({ tool: "app/wipe", arguments: {} }, { signal: stop }))).message, /given up/);
    assert.deepEqual(early.seen, []);
    await early.close();
  });
}

test("one answer of several that says nothing is not known, and the others are", async () => {
  const rogue = await between(real, "/v1/batch", (a, r) => {
    const { results } = JSON.parse(a) as { results: unknown[] };
    json(r, JSON.stringify({ results: [results[0], { success: true, error: { code: "X", message: "x" } }, { success: false }, null] }));
  });
  const wipe = { tool: "app/wipe", arguments: {} };
  const all = await real.as("agent", { url: rogue.url }).batch([wipe, wipe, wipe, wipe]);
  assert.deepEqual(all.map((a) => (a as Error).name), ["Refused", "Untold", "Untold", "Untold"]);
  await rogue.close();
});

/** An error of some library. */
function broke(name: string, code?: string, cause?: unknown): Error {
  return Object.assign(new Error("it broke", { cause }), { name }, code === undefined ? {} : { code });
}

for (const [name, error] of Object.entries({
  "AbortError": broke("AbortError"),
  "TimeoutError": broke("TimeoutError"),
  "a client's own name for it": broke("APIConnectionTimeoutError"),
  "given up in a client's own words": broke("APIUserAbortError"),
  "axios, too late": broke("AxiosError", "ECONNABORTED"),
  "axios, given up": broke("CanceledError", "ERR_CANCELED"),
  "fetch, no answer": broke("TypeError", undefined, broke("HeadersTimeoutError", "UND_ERR_HEADERS_TIMEOUT")),
  "fetch, broken off": broke("TypeError", undefined, broke("Error", "ECONNRESET")),
  "a socket": broke("Error", "ETIMEDOUT"),
  "another gate that could not be told": new Untold("x", undefined),
})) {
  test(`a tool that was cut short may have done it, and is not run again: ${name}`, async () => {
    const call = { tool: "app/note", arguments: { text: name }, idempotencyKey: `cut-${name}` };
    await assert.rejects(agent.run(call, () => { throw error; }), (e: unknown) => {
      assert.ok(e instanceof ToolFailed);
      assert.match(e.message, /OUTCOME_UNKNOWN/);
      assert.equal(e.cause, error);
      return true;
    });
    assert.equal((await refused(agent.run(call, never))).code, "OUTCOME_UNKNOWN");
  });
}

test("a tool that was given up while it ran may have done it, whatever it throws", async () => {
  const call = { tool: "app/note", arguments: { text: "given up" }, idempotencyKey: "given-up" };
  const stop = new AbortController();
  await assert.rejects(agent.run(call, () => { stop.abort(); throw new Error("stopped"); }, { signal: stop.signal }), /OUTCOME_UNKNOWN/);
  assert.equal((await refused(agent.run(call, never))).code, "OUTCOME_UNKNOWN");
  // One that ended all the same did what it did, and one that says that it did nothing did not.
  const end = new AbortController();
  assert.equal((await agent.run({ ...call, idempotencyKey: "ended" }, () => { end.abort(); return "done"; }, { signal: end.signal })).text, "done");
  const paused = new AbortController();
  await assert.rejects(agent.run({ ...call, idempotencyKey: "paused" }, () => { paused.abort(); throw new NotBegun(new Error("waits")); }, { signal: paused.signal }), /waits/);
  assert.equal((await agent.run({ ...call, idempotencyKey: "paused" }, () => "done")).text, "done");
});

test("a tool that fails by itself may be run again", async () => {
  const call = { tool: "app/note", arguments: { text: "failed" }, idempotencyKey: "failed" };
  await assert.rejects(agent.run(call, () => { throw new Error("no ink"); }), /TOOL_ERROR/);
  assert.equal((await agent.run(call, () => "done")).text, "done");
});

test("leave that has ended is given back, and nothing is entered", async () => {
  const rogue = await between(real, "/v1/claim", (a, r) => json(r, a.replace(/"deadline":"[^"]*"/g, '"deadline":"2026-01-01T00:00:00Z"')));
  const late = real.as("agent", { url: rogue.url });
  const call = { tool: "app/note", arguments: { text: "late" }, idempotencyKey: "late" };
  const e = await refused(late.run(call, never));
  assert.deepEqual([e.code, e.retryable], ["TOOL_TIMEOUT", true]);
  const [answer] = await late.message({ shape: "plain", message: { tool: "app/lookup" } }, { "app/lookup": never });
  assert.match(JSON.stringify(answer), /before the tool was entered/);
  await rogue.close();
  assert.equal((await agent.run(call, () => "done")).text, "done");
});

test("leave that comes when the caller is gone is given back", { timeout: 60_000 }, async () => {
  for (const [how, wait] of [["given up", 0], ["given up while it is held", 20_000], ["too late", 0]] as const) {
    const stop = new AbortController();
    let back = (_: string): void => undefined;
    const told = new Promise<string>((resolve) => { back = resolve; });
    let answer = (): void => undefined;
    const rogue = await between(real, ["/v1/claim", "/v1/outcome"], (a, r, q) => {
      if (q.url === "/v1/claim") {
        answer = () => { json(r, a); };
        stop.abort();
        return;
      }
      json(r, a);
      back(a);
    });
    const call = { tool: "app/note", arguments: { text: "gone" }, idempotencyKey: `gone-${how}` };
    const waits = how === "too late";
    const asked = real.as("agent", { url: rogue.url, timeout: waits ? 1000 : 10_000 }).run(call, never, waits ? {} : { signal: stop.signal, wait });
    assert.match((await refused(asked)).message, waits ? /in time/ : /given up/);
    answer();
    assert.match(await told, /"stateChanged":false/);
    await rogue.close();
    assert.equal((await agent.run(call, () => "done")).text, "done");
  }
});

test("a caller who goes while the answer comes enters nothing", async () => {
  let entered = 0;
  for (let steps = 0; steps < 40; steps++) {
    const stop = new AbortController();
    const ticking = async (...of: Parameters<typeof fetch>): Promise<Response> => {
      const r = await fetch(...of);
      if (!String(of[0]).endsWith("/v1/claim")) return r;
      const bytes = new Uint8Array(await r.arrayBuffer());
      const body = new ReadableStream({ pull: async (c) => {
        c.enqueue(bytes);
        c.close();
        for (let i = 0; i < steps; i++) await undefined;
        stop.abort();
      } });
      return new Response(body, { headers: r.headers });
    };
    const gate = new Gate({ url: real.url, key: real.key("agent"), fetch: ticking });
    await gate.run({ tool: "app/note", arguments: {} }, () => { entered++; assert.ok(!stop.signal.aborted, `entered after ${steps} steps`); }, { signal: stop.signal })
      .catch((e: unknown) => { if (!(e instanceof Refused)) throw e; });
  }
  assert.ok(entered > 0 && entered < 40, `entered ${entered} times: the steps miss the moment`);
});

test("a generator is entered and run to its end", async () => {
  const entered: string[] = [];
  const run = (fn: () => unknown) => agent.run({ tool: "app/note", arguments: {} }, fn);
  assert.equal((await run(function* () { entered.push("sync"); yield "half"; return "whole"; })).text, "whole");
  assert.equal((await run(async function* () { entered.push("async"); yield "half"; yield "last"; })).text, "last");
  assert.deepEqual(entered, ["sync", "async"]);
  await assert.rejects(run(function* () { yield 1; throw new Error("no ink"); }), /TOOL_ERROR: no ink/);
});

test("what is claimed reads in one way", async () => {
  const rogue = await between(real, "/v1/claim", (a, r) => json(r, a.replace(/"arguments":\{[^}]*\}/g, '"arguments":{"text":"a","text":"b"}')));
  const gate = real.as("agent", { url: rogue.url });
  assert.match((await refused(gate.run({ tool: "app/note", arguments: '{"text":"b"}' }, never))).message, /in two ways/);
  const noted = gate.message({ shape: "plain", message: { tool: "app/note", arguments: { text: "b" } } }, { "app/note": never });
  assert.match((await refused(noted)).message, /in two ways/);
  await rogue.close();
});

for (const [name, spoil] of Object.entries({
  ...Object.fromEntries(["an empty object", "null", "a list", "a page", "status 204", "a truncated answer", "status 403"].map((n) => [n, spoiled[n]!])),
  "an answer to another claim": ((a, r) => json(r, a.replace(/"claim":"[^"]*"/, '"claim":"other"'))) satisfies Spoil,
  "a success that is a word": ((a, r) => json(r, a.replace('"success":true', '"success":"true"'))) satisfies Spoil,
})) {
  test(`not told: ${name}`, async () => {
    const rogue = await between(real, "/v1/outcome", spoil);
    await assert.rejects(real.as("agent", { url: rogue.url }).run({ tool: "app/lookup", arguments: {} }, () => "secret"), (e: unknown) => {
      assert.ok(e instanceof Untold, String(e));
      assert.doesNotMatch(e.message, /secret/);
      return true;
    });
    await rogue.close();
  });
}

test("a question can be given up", async () => {
  const rogue = await between(real, "/v1/claim", () => undefined);
  const stop = new AbortController();
  const asked = real.as("agent", { url: rogue.url }).run({ tool: "app/lookup", arguments: {} }, never, { signal: stop.signal });
  stop.abort();
  assert.match((await refused(asked)).message, /given up/);
  await rogue.close();
});

test("a key that is none is not sent, and a wrong one refused", async () => {
  for (const key of ["", " ", "a b", "a\nb", "é"]) assert.throws(() => new Gate({ url: real.url, key }), TypeError);
  for (const url of ["", "127.0.0.1:80", "ftp://x", "http://u:p@x", "http://x/?q", "http://x/#f"]) assert.throws(() => new Gate({ url, key: "k" }), TypeError);
  const e = await refused(new Gate({ url: real.url, key: "tv_wrong" }).run({ tool: "app/lookup", arguments: {} }, never));
  assert.deepEqual([e.code, e.status], ["GATE_UNAVAILABLE", 401]);
  const foreign = await agent.claim({ tool: "app/lookup", arguments: {} });
  await assert.rejects(real.as("other").outcome(foreign, { status: "succeeded" }), (e: unknown) => e instanceof Untold && (e.cause as Refused).status === 404);
  assert.doesNotMatch(JSON.stringify(foreign), new RegExp(foreign.token()), "the token is in what is logged");
  await agent.outcome(foreign, { status: "notSent" });
});

test("several calls", async () => {
  const [one, two] = await agent.decideAll([{ tool: "app/lookup", arguments: {} }, { tool: "app/wipe", arguments: {} }]);
  assert.deepEqual([one?.verdict, two?.verdict], ["allow", "deny"]);
  const all = await agent.batch([{ tool: "app/wipe", arguments: {} }, { tool: "app/lookup", arguments: {} }]);
  assert.ok(all.every((r) => r instanceof Refused), "the gate cannot run what callers run themselves");
  assert.equal((await refused(agent.call({ tool: "app/wipe", arguments: {} }))).code, "POLICY_DENIED");
});

test("runs, tools and texts", async () => {
  const run = await agent.startRun({ readOnly: true, expires: "1h" });
  assert.equal((await refused(agent.run({ tool: "app/note", arguments: { text: "x" }, run: run.id }, never))).code, "TOOL_NOT_ALLOWED");
  assert.equal((await refused(agent.run({ tool: "app/note", arguments: { text: "x" }, run: { readOnly: true } }, never))).code, "TOOL_NOT_ALLOWED");
  const visible = await agent.tools({ run: run.id });
  assert.ok(visible.some((t) => t.name.endsWith("lookup")) && !visible.some((t) => t.name.endsWith("note")));
  assert.match(JSON.stringify(await agent.tools({ shape: "openai-chat" })), /app__lookup/);
  assert.equal((await agent.getRun(run.id)).id, run.id);
  await agent.endRun(run.id);
  await refused(agent.run({ tool: "app/lookup", arguments: {}, run: run.id }, never));
  assert.doesNotMatch(await agent.redact("export T=ghp_0123456789abcdefghijABCDEFGHIJ012345"), /ghp_0/);
});
