// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

import assert from "node:assert/strict";
import { test } from "node:test";
import { Mastra } from "@mastra/core";
import { Agent } from "@mastra/core/agent";
import { InMemoryStore } from "@mastra/core/storage";
import { createTool } from "@mastra/core/tools";
import { guard, type Waiting } from "@toolverdict/client/mastra";
import { convertArrayToReadableStream, MockLanguageModelV4 } from "ai/test";
import { z } from "zod";
import { between, gateForTests, json, spoiled } from "./rig.js";

const real = await gateForTests();
const agent = real.as("agent");
const boss = real.as("boss");

type Calls = Array<[id: string, name: string, input: string]>;
type Model = ConstructorParameters<typeof Agent>[0]["model"];
type Part = Awaited<ReturnType<MockLanguageModelV4["doStream"]>>["stream"] extends ReadableStream<infer P> ? P : never;

/** A model that makes these calls, one turn after another, and then ends. */
function model(...turns: Calls[]) {
  let at = 0;
  const seen: unknown[] = [];
  const usage = { inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 }, outputTokens: { total: 1, text: 1, reasoning: 0 } };
  const next = (prompt: unknown) => {
    seen.push(prompt);
    const calls = turns[at++];
    const content = calls ? calls.map(([toolCallId, toolName, input]) => ({ type: "tool-call" as const, toolCallId, toolName, input })) : [{ type: "text" as const, text: "end" }];
    return { content, usage, finishReason: { unified: calls ? "tool-calls" as const : "stop" as const, raw: undefined }, warnings: [] };
  };
  const mock = new MockLanguageModelV4({
    doGenerate: async ({ prompt }) => next(prompt),
    doStream: async ({ prompt }) => {
      const { content, finishReason, usage } = next(prompt);
      const parts = content.flatMap((c): Part[] => c.type === "tool-call" ? [c] : [{ type: "text-start", id: "t" }, { type: "text-delta", id: "t", delta: c.text }, { type: "text-end", id: "t" }]);
      return { stream: convertArrayToReadableStream<Part>([{ type: "stream-start", warnings: [] }, ...parts, { type: "finish", finishReason, usage }]) };
    },
  });
  return { mock: mock as unknown as Model, seen }; // whose type asks for a stream of what is none
}

function shop(entered: unknown[], create: typeof createTool) {
  return {
    lookup: create({ id: "lookup", description: "x", inputSchema: z.object({ id: z.string().optional() }), execute: async (input) => { entered.push(["lookup", input]); return { state: "paid" }; } }),
    refund: create({ id: "refund", description: "x", inputSchema: z.object({ order: z.string(), amount: z.number() }), execute: async (input) => { entered.push(["refund", input]); return "refunded"; } }),
    wipe: create({ id: "wipe", description: "x", inputSchema: z.object({ all: z.boolean() }), execute: async (input) => { entered.push(["wipe", input]); return "gone"; } }),
    note: create({ id: "note", description: "x", inputSchema: z.object({ number: z.number().optional() }), execute: async () => { entered.push(["note"]); throw new Error("no ink, ghp_0123456789abcdefghijABCDEFGHIJ012345"); } }),
    delegate: create({ id: "delegate", description: "x", inputSchema: z.object({}), execute: async (_, context) => {
      entered.push(["delegate"]);
      const answer = context?.agent?.resumeData as { answer?: string } | undefined;
      return answer ? { said: answer.answer } : await context?.agent?.suspend({ question: "what?" });
    } }),
  };
}

let sessions = 0;
const session = (): string => `mastra-${++sessions}`;

function agentWith(mock: Model, entered: unknown[], of: { session: string; pause?: boolean }, gate = agent): Agent {
  const tools = shop(entered, guard(gate, { server: "app", ...of }).define(createTool));
  const a = new Agent({ id: "a", name: "a", instructions: "x", model: mock, tools });
  return new Mastra({ agents: { a }, storage: new InMemoryStore(), logger: false }).getAgent("a") as Agent;
}

const text = (v: unknown): string => JSON.stringify(v);

