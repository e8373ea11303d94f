// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Takes calls from standard input, a line each, to a gate, and prints what it was told of each.
import { createInterface } from "node:readline";
import { Gate, Refused } from "../../../clients/typescript/dist/index.js";

const gate = new Gate({ url: process.env.GATE, key: process.env.KEY });

async function ask({ how, label, tool, arguments: text }) {
  const call = { tool, arguments: text, id: label };
  try {
    if (how === "decide") {
      const said = await gate.decide(call);
      return { verdict: said.verdict, code: said.error?.code ?? "" };
    }
    const claimed = await gate.claim(call);
    await gate.outcome(claimed, { status: "notSent", message: "this program only asks" });
    return { verdict: "allow", leave: claimed.text };
  } catch (e) {
    if (!(e instanceof Refused)) throw e;
    return { verdict: e.waits ? "ask" : "deny", code: e.code, text: e.message };
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  console.log(JSON.stringify(await ask(JSON.parse(line))));
}
