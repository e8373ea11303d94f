// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/toolverdict/toolverdict/hookgate"
)

// versionTime is how long an agent may take to say its version.
const versionTime = 20 * time.Second

// Floor is the first version of an agent that asks its hook as it should, "" where all
// that are known do.
func Floor(a hookgate.Agent) string {
	switch a {
	case hookgate.ClaudeCode:
		return "2.1.295" // before, "onFailure" is not known, and a hook that fails lets the tool run
	case hookgate.Codex:
		return "0.124.0" // before, patches and tools of servers are not asked about
	default:
		return ""
	}
}

// Programs are the names of the agent's program, the usual one first.
func Programs(a hookgate.Agent) []string {
	switch a {
	case hookgate.ClaudeCode:
		return []string{"claude"}
	case hookgate.Cursor:
		return []string{"cursor-agent", "cursor"}
	default:
		return []string{string(a)}
	}
}

// Version asks an agent for its version: the first three numbers with dots between
// them that it prints.
func Version(ctx context.Context, a hookgate.Agent) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, versionTime)
	defer cancel()
	for _, name := range Programs(a) {
		program, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		cmd := exec.CommandContext(ctx, program, "--version")
		cmd.Dir = "/" // files of the project say nothing here
		cmd.WaitDelay = time.Second
		out, err := cmd.Output()
		if err != nil {
			return "", fmt.Errorf("ask %s for its version: %w", program, err)
		}
		if v := regexp.MustCompile(`\d+\.\d+\.\d+`).FindString(string(out[:min(len(out), 4096)])); v != "" {
			return v, nil
		}
		return "", fmt.Errorf("ask %s for its version: it says none", program)
	}
	return "", fmt.Errorf("ask %s for its version: there is no program of that name on the path", Programs(a)[0])
}

// Old is the fault of a version below the agent's floor. One that is not known is a
// fault as well.
func Old(a hookgate.Agent, version string) (Fault, bool) {
	floor := Floor(a)
	switch {
	case floor == "":
		return Fault{}, false
	case version == "":
		return Fault{fmt.Sprintf("the version of %s is not known: before %s, a hook does not hold", a, floor), "make its program found on the path"}, true
	case older(version, floor):
		return Fault{fmt.Sprintf("%s %s is older than %s: its hook does not hold", a, version, floor), "update it"}, true
	}
	return Fault{}, false
}

func older(a, b string) bool {
	x, y := strings.Split(a, "."), strings.Split(b, ".")
	for i := range min(len(x), len(y)) {
		m, err := strconv.Atoi(x[i])
		n, err2 := strconv.Atoi(y[i])
		if err != nil || err2 != nil || m < n {
			return true
		}
		if m > n {
			return false
		}
	}
	return false
}
