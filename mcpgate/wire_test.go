// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package mcpgate_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/mcpwire"
	"github.com/toolverdict/toolverdict/mcpgate"
)

// A story is a txtar file of testdata/wire: the tools that were reviewed, an
// overlay, verdicts, and a dialogue:
//
//	>  a message from the client
//	>> what the upstream must receive, byte for byte
//	<< what the upstream sends
//	<  what the client must receive; "@ANY" stands for any value
//
// Each is told over both fronts.
type step struct {
	send      string
	forwarded []string
	replies   []string
	want      []string
}

type story struct {
	overlay string
	tools   []string
	special map[string]toolverdict.Verdict
	steps   []step
}

func readStory(t *testing.T, file string) story {
	t.Helper()
	a, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s := story{special: map[string]toolverdict.Verdict{}, overlay: openOverlay}
	for _, f := range a.Files {
		lines := strings.Split(strings.TrimSpace(string(f.Data)), "\n")
		switch f.Name {
		case "overlay.yaml":
			s.overlay = string(f.Data)
		case "tools":
			s.tools = lines
		case "verdicts":
			for _, l := range lines {
				tool, word, _ := strings.Cut(l, " ")
				var v toolverdict.Verdict
				if err := v.UnmarshalText([]byte(word)); err != nil {
					t.Fatal(err)
				}
				s.special[tool] = v
			}
		case "dialogue":
			s.steps = readSteps(t, lines)
		default:
			t.Fatalf("%s: unknown file %q", file, f.Name)
		}
	}
	return s
}

func readSteps(t *testing.T, lines []string) []step {
	t.Helper()
	var steps []step
	for _, l := range lines {
		if l == "" || l[0] == '#' {
			continue
		}
		mark, text, _ := strings.Cut(l, " ")
		if mark == ">" {
			steps = append(steps, step{send: text})
			continue
		}
		s := &steps[len(steps)-1]
		switch mark {
		case ">>":
			s.forwarded = append(s.forwarded, text)
		case "<<":
			s.replies = append(s.replies, text)
		case "<":
			s.want = append(s.want, text)
		default:
			t.Fatalf("unknown mark %q", mark)
		}
	}
	return steps
}

// scripted is an upstream that answers what the story says.
type scripted struct {
	t *testing.T

	mu      sync.Mutex
	replies []string
	got     []string
}

// expect sets what is answered from now on, and returns what came before.
func (s *scripted) expect(replies []string) (got []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	got, s.got, s.replies = s.got, nil, replies
	return got
}

func (s *scripted) receive(body string) (replies []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.got = append(s.got, body)
	return s.replies
}

func (s *scripted) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	b, err := io.ReadAll(r.Body)
	if err != nil {
		s.t.Error(err)
	}
	replies := s.receive(string(b))
	m, err := mcpwire.ParseServer(b)
	switch {
	case err != nil:
		s.t.Errorf("upstream received %s: %v", b, err)
	case m.Kind() != mcpwire.Request:
		w.WriteHeader(http.StatusAccepted)
	case len(replies) == 1:
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, replies[0])
	default:
		w.Header().Set("Content-Type", "text/event-stream")
		for _, reply := range replies {
			_, _ = w.Write(mcpwire.AppendEvent(nil, mcpwire.Event{Data: []byte(reply)}))
		}
	}
}

func TestWire(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/wire/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no stories: %v", err)
	}
	for _, file := range files {
		for _, front := range []string{"http", "stdio"} {
			t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar")+" "+front, func(t *testing.T) {
				t.Parallel()
				tell(t, readStory(t, file), front)
			})
		}
	}
}

func tell(t *testing.T, s story, front string) {
	t.Helper()
	up := &scripted{t: t}
	server := httptest.NewServer(up)
	t.Cleanup(server.Close)
	r := newRig(t, server.URL, setup{overlay: s.overlay, tools: s.tools, policy: verdicts(s.special)})
	say := r.speaker(front)
	for _, step := range s.steps {
		up.expect(step.replies)
		got := say(step.send, len(step.want))
		if diff := cmp.Diff(step.forwarded, up.expect(nil)); diff != "" {
			t.Errorf("%s\nforwarded: %s", step.send, diff)
		}
		if len(got) != len(step.want) {
			t.Fatalf("%s\ngot %d messages, want %d: %s", step.send, len(got), len(step.want), got)
		}
		for i, want := range step.want {
			if diff := differ(t, want, got[i]); diff != "" {
				t.Errorf("%s\nanswer: %s", step.send, diff)
			}
		}
	}
}

// differ compares as JSON; "@ANY" matches everything.
func differ(t *testing.T, want, got string) string {
	t.Helper()
	g := decoded(t, got)
	return cmp.Diff(blank(decoded(t, want), g), g)
}

func decoded(t *testing.T, text string) any {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

// blank puts what was got into the places where anything will do.
func blank(want, got any) any {
	switch w := want.(type) {
	case string:
		if w == "@ANY" {
			return got
		}
	case map[string]any:
		g, _ := got.(map[string]any)
		for k := range w {
			w[k] = blank(w[k], g[k])
		}
	case []any:
		g, _ := got.([]any)
		for i := range w {
			if i < len(g) {
				w[i] = blank(w[i], g[i])
			}
		}
	}
	return want
}

// speaker returns how a client speaks over a front: it sends a message and
// returns what comes back.
func (r *rig) speaker(front string) func(message string, want int) []string {
	if front == "http" {
		session := ""
		return func(message string, _ int) []string {
			h := map[string]string{}
			if session != "" {
				h[mcpwire.HeaderSession] = session
			}
			if m, err := mcpwire.ParseClient([]byte(message), canon.Limits{MaxDepth: 96}); err == nil {
				made := http.Header{}
				mcpwire.SetHeaders(made, m, nil)
				for name := range made {
					h[name] = made.Get(name)
				}
			}
			_, header, body := r.post(aliceKey, message, h)
			if id := header.Get(mcpwire.HeaderSession); id != "" {
				session = id
			}
			return messages(header, body)
		}
	}
	in, toGate := io.Pipe()
	fromGate, out := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := r.front.ServeStdio(r.t.Context(), in, out, mcpgate.Stdio{Subject: subjects()[aliceKey]}); err != nil {
			r.t.Errorf("serve stdio: %v", err)
		}
		out.Close()
	}()
	r.t.Cleanup(func() {
		toGate.Close()
		<-done
	})
	lines := bufio.NewReader(fromGate)
	return func(message string, want int) []string {
		if _, err := io.WriteString(toGate, message+"\n"); err != nil {
			r.t.Fatal(err)
		}
		var got []string
		for range want {
			line, err := lines.ReadString('\n')
			if err != nil {
				r.t.Fatal(err)
			}
			got = append(got, strings.TrimSpace(line))
		}
		if want == 0 {
			// A message that has an answer proves that the one before was handled.
			_, _ = io.WriteString(toGate, "{}\n")
			_, _ = lines.ReadString('\n')
		}
		return got
	}
}

// messages splits the body of an HTTP answer.
func messages(h http.Header, body string) []string {
	if !strings.HasPrefix(h.Get("Content-Type"), "text/event-stream") {
		if strings.TrimSpace(body) == "" {
			return nil
		}
		return []string{body}
	}
	var out []string
	events := mcpwire.NewStreamReader(bytes.NewReader([]byte(body)), 0)
	for {
		e, err := events.Next()
		if err != nil {
			return out
		}
		if len(e.Data) > 0 {
			out = append(out, string(e.Data))
		}
	}
}
