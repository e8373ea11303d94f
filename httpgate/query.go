// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package httpgate

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// params reads the parameters of a request and keeps what is wrong first. A
// parameter that is not known, or not understood, is refused: a slip must not
// select more than was meant.
type params struct {
	values url.Values
	wrong  string
}

func readParams(r *http.Request, known ...string) *params {
	p := &params{values: r.URL.Query()}
	for name, values := range p.values {
		switch {
		case !slices.Contains(known, name):
			p.fail("Unknown parameter %q: known are %s.", name, strings.Join(known, ", "))
		case len(values) > 1:
			p.fail("Parameter %q is given more than once.", name)
		}
	}
	return p
}

func (p *params) fail(format string, args ...any) {
	if p.wrong == "" {
		p.wrong = fmt.Sprintf(format, args...)
	}
}

// refused answers where something is wrong.
func (p *params) refused(w http.ResponseWriter) bool {
	if p.wrong != "" {
		problem(w, http.StatusBadRequest, p.wrong)
	}
	return p.wrong != ""
}

func (p *params) text(name string) string { return p.values.Get(name) }

// truth is true or false, or left out.
func (p *params) truth(name string) bool {
	return word(p, name, "true", "false") == "true"
}

// number is a whole number from 0 on, or left out.
func (p *params) number(name string) int {
	text := p.text(name)
	if text == "" {
		return 0
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		p.fail("Parameter %q must be a whole number from 0 on.", name)
	}
	return n
}

// word is one of these, or left out.
func word[T ~string](p *params, name string, words ...T) T {
	value := T(p.text(name))
	if value != "" && !slices.Contains(words, value) {
		list := make([]string, len(words))
		for i, w := range words {
			list[i] = string(w)
		}
		p.fail("Parameter %q must be one of %s.", name, strings.Join(list, ", "))
	}
	return value
}

// listed makes an empty list of none, as JSON has it.
func listed[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
