// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package model is a model server that says what a script tells it to, so that real
// coding agents can be driven without a model: Anthropic Messages, OpenAI Chat
// Completions, OpenAI Responses and Gemini's streamGenerateContent, all as streams. It
// keeps what it was shown: the results of its calls, and the tools that it was offered.
package model
