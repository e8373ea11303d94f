// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package calls reads calls out of requests: one, a list, or the message of a
// model in the form of its API. It turns them into proposals and decides
// nothing.
package calls

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/httpgate/internal/web"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/wire"
	"github.com/toolverdict/toolverdict/wire/toolname"
)

// Runs knows the runs that were started here.
type Runs interface {
	// Find returns what was said of a run when it was started, and whether it is
	// one of these. The error is a *web.Fault where the caller may not use it.
	Find(ctx context.Context, by tv.Subject, id string) (Facts, bool, error)
}

// Facts are what holds of every call of a run.
type Facts struct {
	ReadOnly    bool              `json:"readOnly,omitempty"`
	Disabled    []string          `json:"disabled,omitempty"`
	Environment map[string]string `json:"environment,omitempty"`
}

// Reader reads calls. Its fields are required, but for Runs.
type Reader struct {
	Bodies      web.Bodies
	Run         func(s tv.Subject) tv.Run // what the host says of every run of a subject
	Runs        Runs                      // nil: none is started here
	Environment map[string]string         // host facts of every call
	All         func() []*tv.Tool         // the whole catalog: what names of models mean
}

// Call is one call of a request, with what it was in its message.
type Call struct {
	Proposal tv.Proposal
	Wire     wire.Call // its zero value where it came in no message
}

// Asked is what a request asks.
type Asked struct {
	Calls  []Call
	One    bool       // it was one call, and is answered as one
	Broken bool       // it is no strict JSON: one call, which the gate refuses
	Shape  wire.Shape // of the message, and of the answer; "" where there is none
}

// Most is how many calls there may be in one request.
const Most = 64

// Bounds of a request.
const (
	maxWait = 60 * time.Second // how long one request may hold a call; clients ask again
	maxMany = Most
)

// Header names of a message that is the whole body.
const (
	headerShape   = "Toolverdict-Shape"
	headerRun     = "Toolverdict-Run"
	headerSession = "Toolverdict-Session"
	headerKey     = "Idempotency-Key"
)

// members are the members that a call may have.
func members() []string {
	return []string{"id", "tool", "arguments", "confirmation", "idempotencyKey", "wait", "run", "session", "model", "trace"}
}

// messageMembers are those of a request with a message in it.
func messageMembers() []string {
	return []string{"shape", "message", "server", "turn", "run", "session", "model", "trace", "idempotencyKey"}
}

// Read reads whatever form of a request this is. Where it cannot, it has
// answered.
func (r *Reader) Read(w http.ResponseWriter, req *http.Request, by tv.Subject) (Asked, bool) {
	body, ok := r.Bodies.Bytes(w, req)
	if !ok {
		return Asked{}, false
	}
	asked, err := r.read(req, body, by)
	if err != nil {
		web.Fail(w, err)
		return Asked{}, false
	}
	if err := keyed(req, &asked); err != nil {
		web.Fail(w, err)
		return Asked{}, false
	}
	return asked, true
}

func (r *Reader) read(req *http.Request, body []byte, by tv.Subject) (Asked, error) {
	ctx := req.Context()
	if shape := req.Header.Values(headerShape); len(shape) > 0 {
		if len(shape) > 1 {
			return Asked{}, errors.New("the header " + headerShape + " is given more than once")
		}
		p := r.start(by)
		p.Run.ID, p.Session = req.Header.Get(headerRun), req.Header.Get(headerSession)
		if err := r.within(ctx, &p); err != nil {
			return Asked{}, err
		}
		return r.message(wire.Shape(shape[0]), body, p, place{})
	}
	v, err := canon.ParseObject(body, r.Bodies.Whole())
	if err != nil {
		return r.malformed(body, by)
	}
	if _, ok := v.Get("message"); ok {
		return r.envelope(ctx, v, by)
	}
	if _, ok := v.Get("shape"); ok {
		return Asked{}, errors.New("shape needs a message in that form")
	}
	if _, ok := v.Get("calls"); ok {
		return r.list(ctx, v, by)
	}
	p, err := r.proposal(ctx, v, by)
	return Asked{Calls: []Call{{Proposal: p}}, One: true}, err
}

// malformed has the gate refuse and record a body that is not strict JSON. It
// stands for the arguments: they are refused for the same reason.
func (r *Reader) malformed(body []byte, by tv.Subject) (Asked, error) {
	if _, err := canon.ParseArguments(body, r.Bodies.Limits); err == nil {
		return Asked{}, web.Faultf(http.StatusBadRequest, "The body must be one JSON object.")
	}
	p := r.start(by)
	p.Tool, p.Arguments = named(body), body // the name is for the record only
	return Asked{Calls: []Call{{Proposal: p}}, One: true, Broken: true}, nil
}

