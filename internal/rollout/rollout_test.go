// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package rollout_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/bundle"
	"github.com/toolverdict/toolverdict/internal/rollout"
)

var at = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func point(hash, version string) rollout.Point {
	return rollout.Point{Hash: strings.Repeat(hash, 16), Version: version, Origin: "files", At: at}
}

func TestFind(t *testing.T) {
	t.Parallel()
	kept := []rollout.Point{point("abcd", "v3"), point("abce", "v2"), point("1234", "v2"), point("5678", "12341234")}
	for name, c := range map[string]struct {
		name, want string
		err        error
	}{
		"label":                      {"v3", "abcd", nil},
		"whole hash":                 {strings.Repeat("abce", 16), "abce", nil},
		"start of a hash":            {"abcdabcd", "abcd", nil},
		"too short a start":          {"abcdabc", "", tv.ErrNotFound},
		"label of two":               {"v2", "", rollout.ErrAmbiguous},
		"label and start of another": {"12341234", "", rollout.ErrAmbiguous},
		"nothing":                    {"v9", "", tv.ErrNotFound},
		"empty":                      {"", "", tv.ErrNotFound},
	} {
		got, err := rollout.Find(kept, c.name)
		if !errors.Is(err, c.err) || c.err == nil && !strings.HasPrefix(got.Hash, c.want) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

// TestOldBundles: what was accepted once bounds what can be accepted.
func TestOldBundles(t *testing.T) {
	t.Parallel()
	m := rollout.Mark{Serial: 7, Digest: "a"}
	for name, c := range map[string]struct {
		serial int64
		digest string
		good   bool
	}{
		"newer": {8, "b", true}, "the same": {7, "a", true}, "older": {6, "c", false}, "another of the same serial": {7, "b", false},
		"older of the same digest": {6, "a", false},
	} {
		if err := m.Judge(c.serial, c.digest); (err == nil) != c.good {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := (rollout.Mark{}).Judge(1, "a"); err != nil {
		t.Errorf("the first: %v", err)
	}
}

func TestStandings(t *testing.T) {
	t.Parallel()
	first := rollout.Standing{}.Sourced(point("aaaa", "v1"))
	held := first.Held(rollout.Hold{Point: point("bbbb", "v0"), By: "ann"}).WithRefusal(&rollout.Refusal{Reason: "r"})
	for name, c := range map[string]struct {
		s    rollout.Standing
		want string
	}{
		"of the sources": {first, "v1"}, "held": {held, "v0"}, "released": {held.Released(), "v1"}, "sources again": {held.Sourced(point("cccc", "v2")), "v2"},
	} {
		if got := c.s.Active().Version; got != c.want {
			t.Errorf("%s: %s is active", name, got)
		}
	}
	if held.Source.Version != "v1" || first.Hold != nil || held.Released().Refused == nil || held.Sourced(point("cccc", "v2")).Refused != nil {
		t.Errorf("%+v", held)
	}
	if a, b := rollout.Place([]string{"a", "b"}), rollout.Place([]string{"a"}); a == b || rollout.Place([]string{"a"}) != b {
		t.Error("places are not told apart")
	}
}

func TestVersionsAsBytes(t *testing.T) {
	t.Parallel()
	v := rollout.Version{Point: point("aaaa", "v1"), Files: []bundle.File{{Name: "a", Content: []byte{0xff, 0}}}, Bundle: []byte("b")}
	body, packed, err := v.Encode()
	if err != nil {
		t.Fatal(err)
	}
	got, err := rollout.DecodeVersion(body, packed)
	if diff := cmp.Diff(v, got); diff != "" || err != nil {
		t.Error(diff, err)
	}
	for name, c := range map[string][2][]byte{
		"no body": {nil, packed}, "no content": {body, nil}, "cut": {body, packed[:len(packed)-9]}, "another form": {body, bytes.Repeat([]byte("a"), 100)},
	} {
		if _, err := rollout.DecodeVersion(c[0], c[1]); err == nil {
			t.Errorf("%s: it was read", name)
		}
	}
}
