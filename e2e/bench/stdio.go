// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/toolverdict/toolverdict/e2e/internal/wire"
)

// command is a program that serves MCP on its standard input and output.
type command struct {
	argv, env []string
	modern    bool
	pid       *atomic.Int64 // set to the process while it runs
}

// openStdio starts the program; all slots share its one pipe, and a slot's call is told from the
// others' by its id.
func openStdio(ctx context.Context, c command, slots int) (caller, error) {
	cmd := exec.CommandContext(ctx, c.argv[0], c.argv[1:]...)
	cmd.Env = c.env
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	c.pid.Store(int64(cmd.Process.Pid))
	s := &stdioCaller{cmd: cmd, in: in, slots: make([]stdioSlot, slots), ended: make(chan struct{})}
	lines := bufio.NewReaderSize(out, 64<<10)
	meta := ""
	if c.modern {
		meta = wire.ModernMeta + ","
	} else if err := wire.NewStdio(in, lines).Initialize(); err != nil {
		s.close()
		return nil, err
	}
	for i := range s.slots {
		s.slots[i] = stdioSlot{request: newTemplate("", callBody(meta)+"\n"), reply: make(chan []byte, 1)}
	}
	go s.dispatch(lines)
	return s, nil
}

type stdioCaller struct {
	cmd   *exec.Cmd
	mu    sync.Mutex // guards in
	in    io.WriteCloser
	slots []stdioSlot
	ended chan struct{} // closed when the program's output ended
}

type stdioSlot struct {
	request template
	reply   chan []byte
}

func (s *stdioCaller) call(slot, id int) error {
	request := s.slots[slot].request.fill(id)
	s.mu.Lock()
	_, err := s.in.Write(request)
	s.mu.Unlock()
	if err != nil {
		return err
	}
	select {
	case reply := <-s.slots[slot].reply:
		return check(reply, id)
	case <-s.ended:
		return errors.New("the program ended, or printed what is not a reply")
	}
}

// dispatch gives every line to the slot whose call it answers, and stops at one that answers none.
func (s *stdioCaller) dispatch(lines *bufio.Reader) {
	defer close(s.ended)
	for {
		text, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		id, err := idOf(text)
		if err != nil {
			return
		}
		select {
		case s.slots[(id-firstID)%len(s.slots)].reply <- text:
		default: // a second answer to the same call
			return
		}
	}
}

func idOf(text []byte) (int, error) {
	_, rest, ok := bytes.Cut(text, []byte(`"id":`))
	if !ok || len(rest) < len(placeholder) {
		return 0, fmt.Errorf("no id in %.200q", text)
	}
	id, err := strconv.Atoi(string(rest[:len(placeholder)]))
	if err != nil || id < firstID {
		return 0, fmt.Errorf("no id of ours in %.200q", text)
	}
	return id, nil
}

func (s *stdioCaller) close() {
	_ = s.in.Close()
	_ = s.cmd.Wait()
}
