// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package web

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Params reads the parameters of a request and keeps what is wrong first. A
// parameter that is not known, or not understood, is refused: a slip must not
// select more than was meant.
type Params struct {
	values url.Values
	wrong  string
}

// ReadParams reads those of a request.
func ReadParams(r *http.Request, known ...string) *Params {
	p := &Params{values: r.URL.Query()}
	for name, values := range p.values {
		switch {
		case !slices.Contains(known, name):
			p.Fail("Unknown parameter %q: known are %s.", name, strings.Join(known, ", "))
		case len(values) > 1:
			p.Fail("Parameter %q is given more than once.", name)
		}
	}
	return p
}

// Fail keeps what is wrong, where nothing was before.
func (p *Params) Fail(format string, args ...any) {
	if p.wrong == "" {
		p.wrong = fmt.Sprintf(format, args...)
	}
}

// Refused answers where something is wrong.
func (p *Params) Refused(w http.ResponseWriter) bool {
	if p.wrong != "" {
		Problem(w, http.StatusBadRequest, p.wrong)
	}
	return p.wrong != ""
}

// Text is a text, "" where it is left out.
func (p *Params) Text(name string) string { return p.values.Get(name) }

// Truth is true or false, or left out.
func (p *Params) Truth(name string) bool {
	return Word(p, name, "true", "false") == "true"
}

// Number is a whole number from 0 on, or left out.
func (p *Params) Number(name string) int {
	text := p.Text(name)
	if text == "" {
		return 0
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		p.Fail("Parameter %q must be a whole number from 0 on.", name)
	}
	return n
}

// Word is one of these, or left out.
func Word[T ~string](p *Params, name string, words ...T) T {
	value := T(p.Text(name))
	if value != "" && !slices.Contains(words, value) {
		list := make([]string, len(words))
		for i, w := range words {
			list[i] = string(w)
		}
		p.Fail("Parameter %q must be one of %s.", name, strings.Join(list, ", "))
	}
	return value
}

// Listed makes an empty list of none, as JSON has it.
func Listed[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
