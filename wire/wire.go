// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package wire reads the calls in what a model answered, in the form that each
// model API and framework gives them, and writes answers in the same form, so
// that the model reads them. It knows forms and nothing of tools or verdicts.
//
// The form is named by whoever sends it and never guessed: a message that is
// read as another form could show a call as something else, or not at all. For
// the same reason it fails closed: a message with no call in the named form is
// an error, and what is not a known harmless part of a message is a call, of a
// kind that can only be refused. No call is dropped: there are as many answers
// as calls, in their order.
package wire

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/toolverdict/toolverdict/internal/canon"
)

// Shape names the form of a message.
type Shape string

// Shapes. See docs/shapes.md for what each reads and writes.
const (
	OpenAIChat      Shape = "openai-chat"
	OpenAIFunctions Shape = "openai-functions" // the older function_call
	OpenAIResponses Shape = "openai-responses"
	Anthropic       Shape = "anthropic"
	Gemini          Shape = "gemini"
	Bedrock         Shape = "bedrock"
	LangChain       Shape = "langchain"
	AutoGen         Shape = "autogen"
	SpringAI        Shape = "spring-ai"
	Vercel          Shape = "vercel"
	MCP             Shape = "mcp"
	Plain           Shape = "plain"
)

// Shapes returns all of them.
func Shapes() []Shape {
	return []Shape{
		OpenAIChat, OpenAIFunctions, OpenAIResponses, Anthropic, Gemini, Bedrock, LangChain, AutoGen, SpringAI, Vercel, MCP, Plain,
	}
}

// Known reports whether there is such a shape.
func Known(s Shape) bool {
	_, err := s.form()
	return err == nil
}

// form is what the package knows of one shape.
type form interface {
	// read finds the calls. What is wrong with one of them is its fault; an error
	// is about the message.
	read(message canon.Value) ([]Call, error)
	// answer is one answer, as it stands in a message.
	answer(a Answer) any
	// messages are the messages that hold answers.
	messages(answers []any) any
	// tools is the list of tools that a request to the model carries.
	tools(all []Tool) any
}

func (s Shape) form() (form, error) {
	switch s {
	case OpenAIChat:
		return openAIChat{}, nil
	case OpenAIFunctions:
		return openAIFunctions{}, nil
	case OpenAIResponses:
		return responses{}, nil
	case Anthropic:
		return anthropic{}, nil
	case Gemini:
		return gemini{}, nil
	case Bedrock:
		return bedrock{}, nil
	case LangChain:
		return langChain{}, nil
	case AutoGen:
		return autoGen{}, nil
	case SpringAI:
		return springAI{}, nil
	case Vercel:
		return vercel{}, nil
	case MCP:
		return mcp{}, nil
	case Plain:
		return plain{}, nil
	}
	names := make([]string, 0, len(Shapes()))
	for _, known := range Shapes() {
		names = append(names, string(known))
	}
	return nil, fmt.Errorf("unknown shape: use one of %s", strings.Join(names, ", "))
}

// Kind says what a call asks for.
type Kind string

// Kinds. Of a Hosted call nothing can be decided any more: the model's provider
// ran it. An Unknown one is of a kind that came up after this was written.
const (
	Function Kind = "function"
	Custom   Kind = "custom" // its input is free text: the one argument "input"
	Shell    Kind = "shell"
	Patch    Kind = "patch"
	Computer Kind = "computer"
	Remote   Kind = "mcp" // a tool of an MCP server that the provider calls once it is approved
	Hosted   Kind = "hosted"
	Unknown  Kind = "unknown"
)

// Call is one call as a model asked for it. All of it is hostile.
type Call struct {
	ID        string // of its form; made of its place where it has none
	Synthetic bool   // the id was made
	Kind      Kind
	Server    string // what the form says of whose tool it is, or ""
	Name      string // of the tool, as the model wrote it; of a Hosted or Unknown call, its type
	Arguments []byte // one JSON object, or a JSON string that holds one, as they were sent
	Fault     string // why it cannot be what it says it is: then it must be refused. Holds nothing of the call

	rawID json.RawMessage // in MCP a number is another id than its digits
}

