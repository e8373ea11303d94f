// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package policies_test

import (
	"context"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/toolverdict/toolverdict/internal/bundle"
	"github.com/toolverdict/toolverdict/internal/config"
	"github.com/toolverdict/toolverdict/internal/daemon/bundles"
	"github.com/toolverdict/toolverdict/internal/daemon/policies"
)

func TestBundle(t *testing.T) {
	t.Parallel()
	l := newLab(t).withBundle()
	l.write("own")
	ctx := t.Context()
	l.serve(nil, http.StatusNotFound)
	if err := l.keeper().Start(ctx); err == nil || !strings.Contains(err.Error(), "no earlier bundle") {
		t.Errorf("started without a bundle: %v", err)
	}
	l.publish(7, "org1", nil)
	k := l.start()
	if s := k.wants("org1+own"); s.Active.Origin != "files and bundle prod 7" || s.Bundle.Serial != 7 || !s.Bundle.Expires.IsZero() || s.Bundle.Key != key(1).Public().ID() || !s.Bundle.Checked.Equal(start) {
		t.Errorf("%+v %+v", s.Active, s.Bundle)
	}
	l.pass(time.Minute)
	if err := k.Pull(ctx); err != nil { // with the tag: not sent again
		t.Fatal(err)
	}
	if s := k.wants("org1+own"); !s.Bundle.Checked.Equal(start.Add(time.Minute)) {
		t.Errorf("checked %v", s.Bundle.Checked)
	}
	l.publish(8, "org2", nil)
	if err := k.Pull(ctx); err != nil {
		t.Fatal(err)
	}
	k.wants("org2+own")
	// Files and bundle change apart from each other.
	l.write("own2")
	if err := k.Reload(ctx); err != nil {
		t.Fatal(err)
	}
	k.wants("org2+own2")
	l.write("BAD")
	if err := k.Reload(ctx); err == nil {
		t.Error("took a bad file")
	}
	l.publish(9, "org3", nil)
	if err := k.Pull(ctx); err != nil {
		t.Fatal(err)
	}
	k.wants("org3+own2")
	// A start goes on with what was accepted last when nobody answers.
	l.write("own2")
	l.serve(nil, http.StatusBadGateway)
	next := l.start()
	if s := next.wants("org3+own2"); s.Refused == nil || !strings.Contains(s.Refused.Reason, "status 502") || s.Bundle.Serial != 9 {
		t.Errorf("%+v %+v", s.Refused, s.Bundle)
	}
	if err := next.Pull(ctx); err == nil {
		t.Error("pulled from a server that is broken")
	}
	if n := strings.Count(l.logs.String(), "status 502"); n != 1 {
		t.Errorf("said %d times", n)
	}
	l.publish(9, "org3", nil)
	if err := next.Pull(ctx); err != nil {
		t.Fatal(err)
	}
	if s := next.wants("org3+own2"); s.Refused != nil {
		t.Errorf("%+v", s.Refused)
	}
}

// TestHostileBundles: whoever holds the server, the network or another key gets
// nothing in force, and takes nothing away.
func TestHostileBundles(t *testing.T) {
	t.Parallel()
	l := newLab(t).withBundle()
	l.write("own")
	old := l.publish(6, "weak", nil)
	stranger, err := bundle.Sign(bundle.Bundle{Name: "prod", Serial: 99, Created: start, Files: []bundle.File{{Name: "a", Content: []byte("evil")}}}, key(2))
	if err != nil {
		t.Fatal(err)
	}
	l.publish(7, "org", nil)
	k := l.start()
	good := l.publish(7, "org", nil)
	for name, c := range map[string]struct {
		answer []byte
		word   string
	}{
		"an older one":       {old, "an old bundle is not taken up again"},
		"another's":          {stranger, "no trusted key"},
		"unsigned":           {[]byte("policy: evil\n"), "not a policy bundle"},
		"nothing":            {nil, "not a policy bundle"},
		"a page":             {[]byte("<html>"), "not a policy bundle"},
		"half of it":         {good[:len(good)-5], "not a policy bundle"},
		"the same serial":    {l.publish(7, "evil", nil), "another bundle with serial 7"},
		"for another gate":   {l.publish(8, "evil", func(b *bundle.Bundle) { b.Name = "staging" }), `for "staging"`},
		"one that is over":   {l.publish(8, "evil", func(b *bundle.Bundle) { b.Created = start.Add(-time.Hour); b.Expires = start }), "it ended at"},
		"one that is broken": {l.publish(8, "BAD", nil), "org.yaml:1:1: this is BAD"},
		"too large":          {make([]byte, 1<<20+1), "more than 1048576 bytes"},
		"clashes with files": {l.publish(1<<53-1, "BAD huge serial", nil), "this is BAD"},
	} {
		l.serve(c.answer, http.StatusOK)
		err := k.Pull(t.Context())
		if err == nil || !strings.Contains(err.Error(), c.word) {
			t.Errorf("%s: got %v, want %q", name, err, c.word)
		}
		k.refuses(err, c.word)
		k.wants("org+own")
	}
	// None of them raised what is accepted next.
	l.publish(8, "org2", nil)
	if err := k.Pull(t.Context()); err != nil {
		t.Fatal(err)
	}
	k.wants("org2+own")
	// Not even to a gate that starts with what the store kept is an older one new.
	l.serve(good, http.StatusOK)
	next := l.start()
	next.wants("org2+own")
	// And not to one with another configuration on the same store.
	other := l.keeper()
	other.Place = "elsewhere"
	if err := other.Start(t.Context()); err == nil || !strings.Contains(err.Error(), "an old bundle") {
		t.Errorf("%v", err)
	}
}

