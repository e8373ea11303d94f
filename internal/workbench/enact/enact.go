// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package enact makes calls that would have wanted effects: a command, a
// statement, a path, an address. What it makes is a guess, which its caller has
// analysed before it believes it.
package enact

import (
	"maps"
	"slices"
	"strings"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/effect"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/policy/compare"
)

// Maker makes calls, and has them analysed as the gate does.
func Maker() compare.Maker { return compare.Maker{Make: Make, Analyse: effect.Effects} }

// most bounds how many forms of one call are made.
const most = 32

// Make returns arguments of a tool, each built on the given ones, of which some
// may have these effects; none where no argument of the tool can express them.
func Make(t *tv.Tool, given tv.Value, effects []tv.Effect) []tv.Value {
	w := writing{roles: map[string]tv.Role{}, said: map[string][]string{}}
	for at, role := range t.Roles() {
		if strings.Count(at, "/") == 1 && !strings.ContainsAny(at, "*~") { // deeper ones are not built
			w.roles[at] = role
			w.order = append(w.order, at)
		}
	}
	slices.Sort(w.order)
	for i := range effects {
		if !w.express(&effects[i]) {
			return nil
		}
	}
	made := []tv.Value{given}
	for _, at := range slices.Sorted(maps.Keys(w.said)) {
		var next []tv.Value
		for _, form := range forms(w.roles[at].Kind, w.said[at]) {
			for _, before := range made {
				next = append(next, with(before, at[1:], form))
			}
		}
		made = next[:min(len(next), most)]
	}
	return made
}

// writing is what the arguments are to say so far.
type writing struct {
	roles map[string]tv.Role
	order []string
	said  map[string][]string // texts, by pointer
}

// express finds an argument that can say the effect.
func (w *writing) express(e *tv.Effect) bool {
	for _, at := range w.order {
		text, ok := say(w.roles[at], e)
		switch {
		case !ok:
			continue
		case slices.Contains(w.said[at], text):
			return true
		case len(w.said[at]) > 0 && alone(w.roles[at].Kind):
			continue
		}
		w.said[at] = append(w.said[at], text)
		return true
	}
	return false
}

// alone reports whether an argument of the kind says one thing only.
func alone(k tv.RoleKind) bool {
	return !slices.Contains([]tv.RoleKind{tv.RoleShell, tv.RoleSQL, tv.RoleEmail}, k)
}

// say writes an effect for a role.
func say(r tv.Role, e *tv.Effect) (string, bool) {
	switch r.Kind {
	case tv.RoleShell:
		return command(e)
	case tv.RoleSQL:
		return statement(e)
	case tv.RolePath:
		use := map[tv.EffectKind]string{tv.EffectRead: "read", tv.EffectWrite: "write", tv.EffectDelete: "delete"}[e.Kind]
		if e.Names {
			use = "list"
		}
		return e.Path, e.Path != "" && slices.Contains(r.Uses, use)
	case tv.RoleURL:
		return address(e)
	case tv.RoleEmail:
		return recipient(e)
	case tv.RoleMoney:
		return e.Amount, e.Kind == tv.EffectSpend && e.Amount != ""
	case tv.RoleCode, tv.RoleHeader:
		return "x", e.Kind == tv.EffectOpaque
	case tv.RolePatch: // its text is not made up
	}
	return "", false
}

func address(e *tv.Effect) (string, bool) {
	if e.Kind != tv.EffectConnect {
		return "", false
	}
	host, scheme := e.Host, e.Scheme
	if host == "" {
		host = e.IP
	}
	if inner := inside(e.Network); e.IP == "" && inner != "" { // the name does not tell where it leads
		host = inner
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if scheme == "" {
		scheme = "https"
	}
	if e.Port > 0 {
		host += ":" + canon.IntNumber(int64(e.Port)).String()
	}
	return scheme + "://" + host + "/", host != ""
}

// inside is an address of a network that is not the public one.
func inside(network string) string {
	return map[string]string{
		"private": "10.0.0.1", "loopback": "127.0.0.1", "link-local": "169.254.1.1", "metadata": "169.254.169.254", "reserved": "240.0.0.1",
	}[network]
}

func recipient(e *tv.Effect) (string, bool) {
	switch {
	case e.Kind != tv.EffectSend:
		return "", false
	case e.Recipient != "":
		return e.Recipient, true
	}
	return "somebody@" + e.Domain, e.Domain != ""
}

// forms are the values that may carry texts in an argument.
func forms(k tv.RoleKind, texts []string) []tv.Value {
	list := make([]tv.Value, len(texts))
	for i, s := range texts {
		list[i] = canon.String(s)
	}
	joined := canon.String(strings.Join(texts, map[tv.RoleKind]string{tv.RoleEmail: ", "}[k]))
	if k == tv.RoleShell || k == tv.RoleSQL {
		joined = canon.String(strings.Join(texts, "; "))
	}
	out := []tv.Value{joined, canon.Array(list...)}
	if n, err := canon.Parse([]byte(texts[0]), canon.Limits{}); err == nil && n.Kind() == canon.KindNumber {
		out = append(out, n)
	}
	return out
}

// with returns an object with one member set.
func with(v tv.Value, name string, to tv.Value) tv.Value {
	members := slices.DeleteFunc(slices.Clone(v.Members()), func(m canon.Member) bool { return m.Name == name })
	return canon.Object(append(members, canon.Member{Name: name, Value: to})...)
}
