// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package setup

import (
	_ "embed"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"

	"github.com/toolverdict/toolverdict/hookgate"
)

// mark stands at the head of files that are the gate's altogether.
const mark = "Written by 'toolverdict hook install"

// marked reports whether a file is the gate's.
func marked(src string) bool {
	for i, line := range strings.SplitN(src, "\n", 4) {
		if i < 3 && strings.Contains(line, mark) {
			return true
		}
	}
	return false
}

// written is the whole file. Another's is not written over.
func (f *form) written(src string, e *Entry) (string, error) {
	if src != "" && !marked(src) {
		return "", errors.New("the file is another program's hook, and is left as it is: move it elsewhere, or call it from a hook of your own")
	}
	return f.whole(e)
}

// edited reports whether somebody changed a file that is the gate's: what they wrote
// is not written over, and not taken away.
func (p *Place) edited(f *form, src string) error {
	if f.whole == nil || !marked(src) {
		return nil
	}
	if e, ok := entryOfWhole(p.Agent, src, p.record().programs()); ok {
		if as, err := f.whole(&e); err == nil && as == src {
			return nil
		}
	}
	return errors.New("somebody changed the file since it was written, or an earlier version wrote it, and it is left as it is: move it elsewhere, and try again")
}

//go:embed opencode.js
var opencodePlugin string

// setupLine is the line of the plugin that says what it runs.
const setupLine = "const SETUP = "

type pluginSetup struct {
	Program   string   `json:"program"`
	Arguments []string `json:"arguments"`
	Deadline  int64    `json:"deadline"` // milliseconds
	Beacon    string   `json:"beacon"`
}

// plugin is opencode's, which has no hook that is a program. It waits a little longer
// than the program takes to give up by itself.
func (p *Place) plugin(e *Entry) (string, error) {
	line, err := json.Marshal(pluginSetup{
		Program: e.Program, Arguments: e.words(hookgate.OpenCode)[1:],
		Deadline: (e.timeout() / 2).Milliseconds(), Beacon: p.beacon(),
	})
	if err != nil {
		return "", err
	}
	return strings.Replace(opencodePlugin, setupLine+"null\n", setupLine+string(line)+"\n", 1), nil
}

// beacon is where the plugin says that it is loaded.
func (p *Place) beacon() string { return filepath.Join(p.own(), "beacons", "opencode.json") }

// beforeScript is Cline's. To Cline, a hook that fails or is missing is no denial:
// the shell that runs it says no in its place.
func beforeScript(e *Entry) (string, error) {
	return `#!/bin/sh
# ` + mark + ` cline': asks the gate before each tool.
answer=$(` + e.line(hookgate.Cline) + `) || answer=
case $answer in
'{}' | '{"cancel":true,'*) printf '%s\n' "$answer" ;;
*) printf '%s\n' '{"cancel":true,"errorMessage":"Toolverdict gave no answer, so this call must not run. Tell the user."}' ;;
esac
`, nil
}

// afterScript tells the gate what came of a tool.
func afterScript(e *Entry) (string, error) {
	return `#!/bin/sh
# ` + mark + ` cline': tells the gate what came of each tool.
` + e.line(hookgate.Cline) + ` >/dev/null
printf '{}\n'
`, nil
}

// entryOfWhole reads back what such a file runs.
func entryOfWhole(a hookgate.Agent, src string, programs []string) (Entry, bool) {
	for line := range strings.SplitSeq(src, "\n") {
		if a == hookgate.OpenCode {
			rest, found := strings.CutPrefix(line, setupLine)
			var s pluginSetup
			if found && json.Unmarshal([]byte(rest), &s) == nil {
				return entryOfWords(a, append([]string{s.Program}, s.Arguments...), append(programs, s.Program))
			}
			continue
		}
		line = strings.TrimPrefix(line, "answer=$(")
		if words, _ := split(line); len(words) > 0 {
			if e, ok := entryOfWords(a, words, append(programs, words[0])); ok {
				return e, true
			}
		}
	}
	return Entry{}, false
}
