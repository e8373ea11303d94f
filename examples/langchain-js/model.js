// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage } from "@langchain/core/messages";

const turns = [
  { name: "lookup_order", args: { order_id: "A1001" } },
  { name: "delete_customer", args: { customer_id: "u_001" } },
  { name: "refund", args: { order_id: "A1001", amount: 250 } },
];

/** A model that makes one call after another, and then says that it is done. */
export class ScriptedModel extends BaseChatModel {
  constructor() { super({}); }
  _llmType() { return "scripted"; }
  bindTools() { return this; }

  async _generate(messages) {
    const at = messages.filter((m) => m.type === "ai").length;
    const call = turns[at];
    const message = call
      ? new AIMessage({ content: "", tool_calls: [{ type: "tool_call", id: `call-${at}`, ...call }] })
      : new AIMessage("Done, as far as I may.");
    return { generations: [{ message, text: message.text }] };
  }
}
