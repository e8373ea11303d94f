// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package transcripts_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolverdict/toolverdict/hookgate"
	"github.com/toolverdict/toolverdict/internal/transcripts"
)

// TestOpenCode reads a database as opencode makes it, while it is in use.
func TestOpenCode(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "opencode.db")
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=journal_mode(wal)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, statement := range []string{
		"CREATE TABLE part (id text PRIMARY KEY, message_id text NOT NULL, session_id text NOT NULL, time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL)",
		`INSERT INTO part VALUES ('p1', 'm', 'ses_1', 1796053811084, 1796053812730, '{"type":"tool","tool":"bash","callID":"c1","state":{"status":"completed","input":{"command":"ls"},"output":"x"}}')`,
		`INSERT INTO part VALUES ('p2', 'm', 'ses_2', 1796053811085, 1796053812730, '{"type":"tool","tool":"bash","callID":"c1","state":{"status":"error","input":{"command":"rm"},"error":"Toolverdict: POLICY_DENIED"}}')`,
		`INSERT INTO part VALUES ('p3', 'm', 'ses_2', 1796053811086, 1796053812730, '{"type":"tool","tool":"bash","callID":"c2","state":{"status":"error","input":{},"error":"rejected"}}')`,
		`INSERT INTO part VALUES ('p4', 'm', 'ses_2', 1796053811087, 1796053812730, '{"type":"text","text":"\"type\":\"tool\""}')`,
		`INSERT INTO part VALUES ('p5', 'm', 'ses_2', 1796053811088, 1796053812730, '{"type":"tool","type":"tool"}')`,
	} {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	s, err := transcripts.Read(t.Context(), transcripts.File{Agent: hookgate.OpenCode, Path: path})
	want := []string{`ses_1 c1 bash {"command":"ls"} ran`, `ses_2 c1 bash {"command":"rm"} refused`, `ses_2 c2 bash {} failed`}
	if diff := cmp.Diff(want, lines(s)); diff != "" || err != nil || s.Odd != 1 || s.Calls[0].At.UnixMilli() != 1796053811084 {
		t.Errorf("%v, %d odd: %s", err, s.Odd, diff)
	}
	if err := os.WriteFile(path+".other", []byte("no database at all, and long enough to be looked at"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := transcripts.Read(t.Context(), transcripts.File{Agent: hookgate.OpenCode, Path: path + ".other"}); err == nil {
		t.Error("what is no database was read")
	}
}
