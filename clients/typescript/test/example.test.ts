// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const root = join(import.meta.dirname, "..", "..", "..");
const folder = join(root, "examples", "langchain-js");

test("the LangChain.js example says what its pages say", () => {
  const said = execFileSync("npm", ["start", "--silent"], { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
  for (const page of ["README.md", "README.zh-CN.md"]) {
    assert.equal(said, /```console\n(.*?)```/s.exec(readFileSync(join(folder, page), "utf8"))?.[1], page);
  }
});

test("its policy decides what its tests want", () => {
  execFileSync(join(root, "bin", "toolverdict"), ["policy", "test", folder]);
});
