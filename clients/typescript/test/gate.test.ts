// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

import assert from "node:assert/strict";
import { test } from "node:test";
import { AlreadyRan, Gate, Refused, ToolFailed, Untold } from "@toolverdict/client";
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
  await gate.run({ tool: "app/note", arguments: { text: "told" } }, () => { entered++; return "done"; });
  assert.deepEqual([entered, lost], [1, 2]);
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
  assert.equal((await refused(real.as("other").outcome(foreign, { status: "succeeded" }))).status, 404);
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
