// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package stdio_test

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/toolverdict/toolverdict/internal/mcpwire"
	"github.com/toolverdict/toolverdict/internal/upstream/stdio"
)

// runPlain is the least that a server of the stateless revisions can be: it
// answers every line with an id.
func runPlain() {
	in := bufio.NewReaderSize(os.Stdin, 64<<10)
	var out []byte
	for {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return
		}
		_, rest, found := bytes.Cut(line, []byte(`"id":`))
		if !found {
			continue
		}
		id, _, _ := bytes.Cut(rest, []byte(","))
		out = append(append(append(out[:0], `{"jsonrpc":"2.0","id":`...), id...),
			`,"result":{"content":[{"type":"text","text":"hello"}],"resultType":"complete","supportedVersions":["2026-07-28"]}}`+"\n"...)
		if _, err := os.Stdout.Write(out); err != nil {
			return
		}
	}
}

// BenchmarkCall compares one call through the backend with one straight to the
// process.
func BenchmarkCall(b *testing.B) {
	command := []string{os.Args[0], "as", "plain"}
	raw := strings.Replace(modernCall("7", "echo", "hello", `"progressToken":7`), "\n", "", -1)
	b.Run("direct", func(b *testing.B) {
		cmd := exec.CommandContext(b.Context(), command[0], command[1:]...)
		in, err := cmd.StdinPipe()
		if err != nil {
			b.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			b.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		lines, line := bufio.NewReader(out), []byte(raw+"\n")
		for b.Loop() {
			if _, err := in.Write(line); err != nil {
				b.Fatal(err)
			}
			if _, err := lines.ReadSlice('\n'); err != nil {
				b.Fatal(err)
			}
		}
	})
	through := func(b *testing.B) (call func() error) {
		backend, err := stdio.New(stdio.Config{Command: command})
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { backend.Close() })
		m, err := mcpwire.ParseServer([]byte(raw))
		if err != nil {
			b.Fatal(err)
		}
		return func() error {
			r, err := backend.Exchange(b.Context(), mcpwire.Outbound{Caller: alice(), Message: m})
			if err != nil {
				return err
			}
			defer r.Body.Close()
			_, err = r.Body.Next()
			return err
		}
	}
	b.Run("through", func(b *testing.B) {
		call := through(b)
		b.ReportAllocs()
		for b.Loop() {
			if err := call(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("through, 32 at once", func(b *testing.B) {
		call := through(b)
		b.SetParallelism(16)
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				if err := call(); err != nil {
					b.Error(err)
					return
				}
			}
		})
	})
}