// Limits bound a message. Zero fields mean the default.
type Limits struct {
	Bytes int // 4 MiB
	Depth int // 80
	Calls int // 64
}

// Read finds the calls in a message of a model, all of them and in their order.
// Place names the message, by run or session and turn: ids of calls that have
// none are made of it.
func Read(s Shape, message []byte, place string, l Limits) ([]Call, error) {
	f, err := s.form()
	if err != nil {
		return nil, fmt.Errorf("read calls: %w", err)
	}
	l = l.effective()
	v, err := canon.Parse(message, canon.Limits{MaxBytes: l.Bytes, MaxDepth: l.Depth})
	if err != nil {
		return nil, fmt.Errorf("read calls: %w", err)
	}
	calls, err := f.read(v)
	if err != nil {
		return nil, fmt.Errorf("read calls of shape %s: %w", s, err)
	}
	switch {
	case len(calls) == 0:
		return nil, fmt.Errorf("read calls of shape %s: %w", s, ErrNone)
	case len(calls) > l.Calls:
		return nil, fmt.Errorf("read calls of shape %s: there are more than %d calls in one message", s, l.Calls)
	}
	identify(calls, place)
	return calls, nil
}

// ErrNone says that a message asks for nothing, in the form that was named.
var ErrNone = errors.New("the message has no call: send it only where the model asked for one, and name the form that it has")

func (l Limits) effective() Limits {
	if l.Bytes <= 0 {
		l.Bytes = 4 << 20
	}
	if l.Depth <= 0 {
		l.Depth = 80
	}
	if l.Calls <= 0 {
		l.Calls = 64
	}
	return l
}

// identify gives every call an id. Two calls of one id are both refused: a host
// that looks verdicts up by id would run one by the verdict of the other.
func identify(calls []Call, place string) {
	seen := map[string]int{}
	for i := range calls {
		c := &calls[i]
		if c.ID == "" {
			sum := sha256.Sum256([]byte(strconv.Quote(place) + "/" + strconv.Itoa(i)))
			c.ID, c.Synthetic = "tv_"+hex.EncodeToString(sum[:12]), true
		}
		if first, twice := seen[c.ID]; twice {
			const fault = "another call of this message has the same id"
			c.fail(fault)
			calls[first].fail(fault)
			continue
		}
		seen[c.ID] = i
	}
}

func (c *Call) fail(why string) {
	if c.Fault == "" {
		c.Fault = why
	}
}

// Answer is what comes of one call: the tool's answer, or a refusal.
type Answer struct {
	Call    Call
	OK      bool            // the call ran and did what it was asked
	Content json.RawMessage // JSON
}

// text is the content as text: what is a text already stays as it is.
func (a *Answer) text() string {
	var s string
	if json.Unmarshal(a.Content, &s) == nil && len(a.Content) > 0 && a.Content[0] == '"' {
		return s
	}
	return string(a.content())
}

func (a *Answer) content() json.RawMessage {
	if !json.Valid(a.Content) {
		return json.RawMessage("null")
	}
	return a.Content
}

// One writes one answer as it stands in a message of the shape.
func One(s Shape, a Answer) (json.RawMessage, error) {
	f, err := s.form()
	if err != nil {
		return nil, fmt.Errorf("write answer: %w", err)
	}
	return json.Marshal(f.answer(a))
}

// Messages writes the answers to all calls of a message, in their order, as a
// list of what is to be appended to the conversation.
func Messages(s Shape, all []Answer) (json.RawMessage, error) {
	f, err := s.form()
	if err != nil {
		return nil, fmt.Errorf("write answers: %w", err)
	}
	out := make([]any, len(all))
	for i := range all {
		out[i] = f.answer(all[i])
	}
	return json.Marshal(f.messages(out))
}