// start is a proposal with what the host says.
func (r *Reader) start(by tv.Subject) tv.Proposal {
	return tv.Proposal{Door: tv.DoorHTTP, Subject: by, Run: r.Run(by), Environment: r.Environment}
}

// common reads what calls and messages both may say.
func (r *Reader) common(ctx context.Context, in *web.Fields, by tv.Subject) (tv.Proposal, error) {
	p := r.start(by)
	p.Model, p.Session, p.Trace, p.IdempotencyKey = in.Text("model"), in.Text("session"), in.Text("trace"), in.Text("idempotencyKey")
	if run, ok := in.Object("run"); ok {
		if err := onlyKnown(run, []string{"id", "readOnly", "disabled"}); err != nil {
			return p, fmt.Errorf("run: %w", err) // one misspelt would make a run that may do more
		}
		rf := &web.Fields{V: run}
		p.Run.ID = rf.Text("id")
		p.Run.ReadOnly = rf.Truth("readOnly") || p.Run.ReadOnly
		p.Run.Disabled = append(slices.Clone(p.Run.Disabled), rf.Texts("disabled")...)
		if rf.Err != nil {
			in.Err = rf.Err
		}
	}
	if in.Err != nil {
		return p, in.Err
	}
	return p, r.within(ctx, &p)
}

// within puts on a proposal what was said of its run when that was started.
func (r *Reader) within(ctx context.Context, p *tv.Proposal) error {
	if p.Run.ID == "" || r.Runs == nil {
		return nil
	}
	facts, known, err := r.Runs.Find(ctx, p.Subject, p.Run.ID)
	if err != nil || !known {
		return err
	}
	p.Run.ReadOnly = p.Run.ReadOnly || facts.ReadOnly
	p.Run.Disabled = append(slices.Clone(p.Run.Disabled), facts.Disabled...)
	p.Environment = map[string]string{}
	maps.Copy(p.Environment, facts.Environment)
	maps.Copy(p.Environment, r.Environment) // the host's own word stands
	return nil
}

// Plain is one call that came in a form of somebody else's.
type Plain struct {
	Tool                string
	Arguments           []byte
	Session, Run, Model string
}

// Plain makes a proposal of such a call.
func (r *Reader) Plain(ctx context.Context, by tv.Subject, c Plain) (Call, error) {
	p := r.start(by)
	p.Tool, p.Arguments, p.Session, p.Model, p.Run.ID = c.Tool, c.Arguments, c.Session, c.Model, c.Run
	err := r.within(ctx, &p)
	return Call{Proposal: p}, err
}

// RunOf is what holds of a call of this caller in a run.
func (r *Reader) RunOf(ctx context.Context, by tv.Subject, id string) (tv.Run, error) {
	p := r.start(by)
	p.Run.ID = id
	err := r.within(ctx, &p)
	return p.Run, err
}

// proposal reads a call. The arguments go on as the bytes that were sent.
func (r *Reader) proposal(ctx context.Context, v canon.Value, by tv.Subject) (tv.Proposal, error) {
	if err := onlyKnown(v, members()); err != nil {
		return tv.Proposal{}, err
	}
	in := &web.Fields{V: v}
	p, err := r.common(ctx, in, by)
	if err != nil {
		return p, err
	}
	p.ID, p.Tool, p.Confirmation = in.Text("id"), in.Text("tool"), in.Text("confirmation")
	p.Wait = min(in.Duration("wait"), maxWait)
	if args, ok := v.Get("arguments"); ok {
		p.Arguments = args.Raw()
	}
	if in.Err == nil && p.Tool == "" && p.Confirmation == "" {
		in.Err = errors.New("name a tool, or a confirmation to run its stored call")
	}
	return p, in.Err
}

func onlyKnown(v canon.Value, known []string) error {
	for _, m := range v.Members() {
		if !slices.Contains(known, m.Name) {
			return fmt.Errorf("unknown member %q: known are %s", m.Name, strings.Join(known, ", "))
		}
	}
	return nil
}

