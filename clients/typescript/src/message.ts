// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

import type { Operations } from "./api.js";

/** The form of a model's API or a framework: see docs/shapes.md. */
export type Shape = Extract<Operations["POST /v1/claim"]["body"], { shape: unknown }>["shape"];

/** The answer to one call of a message, or why there is none. */
export interface Answered {
  answer: unknown;
  fault?: unknown;
}

/** What is appended to a conversation: in some forms one message holds all answers. */
export function next(shape: Shape, answers: readonly unknown[]): unknown[] {
  switch (shape) {
    case "anthropic": case "bedrock": return [{ role: "user", content: answers }];
    case "gemini": return [{ role: "user", parts: answers }];
    case "autogen": return [{ type: "FunctionExecutionResultMessage", content: answers }];
    case "spring-ai": return [{ messageType: "TOOL", responses: answers }];
    case "vercel": return [{ role: "tool", content: answers }];
    case "openai-chat": case "openai-functions": case "openai-responses": case "langchain": case "mcp": case "plain": return [...answers];
  }
}
