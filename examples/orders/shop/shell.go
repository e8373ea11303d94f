// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package shop

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"
)

const (
	// ScratchRoot is how callers name the scratch folder: it stands for the
	// folder scratch in [Config.Dir], wherever that is.
	ScratchRoot = "/scratch"

	maxCommand = 2000
	maxOutput  = 64 << 10
)

// ShellResult is what a command did. A command that ran and failed is a result
// too: see ExitCode.
type ShellResult struct {
	Workdir   string `json:"workdir"`
	ExitCode  int    `json:"exit_code"` // 128 plus the signal for a command that a signal ended
	Stdout    string `json:"stdout"`
	Stderr    string `json:"stderr"`
	Truncated bool   `json:"truncated"` // one of the outputs was longer than 64 KiB
}

// Shell runs a command line with bash, in the scratch folder or a folder in it.
// The folder is where the command starts and no cage: bash can do whatever the
// server's own user can. That is what the gate in front is for.
//
// The command is counted as a change when it starts, for nothing can tell
// afterwards how much of it took effect.
func (s *Shop) Shell(ctx context.Context, command, workdir string) (ShellResult, error) {
	if err := checkCommand(command); err != nil {
		return ShellResult{}, err
	}
	dir, shown, err := s.workdir(workdir)
	if err != nil {
		return ShellResult{}, err
	}
	if s.cfg.Bash == "" {
		return ShellResult{}, refuse(ShellMissing, "there is no bash on this machine", "install bash and start the server again")
	}
	err = s.write(ctx, func(tx *sql.Tx) error {
		return s.record(ctx, tx, "execute_shell", command, "in "+shown)
	})
	if err != nil {
		return ShellResult{}, err
	}
	res, err := s.run(ctx, command, dir)
	res.Workdir = shown
	return res, err
}

func (s *Shop) run(ctx context.Context, command, dir string) (ShellResult, error) {
	limited, cancel := context.WithTimeout(ctx, s.cfg.ShellTimeout)
	defer cancel()
	stdout, stderr := &capped{max: maxOutput}, &capped{max: maxOutput}
	cmd := exec.CommandContext(limited, s.cfg.Bash, "--noprofile", "--norc", "-c", command)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, stdout, stderr
	// Nothing of the server's own environment: it may hold secrets.
	cmd.Env = []string{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + dir, "TMPDIR=" + dir, "LANG=C.UTF-8"}
	ownGroup(cmd)
	cmd.Cancel = func() error { return killGroup(cmd) }
	cmd.WaitDelay = time.Second // what was left in the background may hold the pipes open
	if err := cmd.Start(); err != nil {
		return ShellResult{}, fmt.Errorf("start command: %v", err)
	}
	err := cmd.Wait()
	_ = killGroup(cmd) // what was left in the background ends with the command
	if limited.Err() != nil && ctx.Err() == nil {
		return ShellResult{}, refuse(CommandTimeout, "the command ran too long and was stopped",
			"what it did until then stays; run something shorter")
	}
	if ctx.Err() != nil {
		return ShellResult{}, ctx.Err()
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay) {
		return ShellResult{}, fmt.Errorf("run command: %v", err)
	}
	return ShellResult{
		ExitCode: exitCode(cmd.ProcessState), Stdout: stdout.text(), Stderr: stderr.text(),
		Truncated: stdout.over || stderr.over,
	}, nil
}

// workdir turns a caller's folder into a real one and the name to show for it.
// The root refuses symbolic links that lead out of the scratch folder.
func (s *Shop) workdir(dir string) (folder, shown string, err error) {
	if dir == "" {
		dir = ScratchRoot
	}
	bad := refuse(InvalidWorkdir, "workdir is not an existing folder in "+ScratchRoot,
		"leave it out, or name a folder such as "+ScratchRoot+"/reports")
	clean := path.Clean(dir)
	rel, ok := strings.CutPrefix(clean+"/", ScratchRoot+"/")
	if !ok || strings.ContainsRune(dir, 0) {
		return "", "", bad
	}
	rel = path.Clean("./" + rel)
	info, err := s.scratch.Stat(rel)
	if err != nil || !info.IsDir() {
		return "", "", bad
	}
	base, err := filepath.Abs(s.scratch.Name())
	if err != nil {
		return "", "", fmt.Errorf("find scratch folder: %v", err)
	}
	return filepath.Join(base, filepath.FromSlash(rel)), clean, nil
}

func checkCommand(c string) error {
	if strings.TrimSpace(c) == "" || len(c) > maxCommand || strings.ContainsRune(c, 0) || !utf8.ValidString(c) {
		return refuse(InvalidCommand, "the command is empty, longer than 2000 bytes or not text", "send one short command line")
	}
	return nil
}

func exitCode(p *os.ProcessState) int {
	if n := signalOf(p); n > 0 {
		return 128 + n
	}
	return p.ExitCode()
}

// capped keeps the first max bytes and counts the rest as read, so that a
// talkative command is not blocked by a full pipe.
type capped struct {
	max  int
	data []byte
	over bool
}

func (c *capped) Write(p []byte) (int, error) {
	keep := min(len(p), c.max-len(c.data))
	c.data = append(c.data, p[:keep]...)
	c.over = c.over || keep < len(p)
	return len(p), nil
}

func (c *capped) text() string { return strings.ToValidUTF8(string(c.data), "\uFFFD") }