// TestOtherConfiguration: a gate whose source is behind that of another one on
// the same store keeps what it accepted, and its own files go on counting.
func TestOtherConfiguration(t *testing.T) {
	t.Parallel()
	l := newLab(t).withBundle()
	l.write("own")
	old := l.publish(7, "org", nil)
	k := l.start()
	l.publish(8, "org2", nil)
	other := l.keeper()
	other.Place = "elsewhere"
	if err := other.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	l.serve(old, http.StatusOK)
	l.write("own2")
	if err := k.Reload(t.Context()); err != nil {
		t.Error(err)
	}
	if err := k.Pull(t.Context()); err != nil {
		t.Error(err)
	}
	k.wants("org+own2")
	l.publish(8, "org2", nil)
	if err := k.Pull(t.Context()); err != nil {
		t.Error(err)
	}
	k.wants("org2+own2")
}

// TestFollowersFetch: one process accepted a newer bundle, which ended a
// rollback; the others fetch it before they go on, and not what was wrong.
func TestFollowersFetch(t *testing.T) {
	t.Parallel()
	l := newLab(t).withBundle()
	l.write("own")
	l.publish(1, "good", nil)
	one := l.start()
	l.publish(2, "wrong", nil)
	if err := one.Pull(t.Context()); err != nil {
		t.Fatal(err)
	}
	two := l.start()
	if _, err := one.Rollback(t.Context(), "ann", "vgood+own", ""); err != nil {
		t.Fatal(err)
	}
	two.Follow(t.Context())
	two.wants("good+own")
	l.publish(3, "right", nil)
	if err := one.Pull(t.Context()); err != nil {
		t.Fatal(err)
	}
	one.wants("own+right")
	two.g.bad = "wrong" // nobody may see it again
	two.Follow(t.Context())
	if s := two.wants("own+right"); s.Refused != nil {
		t.Errorf("%+v", s.Refused)
	}
}

