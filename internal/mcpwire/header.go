// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package mcpwire

import (
	"encoding/base64"
	"net/http"
	"slices"
	"strings"
)

// Headers of the transport.
const (
	HeaderVersion     = "Mcp-Protocol-Version"
	HeaderSession     = "Mcp-Session-Id"
	HeaderMethod      = "Mcp-Method"
	HeaderName        = "Mcp-Name"
	HeaderParam       = "Mcp-Param-"
	HeaderLastEventID = "Last-Event-Id"
)

// ForwardedHeader reports whether a request header may go to an upstream: the
// protocol's own, without the session, which travels apart. Credentials,
// cookies and encodings never do. The name is in canonical form.
func ForwardedHeader(name string) bool {
	return name == HeaderVersion || name == HeaderMethod || name == HeaderName || strings.HasPrefix(name, HeaderParam)
}

// ModernHeader reports whether the headers say that the request follows the
// revision 2026-07-28 or a later one.
func ModernHeader(h http.Header) bool { return h.Get(HeaderVersion) >= FirstModern }

// CheckHeaders compares the headers of a POST with its body, before anything
// is decided on either. Every header that mirrors the body must say what the
// body says, whatever the revision: somebody on the way may have looked only at
// the headers. The modern revisions also need the headers to be there.
func CheckHeaders(h http.Header, m *Message) error {
	for name, values := range h {
		if len(values) > 1 && (ForwardedHeader(name) || name == HeaderSession || name == HeaderLastEventID) {
			return mismatch(m, name+" is given more than once")
		}
	}
	if err := checkVersion(h, m); err != nil {
		return err
	}
	if m.kind == Response {
		return nil
	}
	modern := m.kind == Request && ModernHeader(h)
	method := h.Get(HeaderMethod)
	switch {
	case method == "" && modern:
		return mismatch(m, HeaderMethod+" is missing: send the method of the body")
	case method != "" && method != m.method:
		return mismatch(m, HeaderMethod+" does not match the method of the body")
	}
	return checkName(h, m, modern)
}

func checkVersion(h http.Header, m *Message) error {
	header := h.Get(HeaderVersion)
	if header != "" && header < FirstModern && !slices.Contains(Revisions(), header) {
		return &Fault{Status: http.StatusBadRequest, Code: CodeInvalidRequest, ID: m.id,
			Message: "unsupported protocol version: use one of " + strings.Join(Revisions(), ", ")}
	}
	if m.kind != Request {
		return nil
	}
	body := m.Version()
	switch {
	case body == "" && header < FirstModern:
		return nil
	case header == "":
		return mismatch(m, HeaderVersion+" is missing: send the protocolVersion of the body's _meta")
	case body == "":
		return &Fault{Status: http.StatusBadRequest, Code: CodeInvalidParams, ID: m.id,
			Message: `missing or invalid _meta field "` + MetaVersion + `"`}
	case header != body:
		return mismatch(m, HeaderVersion+" does not match the protocolVersion of the body's _meta")
	}
	return nil
}

// checkName compares Mcp-Name with the name or URI that the body acts on.
func checkName(h http.Header, m *Message, modern bool) error {
	source := NameOf(m)
	header := h.Get(HeaderName)
	if header == "" {
		if modern && source.Exists() {
			return mismatch(m, HeaderName+" is missing: send the name or URI of the body")
		}
		return nil
	}
	if !source.Exists() {
		if m.method == "tools/call" || m.method == "prompts/get" || m.method == "resources/read" {
			return mismatch(m, HeaderName+" is given, and the body names nothing")
		}
		return nil
	}
	name, ok := DecodeHeader(header)
	if !ok {
		return mismatch(m, HeaderName+" holds invalid Base64")
	}
	if name != source.Text() {
		return mismatch(m, HeaderName+" does not match the body")
	}
	return nil
}

// NameOf returns what a request acts on: the member that Mcp-Name mirrors.
func NameOf(m *Message) Node {
	switch m.method {
	case "tools/call", "prompts/get":
		return m.params.Get("name")
	case "resources/read":
		return m.params.Get("uri")
	}
	return Node{}
}

func mismatch(m *Message, message string) *Fault {
	return &Fault{Status: http.StatusBadRequest, Code: CodeHeaderMismatch, ID: m.id, Message: "header mismatch: " + message}
}

const (
	base64Prefix = "=?base64?"
	base64Suffix = "?="
)

// DecodeHeader returns the value that a mirrored header stands for. It is not
// ok where the header says Base64 and is not.
func DecodeHeader(value string) (string, bool) {
	encoded, ok := strings.CutPrefix(value, base64Prefix)
	if ok {
		encoded, ok = strings.CutSuffix(encoded, base64Suffix)
	}
	if !ok {
		return value, true
	}
	decoded, err := base64.StdEncoding.Strict().DecodeString(encoded)
	return string(decoded), err == nil
}

// EncodeHeader returns the header value for a text: itself where a header can
// hold it, Base64 otherwise.
func EncodeHeader(text string) string {
	plain := text == strings.TrimSpace(text) && !strings.HasPrefix(text, base64Prefix)
	for i := 0; plain && i < len(text); i++ {
		plain = text[i] >= 0x20 && text[i] <= 0x7e
	}
	if plain {
		return text
	}
	return base64Prefix + base64.StdEncoding.EncodeToString([]byte(text)) + base64Suffix
}
