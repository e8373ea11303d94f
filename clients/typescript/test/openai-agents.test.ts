// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, Runner, RunState, setTracingDisabled, tool as plainTool, Usage, type AgentOutputItem, type Model, type ModelResponse, type StreamEvent } from "@openai/agents";
import { guard } from "@toolverdict/client/openai-agents";
import { z } from "zod";
import { between, gateForTests, json, spoiled } from "./rig.js";

setTracingDisabled(true);
const real = await gateForTests();
const agent = real.as("agent");
const boss = real.as("boss");

type Calls = Array<[id: string, name: string, args: string]>;

/** A model that makes these calls, one turn after another, and then ends. */
class Scripted implements Model {
  at = 0;
  readonly seen: unknown[] = [];
  constructor(readonly turns: Calls[]) {}
  async getResponse(request: { input: unknown }): Promise<ModelResponse> {
    this.seen.push(request.input);
    const calls = this.turns[this.at++];
    const output: AgentOutputItem[] = calls
      ? calls.map(([callId, name, args]) => ({ type: "function_call", callId, name, arguments: args, status: "completed" }))
      : [{ type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text: "end" }] }];
    return { usage: new Usage(), output };
  }
  async *getStreamedResponse(request: { input: unknown }): AsyncIterable<StreamEvent> {
    const { output } = await this.getResponse(request);
    yield { type: "response_done", response: { id: "r", usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 }, output } } as StreamEvent;
  }
}

let sessions = 0;
const session = (): string => `talk-${++sessions}`;

function shop(entered: unknown[], tool: typeof plainTool) {
  return [
    tool({ name: "lookup", description: "x", parameters: z.object({ id: z.string().nullable().optional() }), execute: async (input) => { entered.push(["lookup", input]); return { state: "paid" }; } }),
    tool({ name: "refund", description: "x", parameters: z.object({ order: z.string(), amount: z.number() }), execute: async (input) => { entered.push(["refund", input]); return "refunded"; } }),
    tool({ name: "wipe", description: "x", parameters: z.object({ all: z.boolean() }), execute: async (input) => { entered.push(["wipe", input]); return "gone"; } }),
    tool({ name: "note", description: "x", parameters: z.object({ text: z.string().nullable().optional(), number: z.number().nullable().optional() }), execute: async () => { entered.push(["note"]); throw new Error("no ink, ghp_0123456789abcdefghijABCDEFGHIJ012345"); } }),
  ];
}

const runner = new Runner({ tracingDisabled: true });
const text = (v: unknown): string => JSON.stringify(v);
const made = (of: string, entered: unknown[], gate = agent) => shop(entered, guard(gate, { server: "app", session: of }).define(plainTool));

test("allow runs, deny does not, the middle one of three", async () => {
  const entered: unknown[] = [];
  const model = new Scripted([[["1", "lookup", '{"id":"A"}'], ["2", "wipe", '{"all":true}'], ["3", "lookup", '{"id":"B"}']]]);
  const r = await runner.run(new Agent({ name: "a", model, tools: made(session(), entered) }), "x");
  assert.deepEqual(entered.map(text).sort(), ['["lookup",{"id":"A"}]', '["lookup",{"id":"B"}]']); // they run side by side
  assert.match(text(model.seen.at(-1)), /paid.*POLICY_DENIED: .*paid/s);
  assert.equal(r.finalOutput, "end");
});

test("streaming", async () => {
  const entered: unknown[] = [];
  const model = new Scripted([[["1", "wipe", '{"all":true}'], ["2", "lookup", "{}"]]]);
  const r = await runner.run(new Agent({ name: "a", model, tools: made(session(), entered) }), "x", { stream: true });
  await r.completed;
  assert.deepEqual(entered, [["lookup", {}]]);
  assert.match(text(model.seen.at(-1)), /POLICY_DENIED/);
});

/** Runs until the call is paused. */
async function paused(entered: unknown[], of: string, amount: number) {
  const make = () => new Agent({ name: "a", model: new Scripted([]), tools: made(of, entered) });
  const first = new Agent({ name: "a", model: new Scripted([[["call-1", "refund", `{"order":"${of}","amount":${amount}}`]]]), tools: made(of, entered) });
  const r = await runner.run(first, "x");
  assert.equal(r.interruptions.length, 1);
  assert.deepEqual(entered, []);
  const waiting = (await agent.approvals.list("pending")).find((a) => a.card.summary.includes(of));
  assert.ok(waiting);
  const state = r.state.toString();
  const resume = async (from = state) => {
    const a = make();
    const s = await RunState.fromString(a, from);
    for (const i of s.getInterruptions()) s.approve(i);
    const done = await runner.run(a, s);
    return text(done.history);
  };
  return { state, resume, confirmation: waiting.id };
}

