// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

import assert from "node:assert/strict";
import { test } from "node:test";
import { guard } from "@toolverdict/client/ai";
import { generateText, isStepCount, streamText, tool, ToolLoopAgent, type ModelMessage } from "ai";
import { convertArrayToReadableStream, MockLanguageModelV4 } from "ai/test";
import { z } from "zod";
import { between, gateForTests, json, spoiled } from "./rig.js";

const real = await gateForTests();
const agent = real.as("agent");
const boss = real.as("boss");

interface Turn { calls?: Array<[id: string, name: string, input: string]>; text?: string }

type Part = Awaited<ReturnType<MockLanguageModelV4["doStream"]>>["stream"] extends ReadableStream<infer P> ? P : never;

/** A model that says these turns, one after another. */
function model(...turns: Turn[]): MockLanguageModelV4 {
  let at = 0;
  const usage = { inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 }, outputTokens: { total: 1, text: 1, reasoning: 0 } };
  const next = () => {
    const { calls = [], text } = turns[at++] ?? { text: "end" };
    const content = [
      ...calls.map(([toolCallId, toolName, input]) => ({ type: "tool-call" as const, toolCallId, toolName, input })),
      ...(text === undefined ? [] : [{ type: "text" as const, text }]),
    ];
    return { content, usage, finishReason: { unified: calls.length ? "tool-calls" as const : "stop" as const, raw: undefined }, warnings: [] };
  };
  return new MockLanguageModelV4({
    doGenerate: async () => next(),
    doStream: async () => {
      const { content, finishReason, usage } = next();
      const parts = content.flatMap((c): Part[] => c.type === "tool-call" ? [c] : [{ type: "text-start", id: "t" }, { type: "text-delta", id: "t", delta: c.text }, { type: "text-end", id: "t" }]);
      return { stream: convertArrayToReadableStream<Part>([{ type: "stream-start", warnings: [] }, ...parts, { type: "finish", finishReason, usage }]) };
    },
  });
}

function shop(entered: unknown[]) {
  return {
    lookup: tool({ inputSchema: z.object({ id: z.string().optional() }), execute: async (input) => { entered.push(["lookup", input]); return { state: "paid" }; } }),
    refund: tool({ inputSchema: z.object({ order: z.string(), amount: z.number() }), execute: async (input) => { entered.push(["refund", input]); return { done: true }; } }),
    wipe: tool({ inputSchema: z.object({ all: z.boolean() }), execute: async (input) => { entered.push(["wipe", input]); return "gone"; } }),
  };
}

let sessions = 0;
const session = (): string => `chat-${++sessions}`;
const texts = (messages: unknown): string => JSON.stringify(messages);

test("allow runs, deny does not, the middle one of three", async () => {
  const entered: unknown[] = [];
  const guarded = guard(agent, { server: "app", session: session() });
  const r = await generateText({
    model: model({ calls: [["1", "lookup", '{"id":"A"}'], ["2", "wipe", '{"all":true}'], ["3", "lookup", '{"id":"B"}']] }), prompt: "x",
    tools: guarded.tools(shop(entered)), toolApproval: guarded.approval, stopWhen: isStepCount(3),
  });
  assert.deepEqual(entered.map(texts).sort(), ['["lookup",{"id":"A"}]', '["lookup",{"id":"B"}]']); // they run side by side
  assert.match(texts(r.responseMessages), /execution-denied.*POLICY_DENIED/s);
  assert.equal(r.text, "end");
});

test("the tools alone hold, where nobody set toolApproval", async () => {
  const entered: unknown[] = [];
  const guarded = guard(agent, { server: "app", session: session() });
  const r = await generateText({ model: model({ calls: [["1", "wipe", '{"all":true}'], ["2", "refund", '{"order":"A","amount":700}']] }), prompt: "x", tools: guarded.tools(shop(entered)), stopWhen: isStepCount(2) });
  assert.deepEqual(entered, []);
  assert.match(texts(r.responseMessages), /POLICY_DENIED/);
  assert.match(texts(r.responseMessages), /CONFIRMATION_REQUIRED.*Confirmation: /s);
});

