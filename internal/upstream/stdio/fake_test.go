// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package stdio_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// TestMain runs the test binary again as one of the servers.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "as" {
		switch os.Args[2] {
		case "fake":
			runFake(os.Args[3:])
		case "plain":
			runPlain()
		case "sdk":
			runSDK()
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// fakeServer is the command of a server that does what its callers say. Its
// words are "modern" and "legacy" for the eras it speaks, and the odd habits of
// runFake.
func fakeServer(words ...string) []string {
	return append([]string{os.Args[0], "as", "fake"}, words...)
}

// fake is a server without manners: it answers what it is told to, in whatever
// order. It uses nothing of what it tests.
type fake struct {
	words    map[string]bool
	received []json.RawMessage
	held     []json.RawMessage // ids of calls that wait
	listens  []json.RawMessage
	asked    map[string]json.RawMessage // by the server's id, the call that waits for the answer
}

type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name      string `json:"name"`
		Arguments struct {
			Text string `json:"text"`
			N    int    `json:"n"`
		} `json:"arguments"`
		Meta map[string]json.RawMessage `json:"_meta"`
	} `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

func runFake(words []string) {
	f := &fake{words: map[string]bool{}, asked: map[string]json.RawMessage{}}
	for _, w := range words {
		f.words[w] = true
	}
	switch {
	case f.words["greets"]:
		fmt.Print("Welcome to the server!\n\n  listening on stdio\n")
	case f.words["jabbers"]:
		fmt.Print(strings.Repeat("noise\n", 30))
	case f.words["complains"]:
		fmt.Fprint(os.Stderr, "cannot open database \x1b[1mhunter2\x1b[0m\n")
		os.Exit(4)
	case f.words["stays"]:
		signal.Ignore(syscall.SIGTERM)
	}
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			break
		}
		f.received = append(f.received, json.RawMessage(strings.TrimSpace(string(line))))
		var m message
		if err := json.Unmarshal(line, &m); err != nil {
			f.say(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what?"}}`)
			continue
		}
		f.take(m)
	}
	if f.words["stays"] {
		forever()
	}
}

// forever blocks without the runtime taking it for a deadlock.
func forever() {
	never := make(chan os.Signal, 1)
	signal.Notify(never, os.Interrupt)
	for range never {
	}
}

func (f *fake) say(format string, args ...any) { fmt.Printf(format+"\n", args...) }

func (f *fake) result(id json.RawMessage, result string) {
	f.say(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result)
}

