// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package view

import (
	"encoding/json"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/toolverdict/toolverdict/internal/plain"
)

// Proposal is a class of calls before it is granted, as the API has it.
type Proposal struct {
	Label     string    `json:"label"`
	Arguments []Freed   `json:"arguments"`
	Admits    []Example `json:"admits"`
	Refuses   []Example `json:"refuses"`
	Scope     string    `json:"scope"`
	Scopes    []string  `json:"scopes"`
	For       string    `json:"expires"`
	Uses      int       `json:"uses"`
	MostFor   string    `json:"mostExpires"`
	MostUses  int       `json:"mostUses"`
}

// Freed is an argument and how it could be free.
type Freed struct {
	At    string          `json:"at"`
	Value json.RawMessage `json:"value"`
	Free  string          `json:"free"`
	Forms []string        `json:"forms"`
	Does  json.RawMessage `json:"does"`

	Form, Typed string `json:"-"` // as they were chosen on the page
}

// Example is one call that was tried.
type Example struct {
	Arguments json.RawMessage `json:"arguments"`
	Differs   string          `json:"differs"`
}

// Grant is a grant as the API has it.
type Grant struct {
	ID       string    `json:"id"`
	State    string    `json:"status"`
	Approval string    `json:"approval"`
	Tool     string    `json:"tool"`
	Label    string    `json:"label"`
	Scope    string    `json:"scope"`
	Subject  string    `json:"subject"`
	By       string    `json:"by"`
	Reason   string    `json:"reason"`
	Expires  time.Time `json:"expires"`
	MaxUses  int       `json:"maxUses"`
	Used     int       `json:"used"`
}

// Reveal writes out what would not be seen.
func (p *Proposal) Reveal() { p.Label = plain.Reveal(p.Label) }

// Reveal writes out what would not be seen.
func (g *Grant) Reveal() {
	for _, s := range []*string{&g.Tool, &g.Label, &g.Subject, &g.By, &g.Reason} {
		*s = plain.Reveal(*s)
	}
	g.State = strings.ReplaceAll(g.State, " ", "-")
}

// Keep puts back what was chosen on the page: who sees what it covers goes on
// from there.
func (p *Proposal) Keep(form url.Values) {
	ats, kinds, values := form["at"], form["form"], form["value"]
	for i, at := range ats {
		for j := range p.Arguments {
			if p.Arguments[j].At == at && i < len(kinds) && i < len(values) {
				p.Arguments[j].Form, p.Arguments[j].Typed = kinds[i], values[i]
			}
		}
	}
}

// Choice reads the form of a proposal as the choice of the API. What cannot be
// read stays text: the service refuses it and says why.
func Choice(form url.Values) map[string]any {
	choice := map[string]any{}
	for _, name := range []string{"scope", "expires"} {
		if text := strings.TrimSpace(form.Get(name)); text != "" {
			choice[name] = text
		}
	}
	if text := strings.TrimSpace(form.Get("uses")); text != "" {
		choice["uses"] = number(text)
	}
	free := map[string]any{}
	ats, kinds, values, does := form["at"], form["form"], form["value"], form["does"]
	for i, at := range ats {
		if i >= len(kinds) || i >= len(values) || i >= len(does) || kinds[i] == "" {
			continue
		}
		free[at] = map[string]any{kinds[i]: bounds(kinds[i], strings.TrimSpace(values[i]), does[i])}
	}
	if len(free) > 0 {
		choice["free"] = free
	}
	return choice
}

func number(text string) any {
	if _, err := strconv.ParseInt(text, 10, 64); err == nil {
		return json.Number(text)
	}
	return text
}

// bounds are what one form of freedom is made of, from a line of text.
func bounds(kind, text, does string) any {
	switch kind {
	case "either":
		return true
	case "prefix", "glob":
		return text
	case "does":
		if json.Valid([]byte(does)) {
			return json.RawMessage(does)
		}
		return does
	}
	list := []any{}
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		var v any = part
		if raw := json.RawMessage(part); json.Valid(raw) && (kind == "between" || kind == "in" || kind == "subset") {
			v = raw // numbers, true and false; a text that looks like one is put in quotes
		}
		list = append(list, v)
	}
	return list
}