test("allow runs, deny does not, the middle one of three", async () => {
  const entered: unknown[] = [];
  const { mock, seen } = model([["1", "lookup", '{"id":"A"}'], ["2", "wipe", '{"all":true}'], ["3", "lookup", '{"id":"B"}']]);
  const r = await agentWith(mock, entered, { session: session() }).generate("x");
  assert.deepEqual(entered.map(text).sort(), ['["lookup",{"id":"A"}]', '["lookup",{"id":"B"}]']);
  assert.match(text(seen.at(-1)), /paid.*POLICY_DENIED: .*paid/s);
  assert.equal(r.text, "end");
});

test("streaming, failing, rounded", async () => {
  const entered: unknown[] = [];
  const { mock, seen } = model([["1", "wipe", '{"all":true}'], ["2", "note", "{}"], ["3", "note", '{"number":9007199254740993}']]);
  const r = await agentWith(mock, entered, { session: session() }).stream("x");
  await r.consumeStream();
  assert.deepEqual(entered, [["note"]]);
  assert.match(text(seen.at(-1)), /POLICY_DENIED.*TOOL_ERROR: no ink.*MALFORMED_CALL/s);
  assert.doesNotMatch(text(seen.at(-1)), /ghp_/);
});

test("a call waits, and runs once a person approved it", async () => {
  const entered: unknown[] = [];
  const { mock, seen } = model([["1", "refund", '{"order":"mastra","amount":500}']]);
  const a = agentWith(mock, entered, { session: session(), pause: true });
  const r = await a.generate("x");
  assert.equal(r.finishReason, "suspended");
  const waiting = (r.suspendPayload as { suspendPayload: Waiting }).suspendPayload;
  assert.deepEqual([waiting.type, waiting.tool, waiting.callId], ["toolverdict", "app/refund", "1"]);
  const early = await a.resumeGenerate({ approved: true }, { runId: r.runId! });
  assert.deepEqual([early.finishReason, entered], ["suspended", []], "resumed before anybody approved it");
  await boss.approvals.approve(waiting.confirmation.id, "fine");
  const done = await a.resumeGenerate({ approved: true }, { runId: early.runId ?? r.runId! });
  assert.deepEqual([done.text, entered], ["end", [["refund", { order: "mastra", amount: 500 }]]]);
  assert.match(text(seen.at(-1)), /refunded/);
});

test("a history that is played again runs nothing; other arguments under the same act do not run", async () => {
  const entered: unknown[] = [];
  const of = { session: session() };
  for (const amount of [5, 5, 50]) {
    const { mock, seen } = model([["1", "refund", `{"order":"A","amount":${amount}}`]]);
    await agentWith(mock, entered, of).generate("x");
    assert.match(text(seen.at(-1)), amount === 5 ? /refunded/ : /INVALID_INPUT/);
  }
  assert.equal(entered.length, 1);
});

test("without a pause the model is told that the call waits", async () => {
  const entered: unknown[] = [];
  const { mock, seen } = model([["1", "refund", '{"order":"A","amount":700}']]);
  await agentWith(mock, entered, { session: session() }).generate("x");
  assert.deepEqual(entered, []);
  assert.match(text(seen.at(-1)), /CONFIRMATION_REQUIRED.*Confirmation: /s);
});

test("the framework's own approval still asks, and is not the gate's", async () => {
  const entered: unknown[] = [];
  const { mock, seen } = model([["1", "wipe", '{"all":true}']]);
  const a = agentWith(mock, entered, { session: session() });
  const r = await a.generate("x", { requireToolApproval: true });
  assert.equal(r.finishReason, "suspended");
  await a.approveToolCallGenerate({ runId: r.runId!, toolCallId: "1" });
  assert.deepEqual(entered, []);
  assert.match(text(seen.at(-1)), /POLICY_DENIED/);
});

