// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package mcpwire

import (
	"fmt"
	"strconv"

	"github.com/toolverdict/toolverdict/internal/canon"
)

// Kind says what a message is.
type Kind uint8

// Kinds of message. The zero Kind is none.
const (
	Request Kind = iota + 1
	Notification
	Response
)

// Message is one JSON-RPC message: a view of its bytes. It is immutable and safe
// for concurrent use; so must be the bytes it was read from.
type Message struct {
	kind   Kind
	root   Node
	id     Node
	method string
	params Node
	result Node
	err    Node
	value  canon.Value
}

// Kind returns what the message is.
func (m *Message) Kind() Kind { return m.kind }

// Bytes returns the whole message as it was sent. It must not be changed.
func (m *Message) Bytes() []byte { return m.root.src }

// Root returns the message as a node.
func (m *Message) Root() Node { return m.root }

// ID returns the id as it was written: a string or an integer of at most 53
// bits, null in a server's answer to what it could not read; absent in a
// notification.
func (m *Message) ID() Node { return m.id }

// Key returns the id as a map key, "" for a notification. A string and a number
// never share one. Two spellings of one string do, as they do for a receiver.
func (m *Message) Key() string { return Key(m.id) }

// Key is [Message.Key] for an id or a progress token that stands elsewhere.
func Key(id Node) string {
	if id.Kind() == canon.KindString {
		return `"` + id.Text()
	}
	if !id.Exists() {
		return ""
	}
	return string(id.Bytes())
}

// Method returns the method of a request or notification.
func (m *Message) Method() string { return m.method }

// Params returns the parameters, absent where there are none.
func (m *Message) Params() Node { return m.params }

// Meta returns params._meta, or result._meta of a response.
func (m *Message) Meta() Node {
	if m.kind == Response {
		return m.result.Get("_meta")
	}
	return m.params.Get("_meta")
}

// Result returns the result of a response, absent where it is an error.
func (m *Message) Result() Node { return m.result }

// Error returns the error of a response, absent where it is a result.
func (m *Message) Error() Node { return m.err }

// ErrorCode returns the code of an error response, 0 for everything else.
func (m *Message) ErrorCode() int {
	code := m.err.Get("code")
	if code.Kind() != canon.KindNumber {
		return 0
	}
	n, err := strconv.Atoi(string(code.Bytes()))
	if err != nil {
		return 0
	}
	return n
}

// Value returns the message as strictly parsed JSON. It is absent in what a
// server sent: see [Message.Strict].
func (m *Message) Value() canon.Value { return m.value }

// Version returns the revision that a request says it follows in its _meta, ""
// for none: then it is one of the older era, whose revision the handshake set.
func (m *Message) Version() string { return m.Meta().Get(MetaVersion).Text() }

// Modern reports whether a request follows the revision 2026-07-28 or a later
// one: no session, no handshake.
func (m *Message) Modern() bool { return m.Version() >= FirstModern }

// ParseClient reads what a client sent, strictly. The error is a *[Fault] that
// can be answered. The bytes must not change afterwards.
func ParseClient(b []byte, l canon.Limits) (*Message, error) {
	v, err := canon.Parse(b, l)
	if err != nil {
		return nil, unreadable(err)
	}
	if v.Kind() == canon.KindArray {
		return nil, invalid(Node{}, "batches are not accepted: send each message by itself")
	}
	start, end := v.Span()
	m := &Message{root: Node{b, start, end, -1}, value: v}
	if err := m.read(); err != nil {
		return nil, err
	}
	if err := m.checkClient(); err != nil {
		return nil, err
	}
	return m, nil
}

// ParseServer reads what a server sent. Its envelope, and the members of it that
// the gate acts on, are read strictly; what else it carries is only known to be
// JSON. The bytes must not change afterwards.
func ParseServer(b []byte) (*Message, error) {
	root, ok := Root(b)
	if !ok {
		return nil, fmt.Errorf("read message: it is not JSON")
	}
	m := &Message{root: root}
	if err := m.read(); err != nil {
		return nil, err
	}
	if err := m.clear(); err != nil {
		return nil, err
	}
	return m, nil
}

// Strict returns the message as strictly parsed JSON: what a decision is made
// on. The error is a *canon.SyntaxError.
func (m *Message) Strict(l canon.Limits) (canon.Value, error) {
	if !m.value.IsZero() {
		return m.value, nil
	}
	return canon.Parse(m.root.src, l)
}

// read finds the members of the envelope and what kind of message they make.
func (m *Message) read() error {
	if m.root.Kind() != canon.KindObject {
		return invalid(Node{}, "a message is one JSON object")
	}
	version, err := m.envelope()
	if err != nil {
		return err
	}
	hasMethod, answers := m.method != "", m.result.Exists() || m.err.Exists()
	switch {
	case version != "2.0":
		return invalid(m.id, `jsonrpc must be "2.0"`)
	case hasMethod && answers, m.result.Exists() && m.err.Exists():
		return invalid(m.id, "a message is a request or an answer, not both")
	case hasMethod && m.id.Exists():
		m.kind = Request
	case hasMethod:
		m.kind = Notification
	case answers && m.id.Exists():
		m.kind = Response
	default:
		return invalid(m.id, "a message needs a method, or an id with a result or an error")
	}
	return m.checkID()
}

func (m *Message) envelope() (version string, err error) {
	var jsonrpc, method Node
	for name, n := range m.root.Members() {
		var place *Node
		switch name {
		case "jsonrpc":
			place = &jsonrpc
		case "id":
			place = &m.id
		case "method":
			place = &method
		case "params":
			place = &m.params
		case "result":
			place = &m.result
		case "error":
			place = &m.err
		default:
			if envelopeName(canon.Fold(name)) {
				return "", invalid(Node{}, "a member of the message is spelt so that two programs could read it differently")
			}
			continue
		}
		if place.Exists() {
			return "", invalid(Node{}, "a member of the message is given twice")
		}
		*place = n
	}
	if m.method = method.Text(); method.Exists() && m.method == "" {
		return "", invalid(Node{}, "method must be a name")
	}
	if m.params.Exists() && m.params.Kind() != canon.KindObject {
		return "", invalid(m.id, "params must be an object")
	}
	return jsonrpc.Text(), nil
}

func envelopeName(folded string) bool {
	switch folded {
	case "jsonrpc", "id", "method", "params", "result", "error":
		return true
	}
	return false
}

// maxInteger is the largest integer that every program keeps exact.
const maxInteger = 1<<53 - 1

func (m *Message) checkID() error {
	switch m.id.Kind() {
	case canon.KindInvalid, canon.KindString:
		return nil
	case canon.KindNull:
		if m.kind == Response && m.err.Exists() && m.value.IsZero() {
			return nil
		}
	case canon.KindNumber:
		if Integer(m.id) {
			return nil
		}
	}
	m.id = Node{}
	return invalid(Node{}, "id must be a string, or an integer of at most 53 bits")
}

// Integer reports whether the number is written as a plain integer that every
// program keeps exact.
func Integer(n Node) bool {
	i, err := strconv.ParseInt(string(n.Bytes()), 10, 64)
	return err == nil && i <= maxInteger && i >= -maxInteger && strconv.FormatInt(i, 10) == string(n.Bytes())
}
