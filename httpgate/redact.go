// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package httpgate

import (
	"encoding/json"
	"net/http"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/httpgate/internal/web"
)

// Redactor hides secrets: a toolverdict.Redactor.
type Redactor interface {
	Shown(s string) string
	Content(content json.RawMessage) json.RawMessage
}

// redact hides secrets in a text, or in all texts of a JSON value, before it goes
// to a model. Paths and names stay.
func (f *Front) redact(w http.ResponseWriter, r *http.Request, _ tv.Subject) {
	v, ok := f.bodies.Object(w, r, "text", "value")
	if !ok {
		return
	}
	in := &web.Fields{V: v}
	text := in.Text("text")
	value, hasValue := v.Get("value")
	_, hasText := v.Get("text")
	switch {
	case in.Err != nil || hasText == hasValue:
		web.Problem(w, http.StatusBadRequest, "Send one of text, which is text, and value, which is any JSON.")
	case hasText:
		web.Answer(w, map[string]any{"text": f.Redactor.Shown(text)})
	default:
		web.Answer(w, map[string]any{"value": f.Redactor.Content(value.Raw())})
	}
}
