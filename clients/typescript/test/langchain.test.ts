// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

import assert from "node:assert/strict";
import { test } from "node:test";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, AIMessageChunk, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { ChatGenerationChunk, type ChatResult } from "@langchain/core/outputs";
import { tool } from "@langchain/core/tools";
import { Command, isInterrupted, INTERRUPT, MemorySaver, ParentCommand, Send, interrupt } from "@langchain/langgraph";
import { guard, type Waiting } from "@toolverdict/client/langchain";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { createAgent, createMiddleware } from "langchain";
import { z } from "zod";
import { between, gateForTests, json, spoiled } from "./rig.js";

const real = await gateForTests();
const agent = real.as("agent");
const boss = real.as("boss");

type Calls = Array<[id: string, name: string, args: Record<string, unknown>]>;

/** A model that makes these calls, one turn after another, and then ends. */
class Scripted extends BaseChatModel {
  at = 0;
  constructor(readonly turns: Calls[]) { super({}); }
  override _llmType(): string { return "scripted"; }
  override bindTools(): this { return this; }
  next(): AIMessage {
    const calls = this.turns[this.at++] ?? [];
    return new AIMessage({ content: calls.length ? "" : "end", tool_calls: calls.map(([id, name, args]) => ({ type: "tool_call", id, name, args })) });
  }
  override async _generate(): Promise<ChatResult> { return { generations: [{ message: this.next(), text: "" }] }; }
  override async *_streamResponseChunks(): AsyncGenerator<ChatGenerationChunk> {
    const m = this.next();
    yield new ChatGenerationChunk({ text: m.text, message: new AIMessageChunk({ content: m.content, tool_calls: m.tool_calls ?? [] }) });
  }
}

function shop(entered: unknown[]) {
  return [
    tool(async (input) => { entered.push(["lookup", input]); return { state: "paid" }; }, { name: "lookup", description: "x", schema: z.object({ id: z.string().optional() }) }),
    tool(async (input) => { entered.push(["refund", input]); return "refunded"; }, { name: "refund", description: "x", schema: z.object({ order: z.string(), amount: z.number() }) }),
    tool(async (input) => { entered.push(["wipe", input]); return "gone"; }, { name: "wipe", description: "x", schema: z.object({ all: z.boolean() }) }),
    tool(async (input) => { entered.push(["note", input]); throw new Error("no ink, ghp_0123456789abcdefghijABCDEFGHIJ012345"); }, { name: "note", description: "x", schema: z.object({ text: z.string().optional(), number: z.number().optional() }) }),
  ];
}

let threads = 0;
const thread = () => ({ configurable: { thread_id: `thread-${++threads}` } });
const user = { messages: [{ role: "user", content: "x" }] };
const answers = (state: { messages: BaseMessage[] }): ToolMessage[] => state.messages.filter((m) => ToolMessage.isInstance(m));

test("allow runs, deny does not, the middle one of three", async () => {
  const entered: unknown[] = [];
  const a = createAgent({ model: new Scripted([[["1", "lookup", { id: "A" }], ["2", "wipe", { all: true }], ["3", "lookup", { id: "B" }]]]), tools: shop(entered), middleware: [guard(agent, { server: "app" }).middleware] });
  const [one, two, three] = answers(await a.invoke(user, thread()));
  assert.deepEqual(entered.map((e) => JSON.stringify(e)).sort(), ['["lookup",{"id":"A"}]', '["lookup",{"id":"B"}]']); // they run side by side
  assert.deepEqual([one?.content, three?.content], ['{"state":"paid"}', '{"state":"paid"}']);
  assert.equal(two?.status, "error");
  assert.match(two?.text ?? "", /POLICY_DENIED: /);
});

test("what a tool throws reaches the model as the gate says it", async () => {
  const a = createAgent({ model: new Scripted([[["1", "note", {}]]]), tools: shop([]), middleware: [guard(agent, { server: "app" }).middleware] });
  const [one] = answers(await a.invoke(user, thread()));
  assert.equal(one?.status, "error");
  assert.match(one?.text ?? "", /TOOL_ERROR: no ink/);
  assert.doesNotMatch(one?.text ?? "", /ghp_/);
});

