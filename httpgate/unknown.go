// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package httpgate

import (
	"context"
	"fmt"
	"strings"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/near"
)

// tellUnknown says more of a tool that was not found than the pipeline can: that
// it waits for review, or which one was probably meant. It changes words only.
func (f *Front) tellUnknown(ctx context.Context, p *tv.Proposal, res *tv.Result) {
	if res.Error == nil || res.Error.Code != tv.UnknownTool {
		return
	}
	tool := p.Tool
	if tool == "" { // the tool of a stored call is known to those it concerns
		if a, err := f.Reader.Get(ctx, p.Subject, p.Confirmation); err == nil {
			tool = a.Card.Tool
		}
	}
	if reason, held := f.Held(tool); held {
		res.Error.Message = "This tool waits for an operator's review and cannot be called: " + strings.TrimSuffix(reason, ".") + "."
		res.Error.RecommendedAction = "Ask an operator to review it with: toolverdict tools diff."
		return
	}
	if meant := f.meant(ctx, p.Subject, p.Run, tool); meant != "" {
		res.Error.RecommendedAction = strings.TrimSpace(fmt.Sprintf("Did you mean %q? %s", meant, res.Error.RecommendedAction))
	}
}

// meant returns the tool that was probably meant, of those that the caller may
// see in this run: nobody is told of what is hidden from them.
func (f *Front) meant(ctx context.Context, by tv.Subject, run tv.Run, tool string) string {
	visible, err := f.Gate.Visible(ctx, by, run)
	if err != nil || tool == "" {
		return ""
	}
	var names, ends []string
	for _, t := range visible {
		if strings.Contains(t.Name(), "/@") {
			continue // a method of the protocol, which nobody calls by name here
		}
		names = append(names, t.Name())
		if strings.HasSuffix(t.Name(), "/"+tool) {
			ends = append(ends, t.Name())
		}
	}
	if len(ends) == 1 {
		return ends[0]
	}
	return near.Word(tool, names)
}
