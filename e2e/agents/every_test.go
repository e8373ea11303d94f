// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

//go:build e2e && agents

package agents_test

import "github.com/toolverdict/toolverdict/e2e/agents/internal/drive"

func agents() []installed {
	gemini, qwen := more("@google/gemini-cli/bundle/gemini.js"), more("@qwen-code/qwen-code/cli-entry.js")
	copilot, cline := more("@github/copilot-"+platform(), "copilot"), more("@cline/cli-"+platform(), "bin/cline")
	opencode := more("opencode-"+platform(), "bin/opencode")
	return []installed{
		claude(), codex(), {drive.CodexCode(codexProgram(), "gpt-6.2-sol"), "codex-code", nil},
		{drive.Gemini(node(), gemini), "gemini", []string{gemini}},
		{drive.Qwen(node(), qwen), "qwen", []string{qwen}},
		{drive.Copilot(copilot), "copilot", []string{copilot}},
		{drive.OpenCode(opencode), "opencode", []string{opencode}},
		{drive.Cline(cline), "cline", []string{cline}},
	}
}

func more(path ...string) string { return npm(append([]string{"more/node_modules"}, path...)...) }
