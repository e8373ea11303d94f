// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/toolverdict/toolverdict/hookgate/setup/internal/userfile"
)

// codexTrust is what makes Codex run a hook. The gate does not write it itself: that
// a person looked is what it is for.
const codexTrust = "start 'codex' in a terminal, type /hooks, choose each hook of toolverdict and trust it (t); for 'codex exec' where nobody can, set the hook up in requirements.toml"

// trusts reports whether Codex trusts a hook as it is now: its mark names the hook by
// file and place, and holds a digest of it.
func (p *Place) trusts(path string, at found, src string) bool {
	event := map[string]string{"PreToolUse": "pre_tool_use", "PostToolUse": "post_tool_use"}[at.event]
	place := ":" + event + ":" + strconv.Itoa(at.item) + ":" + strconv.Itoa(at.handler)
	user := *p
	user.Scope = User
	trusted := false
	for _, s := range toml(filepath.Join(user.folder(), "config.toml")) {
		if len(s.Keys) != 4 || s.Keys[0] != "hooks" || s.Keys[1] != "state" {
			continue
		}
		file, here := strings.CutSuffix(s.Keys[2], place)
		if !here || !sameFile(file, path) {
			continue
		}
		switch {
		case s.Keys[3] == "enabled" && s.Value == "false":
			return false
		case s.Keys[3] == "trusted_hash":
			digest, known := trustDigest(event, at, src)
			trusted = !known && s.Value != `""` || known && strings.Trim(s.Value, `"'`) == digest
		}
	}
	return trusted
}

// trustDigest is what Codex (measured on 0.171) keeps of a hook that was trusted. Of one
// that says more than ours do it is not known.
func trustDigest(event string, at found, src string) (digest string, known bool) {
	timeout := at.node.Get("timeout")
	if len(at.node.Members) != 3 || timeout == nil || at.node.Get("type").String() != "command" {
		return "", false
	}
	type handler struct {
		Async   bool            `json:"async"`
		Command string          `json:"command"`
		Timeout json.RawMessage `json:"timeout"`
		Type    string          `json:"type"`
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(struct {
		Event string    `json:"event_name"`
		Hooks []handler `json:"hooks"`
	}{event, []handler{{Command: at.node.Get("command").String(), Timeout: json.RawMessage(src[timeout.Start:timeout.End]), Type: "command"}}}) != nil {
		return "", false
	}
	sum := sha256.Sum256(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
	return "sha256:" + hex.EncodeToString(sum[:]), true
}

func sameFile(a, b string) bool {
	to, err := userfile.Resolve(a)
	return a == b || err == nil && to == b
}