// Tool is one tool as a model is told of it.
type Tool struct {
	Name        string // as [toolname.Table] writes it, where the shape is not Plain
	Description string
	Schema      json.RawMessage // of the arguments; empty means any object
}

// Tools writes the list of tools in the form in which a request to the model
// carries it.
func Tools(s Shape, all []Tool) (json.RawMessage, error) {
	f, err := s.form()
	if err != nil {
		return nil, fmt.Errorf("write tools: %w", err)
	}
	all = append([]Tool{}, all...)
	for i := range all {
		if len(all[i].Schema) == 0 {
			all[i].Schema = json.RawMessage(`{"type":"object","properties":{}}`)
		}
	}
	return json.Marshal(f.tools(all))
}

// each makes one entry of every tool.
func each(all []Tool, entry func(t Tool) any) []any {
	out := make([]any, len(all))
	for i, t := range all {
		out[i] = entry(t)
	}
	return out
}

// object is a JSON object that is written.
type object map[string]any

// list returns the items of a message: the list itself, or a member of the
// message. A member that is missing or null has none.
func list(message canon.Value, member string) ([]canon.Value, error) {
	if message.Kind() == canon.KindObject {
		message, _ = message.Get(member)
	}
	switch message.Kind() {
	case canon.KindArray:
		return message.Elems(), nil
	case canon.KindInvalid, canon.KindNull:
		return nil, nil
	}
	return nil, fmt.Errorf("%q must be a list", member)
}

// has reports whether a member is there and says anything.
func has(v canon.Value, member string) bool {
	m, ok := v.Get(member)
	return ok && m.Kind() != canon.KindNull
}

// mayBe reports whether a member is anything but plainly not so.
func mayBe(v canon.Value, member string) bool {
	m, _ := v.Get(member)
	return has(v, member) && (m.Kind() != canon.KindBool || m.Bool())
}

func text(v canon.Value, member string) string {
	m, _ := v.Get(member)
	return m.Text()
}

// call starts a call of an item with an id and a name.
func call(item canon.Value, id, name string) Call {
	c := named(item, name)
	c.identified(item, id)
	return c
}

// named starts a call whose id stands elsewhere, or nowhere.
func named(item canon.Value, name string) Call {
	c := Call{Kind: Function, Name: text(item, name)}
	if c.Name == "" {
		c.fail("it names no tool")
	}
	return c
}

func (c *Call) identified(item canon.Value, id string) {
	c.ID = text(item, id)
	if m, _ := item.Get(id); has(item, id) && m.Kind() != canon.KindString {
		c.fail("its id is no text")
	}
}

// What arguments may be in a form.
const (
	asObject = 1 << iota
	asText   // a JSON string that holds an object
	orNone   // left out, or null, means no arguments
)

// take reads the arguments of a call.
func (c *Call) take(item canon.Value, member string, may int) {
	v, _ := item.Get(member)
	switch kind := v.Kind(); {
	case kind == canon.KindObject && may&asObject != 0, kind == canon.KindString && may&asText != 0:
		c.Arguments = v.Raw()
	case (kind == canon.KindInvalid || kind == canon.KindNull) && may&orNone != 0:
		c.Arguments = []byte("{}")
	default:
		c.fail("its " + strconv.Quote(member) + " is missing or of another type than this form has")
	}
}

// takeText makes free text the argument "input".
func (c *Call) takeText(item canon.Value, member string) {
	v, _ := item.Get(member)
	if v.Kind() != canon.KindString {
		c.fail("its " + strconv.Quote(member) + " is no text")
		return
	}
	c.Arguments = append(append([]byte(`{"input":`), v.RawText()...), '}')
}

// other is a call of a kind that cannot be decided.
func other(kind Kind, id, what string) Call {
	return Call{Kind: kind, ID: id, Name: what, Arguments: []byte("{}")}
}

// odd is an item that is no object.
func odd() Call {
	c := other(Unknown, "", "")
	c.fail("it is no object")
	return c
}
