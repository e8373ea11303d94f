// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package console

import (
	"net/http"
	"strings"

	"github.com/toolverdict/toolverdict/internal/console/door"
)

// maxForm bounds what a form may hold, in bytes.
const maxForm = 1 << 20

// visitor is who looks at a page.
type visitor = door.Visitor

// ServeHTTP implements [http.Handler].
func (f *Front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !f.Sessions.Admit(w, r) {
		return
	}
	switch asset, isAsset := strings.CutPrefix(r.URL.Path, "/console/assets/"); {
	case isAsset:
		f.Asset(w, r, asset)
	case r.URL.Path == "/console/events":
		f.events(w, r) // looked at outside a session: a stream does not keep one
	default:
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		f.Sessions.Wrap(f.Door).ServeHTTP(w, r)
	}
}
