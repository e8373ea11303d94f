// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package scan_test

import (
	"testing"

	"github.com/toolverdict/toolverdict/effect/sql/internal/postgres/internal/scan"
)

func TestEscaped(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`SELECT 'a\'' ; x`:             `SELECT  E'a\'' ; x`,
		`SELECT 'a\\'`:                 `SELECT  E'a\\'`,
		"SELECT 'a'\n'b\\''":           "SELECT  E'a'\n'b\\''", // goes on with the first
		`SELECT 'a' || 'b\''`:          `SELECT  E'a' ||  E'b\''`,
		`SELECT E'a' 'b\''`:            `SELECT E'a' 'b\''`,
		`SELECT N'a\''`:                `SELECT  E'a\''`,
		`SELECT b'0', X'1', 'a\''`:     `SELECT b'0', X'1',  E'a\''`,
		`SELECT ab'0\''`:               `SELECT ab E'0\''`, // ab is a word of its own
		`SELECT "a\'", 'b'`:            `SELECT "a\'",  E'b'`,
		`SELECT $$a\'$$, $x$'$x$, 'b'`: `SELECT $$a\'$$, $x$'$x$,  E'b'`,
		`SELECT /* \' */ 'b' -- '`:     `SELECT /* \' */  E'b' -- '`,
		`SELECT 'a''\''`:               `SELECT  E'a''\''`,
		`SELECT 'a\' || E'b\`:          `SELECT  E'a\' || E'b\`, // ends within
		"SELECT E'a'\n'\\'' || 'b'":    "SELECT E'a'\n'\\'' ||  E'b'",
		`SELECT "\'", 'b\`:             `SELECT "\'",  E'b\`,
	} {
		if got, ok := scan.Escaped(text); got != want || !ok {
			t.Errorf("%s\ngot  %s, %v\nwant %s", text, got, ok, want)
		}
	}
	for _, same := range []string{"", "SELECT 'a'", `SELECT 'a\b'`, `SELECT U&'\''`} {
		if got, ok := scan.Escaped(same); ok {
			t.Errorf("%s: %s", same, got)
		}
	}
}
