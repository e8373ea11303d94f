// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package grantcmd

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/cli"
	"github.com/toolverdict/toolverdict/httpgate/client"
)

// Similar are the flags of approvals approve that grant the like of a call.
type Similar struct {
	like, preview bool
	free          []string
	scope         string
	lasts         time.Duration
	uses          int
}

// Add adds the flags.
func (s *Similar) Add(c *cobra.Command) {
	f := c.Flags()
	f.BoolVar(&s.like, "similar", false, "also grant calls like it: the same but for what --free frees, for a while and a few times")
	f.BoolVar(&s.preview, "preview", false, "with --similar: only show what would be granted, with calls that would run and calls that would not")
	f.StringArrayVar(&s.free, "free", nil, "with --similar: free an `argument`: /amount=between:1,100 /id=prefix:A10 /id=in:A1,A2 /path=under:/srv/app\n/url=hosts:example.com /to=domains:example.com /dry=either /tags=subset:a,b /name='{\"glob\":\"x-*\"}'")
	f.StringVar(&s.scope, "scope", "", "with --similar: the same `run`, session or subject; the narrowest there is when left out")
	f.DurationVar(&s.lasts, "for", 0, "with --similar: how `long`; 30m when left out")
	f.IntVar(&s.uses, "uses", 0, "with --similar: how `many` calls; 5 when left out")
}

// Asked reports whether the like is to be granted.
func (s *Similar) Asked() (bool, error) {
	if !s.like && (s.preview || len(s.free) > 0 || s.scope != "" || s.lasts != 0 || s.uses != 0) {
		return false, cli.Usage("--preview, --free, --scope, --for and --uses go with --similar")
	}
	return s.like, nil
}

// Run grants the like of a call that waits, or shows what that would be.
func (s *Similar) Run(ctx context.Context, app *cli.App, gate *client.Client, id, reason string) error {
	choice, err := s.choice(reason)
	if err != nil {
		return err
	}
	if s.preview {
		p, raw, err := gate.GrantPreview(ctx, id, choice)
		switch {
		case err != nil:
			return err
		case app.JSON():
			return cli.JSON(app.Stdout, raw)
		}
		return show(app, &p)
	}
	v, err := gate.Grant(ctx, id, choice)
	if err != nil {
		return err
	}
	return (&Gate{App: app}).tell(&v)
}

func (s *Similar) choice(reason string) ([]byte, error) {
	c := map[string]any{}
	if s.preview {
		c["preview"] = true
	}
	if s.scope != "" {
		c["scope"] = s.scope
	}
	if s.lasts != 0 {
		c["expires"] = s.lasts.String()
	}
	if s.uses != 0 {
		c["uses"] = s.uses
	}
	if reason != "" {
		c["reason"] = reason
	}
	free := map[string]any{}
	for _, text := range s.free {
		at, form, ok := strings.Cut(text, "=")
		if !ok || !strings.HasPrefix(at, "/") {
			return nil, cli.Usage("--free %s: write it like /amount=between:1,100", cli.Line(text))
		}
		bound, err := formOf(form)
		if err != nil {
			return nil, cli.Usage("--free %s: %v", cli.Line(text), err)
		}
		free[at] = bound
	}
	if len(free) > 0 {
		c["free"] = free
	}
	return json.Marshal(c)
}

// formOf reads a form in short, or as the JSON of the API.
func formOf(text string) (any, error) {
	if strings.HasPrefix(text, "{") {
		if !json.Valid([]byte(text)) {
			return nil, fmt.Errorf("this is no JSON")
		}
		return json.RawMessage(text), nil
	}
	name, rest, _ := strings.Cut(text, ":")
	list := strings.Split(rest, ",")
	switch name {
	case "either":
		return map[string]any{"either": true}, nil
	case "prefix", "glob":
		return map[string]any{name: rest}, nil
	case "between":
		numbers := make([]json.RawMessage, len(list))
		for i, n := range list {
			numbers[i] = json.RawMessage(strings.TrimSpace(n))
			if !json.Valid(numbers[i]) {
				return nil, fmt.Errorf("%q is no number", n)
			}
		}
		return map[string]any{name: numbers}, nil
	case "in", "subset":
		values := make([]any, len(list))
		for i, v := range list {
			values[i] = v
		}
		return map[string]any{name: values}, nil
	case "under", "hosts", "domains":
		return map[string]any{name: list}, nil
	}
	return nil, fmt.Errorf("known forms are between, in, prefix, glob, under, hosts, domains, either, subset, and JSON for what is no text and for what a command may do")
}

func show(app *cli.App, p *client.GrantProposal) error {
	rows := [][]string{{"calls", p.Label}, {"scope", p.Scope + " (of " + strings.Join(p.Scopes, ", ") + ")"}, {"lasts", p.Expires}, {"uses", fmt.Sprint(p.Uses)}}
	for _, a := range p.Arguments {
		state := "fixed: " + string(a.Value)
		if a.Free != "" {
			state = "free: " + a.Free
		}
		switch {
		case a.Free != "":
		case len(a.Forms) > 0:
			state += "  (could be freed: " + strings.Join(a.Forms, ", ") + ")"
		default:
			state += "  (stays as it is)"
		}
		rows = append(rows, []string{a.At, state})
		if a.Free == "" && len(a.Does) > 0 {
			rows = append(rows, []string{"", `--free '` + a.At + `={"does":` + string(a.Does) + `}'`})
		}
	}
	for _, e := range p.Admits {
		rows = append(rows, []string{"would run", string(e.Arguments)})
	}
	for _, e := range p.Refuses {
		rows = append(rows, []string{"would ask", string(e.Arguments)})
	}
	return cli.Table(app.Stdout, rows)
}