// list reads several calls of one request.
func (r *Reader) list(ctx context.Context, v canon.Value, by tv.Subject) (Asked, error) {
	if err := onlyKnown(v, []string{"calls"}); err != nil {
		return Asked{}, err
	}
	list, _ := v.Get("calls")
	if list.Kind() != canon.KindArray || list.Len() == 0 || list.Len() > maxMany {
		return Asked{}, web.Faultf(http.StatusBadRequest, "calls must be a list of 1 to %d calls.", maxMany)
	}
	asked := Asked{Calls: make([]Call, list.Len())}
	for i, c := range list.Elems() {
		if c.Kind() != canon.KindObject {
			return Asked{}, web.Faultf(http.StatusBadRequest, "Call %d is not an object.", i)
		}
		p, err := r.proposal(ctx, c, by)
		if f, ok := errors.AsType[*web.Fault](err); ok {
			return Asked{}, f
		}
		if err != nil {
			return Asked{}, web.Faultf(http.StatusBadRequest, "Call %d is not complete: %v.", i, err)
		}
		asked.Calls[i].Proposal = p
	}
	return asked, nil
}

// place is where a message stands, and whose tools its names are.
type place struct{ turn, server string }

// envelope reads a message with what its sender says beside it.
func (r *Reader) envelope(ctx context.Context, v canon.Value, by tv.Subject) (Asked, error) {
	if err := onlyKnown(v, messageMembers()); err != nil {
		return Asked{}, err
	}
	in := &web.Fields{V: v}
	p, err := r.common(ctx, in, by)
	if err != nil {
		return Asked{}, err
	}
	shape, at := in.Text("shape"), place{in.Text("turn"), in.Text("server")}
	if in.Err != nil {
		return Asked{}, in.Err
	}
	message, _ := v.Get("message")
	return r.message(wire.Shape(shape), message.Raw(), p, at)
}

// message makes proposals of the calls in a message. One that cannot be read as
// a whole is refused, and recorded, as one call.
func (r *Reader) message(shape wire.Shape, message []byte, p tv.Proposal, at place) (Asked, error) {
	whole := r.Bodies.Whole()
	where := strings.Join([]string{p.Run.ID, p.Session, at.turn}, "/")
	found, err := wire.Read(shape, message, where, wire.Limits{Bytes: whole.MaxBytes, Depth: whole.MaxDepth + 3, Calls: maxMany})
	if _, broken := errors.AsType[*canon.SyntaxError](err); broken {
		p.Tool, p.Arguments = "message:"+string(shape), message
		return Asked{Calls: []Call{{Proposal: p}}, One: true, Broken: true}, nil
	}
	if err != nil {
		return Asked{}, err
	}
	names := toolname.New(fullNames(r.All()))
	asked := Asked{Calls: make([]Call, len(found)), Shape: shape}
	for i, c := range found {
		p := p
		p.ID, p.Tool, p.Arguments = c.ID, full(names, c, shape, at.server), c.Arguments
		if c.Fault != "" {
			p.Arguments = []byte(unreadable)
		}
		asked.Calls[i] = Call{p, c}
	}
	return asked, nil
}

// unreadable stands for the arguments of a call that cannot be what it says it is:
// the gate refuses it, whatever else it holds. No bytes at all would mean no
// arguments.
const unreadable = "\x00"

func fullNames(all []*tv.Tool) []string {
	names := make([]string, len(all))
	for i, t := range all {
		names[i] = t.Name()
	}
	return names
}

// full is the tool that a call means: of a server that the sender or the message
// names, or by its short name, or as it stands.
func full(names toolname.Table, c wire.Call, shape wire.Shape, server string) string {
	switch {
	case c.Kind == wire.Hosted || c.Kind == wire.Unknown:
		return string(c.Kind) + ":" + c.Name // there is no such tool, and it is recorded so
	case c.Server != "":
		return c.Server + "/" + c.Name
	case server != "":
		return server + "/" + c.Name
	}
	if name, ok := names.Full(c.Name); ok && shape != wire.Plain {
		return name
	}
	return c.Name
}

// keyed takes the standard header as the idempotency key.
func keyed(req *http.Request, asked *Asked) error {
	header := req.Header.Values(headerKey)
	if len(header) > 1 {
		return errors.New("the header " + headerKey + " is given more than once")
	}
	many := len(asked.Calls) > 1
	for i := range asked.Calls {
		key := &asked.Calls[i].Proposal.IdempotencyKey
		if len(header) == 1 {
			if *key != "" && *key != header[0] {
				return errors.New("the header " + headerKey + " and the body name two keys")
			}
			*key = header[0]
		}
		if *key != "" && many && (asked.Shape != "" || len(header) == 1) {
			*key += "/" + strconv.Itoa(i) // each call is its own act
		}
	}
	return nil
}