// TestFreeze: who keeps newer bundles away gains nothing beyond the end of the
// one that is there.
func TestFreeze(t *testing.T) {
	t.Parallel()
	l := newLab(t).withBundle()
	l.write("own")
	until := start.Add(time.Hour)
	l.publish(1, "org", func(b *bundle.Bundle) { b.Expires = until })
	k := l.start()
	ends := func(want time.Time) {
		t.Helper()
		if s := k.wants("org+own"); !k.g.until.Equal(want) || !s.Bundle.Expires.Equal(want) {
			t.Errorf("it ends at %v, want %v", k.g.until, want)
		}
	}
	ends(until)
	l.write("own # again")
	if err := k.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	ends(until)
	if err := k.Locked(func(again func(context.Context) error) error { return again(t.Context()) }); err != nil {
		t.Fatal(err)
	}
	ends(until)
	l.pass(2 * time.Hour) // the server goes on saying that nothing is new
	if err := k.Pull(t.Context()); err != nil {
		t.Fatal(err)
	}
	ends(until)
	// The same rules, signed anew, last longer; also while somebody went back.
	l.publish(2, "org", func(b *bundle.Bundle) { b.Expires = until.Add(3 * time.Hour) })
	if err := k.Pull(t.Context()); err != nil {
		t.Fatal(err)
	}
	ends(until.Add(3 * time.Hour))
	l.publish(3, "org2", func(b *bundle.Bundle) { b.Expires = until.Add(4 * time.Hour) })
	if err := k.Pull(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := k.Rollback(t.Context(), "ann", "vorg+own", ""); err != nil {
		t.Fatal(err)
	}
	ends(until.Add(4 * time.Hour))
	l.publish(4, "org2", func(b *bundle.Bundle) { b.Expires = until.Add(5 * time.Hour) })
	if err := k.Pull(t.Context()); err != nil {
		t.Fatal(err)
	}
	ends(until.Add(5 * time.Hour))
	if s, _ := k.Status(t.Context()); s.Hold == nil || s.Source.Origin != "files and bundle prod 4" {
		t.Errorf("the same rules with a newer serial ended a rollback: %+v", s)
	}
	l.serve(nil, http.StatusBadGateway)
	k = l.start() // with the newest one that was accepted
	ends(until.Add(5 * time.Hour))
	l.publish(5, "org3", nil)
	if err := k.Pull(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s := k.wants("org3+own"); s.Hold != nil || !k.g.until.IsZero() {
		t.Errorf("%+v, ends %v", s.Hold, k.g.until)
	}
}

// TestTrustThatEnds: what the store kept counts as far as the configuration
// still trusts who signed it.
func TestTrustThatEnds(t *testing.T) {
	t.Parallel()
	l := newLab(t).withBundle()
	l.write("own")
	l.publish(1, "org", nil)
	k := l.start()
	l.publish(2, "org2", nil)
	if err := k.Pull(t.Context()); err != nil {
		t.Fatal(err)
	}
	l.conf.Keys = []string{key(3).Public().String()}
	if err := l.keeper().Start(t.Context()); err == nil {
		t.Error("started with a bundle whose key is no longer trusted")
	}
	// While a key is replaced, bundles carry two signatures.
	b := bundle.Bundle{Name: "prod", Serial: 3, Created: start, Files: []bundle.File{{Name: "a", Content: []byte("org3")}}}
	both, err := bundle.Sign(b, key(1), key(3))
	if err != nil {
		t.Fatal(err)
	}
	l.serve(both, http.StatusOK)
	k = l.start()
	k.wants("org3+own")
	if _, err := k.Rollback(t.Context(), "ann", "vorg+own", ""); err == nil || !strings.Contains(err.Error(), "no trusted key") {
		t.Errorf("went back to what nobody trusted signed: %v", err)
	}
	// Without the bundle, what was made with it cannot be checked.
	l.conf = nil
	k = l.start()
	k.wants("own")
	if _, err := k.Rollback(t.Context(), "ann", "vorg3+own", ""); err == nil || !strings.Contains(err.Error(), "names none") {
		t.Errorf("%v", err)
	}
	l.withBundle()
	l.serve(both, http.StatusOK)
	k = l.start()
	k.wants("org3+own")
	if _, err := k.Rollback(t.Context(), "ann", "vown", ""); err == nil || !strings.Contains(err.Error(), "without the bundle") {
		t.Errorf("%v", err)
	}
}

// TestWanted: what is known offline is what was accepted, and fetches nothing.
func TestWanted(t *testing.T) {
	t.Parallel()
	l := newLab(t).withBundle()
	l.write("own")
	l.publish(1, "org", nil)
	if _, err := l.keeper().Wanted(t.Context()); err == nil || !strings.Contains(err.Error(), "no bundle was accepted yet") {
		t.Errorf("%v", err)
	}
	k := l.start()
	l.publish(2, "org2", nil)
	if err := k.Pull(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := k.Rollback(t.Context(), "ann", "vorg+own", ""); err != nil {
		t.Fatal(err)
	}
	fetched := l.fetched
	names := func(set policies.Set, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, f := range set.Policies {
			out = append(out, f.Name+"="+string(f.Content))
		}
		return strings.Join(out, " ")
	}
	other := l.keeper()
	if got := names(other.Wanted(t.Context())); !strings.HasPrefix(got, "kept:") || !strings.HasSuffix(got, "=own bundle:prod#1/org.yaml=org") {
		t.Errorf("wanted: %s", got)
	}
	if got := names(other.Sources(t.Context())); got != l.path+"=own bundle:prod#2/org.yaml=org2" {
		t.Errorf("sources: %s", got)
	}
	if l.fetched != fetched {
		t.Error("it fetched")
	}
}

// TestOwnAuthority trusts the certificates that the configuration names.
func TestOwnAuthority(t *testing.T) {
	t.Parallel()
	ts := httptest.NewTLSServer(http.NotFoundHandler())
	defer ts.Close()
	path := filepath.Join(t.TempDir(), "ca.pem")
	l := newLab(t)
	for text, word := range map[string]string{
		"": "there is none in",
		string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: ts.Certificate().Raw})): "status 404",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		conf := &config.Bundle{Name: "prod", URL: ts.URL, Keys: []string{key(1).Public().String()}, Interval: time.Minute, Timeout: time.Minute, MaxBytes: 1024, CA: path}
		s, err := bundles.New(conf, nil, l.clock)
		if err == nil {
			var k *policies.Keeper
			k, err = policies.New(policies.Config{
				Gate: &gate{}, Journal: l.j, Source: s, Read: func() (policies.Set, error) { return policies.Set{}, nil },
				Place: "p", Now: l.clock, Text: strings.ToLower, Log: quiet(),
			})
			if err != nil {
				t.Fatal(err)
			}
			err = k.Start(t.Context())
		}
		if err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("got %v, want %q", err, word)
		}
	}
}
