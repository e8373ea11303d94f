// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package client speaks to a gate over HTTP, for the command line and for Go
// programs on another machine. It never retries: a call is made once, and a
// lost answer is an error.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/approval/fatigue"
	"github.com/toolverdict/toolverdict/audit"
	"github.com/toolverdict/toolverdict/httpgate"
	"github.com/toolverdict/toolverdict/httpgate/client/internal/answer"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/ledger"
)

// Client is one caller of one gate. It is safe for concurrent use.
type Client struct {
	base string
	key  string
	http *http.Client
}

// New makes a client for a gate's address, such as http://127.0.0.1:8711. The
// gate is spoken to itself: a proxy that the environment names could be another's,
// and would be shown the key.
func New(base, key string) (*Client, error) {
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return nil, errors.New("read the gate's address: give one such as http://127.0.0.1:8711")
	}
	if u.User != nil || strings.ContainsAny(base, "?#") {
		return nil, errors.New("read the gate's address: give no user, password, query or fragment in it")
	}
	return &Client{base: strings.TrimSuffix(base, "/"), key: key, http: &http.Client{
		// Not the default transport: whoever closes that one's idle connections, as a test server
		// does, would break calls of this one.
		Transport: &http.Transport{
			Proxy: nil, ForceAttemptHTTP2: true, DialContext: (&net.Dialer{Timeout: 10 * time.Second}).DialContext,
			TLSHandshakeTimeout: 10 * time.Second, IdleConnTimeout: 90 * time.Second,
		},
		// A key must never follow a redirect to somewhere else.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// Problem is what a gate says of a request that is no call. Its texts are fit to be
// shown: who answers may be no gate.
type Problem struct {
	Status int    `json:"status"`
	Title  string `json:"title"`
	Detail string `json:"detail"`
}

// Error implements error.
func (p *Problem) Error() string { return fmt.Sprintf("%s (status %d)", p.Detail, p.Status) }

// Errors that callers tell apart.
var (
	// ErrUnreachable says that no gate was reached: nothing was sent.
	ErrUnreachable = errors.New("the gate cannot be reached")
	// ErrLost says that a request was sent and its answer did not arrive: what it
	// asked for may have happened.
	ErrLost = errors.New("the gate's answer was lost")
)

// Approval is an approval as the API shows it.
type Approval = httpgate.Approval

// Call is one call to make.
type Call struct {
	ID             string // the caller's own, recorded
	Tool           string
	Arguments      []byte // sent as they are
	Confirmation   string
	IdempotencyKey string
	Session        string
	Model          string
	Run            string // the id of a run that was started
	Wait           time.Duration
	ReadOnly       bool
}

// Do makes one call. The result is the gate's own JSON, and the same decoded.
func (c *Client) Do(ctx context.Context, call Call) (tv.Result, json.RawMessage, error) {
	var res tv.Result
	raw, err := c.send(ctx, http.MethodPost, "/v1/calls", call.body(), &res)
	if err == nil {
		err = answer.Check(&res)
	}
	if err != nil {
		return tv.Result{}, raw, err
	}
	return res, raw, nil
}

// body writes a call as a request has it.
func (call *Call) body() []byte {
	b := canon.AppendString([]byte(`{"tool":`), call.Tool)
	if call.Arguments != nil {
		b = append(append(b, `,"arguments":`...), embed(call.Arguments)...)
	}
	for name, text := range map[string]string{
		"id": call.ID, "confirmation": call.Confirmation, "idempotencyKey": call.IdempotencyKey, "session": call.Session, "model": call.Model,
	} {
		if text != "" {
			b = append(canon.AppendString(append(b, ','), name), ':')
			b = canon.AppendString(b, text)
		}
	}
	if call.Wait > 0 {
		b = canon.AppendString(append(b, `,"wait":`...), call.Wait.String())
	}
	if call.ReadOnly || call.Run != "" {
		b = append(b, `,"run":{"readOnly":`...)
		b = strconv.AppendBool(b, call.ReadOnly)
		if call.Run != "" {
			b = canon.AppendString(append(b, `,"id":`...), call.Run)
		}
		b = append(b, '}')
	}
	return append(b, '}')
}

// embed makes arguments fit to stand in a request. What is no JSON goes as the
// text of a string, which the gate reads as arguments too: it then refuses them
// by where they are wrong, not by where they stood in a request that their sender
// never saw, and nothing in them can pass for another member of the request.
// Text that is no UTF-8 has no such form; it makes the whole request unacceptable.
func embed(arguments []byte) []byte {
	_, err := canon.Parse(arguments, canon.Limits{MaxBytes: canon.HardMaxBytes, MaxDepth: canon.HardMaxDepth})
	if err == nil || !utf8.Valid(arguments) {
		return arguments
	}
	return canon.AppendString(nil, string(arguments))
}

// Tools lists the tools this caller may see, or all of them, with those that
// are hidden from the model marked.
func (c *Client) Tools(ctx context.Context, all bool) ([]Tool, error) {
	var out struct {
		Tools []Tool `json:"tools"`
	}
	_, err := c.send(ctx, http.MethodGet, "/v1/tools?all="+strconv.FormatBool(all), nil, &out)
	return out.Tools, err
}

// Tool is a tool as the gate lists it.
type Tool struct {
	Name        string    `json:"name"`
	Title       string    `json:"title"`
	Description string    `json:"description"`
	Safety      tv.Safety `json:"safety"`
	Risk        tv.Risk   `json:"risk"`
	Permission  string    `json:"permission"`
	Groups      []string  `json:"groups"`
	Hash        string    `json:"hash"`
	Hidden      bool      `json:"hidden"`
}

// Choose switches a tool off or on for the user of this caller, or for another
// one, which only an admin may. The answer says for whom it holds.
func (c *Client) Choose(ctx context.Context, tool string, off bool, user string) (httpgate.Choice, error) {
	verb := "enable"
	if off {
		verb = "disable"
	}
	server, name, _ := strings.Cut(tool, "/")
	if server == "" || name == "" { // what is no name would be another path
		return httpgate.Choice{}, &Problem{Status: http.StatusNotFound, Detail: "There is no such tool, or several: name one as SERVER/TOOL, as in: toolverdict tools list"}
	}
	path := "/v1/tools/" + url.PathEscape(server) + "/" + url.PathEscape(name) + "/" + verb
	if user != "" {
		path += "?user=" + url.QueryEscape(user)
	}
	var out httpgate.Choice
	_, err := c.send(ctx, http.MethodPost, path, []byte("{}"), &out)
	return out, err
}

// Approvals lists what concerns this caller, in one state or in all ("").
func (c *Client) Approvals(ctx context.Context, state string) ([]Approval, error) {
	var out struct {
		Approvals []Approval `json:"approvals"`
	}
	_, err := c.send(ctx, http.MethodGet, "/v1/approvals?status="+url.QueryEscape(state), nil, &out)
	return out.Approvals, err
}

// Fatigue tells how people answered what rules asked since a time; the zero time
// stands for the gate's own choice.
func (c *Client) Fatigue(ctx context.Context, since time.Time) (fatigue.Report, error) {
	path := "/v1/approvals/stats"
	if !since.IsZero() {
		path += "?since=" + url.QueryEscape(since.UTC().Format(time.RFC3339))
	}
	var out fatigue.Report
	_, err := c.send(ctx, http.MethodGet, path, nil, &out)
	return out, err
}

// Approval returns one approval.
func (c *Client) Approval(ctx context.Context, id string) (Approval, error) {
	var out Approval
	_, err := c.send(ctx, http.MethodGet, "/v1/approvals/"+url.PathEscape(id), nil, &out)
	return out, err
}

// Decide answers an approval: approve, reject, cancel or revoke.
func (c *Client) Decide(ctx context.Context, id, verb, reason string) (Approval, error) {
	var out Approval
	body := append(canon.AppendString([]byte(`{"reason":`), reason), '}')
	_, err := c.send(ctx, http.MethodPost, "/v1/approvals/"+url.PathEscape(id)+"/"+verb, body, &out)
	return out, err
}

// Edit changes the arguments of a call that waits for an answer. The answer is
// the approval that stands in its place.
func (c *Client) Edit(ctx context.Context, id string, arguments []byte, reason string) (Approval, error) {
	var out Approval
	body := append([]byte(`{"arguments":`), embed(arguments)...)
	body = append(canon.AppendString(append(body, `,"reason":`...), reason), '}')
	_, err := c.send(ctx, http.MethodPost, "/v1/approvals/"+url.PathEscape(id)+"/edit", body, &out)
	return out, err
}

// Ledger lists entries in one state or in all ("").
func (c *Client) Ledger(ctx context.Context, state string) ([]tv.Claim, error) {
	var out struct {
		Claims []tv.Claim `json:"claims"`
	}
	_, err := c.send(ctx, http.MethodGet, "/v1/ledger?state="+url.QueryEscape(state), nil, &out)
	return out.Claims, err
}

// Settle writes down what somebody found out about an unknown outcome.
func (c *Client) Settle(ctx context.Context, key string, as tv.ClaimState, evidence string) error {
	b := canon.AppendString([]byte(`{"key":`), key)
	b = canon.AppendString(append(b, `,"as":`...), string(as))
	b = canon.AppendString(append(b, `,"evidence":`...), evidence)
	_, err := c.send(ctx, http.MethodPost, "/v1/ledger/settle", append(b, '}'), nil)
	return err
}

// Reconcile has the tool asked what came of a call whose outcome is unknown.
func (c *Client) Reconcile(ctx context.Context, key string) (ledger.Found, error) {
	var out ledger.Found
	_, err := c.send(ctx, http.MethodPost, "/v1/ledger/reconcile", append(canon.AppendString([]byte(`{"key":`), key), '}'), &out)
	return out, err
}

// Audit finds records on the gate; the query's parameters are those of GET
// /v1/audit.
func (c *Client) Audit(ctx context.Context, query url.Values) ([]audit.Numbered, error) {
	var out struct {
		Records []audit.Numbered `json:"records"`
	}
	_, err := c.send(ctx, http.MethodGet, "/v1/audit?"+query.Encode(), nil, &out)
	return out.Records, err
}

// failure tells a gate that was not there from one whose answer got lost.
func (c *Client) failure(ctx context.Context, err error) error {
	var op *net.OpError
	switch {
	case errors.As(err, &op) && op.Op == "dial":
		return fmt.Errorf("%w at %s: is it running? (toolverdict serve)", ErrUnreachable, c.base)
	case ctx.Err() != nil:
		return fmt.Errorf("%w: %w", ErrLost, ctx.Err())
	}
	return fmt.Errorf("%w: the connection to %s broke", ErrLost, c.base)
}

// maxAnswer bounds what is read of an answer, in bytes.
const maxAnswer = 64 << 20

func (c *Client) send(ctx context.Context, method, path string, body []byte, into any) (json.RawMessage, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("make request: %w", err)
	}
	req.Header.Set("Authorization", "Bearer "+c.key)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, c.failure(ctx, err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return nil, c.failure(ctx, err)
	}
	if resp.StatusCode != http.StatusOK {
		p := &Problem{Status: resp.StatusCode}
		p.Title, p.Detail = answer.Detail(p.Status, raw)
		return raw, p
	}
	if into == nil {
		return raw, nil
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return raw, fmt.Errorf("read answer: it is not the gate's: %w", err)
	}
	return raw, nil
}