test("a tool that suspends itself is claimed again when it goes on", async () => {
  const entered: unknown[] = [];
  const { mock, seen } = model([["1", "delegate", "{}"]]);
  const a = agentWith(mock, entered, { session: session() });
  const r = await a.generate("x");
  assert.equal(r.finishReason, "suspended");
  await a.resumeGenerate({ answer: "this" }, { runId: r.runId! });
  assert.deepEqual(entered, [["delegate"], ["delegate"]]);
  assert.match(text(seen.at(-1)), /said.*this/);
});

test("a helper's tools are guarded like any", async () => {
  const entered: unknown[] = [];
  const of = session();
  const helper = agentWith(model([["h1", "wipe", '{"all":true}']]).mock, entered, { session: of });
  const { mock, seen } = model([["1", "delegate", "{}"]]);
  const create = guard(agent, { server: "app", session: of }).define(createTool);
  const delegate = create({ id: "delegate", description: "x", inputSchema: z.object({}), execute: async () => text((await helper.generate("wipe it")).steps) });
  await new Agent({ id: "b", name: "b", instructions: "x", model: mock, tools: { delegate } }).generate("x");
  assert.deepEqual(entered, []);
  assert.match(text(seen.at(-1)), /POLICY_DENIED/);
});

test("tools that nobody runs here are not taken", () => {
  const create = guard(agent, { server: "app", session: "s" }).define(createTool);
  assert.throws(() => create({ id: "browser", description: "x", inputSchema: z.object({}) }), /cannot be claimed here/);
});

for (const name of ["a misspelt verdict", "another word", "no verdict", "an empty object", "a page", "status 204", "a broken connection", "no answer", "other arguments", "null"]) {
  test(`the gate answers with ${name}: not entered, and the model is told why`, async () => {
    const entered: unknown[] = [];
    const rogue = await between(real, "/v1/claim", spoiled[name]!);
    const { mock, seen } = model([["1", "lookup", "{}"]]);
    await agentWith(mock, entered, { session: session() }, real.as("agent", { url: rogue.url, timeout: 300 })).generate("x");
    await rogue.close();
    assert.deepEqual(entered, []);
    assert.match(text(seen.at(-1)), /(GATE_UNAVAILABLE|INVALID_INPUT): [A-Z]/);
  });
}

test("what the tool answered is what the gate lets through", async () => {
  const rogue = await between(real, "/v1/outcome", (a, r) => json(r, a.replace("paid", "[HIDDEN]")));
  const { mock, seen } = model([["1", "lookup", "{}"]]);
  await agentWith(mock, [], { session: session() }, real.as("agent", { url: rogue.url })).generate("x");
  assert.match(text(seen.at(-1)), /\[HIDDEN\]/);
  assert.doesNotMatch(text(seen.at(-1)), /paid/);
  await rogue.close();
});

test("who went on after our pause answered no question of the tool's", async () => {
  const entered: unknown[] = [];
  const create = guard(agent, { server: "app", session: session(), pause: true }).define(createTool);
  const refund = create({ id: "refund", description: "x", inputSchema: z.object({ order: z.string(), amount: z.number() }), execute: async (_, context) => {
    const sure = context?.agent?.resumeData as { approved?: boolean } | undefined;
    if (!sure?.approved) return await context?.agent?.suspend({ question: "really?" });
    entered.push(sure);
    return "refunded";
  } });
  const a = new Mastra({ agents: { a: new Agent({ id: "a", name: "a", instructions: "x", model: model([["1", "refund", '{"order":"own question","amount":800}']]).mock, tools: { refund } }) }, storage: new InMemoryStore(), logger: false }).getAgent("a") as Agent;
  const r = await a.generate("x");
  const waiting = (r.suspendPayload as { suspendPayload: Waiting }).suspendPayload;
  assert.equal(waiting.type, "toolverdict");
  await boss.approvals.approve(waiting.confirmation.id, "fine");
  const asked = await a.resumeGenerate({ approved: true }, { runId: r.runId! });
  assert.deepEqual([asked.finishReason, entered], ["suspended", []]);
  assert.deepEqual((asked.suspendPayload as { suspendPayload: unknown }).suspendPayload, { question: "really?" });
});
