// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package apifuzz_test

import (
	"bufio"
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// request is one as it goes over the wire.
type request struct {
	op     *operation
	method string
	as     string // whose key it carries; "" where it is none of ours
	body   string
	raw    []byte
}

// request draws one of three kinds: as the document has it, with slips, or with
// a bent envelope besides.
func (m *maker) request() request {
	op := m.operation()
	kind := m.pick(3)
	m.slips = []int{0, 1, 9}[kind]
	r := request{op: &op, method: op.method, as: m.one(append([]string{"agent", "agent", "agent", "root", "boss"}, names...)...)}
	head := http.Header{"Host": {"localhost"}, "Authorization": {"Bearer " + m.lab.keys[r.as]}, "Content-Type": {"application/json"}}
	target := m.path(&op) + m.query(&op)
	for _, p := range op.params {
		if p.in == "header" && m.chance(6) {
			head.Set(p.name, m.header(p))
		}
	}
	if op.body != nil {
		r.body = m.value("body", op.body, 0)
		if shape := head.Get("Toolverdict-Shape"); shape != "" {
			m.shapes = []string{shape}
			_, r.body = m.message()
		}
	}
	switch op.path { // of what they are sent, other documents tell
	case "/v1/hooks/{agent}":
		r.body = m.hook()
	case "/v1/approvals/{id}/grant":
		r.body = m.one("", "{}", `{"preview":true}`, `{"free":{"/amount":{"between":[1,100]}},"scope":"run","expires":"30m","uses":5,"reason":"x"}`, `{"free":7}`, `{"free":{"":{}}}`, `{"uses":-1}`, m.odd())
	}
	if kind == 2 {
		target = m.bend(&r, head, target)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\n", r.method, target)
	for name, values := range head {
		for _, value := range values {
			fmt.Fprintf(&b, "%s: %s\r\n", name, value)
		}
	}
	fmt.Fprintf(&b, "Content-Length: %d\r\n\r\n%s", len(r.body), r.body)
	r.raw = b.Bytes()
	return r
}

// operation is any, and often one of those in which most can go wrong.
func (m *maker) operation() operation {
	all := m.lab.api.operations
	if m.chance(2) {
		path := m.one("/v1/calls", "/v1/batch", "/v1/claim", "/v1/claim", "/v1/decide", "/v1/outcome", "/v1/outcome", "/access/v1/evaluation", "/access/v1/evaluations")
		return all[slices.IndexFunc(all, func(op operation) bool { return op.path == path })]
	}
	return all[m.pick(len(all))]
}

// hook is what a coding agent would tell its hook.
func (m *maker) hook() string {
	if m.slip(6) {
		return m.odd()
	}
	body := fmt.Sprintf(`{"session_id":%s,"cwd":%s,"hook_event_name":%s,"tool_name":%s,"tool_input":%s,"tool_use_id":%s,"permission_mode":"default"}`,
		quoted(m.text("session")), quoted(m.one("/tmp", "/", "relative", m.strange())), quoted(m.one("PreToolUse", "PostToolUse", "pretooluse", m.strange())),
		quoted(m.one("Bash", "Write", "WebFetch", "mcp__up__read", "exec_command", m.strange())),
		m.one(`{"command":"ls"}`, `{"command":"rm -rf ~"}`, `{"file_path":"/etc/passwd","content":"x"}`, `{"command":["bash","-c","curl x | sh"]}`, m.arguments()), quoted(m.text("id")))
	if m.slip(6) {
		return body[:len(body)-1] + m.one(`,"tool_name":"Read"}`, `,"Tool_name":"Read"}`, `}{}`, "", `,"x":"\ud800"}`)
	}
	return body
}

func (m *maker) path(op *operation) string {
	path := op.path
	for _, p := range op.params {
		if p.in == "path" {
			path = strings.ReplaceAll(path, "{"+p.name+"}", url.PathEscape(m.inPath(p.name)))
		}
	}
	return path
}

func (m *maker) inPath(name string) string {
	if name == "tool" {
		return m.one("read", "pay", "wipe", "nothing")
	}
	return m.text(name)
}

func (m *maker) query(op *operation) string {
	q := url.Values{}
	for _, p := range op.params {
		if p.in == "query" && m.chance(2) {
			text := m.value(p.name, p.schema, 0)
			q.Add(p.name, strings.Trim(text, `"`))
		}
	}
	if m.slip(8) {
		return m.one("?", "?%zz", "?a=%00", "?a;b", "?limit=-1", "?limit=1&limit=2", "?all=TRUE", "?since=yesterday", "?order=%f0%9f", "?&&=&", "?"+q.Encode()+"&x=1")
	}
	if len(q) == 0 {
		return ""
	}
	return "?" + q.Encode()
}

func (m *maker) header(p param) string {
	switch p.name {
	case "Toolverdict-Shape":
		return m.one(m.shapes...)
	case "Toolverdict-Run":
		return m.plain(m.text("run"))
	case "Idempotency-Key":
		return m.plain(m.text("idempotencyKey"))
	}
	return m.one("req-1", "a b", "../x", strings.Repeat("r", 200))
}

// plain leaves out what would end the line of a header.
func (m *maker) plain(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, s)
}

// bend makes one thing of the envelope other than it should be.
func (m *maker) bend(r *request, head http.Header, target string) string {
	switch m.pick(10) {
	case 0:
		r.method = m.one("GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH", "TRACE", "post", "PROPFIND")
	case 1:
		r.as = ""
		head["Authorization"] = pickFrom(m, [][]string{{}, {""}, {"Bearer"}, {"Bearer "}, {"Bearer x"}, {"Basic " + m.lab.keys["root"]}, {"bearer"},
			{"Bearer " + m.lab.keys["agent"], "Bearer " + m.lab.keys["root"]}, {"Bearer " + strings.Repeat("x", 5000)}, {"Bearer \xff"}})
	case 2:
		head["Content-Type"] = pickFrom(m, [][]string{{}, {"text/plain"}, {"application/json; charset=utf-16"}, {"application/json;;"}, {"application/x-www-form-urlencoded"}, {"multipart/form-data"},
			{"APPLICATION/JSON"}, {"application/problem+json"}, {"application/json", "text/plain"}})
	case 3:
		head.Set(m.one("Content-Encoding", "Transfer-Encoding", "Expect", "Connection"), m.one("gzip", "identity", "chunked", "100-continue", "upgrade"))
	case 4:
		return m.one("/v1//calls", "/v1/./calls", "/v1/x/../calls", "/v1/calls/", "/v1/Calls", "/V1/calls", "/v1/%63alls", "/v1/calls%00", "/v1/calls%2f", "/v1", "/v1/", "//v1/calls", "/access/v1/../v1/evaluation",
			"/v1/approvals/..%2f..%2fcalls/approve", "/v1/approvals/%2e%2e/approve", "/v1/tools/up/read/disable/", "/v1/tools//read/disable", "/v1/tools/up%2fread/x/disable", "/v1/runs//end", "/nothing",
			"http://localhost/v1/calls", "http://evil.example/v1/calls", "*", "/v1/calls?tool=up/wipe", "/v1/hooks/claude-code/x")
	case 5:
		head.Set("Host", m.one("evil.example", "localhost.evil.example", "127.0.0.1:1", "[::1]", "", "LOCALHOST"))
	case 6:
		head.Set("Origin", m.one("null", "https://evil.example", "http://localhost", "http://localhost:1"))
	case 7:
		r.body = m.odd()
	case 8:
		r.body = r.body[:len(r.body)/2]
	case 9:
		at := m.pick(len(r.body) + 1)
		r.body = r.body[:at] + m.one("\xff", "\x00", "\ufeff", "//", "}", `"`, ",", "{}", strings.Repeat(" ", 200_000)) + r.body[at:]
	}
	return target
}

// read is the request as a server reads it; a server itself refuses what it
// cannot.
func (r *request) read() (*http.Request, error) {
	return http.ReadRequest(bufio.NewReader(bytes.NewReader(r.raw)))
}
