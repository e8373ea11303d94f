// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package child

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
)

// pipes are the three pipes to a child. They are made by hand, so that a wait
// for the process neither closes them nor waits for those who inherited them.
type pipes struct {
	in, out, err *os.File // our ends
	theirs       []*os.File
}

func (p *pipes) connect(cmd *exec.Cmd) error {
	var stdin, stdout, stderr *os.File
	var err error
	if stdin, p.in, err = os.Pipe(); err != nil {
		return err
	}
	p.theirs = append(p.theirs, stdin)
	if p.out, stdout, err = os.Pipe(); err != nil {
		return err
	}
	p.theirs = append(p.theirs, stdout)
	if p.err, stderr, err = os.Pipe(); err != nil {
		return err
	}
	p.theirs = append(p.theirs, stderr)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stdout, stderr
	return nil
}

func (p *pipes) closeTheirs() {
	for _, f := range p.theirs {
		f.Close()
	}
	p.theirs = nil
}

func (p *pipes) close() {
	p.closeTheirs()
	for _, f := range []*os.File{p.in, p.out, p.err} {
		if f != nil {
			f.Close()
		}
	}
}

// readLine reads one line into bytes of its own, without its end. A last line
// without an end counts: the reader of a message sees whether it is whole.
func readLine(in *bufio.Reader, limit int) ([]byte, error) {
	var text []byte
	for {
		part, err := in.ReadSlice('\n')
		if len(text)+len(part) > limit+2 {
			return nil, ErrTooLong
		}
		switch {
		case err == nil, errors.Is(err, bufio.ErrBufferFull):
		case len(text)+len(part) > 0:
			err = nil
			part = append(bytes.Clone(part), '\n')
		case errors.Is(err, fs.ErrClosed):
			return nil, io.EOF
		case errors.Is(err, io.EOF):
			return nil, io.EOF
		default:
			return nil, fmt.Errorf("read child: %v", err)
		}
		text = append(text, part...)
		if err == nil {
			break
		}
	}
	text = bytes.TrimSuffix(bytes.TrimSuffix(text, []byte("\n")), []byte("\r"))
	if len(text) > limit {
		return nil, ErrTooLong
	}
	return text, nil
}