for (const [kind, make] of Object.entries({
  middleware: (entered: unknown[], pause: boolean) => ({ tools: shop(entered), middleware: [guard(agent, { server: "app", pause }).middleware] }),
  tools: (entered: unknown[], pause: boolean) => { const g = guard(agent, { server: "app", pause }); return { tools: shop(entered).map((t) => g.tool(t)), middleware: [] }; },
})) {
  test(`${kind}: a call waits and runs once; what ran beside it does not run again`, async () => {
    const entered: unknown[] = [];
    const config = thread();
    const a = createAgent({ model: new Scripted([[["1", "lookup", {}], ["2", "refund", { order: kind, amount: 500 }]]]), ...make(entered, true), checkpointer: new MemorySaver() });
    const paused = await a.invoke(user, config);
    assert.ok(isInterrupted<Waiting>(paused));
    const waiting = paused[INTERRUPT][0]!.value!;
    assert.deepEqual([waiting.type, waiting.tool, waiting.callId], ["toolverdict", "app/refund", "2"]);
    assert.deepEqual(entered, [["lookup", {}]]);
    await boss.approvals.approve(waiting.confirmation.id, "fine");
    const done = await a.invoke(new Command({ resume: "go on" }), config);
    assert.deepEqual(entered, [["lookup", {}], ["refund", { order: kind, amount: 500 }]]);
    assert.match(answers(done).at(-1)?.text ?? "", /refunded/);
    await a.invoke(new Command({ resume: "again" }), config).catch(() => undefined);
    assert.equal(entered.length, 2, "a second resume ran it again");
  });

  test(`${kind}: resumed before anybody approved, it does not run`, async () => {
    const entered: unknown[] = [];
    const config = thread();
    const a = createAgent({ model: new Scripted([[["1", "refund", { order: kind, amount: 501 }]]]), ...make(entered, true), checkpointer: new MemorySaver() });
    await a.invoke(user, config);
    const done = await a.invoke(new Command({ resume: { decisions: [{ type: "approve" }] } }), config);
    assert.deepEqual(entered, []);
    assert.match(answers(done as { messages: BaseMessage[] }).at(-1)?.text ?? "", /CONFIRMATION_REQUIRED/);
  });

  test(`${kind}: a history that is played again runs nothing`, async () => {
    const entered: unknown[] = [];
    const config = thread();
    for (let i = 0; i < 2; i++) {
      const a = createAgent({ model: new Scripted([[["1", "refund", { order: "A", amount: 5 }]]]), ...make(entered, false) });
      assert.match(answers(await a.invoke(user, config)).at(-1)?.text ?? "", /refunded/);
    }
    assert.equal(entered.length, 1);
    const other = createAgent({ model: new Scripted([[["1", "refund", { order: "A", amount: 50 }]]]), ...make(entered, false) });
    assert.match(answers(await other.invoke(user, config)).at(-1)?.text ?? "", /INVALID_INPUT/);
    assert.equal(entered.length, 1);
  });

  test(`${kind}: without a pause the model is told that the call waits`, async () => {
    const entered: unknown[] = [];
    const a = createAgent({ model: new Scripted([[["1", "refund", { order: kind, amount: 700 }], ["2", "note", { number: 2 ** 53 }]]]), ...make(entered, false) });
    const [one, two] = answers(await a.invoke(user, thread()));
    assert.deepEqual(entered, []);
    assert.match(one?.text ?? "", /CONFIRMATION_REQUIRED.*Confirmation: /s);
    assert.match(two?.text ?? "", /MALFORMED_CALL/);
  });
}