test("a model that makes an approved call again, under another id, is not asked about anew", async () => {
  for (const approving of [false, true]) {
    const entered: unknown[] = [], of = session();
    const guarded = guard(agent, { server: "app", session: of });
    const make = async (id: string) => {
      const r = await generateText({
        model: model({ calls: [[id, "refund", `{"order":"${of}","amount":700}`]] }), prompt: "x", tools: guarded.tools(shop(entered)),
        ...(approving ? { toolApproval: guarded.approval } : {}), stopWhen: isStepCount(2),
      });
      return texts(r.content) + texts(r.responseMessages);
    };
    const asked = /[Cc]onfirmation:? ([a-z0-9]{20,})/;
    const question = asked.exec(await make("call-1"))?.[1] ?? assert.fail("no question");
    assert.equal(asked.exec(await make("call-2"))?.[1], question);
    await boss.approvals.approve(question, "fine");
    await make("call-3");
    assert.deepEqual(entered, [["refund", { order: of, amount: 700 }]]);
    assert.notEqual(asked.exec(await make("call-4"))?.[1] ?? question, question);
    assert.equal(entered.length, 1);
  }
});

/** Runs until the call is paused, and returns the history and the question. */
async function paused(entered: unknown[], of: string, amount: number) {
  const guarded = guard(agent, { server: "app", session: of });
  const tools = guarded.tools(shop(entered));
  const r = await generateText({ model: model({ calls: [["call-1", "refund", `{"order":"${of}","amount":${amount}}`]] }), prompt: "x", tools, toolApproval: guarded.approval });
  const request = r.content.find((c) => c.type === "tool-approval-request");
  assert.ok(request, texts(r.content));
  assert.deepEqual(entered, []);
  const history: ModelMessage[] = [{ role: "user", content: "x" }, ...r.responseMessages];
  const answered: ModelMessage[] = [...history, { role: "tool", content: [{ type: "tool-approval-response", approvalId: request.approvalId, approved: true }] }];
  const resume = (messages: ModelMessage[], again = guard(agent, { server: "app", session: of })) =>
    generateText({ model: model(), messages, tools: again.tools(shop(entered)), toolApproval: again.approval });
  const confirmation = /confirmation ([a-z0-9]+)/.exec(texts(request))?.[1];
  assert.ok(confirmation, texts(request));
  return { answered, resume, confirmation, guarded };
}

test("a call waits, and runs once a person approved it; a history that is played again runs nothing", async () => {
  const entered: unknown[] = [];
  const { answered, resume, confirmation, guarded } = await paused(entered, session(), 500);
  // The framework's own yes is not the gate's.
  assert.match(texts((await resume(answered)).responseMessages), /CONFIRMATION_REQUIRED/);
  assert.deepEqual(entered, []);
  await boss.approvals.approve(confirmation, "fine");
  await resume(answered, guarded);
  assert.equal(entered.length, 1);
  for (let i = 0; i < 2; i++) assert.match(texts((await resume(answered)).responseMessages), /"done":true/);
  assert.equal(entered.length, 1, "a replayed history ran the call again");
});

test("arguments that were changed after the approval do not run", async () => {
  const entered: unknown[] = [];
  const { answered, resume, confirmation, guarded } = await paused(entered, session(), 501);
  await boss.approvals.approve(confirmation, "fine");
  const tampered = JSON.parse(texts(answered).replaceAll('"amount":501', '"amount":9000')) as ModelMessage[];
  for (const g of [guarded, undefined]) {
    const r = await resume(tampered, g);
    assert.deepEqual(entered, [], texts(r.responseMessages));
  }
  // The other call came under the same act, so the one that was approved is asked for anew.
  assert.match(texts((await resume(answered)).responseMessages), /CONFIRMATION_REQUIRED/);
  assert.deepEqual(entered, []);
});

test("what an approver changed is what runs", async () => {
  const entered: unknown[] = [];
  const { answered, resume, confirmation, guarded } = await paused(entered, session(), 502);
  const { id } = await boss.approvals.edit(confirmation, { order: "less", amount: 50 }, "less");
  await real.as("chief").approvals.approve(id, "fine");
  await resume(answered, guarded);
  assert.deepEqual(entered, [["refund", { order: "less", amount: 50 }]]);
});

test("a call that needs nobody runs once, however often its history comes", async () => {
  const entered: unknown[] = [];
  const of = session();
  for (let i = 0; i < 2; i++) {
    const guarded = guard(agent, { server: "app", session: of });
    await generateText({ model: model({ calls: [["call-1", "refund", '{"order":"A","amount":5}']] }), prompt: "x", tools: guarded.tools(shop(entered)), toolApproval: guarded.approval, stopWhen: isStepCount(2) });
  }
  assert.equal(entered.length, 1);
});

