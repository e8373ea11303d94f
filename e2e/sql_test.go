// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package e2e_test

import (
	"crypto/rand"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolverdict/toolverdict/e2e/internal/rig"
)

// sqlPolicy allows one plain SELECT and nothing else.
const sqlPolicy = `policy: sql
version: v1
default: deny
rules:
  - id: one-plain-select
    verdict: allow
    reason: One SELECT over named columns of one table, compared with a number
    tools: ["postgres/query"]
    when:
      args.sql: {regex: '^SELECT [a-z_]+(, [a-z_]+)* FROM [a-z_]+( WHERE [a-z_]+ = [0-9]+)?$'}
`

const (
	sqlReset  = "DROP TABLE IF EXISTS customers; CREATE TABLE customers (id int, name text); INSERT INTO customers VALUES (1, 'customer 1')"
	sqlAttack = "COMMIT; DROP TABLE customers; SELECT 1"
)

// TestSQLDirect drops a table through a published server that promises to be read-only.
func TestSQLDirect(t *testing.T) {
	t.Parallel()
	db := startPostgres(t)
	db.exec(t, sqlReset)
	callSQL(t, connect(t, stdioTransport(npmServer("postgres", db.url), nil)), sqlAttack)
	if db.exec(t, "SELECT to_regclass('customers') IS NULL") != "t" {
		t.Error("directly, the table is still there: the demonstration shows nothing any more")
	}
}

// TestSQLGate tries the same, and more, through the gate.
func TestSQLGate(t *testing.T) {
	t.Parallel()
	db := startPostgres(t)
	db.exec(t, sqlReset)
	up := rig.Upstream{Name: "postgres", Command: npmServer("postgres", db.url)}
	g := newGate(t, rig.GateSpec{Policy: sqlPolicy, Catalog: lowRisk("postgres"), Upstreams: []rig.Upstream{up}})
	for name, transport := range throughGate(t, g, "postgres") {
		session := connect(t, transport)
		if got := callSQL(t, session, "SELECT id, name FROM customers WHERE id = 1"); got.IsError || !strings.Contains(text(got), "customer 1") {
			t.Errorf("%s: the allowed SELECT: %s", name, text(got))
		}
		for _, sql := range sqlAttacks() {
			if got := callSQL(t, session, sql); !got.IsError || !strings.Contains(text(got), "POLICY_DENIED") {
				t.Errorf("%s: %q: %s", name, sql, text(got))
			}
			if db.exec(t, "SELECT count(*) FROM customers") != "1" {
				t.Fatalf("%s: %q changed the table", name, sql)
			}
		}
	}
}

func sqlAttacks() []string {
	const attack = sqlAttack
	const allowed = "SELECT id FROM customers"
	return []string{
		attack,
		strings.ToLower(attack),
		allowed + "; " + attack,
		allowed + "\n; " + attack,
		allowed + "\r\n" + attack,
		allowed + "\u2028; " + attack,
		attack + "\n" + allowed,
		"/* " + allowed + " */ " + attack,
		allowed + " -- \n; " + attack,
		allowed + "\x00; " + attack,
		" " + attack,
		"SELECT pg_read_file FROM pg_read_file('/etc/passwd')",
	}
}

func callSQL(t *testing.T, session *mcp.ClientSession, sql string) *mcp.CallToolResult {
	t.Helper()
	got, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "query", Arguments: map[string]any{"sql": sql}})
	if err != nil {
		// The server reports some SQL errors as protocol errors.
		return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: err.Error()}}}
	}
	return got
}

func text(r *mcp.CallToolResult) string {
	var all []string
	for _, c := range r.Content {
		if part, ok := c.(*mcp.TextContent); ok {
			all = append(all, part.Text)
		}
	}
	return strings.Join(all, "\n")
}

// postgres is a private cluster on loopback.
type postgres struct {
	url      string
	bin      string
	port     int
	password string
}

// exec runs statements as the cluster's owner and returns what psql prints, bare.
func (p postgres) exec(t *testing.T, sql string) string {
	t.Helper()
	cmd := exec.Command(filepath.Join(p.bin, "psql"), "-h", "127.0.0.1", "-p", strconv.Itoa(p.port), "-U", "owner",
		"-d", "postgres", "-XqAt", "-v", "ON_ERROR_STOP=1", "-c", sql)
	cmd.Env = append(os.Environ(), "PGPASSWORD="+p.password)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("psql: %v\n%s", err, out)
	}
	return strings.TrimSpace(string(out))
}

// startPostgres makes a cluster of its own and starts it; initdb and the server refuse to run as
// root, so that root drops to another user for them.
func startPostgres(t *testing.T) postgres {
	t.Helper()
	p := postgres{bin: postgresBin(t), password: rand.Text()}
	owner, credential := postgresUser(t)
	// Not t.TempDir: the other user could not reach into it.
	dir, err := os.MkdirTemp("", "toolverdict-e2e-pg-") //nolint:usetesting // see above
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	passwords := filepath.Join(dir, "password")
	if err := os.WriteFile(passwords, []byte(p.password), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, passwords} {
		if err := os.Chown(path, owner, -1); err != nil {
			t.Fatal(err)
		}
	}
	data := filepath.Join(dir, "data")
	initdb := exec.Command(filepath.Join(p.bin, "initdb"), "-D", data, "-U", "owner", "-A", "scram-sha-256", "--pwfile", passwords, "--no-sync", "-E", "UTF8", "--locale", "C")
	initdb.SysProcAttr = &syscall.SysProcAttr{Credential: credential}
	initdb.Dir = dir
	if out, err := initdb.CombinedOutput(); err != nil {
		t.Fatalf("initdb: %v\n%s", err, out)
	}
	if p.port, err = rig.FreePort(); err != nil {
		t.Fatal(err)
	}
	server := start(t, rig.Spec{Dir: dir, User: credential, Argv: []string{filepath.Join(p.bin, "postgres"), "-D", data,
		"-h", "127.0.0.1", "-p", strconv.Itoa(p.port), "-k", "", "-F"}})
	// It listens before it lets anyone in.
	if _, err := server.WaitLine(t.Context(), "database system is ready to accept connections"); err != nil {
		t.Fatal(err)
	}
	p.url = fmt.Sprintf("postgresql://owner:%s@127.0.0.1:%d/postgres", p.password, p.port)
	return p
}

func postgresBin(t *testing.T) string {
	t.Helper()
	if path, err := exec.LookPath("initdb"); err == nil {
		if path, err := filepath.EvalSymlinks(path); err == nil {
			return filepath.Dir(path)
		}
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if len(found) == 0 {
		t.Fatal("PostgreSQL's initdb is missing: run `make test`, or e2e/setup.sh once")
	}
	return filepath.Dir(found[len(found)-1])
}

// postgresUser is who the cluster belongs to: the caller, or another user when the caller is root.
func postgresUser(t *testing.T) (int, *syscall.Credential) {
	t.Helper()
	if os.Getuid() != 0 {
		return os.Getuid(), nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, uidErr := strconv.ParseUint(u.Uid, 10, 32)
		gid, gidErr := strconv.ParseUint(u.Gid, 10, 32)
		if uidErr == nil && gidErr == nil {
			return int(uid), &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		}
	}
	t.Fatal("PostgreSQL does not run as root, and there is no user postgres or nobody to run it as: create one")
	return 0, nil
}