test("a middleware behind ours cannot change what was decided", async () => {
  const entered: unknown[] = [];
  const inner = createMiddleware({ name: "Inner", wrapToolCall: (r, h) => h({ ...r, toolCall: { ...r.toolCall, args: { order: "A", amount: 99 } } }) });
  const a = createAgent({ model: new Scripted([[["1", "refund", { order: "A", amount: 7 }]]]), tools: shop(entered), middleware: [guard(agent, { server: "app" }).middleware, inner] });
  const [one] = answers(await a.invoke(user, thread()));
  assert.deepEqual(entered, []);
  assert.match(one?.text ?? "", /Put the gate's last/);
  const before = createAgent({ model: new Scripted([[["1", "refund", { order: "A", amount: 7 }]]]), tools: shop(entered), middleware: [inner, guard(agent, { server: "app" }).middleware] });
  await before.invoke(user, thread());
  assert.deepEqual(entered, [["refund", { order: "A", amount: 99 }]], "one before ours is decided as it is");
});

test("what an approver changed is what runs", async () => {
  for (const kind of ["middleware", "tools"]) {
    const entered: unknown[] = [];
    const g = guard(agent, { server: "app", pause: true });
    const of = kind === "middleware" ? { tools: shop(entered), middleware: [g.middleware] } : { tools: shop(entered).map((t) => g.tool(t)), middleware: [] };
    const config = thread();
    const a = createAgent({ model: new Scripted([[["1", "refund", { order: `edited ${kind}`, amount: 900 }]]]), ...of, checkpointer: new MemorySaver() });
    const paused = await a.invoke(user, config);
    assert.ok(isInterrupted<Waiting>(paused));
    const { id } = await boss.approvals.edit(paused[INTERRUPT][0]!.value!.confirmation.id, { order: "less", amount: 9 }, "less");
    await real.as("chief").approvals.approve(id, "fine");
    await a.invoke(new Command({ resume: true }), config);
    assert.deepEqual(entered, [["refund", { order: "less", amount: 9 }]]);
  }
});

test("what another middleware refuses did not succeed", async () => {
  const inner = createMiddleware({ name: "Inner", wrapToolCall: (r) => new ToolMessage({ status: "error", content: "not by me", tool_call_id: r.toolCall.id! }) });
  const a = createAgent({ model: new Scripted([[["1", "lookup", {}]]]), tools: shop([]), middleware: [guard(agent, { server: "app" }).middleware, inner] });
  const [one] = answers(await a.invoke(user, thread()));
  assert.deepEqual([one?.status, one?.text], ["error", "TOOL_ERROR: not by me"]);
});

test("streaming", async () => {
  const entered: unknown[] = [];
  const a = createAgent({ model: new Scripted([[["1", "wipe", { all: true }], ["2", "lookup", {}]]]), tools: shop(entered), middleware: [guard(agent, { server: "app" }).middleware] });
  let seen = "";
  for await (const chunk of await a.stream(user, { ...thread(), streamMode: ["messages", "updates"] })) seen += JSON.stringify(chunk);
  assert.deepEqual(entered, [["lookup", {}]]);
  assert.match(seen, /POLICY_DENIED/);
});

test("a tool that streams, one that hands over, one with an artifact, and one that interrupts", async () => {
  const entered: string[] = [];
  const lookup = tool(async function* () { entered.push("lookup"); yield "half"; return "whole"; }, { name: "lookup", description: "x", schema: z.object({}) });
  const note = tool(async (_, config) => { entered.push("note"); return new Command({ update: { messages: [new ToolMessage({ content: "handed over", tool_call_id: (config as { toolCall: { id: string } }).toolCall.id })] } }); }, { name: "note", description: "x", schema: z.object({}) });
  const refund = tool(async () => { entered.push("refund"); return ["short", { long: true }] as [string, unknown]; }, { name: "refund", description: "x", schema: z.object({ order: z.string(), amount: z.number() }), responseFormat: "content_and_artifact" });
  const delegate = tool(async () => { entered.push("delegate"); return `said ${interrupt("what?")}`; }, { name: "delegate", description: "x", schema: z.object({}) });
  const calls: Calls = [["1", "lookup", {}], ["2", "note", {}], ["3", "refund", { order: "A", amount: 1 }], ["4", "delegate", {}]];
  const g = guard(agent, { server: "app" });
  for (const of of [{ tools: [lookup, note, refund, delegate], middleware: [g.middleware] }, { tools: [lookup, note, refund, delegate].map((t) => g.tool(t)), middleware: [] }]) {
    entered.length = 0;
    const config = thread();
    const a = createAgent({ model: new Scripted([calls]), ...of, checkpointer: new MemorySaver() });
    assert.ok(isInterrupted(await a.invoke(user, config)));
    const done = await a.invoke(new Command({ resume: "this" }), config);
    const byId = new Map(answers(done as { messages: BaseMessage[] }).map((m) => [m.tool_call_id, m]));
    assert.deepEqual(["1", "2", "3", "4"].map((id) => byId.get(id)?.text), ["whole", "handed over", "short", "said this"]);
    assert.deepEqual(byId.get("3")?.artifact, { long: true });
    assert.deepEqual(entered.sort(), ["delegate", "delegate", "lookup", "note", "refund"]);
  }
});

test("a helper's tools are guarded like any, also in a graph of one's own", async () => {
  const entered: unknown[] = [];
  const g = guard(agent, { server: "app", session: "helpers" });
  const helper = new ToolNode(shop(entered).map((t) => g.tool(t)));
  const delegate = tool(async () => JSON.stringify(await helper.invoke({ messages: [new AIMessage({ content: "", tool_calls: [{ type: "tool_call", id: "h1", name: "wipe", args: { all: true } }] })] })), { name: "delegate", description: "x", schema: z.object({}) });
  const a = createAgent({ model: new Scripted([[["1", "delegate", {}]]]), tools: [delegate], middleware: [g.middleware] });
  const [one] = answers(await a.invoke(user));
  assert.deepEqual(entered, []);
  assert.match(one?.text ?? "", /POLICY_DENIED/);
});

test("without a session or a thread nothing runs", async () => {
  const entered: unknown[] = [];
  const a = createAgent({ model: new Scripted([[["1", "lookup", {}]]]), tools: shop(entered), middleware: [guard(agent, { server: "app" }).middleware] });
  await assert.rejects(a.invoke(user), /name the session/);
  assert.deepEqual(entered, []);
});

for (const name of ["a misspelt verdict", "another word", "no verdict", "an empty object", "a page", "status 204", "a broken connection", "no answer", "other arguments", "null"]) {
  test(`the gate answers with ${name}: not entered, and the model is told why`, async () => {
    const entered: unknown[] = [];
    const rogue = await between(real, "/v1/claim", spoiled[name]!);
    const g = guard(real.as("agent", { url: rogue.url, timeout: 300 }), { server: "app" });
    for (const of of [{ tools: shop(entered), middleware: [g.middleware] }, { tools: shop(entered).map((t) => g.tool(t)), middleware: [] }]) {
      const a = createAgent({ model: new Scripted([[["1", "lookup", {}]]]), ...of });
      const [one] = answers(await a.invoke(user, thread()));
      assert.match(one?.text ?? "", /(GATE_UNAVAILABLE|INVALID_INPUT): [A-Z]/);
    }
    await rogue.close();
    assert.deepEqual(entered, []);
  });
}

test("what the tool answered is what the gate lets through", async () => {
  const rogue = await between(real, "/v1/outcome", (a, r) => json(r, a.replace("paid", "[HIDDEN]")));
  const g = guard(real.as("agent", { url: rogue.url }), { server: "app" });
  for (const of of [{ tools: shop([]), middleware: [g.middleware] }, { tools: shop([]).map((t) => g.tool(t)), middleware: [] }]) {
    const a = createAgent({ model: new Scripted([[["1", "lookup", {}]]]), ...of });
    const text = JSON.stringify(await a.invoke(user, thread()));
    assert.match(text, /\[HIDDEN\]/);
    assert.doesNotMatch(text, /paid/);
  }
  await rogue.close();
});

const both = (tools: Parameters<typeof createAgent>[0]["tools"] & {}, pause = false) => {
  const g = guard(agent, { server: "app", pause });
  return Object.entries({ middleware: { tools, middleware: [g.middleware] }, tools: { tools: tools.map((t) => g.tool(t as Parameters<typeof g.tool>[0])), middleware: [] } });
};
const question = (state: unknown): unknown => isInterrupted<{ type?: string }>(state) ? state[INTERRUPT][0]?.value : undefined;
const refunding = (entered: unknown[]) => tool(async ({ order }) => { const sure = interrupt("really?"); entered.push(sure); return `refunded ${order}`; }, { name: "refund", description: "x", schema: z.object({ order: z.string(), amount: z.number() }) });

test("who went on after our pause answered no question of the tool's", async () => {
  const entered: unknown[] = [];
  for (const [kind, of] of both([refunding(entered)], true)) {
    for (const [how, resume] of [["with a value", new Command({ resume: true })], ["without one", null]] as const) {
      const config = thread();
      const a = createAgent({ model: new Scripted([[["1", "refund", { order: `${kind} ${how}`, amount: 800 }]]]), ...of, checkpointer: new MemorySaver() });
      const waiting = question(await a.invoke(user, config)) as Waiting;
      assert.equal(waiting.type, "toolverdict");
      await boss.approvals.approve(waiting.confirmation.id, "fine");
      const state: unknown = await a.invoke(resume, config);
      assert.deepEqual([question(state), entered], ["really?", []], `${kind}, ${how}`);
      // The tool gave its leave back, and the approval is spent: nobody's yes runs it.
      await a.invoke(new Command({ resume: "yes" }), config);
      assert.deepEqual(entered, []);
    }
  }
});

test("a tool's own question gets its own answer, with pauses of ours or not", async () => {
  for (const [kind, of] of both([refunding([])], true)) {
    const config = thread();
    const a = createAgent({ model: new Scripted([[["1", "refund", { order: kind, amount: 8 }]]]), ...of, checkpointer: new MemorySaver() });
    assert.equal(question(await a.invoke(user, config)), "really?");
    const done = await a.invoke(new Command({ resume: { "toolverdict": true } }), config);
    assert.equal(answers(done as { messages: BaseMessage[] }).at(-1)?.text, `refunded ${kind}`);
  }
});

/** The forms in which a tool may hand messages to the graph. */
const handed: Record<string, (m: ToolMessage) => unknown> = {
  "a list": (m) => new Command({ update: { messages: [m] } }),
  "a single message": (m) => new Command({ update: { messages: m } }),
  "pairs": (m) => new Command({ update: [["messages", [m]]] }),
  "other messages beside": (m) => new Command({ update: { messages: [m, new HumanMessage("also held"), { role: "user", content: "held too" }, "held as text"] } }),
};

test("what a tool hands to the graph is what the gate lets through, in every form", async () => {
  const outcomes: string[] = [];
  const rogue = await between(real, "/v1/outcome", (a, r) => { outcomes.push(a); json(r, a.replaceAll("held", "[HIDDEN]")); });
  const g = guard(real.as("agent", { url: rogue.url }), { server: "app" });
  for (const [form, hand] of Object.entries(handed)) {
    const lookup = tool(async (_, config) => hand(new ToolMessage({ content: "the key is held", tool_call_id: (config as { toolCall: { id: string } }).toolCall.id })) as Command, { name: "lookup", description: "x", schema: z.object({}) });
    for (const of of [{ tools: [lookup], middleware: [g.middleware] }, { tools: [g.tool(lookup)], middleware: [] }]) {
      const state = await createAgent({ model: new Scripted([[["1", "lookup", {}]]]), ...of }).invoke(user, thread());
      const text = JSON.stringify(state.messages.map((m) => m.content));
      assert.match(text, /the key is \[HIDDEN\]/, form);
      assert.doesNotMatch(text, /held/, form);
      assert.match(outcomes.at(-1)!, /the key is held/, `${form}: it is not recorded`);
    }
  }
  await rogue.close();
});

test("a tool that hands over from below has run, and what it hands over is cleaned", async () => {
  const rogue = await between(real, "/v1/outcome", (a, r) => { json(r, a.replaceAll("held", "[HIDDEN]")); });
  const g = guard(real.as("agent", { url: rogue.url }), { server: "app", session: "below" });
  const command = () => new Command({ graph: Command.PARENT, update: { messages: [new ToolMessage({ content: "held", tool_call_id: "1" })] }, goto: [new Send("next", { messages: [new HumanMessage("held")] })] });
  const note = tool(async () => { throw new ParentCommand(command()); }, { name: "note", description: "x", schema: z.object({}) });
  await assert.rejects(g.tool(note).invoke({ type: "tool_call", id: "1", name: "note", args: {} }), (e: unknown) => {
    const said = JSON.stringify((e as ParentCommand).command);
    assert.match(said, /HIDDEN.*HIDDEN/);
    assert.doesNotMatch(said, /held/);
    return true;
  });
  // It is told as succeeded: the same act does not run again.
  assert.match(String(await g.tool(note).invoke({ type: "tool_call", id: "1", name: "note", args: {} }).then((m) => (m as ToolMessage).text)), /HIDDEN|held/);
  await rogue.close();
});

test("a command that says that the tool failed did not succeed; one of a form that is not known is not shown", async () => {
  const outcomes: string[] = [];
  const rogue = await between(real, "/v1/outcome", (a, r) => { outcomes.push(a); json(r, a); });
  for (const [want, hand] of [
    [/TOOL_ERROR: no ink/, (id: string) => new Command({ update: { messages: [new ToolMessage({ status: "error", content: "no ink", tool_call_id: id })] } })],
    [/OUTCOME_UNKNOWN/, () => new Command({ update: "held" as never })],
    [/OUTCOME_UNKNOWN/, () => new Command({ update: { messages: { held: true } } })],
  ] as const) {
    const note = tool(async (_, config) => hand((config as { toolCall: { id: string } }).toolCall.id), { name: "note", description: "x", schema: z.object({}) });
    const g = guard(real.as("agent", { url: rogue.url }), { server: "app" });
    for (const of of [{ tools: [note], middleware: [g.middleware] }, { tools: [g.tool(note)], middleware: [] }]) {
      const [one] = answers(await createAgent({ model: new Scripted([[["1", "note", {}]]]), ...of }).invoke(user, thread()));
      assert.match(one?.text ?? "", want);
      assert.doesNotMatch(one?.text ?? "", /held/);
      assert.match(outcomes.at(-1)!, /"success":false/);
    }
  }
  await rogue.close();
});

test("what a schema fills in is decided, and what it makes of it again does not run", async () => {
  const entered: unknown[] = [];
  const filling = tool(async (input) => { entered.push(input); return "refunded"; }, { name: "refund", description: "x", schema: z.object({ order: z.string(), amount: z.coerce.number().default(900) }) });
  for (const [, of] of both([filling])) {
    const [one, two] = answers(await createAgent({ model: new Scripted([[["1", "refund", { order: "A" }], ["2", "refund", { order: "A", amount: "7" }]]]), ...of }).invoke(user, thread()));
    assert.match(one?.text ?? "", /CONFIRMATION_REQUIRED/, "the default was not decided about");
    assert.equal(two?.text, "refunded");
  }
  assert.deepEqual(entered, [{ order: "A", amount: 7 }, { order: "A", amount: 7 }]);
  const growing = tool(async (input) => { entered.push(input); return "refunded"; }, { name: "refund", description: "x", schema: z.object({ order: z.string(), amount: z.number().transform((n) => n * 10) }) });
  const [one] = answers(await createAgent({ model: new Scripted([[["1", "refund", { order: "A", amount: 5 }]]]), tools: [growing], middleware: [guard(agent, { server: "app" }).middleware] }).invoke(user, thread()));
  assert.match(one?.text ?? "", /schema changes the arguments/);
  assert.equal(entered.length, 2);
});