test("streaming: denied and allowed", async () => {
  const entered: unknown[] = [];
  const guarded = guard(agent, { server: "app", session: session() });
  const r = streamText({ model: model({ calls: [["1", "wipe", '{"all":true}'], ["2", "lookup", "{}"]] }), prompt: "x", tools: guarded.tools(shop(entered)), toolApproval: guarded.approval, stopWhen: isStepCount(2) });
  await r.consumeStream();
  assert.deepEqual(entered, [["lookup", {}]]);
  assert.match(texts(await r.responseMessages), /POLICY_DENIED/);
});

test("a tool that answers piece by piece shows nothing before the gate was told", async () => {
  const guarded = guard(agent, { server: "app", session: session() });
  const tools = guarded.tools({ lookup: tool({ inputSchema: z.object({}), execute: async function* () { yield "half"; yield "whole"; } }) });
  const r = streamText({ model: model({ calls: [["1", "lookup", "{}"]] }), prompt: "x", tools, toolApproval: guarded.approval });
  const seen: unknown[] = [];
  for await (const part of r.stream) if (part.type === "tool-result") seen.push(part.output);
  assert.deepEqual(seen, ["whole"]);
});

test("a helper's tools are guarded like any", async () => {
  const entered: unknown[] = [];
  const guarded = guard(agent, { server: "app", session: session() });
  const helper = new ToolLoopAgent({ model: model({ calls: [["1", "wipe", '{"all":true}']] }), tools: guarded.tools(shop(entered)) });
  const tools = guarded.tools({ delegate: tool({ inputSchema: z.object({ task: z.string() }), execute: async ({ task }) => texts((await helper.generate({ prompt: task })).responseMessages) }) });
  const r = await generateText({ model: model({ calls: [["1", "delegate", '{"task":"wipe it"}']] }), prompt: "x", tools, toolApproval: guarded.approval, stopWhen: isStepCount(2) });
  assert.deepEqual(entered, []);
  assert.match(texts(r.responseMessages), /POLICY_DENIED/);
});

test("integers beyond 2^53 and what is more than JSON are refused", async () => {
  let entered = 0;
  const guarded = guard(agent, { server: "app", session: session() });
  const tools = guarded.tools({
    note: tool({ inputSchema: z.object({ number: z.number() }), execute: async () => { entered++; } }),
    lookup: tool({ inputSchema: z.object({ id: z.string().transform((s) => new Date(s)) }), execute: async () => { entered++; } }),
  });
  const calls: Turn["calls"] = [["1", "note", '{"number":9007199254740993}'], ["2", "lookup", '{"id":"2026-01-01"}']];
  for (const toolApproval of [guarded.approval, undefined]) {
    const r = await generateText({ model: model({ calls }), prompt: "x", tools, ...(toolApproval ? { toolApproval } : {}), stopWhen: isStepCount(2) });
    assert.match(texts(r.responseMessages), /MALFORMED_CALL.*MALFORMED_CALL/s);
  }
  assert.equal(entered, 0);
});

test("what an approval function changes in the input is not what was decided", async () => {
  const entered: unknown[] = [];
  const guarded = guard(agent, { server: "app", session: session() });
  const r = await generateText({
    model: model({ calls: [["1", "refund", '{"order":"A","amount":6}']] }), prompt: "x", tools: guarded.tools(shop(entered)), stopWhen: isStepCount(2),
    toolApproval: async (o) => { const status = await guarded.approval(o); (o.toolCall.input as { amount: number }).amount = 60; return status; },
  });
  assert.deepEqual(entered, []);
  assert.match(texts(r.responseMessages), /not the one that was decided/);
});

test("a question that was put already is asked about again, and put once", async () => {
  const { approval } = guard(agent, { server: "app", session: session() });
  const asked = { toolCall: { toolName: "refund", toolCallId: "1", input: { order: "again", amount: 800 } } };
  const [one, two] = [await approval(asked), await approval(asked)];
  assert.equal((one as { type: string }).type, "user-approval");
  assert.deepEqual(one, two);
});

