// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// An agent of a shop, written with LangChain.js. Its model is scripted, so that the
// example needs no key of a provider; everything else is what a real one has.
import { createInterface } from "node:readline/promises";
import { Command, INTERRUPT, MemorySaver } from "@langchain/langgraph";
import { Gate } from "@toolverdict/client";
import { guard } from "@toolverdict/client/langchain";
import { createAgent, tool } from "langchain";
import { z } from "zod";
import { startGate } from "./gate.js";
import { ScriptedModel } from "./model.js";

const orders = { A1001: { order_id: "A1001", state: "paid", amount: 250 } };
const tools = [
  tool(({ order_id }) => orders[order_id] ?? { error: "no such order" }, {
    name: "lookup_order", description: "Look an order up.", schema: z.object({ order_id: z.string() }),
  }),
  tool(({ order_id, amount }) => { orders[order_id].state = "refunded"; return { order_id, refunded: amount }; }, {
    name: "refund", description: "Pay money back.", schema: z.object({ order_id: z.string(), amount: z.number() }),
  }),
  tool(() => { throw new Error("the customer is gone: this must not happen"); }, {
    name: "delete_customer", description: "Delete a customer.", schema: z.object({ customer_id: z.string() }),
  }),
];

const running = await startGate();
try {
  // The three lines that put the gate in front of the tools:
  const gate = new Gate({ url: running.url, key: running.key("agent") });
  const { middleware } = guard(gate, { server: "shop", pause: true });
  const agent = createAgent({ model: new ScriptedModel(), tools, middleware: [middleware], checkpointer: new MemorySaver() });

  const config = { configurable: { thread_id: crypto.randomUUID() } };
  let input = { messages: [{ role: "user", content: "Delete the customer u_001 and refund order A1001." }] };
  for (let shown = 0; input;) {
    const state = await agent.invoke(input, config);
    for (const message of state.messages.slice(shown)) show(message);
    shown = state.messages.length;
    input = state[INTERRUPT] && await answer(state[INTERRUPT][0].value);
  }
  console.log(`the shop: ${JSON.stringify(orders.A1001)}`);
} finally {
  await running.end();
}

function show(message) {
  for (const call of message.tool_calls ?? []) console.log(`model: ${call.name} ${JSON.stringify(call.args)}`);
  if (message.type === "tool") console.log(`  ${message.status === "error" ? "refused" : "ran"}: ${message.text}`);
  else if (message.text) console.log(`${message.type === "human" ? "user" : "model"}: ${message.text}`);
}

/** Asks the person, whose key is another one than the agent's, and has the graph go on. */
async function answer({ confirmation }) {
  const person = new Gate({ url: running.url, key: running.key("supervisor") });
  const { card } = await person.approvals.get(confirmation.id);
  console.log(`  waits: ${card.summary} (risk ${card.risk}, asked by ${card.requester})`);
  if (await yes()) await person.approvals.approve(confirmation.id, "the parcel came back");
  else await person.approvals.reject(confirmation.id, "the supervisor said no");
  return new Command({ resume: true });
}

async function yes() {
  if (!process.stdin.isTTY) {
    console.log("  supervisor: yes (there is no terminal to ask at)");
    return true;
  }
  const line = createInterface({ input: process.stdin, output: process.stdout });
  const said = await line.question("  supervisor, approve it? [y/N] ");
  line.close();
  return /^y(es)?$/i.test(said.trim());
}