func (f *fake) fail(id json.RawMessage, code int) {
	f.say(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":"no"}}`, id, code)
}

func (f *fake) take(m message) {
	_, stateless := m.Params.Meta["io.modelcontextprotocol/protocolVersion"]
	switch {
	case m.Method == "":
		if call, ok := f.asked[string(m.ID)]; ok {
			f.result(call, fmt.Sprintf(`{"answer":%s}`, firstOf(m.Result, m.Error)))
		}
	case stateless && !f.words["modern"]:
		f.tooNew(m)
	case m.Method == "initialize" && !f.words["legacy"]:
		f.fail(m.ID, -32600)
	case m.Method == "server/discover":
		f.result(m.ID, `{"supportedVersions":["2026-07-28"],"capabilities":{},"serverInfo":{"name":"fake","version":"1"}}`)
	case m.Method == "initialize":
		f.result(m.ID, `{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"fake","version":"1"}}`)
	case m.Method == "notifications/initialized" && f.words["wants-roots"]:
		f.say(`{"jsonrpc":"2.0","id":"roots","method":"roots/list"}`)
	case m.Method == "ping":
		f.result(m.ID, "{}")
	case m.Method == "tools/list":
		f.result(m.ID, `{"tools":[]}`)
	case m.Method == "tools/call":
		f.call(m)
	case m.Method == "subscriptions/listen":
		f.listens = append(f.listens, m.ID)
		f.say(`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":%s}}}`, m.ID)
	case len(m.ID) > 0:
		f.fail(m.ID, -32601)
	}
}

func firstOf(a, b json.RawMessage) json.RawMessage {
	if len(a) > 0 {
		return a
	}
	return b
}

// tooNew answers a stateless request as older servers do, each in its own way.
func (f *fake) tooNew(m message) {
	switch {
	case f.words["leaves"]:
		os.Exit(1)
	case f.words["mute"]:
	default:
		f.fail(m.ID, -32601)
	}
}

func (f *fake) call(m message) {
	text, n := m.Params.Arguments.Text, m.Params.Arguments.N
	switch m.Params.Name {
	case "echo":
		f.result(m.ID, fmt.Sprintf(`{"text":%q}`, text))
	case "pid":
		f.result(m.ID, fmt.Sprintf(`{"pid":%d}`, os.Getpid()))
	case "received":
		all, _ := json.Marshal(f.received)
		f.result(m.ID, fmt.Sprintf(`{"received":%s}`, all))
	case "hold": // until released
		if token := m.Params.Meta["progressToken"]; len(token) > 0 {
			f.say(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":1,"message":%q}}`, token, text)
		}
		f.held = append(f.held, json.RawMessage(fmt.Sprintf(`{"id":%s,"text":%q}`, m.ID, text)))
	case "release": // all that is held, the newest first
		f.release()
		f.result(m.ID, "{}")
	case "log":
		f.say(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":%q}}`, text)
		f.result(m.ID, "{}")
	case "notify": // everybody
		f.say(`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":%q}}`, text)
		for _, id := range f.listens {
			f.say(`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":%q,"_meta":{"io.modelcontextprotocol/subscriptionId":%s}}}`, text, id)
		}
		f.result(m.ID, "{}")
	case "unlisten":
		for _, id := range f.listens {
			f.result(id, fmt.Sprintf(`{"_meta":{"io.modelcontextprotocol/subscriptionId":%s}}`, id))
		}
		f.listens = nil
		f.result(m.ID, "{}")
	case "ask": // the client, and answer with what it says
		f.asked[`"`+text+`"`] = m.ID
		f.say(`{"jsonrpc":"2.0","id":%q,"method":"sampling/createMessage","params":{}}`, text)
	case "flood":
		for i := range n {
			f.say(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d,"message":%q}}`,
				m.Params.Meta["progressToken"], i, strings.Repeat("x", 1000))
		}
		f.result(m.ID, `{"flooded":true}`)
	case "task":
		f.result(m.ID, `{"task":{"taskId":"t1"}}`)
		f.say(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":2}}`, m.Params.Meta["progressToken"])
	case "strange": // answers to others, and to nobody
		f.say(`{"jsonrpc":"2.0","id":123456,"result":{"stolen":true}}`)
		f.say(`{"jsonrpc":"2.0","id":"1","result":{"stolen":true}}`)
		f.say(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":123456,"progress":1}}`)
		f.result(m.ID, `{"stolen":false}`)
	case "null":
		f.say(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"unreadable"}}`)
	default:
		f.misbehave(m.ID, m.Params.Name, text, n)
	}
}

func (f *fake) release() {
	for _, held := range slices.Backward(f.held) {
		var h struct {
			ID   json.RawMessage `json:"id"`
			Text string          `json:"text"`
		}
		if json.Unmarshal(held, &h) == nil {
			f.result(h.ID, fmt.Sprintf(`{"text":%q}`, h.Text))
		}
	}
	f.held = nil
}

func (f *fake) misbehave(id json.RawMessage, how, text string, n int) {
	switch how {
	case "die":
		fmt.Fprintln(os.Stderr, "fatal: the sky fell, password is hunter2")
		os.Exit(7)
	case "parrot":
		fmt.Println(text)
		f.result(id, "{}")
	case "garbage":
		f.say("Traceback (most recent call last):")
	case "object":
		f.say(`{"hello":"world"}`)
	case "huge":
		f.say(`{"jsonrpc":"2.0","method":"x","params":{"a":%q}}`, strings.Repeat("x", n))
	case "half":
		fmt.Print(`{"jsonrpc":"2.0","id":1,"res`)
		os.Exit(0)
	case "close":
		os.Stdout.Close()
		forever()
	case "deaf":
		f.say(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":1}}`, id)
		forever()
	case "hang":
		forever()
	}
}