test("a tool's own approval still asks", async () => {
  const entered: unknown[] = [];
  for (const needsApproval of [true, () => true]) {
    const guarded = guard(agent, { server: "app", session: session() });
    const tools = guarded.tools({ lookup: tool({ inputSchema: z.object({}), needsApproval, execute: async () => entered.push(1) }) });
    const r = await generateText({ model: model({ calls: [["1", "lookup", "{}"]] }), prompt: "x", tools, toolApproval: guarded.approval });
    assert.ok(r.content.some((c) => c.type === "tool-approval-request"), texts(r.content));
    assert.deepEqual(entered, []);
  }
});

test("a call's id cannot name another session's act", async () => {
  const entered: unknown[] = [];
  for (const [of, id] of [["a/b", "c"], ["a", "b/c"]] as const) {
    await generateText({ model: model({ calls: [[id, "refund", '{"order":"ids","amount":5}']] }), prompt: "x", tools: guard(agent, { server: "app", session: of }).tools(shop(entered)), stopWhen: isStepCount(2) });
  }
  assert.equal(entered.length, 2);
});

test("tools that nobody runs here are not taken", () => {
  const { tools } = guard(agent, { server: "app", session: "s" });
  assert.throws(() => tools({ browser: tool({ inputSchema: z.object({}) }) }), /cannot be claimed here/);
  assert.throws(() => guard(agent, { server: "", session: "s" }), TypeError);
});

test("a tool that the gate does not know, and one that the provider runs, are denied", async () => {
  const { approval } = guard(agent, { server: "app", session: session() });
  assert.match(texts(await approval({ toolCall: { toolName: "gone", toolCallId: "1", input: {} } })), /denied.*UNKNOWN_TOOL/);
  assert.match(texts(await approval({ toolCall: { toolName: "lookup", toolCallId: "1", input: {}, providerExecuted: true } })), /denied/);
  assert.match(texts(await approval({ toolCall: { toolName: "lookup", toolCallId: "1", input: "{", invalid: true } })), /denied/);
});

for (const path of ["/v1/decide", "/v1/claim"]) {
  for (const name of ["a misspelt verdict", "another word", "no verdict", "an empty object", "a page", "status 204", "status 500", "a broken connection", "no answer", "null"]) {
    test(`${path} answers with ${name}: not entered, and the model is told why`, async () => {
      const entered: unknown[] = [];
      const rogue = await between(real, path, spoiled[name]!);
      const guarded = guard(real.as("agent", { url: rogue.url, timeout: 300 }), { server: "app", session: session() });
      const r = await generateText({ model: model({ calls: [["1", "lookup", "{}"]] }), prompt: "x", tools: guarded.tools(shop(entered)), toolApproval: guarded.approval, stopWhen: isStepCount(2) });
      await rogue.close();
      assert.deepEqual(entered, []);
      assert.match(texts(r.responseMessages), /GATE_UNAVAILABLE: [A-Z]/);
    });
  }
}

test("what the tool answered is what the gate lets through", async () => {
  const rogue = await between(real, "/v1/outcome", (a, r) => json(r, a.replace("paid", "[HIDDEN]")));
  const guarded = guard(real.as("agent", { url: rogue.url }), { server: "app", session: session() });
  const r = await generateText({ model: model({ calls: [["1", "lookup", "{}"]] }), prompt: "x", tools: guarded.tools(shop([])), toolApproval: guarded.approval, stopWhen: isStepCount(2) });
  assert.match(texts(r.responseMessages), /\[HIDDEN\]/);
  assert.doesNotMatch(texts(r.responseMessages), /paid/);
  await rogue.close();
});

test("what ran before is not run again by a tool that does not claim", async () => {
  const entered: unknown[] = [];
  const guarded = guard(agent, { server: "app", session: session() });
  const claiming = guarded.tools(shop(entered));
  const input = { order: "A", amount: 5 };
  const options = { toolCallId: "1", messages: [] };
  await (claiming.refund!.execute as (input: unknown, options: unknown) => Promise<unknown>)(input, options);
  assert.equal(entered.length, 1);
  const toolCall = { toolName: "refund", toolCallId: "1", input };
  assert.equal(await guarded.approval({ toolCall, tools: claiming }), "not-applicable");
  for (const tools of [shop(entered), undefined, {}, guard(agent, { server: "app", session: "x" }).tools(shop(entered))]) {
    const status = await guarded.approval({ toolCall, tools });
    assert.match(JSON.stringify(status), /denied.*done/);
  }
});
