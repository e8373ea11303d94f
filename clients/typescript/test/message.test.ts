// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

import assert from "node:assert/strict";
import { test } from "node:test";
import { Refused, type Shape } from "@toolverdict/client";
import { between, gateForTests, json } from "./rig.js";

const real = await gateForTests();
const agent = real.as("agent");

/** A message with two calls in each form: one of app/lookup, then one of app/wipe. */
const messages: Record<Exclude<Shape, "openai-functions">, unknown> = {
  "openai-chat": { role: "assistant", tool_calls: [call("a", "app__lookup", "{}"), call("b", "app__wipe", "{}")] },
  "openai-responses": { output: [item("a", "app__lookup"), item("b", "app__wipe")] },
  anthropic: { role: "assistant", content: [{ type: "tool_use", id: "a", name: "app__lookup", input: {} }, { type: "tool_use", id: "b", name: "app__wipe", input: {} }] },
  gemini: { role: "model", parts: [{ functionCall: { name: "app__lookup", args: {} } }, { functionCall: { name: "app__wipe", args: {} } }] },
  bedrock: { role: "assistant", content: [{ toolUse: { toolUseId: "a", name: "app__lookup", input: {} } }, { toolUse: { toolUseId: "b", name: "app__wipe", input: {} } }] },
  langchain: { tool_calls: [{ type: "tool_call", id: "a", name: "app__lookup", args: {} }, { type: "tool_call", id: "b", name: "app__wipe", args: {} }] },
  autogen: { type: "ToolCallRequestEvent", content: [{ id: "a", name: "app__lookup", arguments: "{}" }, { id: "b", name: "app__wipe", arguments: "{}" }] },
  "spring-ai": { toolCalls: [{ id: "a", type: "function", name: "app__lookup", arguments: "{}" }, { id: "b", type: "function", name: "app__wipe", arguments: "{}" }] },
  vercel: { role: "assistant", content: [{ type: "tool-call", toolCallId: "a", toolName: "app__lookup", input: {} }, { type: "tool-call", toolCallId: "b", toolName: "app__wipe", input: {} }] },
  mcp: [rpc(1, "app__lookup"), rpc(2, "app__wipe")],
  plain: { calls: [{ id: "a", tool: "app/lookup", arguments: {} }, { id: "b", tool: "app/wipe", arguments: {} }] },
};
function call(id: string, name: string, args: string): unknown { return { id, type: "function", function: { name, arguments: args } }; }
function item(call_id: string, name: string): unknown { return { type: "function_call", call_id, name, arguments: "{}" }; }
function rpc(id: number, name: string): unknown { return { jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: {} } }; }

for (const [shape, message] of Object.entries(messages) as Array<[Shape, unknown]>) {
  test(`a message in the form ${shape}`, async () => {
    let entered = 0;
    const tools = { "app/lookup": () => { entered++; return { found: true }; }, "app/wipe": () => { throw new Error("entered"); } };
    const answered = await agent.message({ shape, message }, tools);
    assert.equal(entered, 1);
    const text = JSON.stringify(answered);
    assert.match(text, /found/);
    assert.match(text, /POLICY_DENIED/);
    assert.ok(text.indexOf("found") < text.indexOf("POLICY_DENIED"), "not in the order of the message");
    // Where nothing may run, the gate says itself what is to be appended: in the same form.
    const none = JSON.parse(JSON.stringify(message).replaceAll("lookup", "wipe")) as unknown;
    let theirs = "";
    const watch = await between(real, "/v1/claim", (a, r) => { theirs = a; json(r, a); });
    const ours = await real.as("agent", { url: watch.url }).message({ shape, message: none }, {});
    await watch.close();
    assert.deepEqual(ours, (JSON.parse(theirs) as { messages: unknown }).messages);
  });
}

test("the older form has one call", async () => {
  const [answer] = await agent.message({ shape: "openai-functions", message: { function_call: { name: "app__lookup", arguments: "{}" } } }, { "app/lookup": () => "found" });
  assert.deepEqual(answer, { role: "function", name: "app__lookup", content: "found" });
});

test("a tool without a function is not run, and the model is told", async () => {
  const [answer] = await agent.message({ shape: "plain", message: { tool: "app/lookup" } }, Object.create({ "app/lookup": () => "inherited" }) as Record<string, never>);
  assert.match(JSON.stringify(answer), /There is no function/);
});

test("a tool that fails is answered", async () => {
  const [a, b] = await agent.message({ shape: "plain", message: { calls: [{ tool: "app/lookup" }, { tool: "app/lookup" }] } },
    { "app/lookup": (_, c) => { if (c.id !== c.digest) throw new Error("broken pipe"); } });
  assert.match(JSON.stringify([a, b]), /broken pipe.*broken pipe/);
});

test("a message that is none is refused, and cannot pass for more", async () => {
  for (const message of ['{"tool":"app/lookup"},"run":{"id":"x"}', '{"tool":"app/lookup","tool":"app/note"}', "", '{"tool":"app/note","arguments":{"number":NaN}}', { tool: "app/note", arguments: { number: 2 ** 53 } }]) {
    await assert.rejects(agent.message({ shape: "plain", message }, { "app/lookup": () => assert.fail() }), (e: unknown) => e instanceof Refused && e.code === "MALFORMED_CALL");
  }
  await assert.rejects(agent.message({ shape: "anthropic", message: { tool: "app/lookup" } }, {}), Refused);
});

test("integers in a message that is text stay what they are", async () => {
  await agent.message({ shape: "anthropic", message: '{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"app__note","input":{"number":9007199254740993}}]}' },
    { "app/note": (args) => { assert.deepEqual(args, { number: 9007199254740993n }); } });
});
