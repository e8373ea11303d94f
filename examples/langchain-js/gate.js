// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** Starts the example's gate on a port of its own, with records that end with it. */
export async function startGate() {
  const here = import.meta.dirname ?? new URL(".", import.meta.url).pathname;
  const data = mkdtempSync(join(tmpdir(), "toolverdict-langchain-"));
  const child = spawn(join(here, "../../bin/toolverdict"), ["serve", "--config", join(here, "toolverdict.yaml"), "--data", data, "--listen", "127.0.0.1:0"], { stdio: ["ignore", "pipe", "pipe"] });
  let log = "";
  child.stderr.on("data", (b) => { log += b; });
  const url = await new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      const at = /^listening on (http:\S+)/.exec(line);
      if (at) resolve(at[1]);
    });
    child.once("error", reject);
    child.once("exit", () => { reject(new Error(`the gate did not start: ${log}`)); });
  });
  return {
    url,
    key: (subject) => readFileSync(join(data, "keys", subject), "utf8").trim(),
    end: async () => {
      child.kill();
      if (child.exitCode === null) await once(child, "exit");
      rmSync(data, { recursive: true, force: true });
    },
  };
}