test("a call waits, and runs once a person approved it; a state that is approved twice runs nothing", async () => {
  const entered: unknown[] = [];
  const { resume, confirmation } = await paused(entered, session(), 500);
  assert.match(await resume(), /CONFIRMATION_REQUIRED/, "the framework's own yes is not the gate's");
  assert.deepEqual(entered, []);
  await boss.approvals.approve(confirmation, "fine");
  assert.match(await resume(), /refunded/);
  assert.match(await resume(), /refunded/);
  assert.equal(entered.length, 1);
});

test("a state that was changed after the approval does not run", async () => {
  const entered: unknown[] = [];
  const { state, resume, confirmation } = await paused(entered, session(), 501);
  await boss.approvals.approve(confirmation, "fine");
  const changed = state.replaceAll('\\"amount\\":501', '\\"amount\\":9000');
  assert.notEqual(changed, state);
  await resume(changed).catch((e: unknown) => { assert.match(String(e), /changed/); });
  assert.deepEqual(entered, []);
});

test("always approved is not approved", async () => {
  const entered: unknown[] = [];
  const of = session();
  const a = new Agent({ name: "a", model: new Scripted([[["1", "refund", `{"order":"${of}","amount":600}`]], [["2", "refund", `{"order":"${of}","amount":601}`]]]), tools: made(of, entered) });
  const r = await runner.run(a, "x");
  for (const i of r.interruptions) r.state.approve(i, { alwaysApprove: true });
  const done = await runner.run(a, r.state);
  assert.deepEqual(entered, []);
  assert.match(text(done.history), /CONFIRMATION_REQUIRED.*CONFIRMATION_REQUIRED/s);
});

test("arguments that two programs could read differently, or that were rounded", async () => {
  const entered: unknown[] = [];
  const model = new Scripted([[["1", "refund", '{"order":"A","amount":5,"amount":6}'], ["2", "note", '{"number":9007199254740993}'], ["4", "lookup", '{"id":"A","id":"B"}']]]);
  await runner.run(new Agent({ name: "a", model, tools: made(session(), entered) }), "x");
  assert.deepEqual(entered, []);
  const said = text(model.seen.at(-1));
  assert.equal(said.match(/MALFORMED_CALL/g)?.length, 3, said);
});

test("what a tool throws reaches the model as the gate says it", async () => {
  const model = new Scripted([[["1", "note", "{}"]]]);
  await runner.run(new Agent({ name: "a", model, tools: made(session(), []) }), "x");
  assert.match(text(model.seen.at(-1)), /no ink/);
  assert.doesNotMatch(text(model.seen.at(-1)), /ghp_/);
});

test("a helper's tools are guarded like any, and so is a tool that is made already", async () => {
  const entered: unknown[] = [];
  const g = guard(agent, { server: "app", session: session() });
  const inner = new Scripted([[["i1", "wipe", '{"all":true}']]]);
  const helper = new Agent({ name: "h", model: inner, tools: shop(entered, g.define(plainTool)) });
  const made = shop(entered, plainTool);
  const outer = new Scripted([[["1", "delegate", '{"input":"wipe it"}'], ["2", "wipe", '{"all":true}'], ["3", "lookup", '{"id":"A"}'], ["4", "lookup", '{"id":"A","id":"B"}']]]);
  await runner.run(new Agent({ name: "a", model: outer, tools: [g.tool(helper.asTool({ toolName: "delegate", toolDescription: "x" })), ...made.map((t) => g.tool(t))] }), "x");
  assert.deepEqual(entered, [["lookup", { id: "A" }]]);
  assert.match(text(inner.seen.at(-1)), /POLICY_DENIED/);
  assert.match(text(outer.seen.at(-1)), /end.*POLICY_DENIED.*paid.*MALFORMED_CALL/s);
});

test("what an approver changed is what runs, also in a tool that is made already", async () => {
  for (const make of [(e: unknown[], g: ReturnType<typeof guard>) => shop(e, g.define(plainTool)), (e: unknown[], g: ReturnType<typeof guard>) => shop(e, plainTool).map((t) => g.tool(t))]) {
    const entered: unknown[] = [];
    const of = session();
    const a = new Agent({ name: "a", model: new Scripted([[["1", "refund", `{"order":"${of}","amount":900}`]]]), tools: make(entered, guard(agent, { server: "app", session: of })) });
    const r = await runner.run(a, "x");
    const waiting = (await agent.approvals.list("pending")).find((w) => w.card.summary.includes(of));
    const { id } = await boss.approvals.edit(waiting!.id, { order: of, amount: 9 }, "less");
    await real.as("chief").approvals.approve(id, "fine");
    for (const i of r.interruptions) r.state.approve(i);
    await runner.run(a, r.state);
    assert.deepEqual(entered, [["refund", { order: of, amount: 9 }]]);
  }
});

