// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

export { Gate, NotBegun, type Claiming, type Message, type ToolFunction, type Told } from "./gate.js";
export { Approvals } from "./approvals.js";
export { Claimed } from "./claimed.js";
export { AlreadyRan, Refused, ToolFailed, Untold, type Ran } from "./refused.js";
export type { Arguments, Call, Context, Run } from "./call.js";
export type { Address, Asking } from "./link.js";
export type { Shape } from "./message.js";
export type * as Api from "./api.js";
