// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package model

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
)

// Server is a model on loopback. It is safe for concurrent use.
type Server struct {
	URL string

	http    *httptest.Server
	scripts []Script

	mu     sync.Mutex
	shown  map[string]string // by the id of the call
	texts  []string
	tools  map[string]bool
	strays []string
	served int
}

// answer is one answer on its way to the agent.
type answer struct {
	model string
	n     int // agents take two answers of one id for one
	text  string
	calls []called
}

type called struct {
	Call
	id, input string
}

// dialect is one API.
type dialect interface {
	// read tells a request: what was said, and the names of the tools on offer.
	read(body []byte) (said []spoken, tools []string, err error)
	// write answers; whole asks for one JSON document in the place of a stream.
	write(w io.Writer, a answer, whole bool) error
}

// Start serves scripts. Close it at the end.
func Start(scripts ...Script) *Server {
	s := &Server{scripts: scripts, shown: map[string]string{}, tools: map[string]bool{}}
	s.http = httptest.NewServer(http.HandlerFunc(s.serve))
	s.URL = s.http.URL
	return s
}

// Close ends the server.
func (s *Server) Close() { s.http.Close() }

// maxAnswers ends a run that goes round in circles.
const maxAnswers = 100

// maxRequest bounds a request: agents send everything that was said each time.
const maxRequest = 64 << 20

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxRequest))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	d, whole := dialectOf(r.URL.Path, body)
	if d == nil {
		s.aside(w, r)
		return
	}
	said, tools, err := d.read(body)
	if err != nil {
		s.stray(fmt.Sprintf("%s: %v", r.URL.Path, err))
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	if whole {
		w.Header().Set("Content-Type", "application/json")
	}
	if err := d.write(w, s.next(said, tools), whole); err != nil {
		s.stray(fmt.Sprintf("%s: %v", r.URL.Path, err))
	}
}

// dialectOf tells the API by the address. Gemini's has the model before a colon.
func dialectOf(path string, body []byte) (d dialect, whole bool) {
	var of struct {
		Stream bool
	}
	_ = json.Unmarshal(body, &of) // what is no JSON is refused when it is read
	switch {
	case strings.HasSuffix(path, "/messages"):
		return anthropic{}, !of.Stream
	case strings.HasSuffix(path, "/chat/completions"):
		return chat{}, !of.Stream
	case strings.HasSuffix(path, "/responses"):
		return responses{}, !of.Stream
	case strings.HasSuffix(path, ":streamGenerateContent"):
		return gemini{}, false
	case strings.HasSuffix(path, ":generateContent"):
		return gemini{}, true
	}
	return nil, false
}

// aside answers what agents ask besides: counts of tokens, lists of models.
func (s *Server) aside(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	switch {
	case strings.HasSuffix(r.URL.Path, "/count_tokens"):
		_, _ = io.WriteString(w, `{"input_tokens":100}`)
	case strings.HasSuffix(r.URL.Path, ":countTokens"):
		_, _ = io.WriteString(w, `{"totalTokens":100}`)
	case strings.HasSuffix(r.URL.Path, "/models"):
		_, _ = io.WriteString(w, `{"object":"list","data":[{"id":"scripted","object":"model"}]}`)
	default:
		s.stray(r.Method + " " + r.URL.Path)
		http.Error(w, "{}", http.StatusNotFound)
	}
}

// next finds what is to be said. Without tools on offer, an agent asks for a title or
// a summary, which is no turn of a script.
func (s *Server) next(said []spoken, tools []string) answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	first := opening(said)
	script, at := -1, -1
	for i := range s.scripts {
		if found := strings.LastIndex(first, s.scripts[i].Word); found > at {
			script, at = i, found
		}
	}
	s.served++
	a := answer{model: "scripted", text: over, n: s.served}
	if script < 0 || len(tools) == 0 || s.served > maxAnswers {
		return a
	}
	for _, name := range tools {
		s.tools[name] = true
	}
	of := &s.scripts[script]
	results := s.keep(of, said)
	turn := of.turn(said)
	if turn >= len(of.Turns) {
		return a
	}
	a.text = of.Turns[turn].Text
	for i, c := range of.Turns[turn].Calls {
		a.calls = append(a.calls, called{Call: c, id: id(of, turn, i), input: c.input(results)})
	}
	return a
}

// keep remembers the results of a conversation, and returns those of its last turn.
// Where an API has no ids, results stand in the order of their calls.
func (s *Server) keep(of *Script, said []spoken) (last []Result) {
	turn := 0
	for _, m := range said {
		if m.model {
			if turn < len(of.Turns) && of.Turns[turn].is(m) {
				turn, last = turn+1, nil
			}
			continue
		}
		for _, r := range m.results {
			if r.Call == "" && turn > 0 {
				r.Call = id(of, turn-1, len(last))
			}
			last = append(last, r)
			s.shown[r.Call] = r.Text
			if !slices.Contains(s.texts, r.Text) {
				s.texts = append(s.texts, r.Text)
			}
		}
	}
	return last
}

// Shown is what the model was told of a call, counted from 0; ok is false where it was
// told nothing.
func (s *Server) Shown(word string, turn, call int) (text string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text, ok = s.shown[id(&Script{Word: word}, turn, call)]
	return text, ok
}

// All is everything that the model was told of its calls.
func (s *Server) All() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.texts, "\n")
}

// Tools are the names of the tools that the model was offered.
func (s *Server) Tools() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]string, 0, len(s.tools))
	for name := range s.tools {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// Strays are requests that the server does not know.
func (s *Server) Strays() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.strays)
}

func (s *Server) stray(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.strays = append(s.strays, what)
}

// event writes one event of a stream; without a name it has data only.
func event(w io.Writer, name string, data any) error {
	b, err := json.Marshal(data)
	if err != nil {
		return err
	}
	if name != "" {
		if _, err := fmt.Fprintf(w, "event: %s\n", name); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(w, "data: %s\n\n", b)
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
	return err
}

// object is a JSON object in the making.
type object = map[string]any

// flat is the text of a content that is a text, or a list of parts with texts.
func flat(content json.RawMessage) string {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return text
	}
	var parts []struct {
		Text   string
		Sealed string `json:"encrypted_content"` // what one agent of Codex tells another: nothing is encrypted here
	}
	if json.Unmarshal(content, &parts) != nil {
		return string(content)
	}
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.Text + p.Sealed)
	}
	return b.String()
}