test("the guardrail refuses before anything runs", async () => {
  const entered: unknown[] = [];
  const { guardrail } = guard(agent, { server: "app", session: session() });
  const tools = shop(entered, plainTool).map((t) => ({ ...t, inputGuardrails: [guardrail] }));
  const model = new Scripted([[["1", "wipe", '{"all":true}'], ["2", "lookup", '{"id":"A","id":"B"}'], ["3", "refund", '{"order":"A","amount":777}']], [["4", "lookup", "{}"]]]);
  await runner.run(new Agent({ name: "a", model, tools }), "x");
  assert.deepEqual(entered, [["lookup", {}]]);
  assert.match(text(model.seen[1]), /POLICY_DENIED.*MALFORMED_CALL.*CONFIRMATION_REQUIRED/s);
});

test("a tool's own approval still asks", async () => {
  const entered: unknown[] = [];
  const tool = guard(agent, { server: "app", session: session() }).define(plainTool);
  for (const needsApproval of [true, async () => true, (async () => undefined) as unknown as () => Promise<boolean>]) {
    const t = tool({ name: "lookup", description: "x", parameters: z.object({}), needsApproval, execute: async () => { entered.push(1); return "x"; } });
    const r = await runner.run(new Agent({ name: "a", model: new Scripted([[["1", "lookup", "{}"]]]), tools: [t] }), "x");
    assert.equal(r.interruptions.length, 1);
  }
  assert.deepEqual(entered, []);
});

for (const path of ["/v1/decide", "/v1/claim"]) {
  for (const name of ["a misspelt verdict", "another word", "no verdict", "an empty object", "a page", "status 204", "a broken connection", "no answer", "other arguments", "null"]) {
    // What is asked before is for showing alone: only a claim is leave.
    if (path === "/v1/decide" && name === "other arguments") continue;
    test(`${path} answers with ${name}: ${path === "/v1/claim" ? "not entered, and the model is told why" : "nothing runs without a claim"}`, async () => {
      const entered: unknown[] = [];
      const rogue = await between(real, path, spoiled[name]!);
      const gate = real.as("agent", { url: rogue.url, timeout: 300 });
      const model = new Scripted([[["1", "lookup", "{}"], ["2", "wipe", '{"all":true}']]]);
      await runner.run(new Agent({ name: "a", model, tools: made(session(), entered, gate) }), "x");
      await rogue.close();
      if (path === "/v1/claim") {
        assert.deepEqual(entered, []);
        assert.match(text(model.seen.at(-1)), /(GATE_UNAVAILABLE|INVALID_INPUT): [A-Z]/);
      } else {
        assert.ok(!text(entered).includes("wipe"));
        assert.match(text(model.seen.at(-1)), /POLICY_DENIED|GATE_UNAVAILABLE/);
      }
    });
  }
}

test("what the tool answered is what the gate lets through", async () => {
  const rogue = await between(real, "/v1/outcome", (a, r) => json(r, a.replace("paid", "[HIDDEN]")));
  const model = new Scripted([[["1", "lookup", "{}"]]]);
  await runner.run(new Agent({ name: "a", model, tools: made(session(), [], real.as("agent", { url: rogue.url })) }), "x");
  assert.match(text(model.seen.at(-1)), /\[HIDDEN\]/);
  assert.doesNotMatch(text(model.seen.at(-1)), /paid/);
  await rogue.close();
});

test("what ran before is not run again by a tool that does not claim", async () => {
  const entered: unknown[] = [];
  const g = guard(agent, { server: "app", session: session() });
  const call: Calls = [["1", "refund", '{"order":"A","amount":5}']];
  const run = async (tools: ReturnType<typeof shop>) => {
    const model = new Scripted([call]);
    await runner.run(new Agent({ name: "a", model, tools }), "x");
    return text(model.seen.at(-1));
  };
  assert.match(await run(shop(entered, g.define(plainTool))), /refunded/);
  assert.match(await run(shop(entered, plainTool).map((t) => ({ ...t, inputGuardrails: [g.guardrail] }))), /refunded/);
  assert.match(await run(shop(entered, g.define(plainTool))), /refunded/);
  assert.equal(entered.length, 1);
});

test("a tool that is run by something else than its function is not taken", () => {
  const g = guard(agent, { server: "app", session: "s" });
  const [lookup] = shop([], plainTool);
  for (const other of [{ type: "hosted_tool", name: "web_search" }, { type: "shell", name: "shell", run: () => "" }, { ...lookup, type: "computer" }, { ...lookup, invoke: undefined }]) {
    assert.throws(() => g.tool(other as never), TypeError);
  }
});
