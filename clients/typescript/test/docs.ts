// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// The pieces of docs/typescript.md, so that they compile. docs.test.ts compares.
import * as agents from "@openai/agents";
import type { BaseCheckpointSaver } from "@langchain/langgraph";
import { createTool } from "@mastra/core/tools";
import { Gate } from "@toolverdict/client";
import * as ai from "@toolverdict/client/ai";
import * as langchain from "@toolverdict/client/langchain";
import * as mastra from "@toolverdict/client/mastra";
import * as openai from "@toolverdict/client/openai-agents";
import { generateText, type LanguageModel, type ModelMessage, type ToolSet } from "ai";
import { createAgent, type AgentMiddleware } from "langchain";
import { z } from "zod";

declare const key: string, chatId: string, talkId: string, threadId: string;
declare function sendMail(args: unknown): Promise<unknown>;

export async function aFunction() {
  const gate = new Gate({ url: "http://127.0.0.1:8711", key });
  const ran = await gate.run({ tool: "app/send_mail", arguments: { to: "a@example.com" } }, (args) => sendMail(args));
  console.log(ran.text); // for the model: without the secrets that the gate holds
}

export async function vercel(gate: Gate, model: LanguageModel, messages: ModelMessage[], tools: ToolSet) {
  const { guard } = ai;
  const guarded = guard(gate, { server: "app", session: chatId });
  const result = await generateText({
    model, messages, tools: guarded.tools(tools), toolApproval: guarded.approval,
  });
  return result;
}

export function langChain(gate: Gate, model: string, tools: [], others: AgentMiddleware, checkpointer: BaseCheckpointSaver) {
  const { guard } = langchain;
  const { middleware } = guard(gate, { server: "app", pause: true });
  const agent = createAgent({ model, tools, middleware: [others, middleware], checkpointer });
  return agent;
}

export function openAI(gate: Gate, helper: agents.Agent, refund: { name: string; description: string; parameters: typeof inputSchema; execute: typeof execute }) {
  const { guard } = openai;
  const { Agent } = agents;
  const guarded = guard(gate, { server: "app", session: talkId });
  const tool = guarded.define(agents.tool); // instead of the framework's own
  const agent = new Agent({ name: "clerk", tools: [tool(refund), guarded.tool(helper.asTool({}))] });
  return agent;
}

const inputSchema = z.object({ order: z.string() });
const execute = async (_: { order: string }) => "refunded";

export function inMastra(gate: Gate) {
  const { guard } = mastra;
  const create = guard(gate, { server: "app", session: threadId, pause: true }).define(createTool);
  const refund = create({ id: "refund", description: "Pay money back.", inputSchema, execute });
  return refund;
}
