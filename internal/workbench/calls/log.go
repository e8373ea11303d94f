// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package calls

import (
	"context"
	"errors"
	"fmt"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/audit"
	"github.com/toolverdict/toolverdict/internal/store/sqlite"
)

// Filter selects decisions of a log. A zero field selects nothing away.
type Filter struct {
	Since, Until time.Time
	Tool         string // full name; a star at its end stands for any rest
	Session      string
}

// page is how many records are read at a time.
const page = 5000

// Log reads the calls that a gate decided, from the audit log in its data
// folder, whether or not it runs. A call that was asked about and then let
// through is one call.
func Log(ctx context.Context, folder string, f Filter) (out []Call, err error) {
	v, err := sqlite.OpenLog(ctx, folder)
	if err != nil {
		return nil, fmt.Errorf("open the audit log: %w", err)
	}
	defer func() { err = errors.Join(err, v.Close()) }()
	q := audit.Query{Since: f.Since, Until: f.Until, Tool: f.Tool, Session: f.Session, Kind: tv.RecordDecision, Page: audit.Page{Limit: page}}
	asked := map[string]bool{}
	for {
		found, err := v.Find(ctx, q)
		if err != nil {
			return nil, fmt.Errorf("read the audit log: %w", err)
		}
		for i := range found {
			c, ok := FromRecord(&found[i])
			if !ok || found[i].Approval != "" && asked[found[i].Approval] {
				continue
			}
			if found[i].Verdict == tv.Ask.String() && found[i].Approval != "" {
				asked[found[i].Approval] = true
			}
			if len(out) == maxCalls {
				return nil, fmt.Errorf("more than %d calls: narrow them by --since or --tool", maxCalls)
			}
			out = append(out, c)
		}
		if len(found) < page {
			return out, nil
		}
		q.Page.From = found[len(found)-1].Seq + 1
	}
}
