// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package calls

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/audit"
	"github.com/toolverdict/toolverdict/internal/canon"
)

// FromRecord reads a call from the record of a decision; ok is false for what
// is none, or never reached the policy.
func FromRecord(r *audit.Numbered) (c Call, ok bool) {
	if r.Kind != tv.RecordDecision || r.Tool == "" || r.PolicyHash == "" || !decided(r.Code) {
		return c, false
	}
	arguments, err := canon.ParseObject(r.Arguments, canon.Limits{AllowFoldedSiblings: true})
	c = Call{
		At: "record " + strconv.FormatInt(r.Seq, 10), Tool: r.Tool, Arguments: arguments, Verdict: r.Verdict, Code: r.Code, Rule: r.Rule,
		Subject: &tv.Subject{ID: r.Subject, User: r.User, Agent: r.Agent},
		Host: Host{
			Model: r.Model, Session: r.Session, Run: tv.Run{ID: r.Run, ReadOnly: r.ReadOnlyRun}, Time: r.At,
			Unknown: []string{"subject.kind", "subject.roles", "subject.permissions", "env"},
		},
	}
	if o := r.Observed; o != nil { // what would have been decided is what counts as decided
		c.Verdict, c.Code, c.Rule, c.Ran = o.Verdict.String(), o.Code, o.Rule, r.Verdict == tv.Allow.String()
	}
	c.Effects, c.Analysed = r.Effects, len(r.Effects) > 0 && r.EffectsLeft == 0 && shown(r.Effects)
	if err != nil {
		c.Arguments, c.Hidden = canon.Object(), []string{""}
		return c, true
	}
	c.Hidden = hidden(nil, "", arguments)
	return c, true
}

// shown reports whether nothing of the effects is hidden.
func shown(effects []tv.Effect) bool {
	b, err := json.Marshal(effects)
	return err == nil && !placeholder.Match(b) && !bytes.Contains(b, []byte("…"))
}

// decided reports whether a decision with this code came from policy, permission
// or risk, and so says something about the policy.
func decided(code tv.Code) bool {
	return slices.Contains([]tv.Code{"", tv.PolicyDenied, tv.ConfirmationRequired, tv.PermissionDenied, tv.RateLimited}, code)
}

// placeholder is how the redactor writes what it does not show: the kind of a
// secret with a digest, a home folder, a size, or a text that was cut.
var placeholder = regexp.MustCompile(`\[(?:LOCAL_PATH|not shown|(?:sensitive|secret|token|key|held) [0-9a-f]{8}|\d+ bytes|\d+ more|a number of \d+ characters|(?:array|object), \d+ inside)\]`)

// renamed is how the redactor writes a name that it does not show as it was.
var renamed = regexp.MustCompile(` #[0-9]+$`)

// hidden lists what a record's arguments do not tell. A member that says that
// others were left out hides the whole object or list.
func hidden(out []string, at string, v canon.Value) []string {
	switch v.Kind() {
	case canon.KindString:
		if placeholder.MatchString(v.Text()) {
			out = append(out, at)
		}
	case canon.KindArray:
		for i, e := range v.Items() {
			if strings.HasSuffix(e.Text(), " more]") && i == v.Len()-1 && placeholder.MatchString(e.Text()) {
				return append(out, at)
			}
			out = hidden(out, at+"/"+strconv.Itoa(i), e)
		}
	case canon.KindObject:
		for name, e := range v.Fields() {
			if strings.Contains(name, "…") || renamed.MatchString(name) || placeholder.MatchString(name) {
				return append(out, at)
			}
			out = hidden(out, fmt.Sprintf("%s/%s", at, strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")), e)
		}
	}
	return out
}
