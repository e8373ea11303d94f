// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package toolname_test

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/toolverdict/toolverdict/wire/toolname"
)

func TestShortNames(t *testing.T) {
	t.Parallel()
	long := "orders/" + strings.Repeat("x", 80)
	full := []string{"orders/refund", "a__b/c", "a/b__c", "7/x", "-/x", "orders/get.it", "日本/本", long}
	table := toolname.New(full)
	for name, want := range map[string]string{
		"orders/refund": "orders__refund", "7/x": "_7__x", "-/x": "_-__x", "orders/get.it": "orders__get_it", "日本/本": "_____",
	} {
		if got, ok := table.Short(name); !ok || got != want {
			t.Errorf("%s is called %q, %v, want %q", name, got, ok, want)
		}
	}
	for _, name := range []string{"a__b/c", "a/b__c", long} {
		got, ok := table.Short(name)
		if !ok || len(got) > toolname.Longest || got == "a__b__c" {
			t.Errorf("%s is called %q, %v", name, got, ok)
		}
	}
	if got, ok := table.Full("a__b__c"); ok {
		t.Errorf("a name that two tools could have means %s", got)
	}
}

// TestNoNameMeansTwoTools holds for any catalog, also one that was made to
// deceive: what a name means is the tool of that name.
func TestNoNameMeansTwoTools(t *testing.T) {
	t.Parallel()
	fits := regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]{0,63}$`)
	rapid.Check(t, func(t *rapid.T) {
		full := rapid.SliceOfDistinct(rapid.StringMatching(`[ab_./7-]{0,6}/[ab_.]{1,80}`), rapid.ID[string]).Draw(t, "names")
		first := toolname.New(full)
		for _, name := range full { // and a tool that is named like the short name of another
			if short, ok := first.Short(name); ok && rapid.Bool().Draw(t, "twin") {
				full = append(full, strings.Replace(short, "__", "/", 1))
			}
		}
		table := toolname.New(full)
		for _, name := range full {
			short, ok := table.Short(name)
			if !ok {
				continue
			}
			if back, ok := table.Full(short); !ok || back != name || !fits.MatchString(short) {
				t.Fatalf("%q is called %q, which means %q", name, short, back)
			}
		}
	})
}
