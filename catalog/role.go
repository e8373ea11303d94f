// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"maps"
	"slices"
	"strings"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/strictyaml"
)

// roleWords are the roles an argument may have; code may be followed by any
// language.
func roleWords() []string {
	return []string{
		"shell", "shell:bash", "shell:posix", "sql:postgres", "sql:mysql", "sql:sqlite",
		"path", "patch", "url", "email", "header", "money", "code",
	}
}

// roleKeys are the keys that a role of the kind may have beside role, optional
// and default.
func roleKeys(kind toolverdict.RoleKind) []string {
	switch kind {
	case toolverdict.RoleShell, toolverdict.RolePatch:
		return []string{"base", "baseFrom"}
	case toolverdict.RolePath:
		return []string{"uses", "deep", "glob", "verbatim", "base", "baseFrom"}
	case toolverdict.RoleURL:
		return []string{"base", "resolve"}
	case toolverdict.RoleEmail:
		return []string{"field", "single"}
	case toolverdict.RoleMoney:
		return []string{"currency", "currencyFrom", "minor", "negative"}
	default: // sql, header, code
		return nil
	}
}

func (r *reader) roles(n strictyaml.Node) map[string]toolverdict.Role {
	roles := map[string]toolverdict.Role{}
	r.mapping(n, "roles", nil, func(k, v strictyaml.Node) {
		r.pointer(k, "roles", true)
		roles[k.Text] = r.role(k.Text, v)
	})
	if n.Kind == strictyaml.Map && len(n.Keys) == 0 {
		r.at(n, "roles is empty: leave the key out for none")
	}
	return roles
}

// role reads a word, or a mapping with more to say.
func (r *reader) role(pointer string, n strictyaml.Node) toolverdict.Role {
	what := "role of " + pointer
	if n.Kind != strictyaml.Map {
		return r.roleWord(n, what)
	}
	i := slices.IndexFunc(n.Keys, func(k strictyaml.Node) bool { return k.Text == "role" })
	if i < 0 {
		r.at(n, "%s: the key role is missing: say what the argument is, such as role: path", what)
		return toolverdict.Role{}
	}
	role := r.roleWord(n.Values[i], what)
	if role.Kind == "" {
		return role
	}
	known := append([]string{"role", "optional", "default"}, roleKeys(role.Kind)...)
	r.mapping(n, what, known, func(k, v strictyaml.Node) { r.roleField(&role, k.Text, v) })
	switch {
	case role.Optional && role.Default != "":
		r.at(n, "%s: optional and default contradict each other: without the argument the tool does nothing, or takes a default", what)
	case role.BaseFrom != "" && role.Base != "":
		r.at(n, "%s: base and baseFrom contradict each other: name one", what)
	case role.CurrencyFrom != "" && role.Currency != "":
		r.at(n, "%s: currency and currencyFrom contradict each other: name one", what)
	}
	return role
}

func (r *reader) roleWord(n strictyaml.Node, what string) toolverdict.Role {
	word := n.Text
	if language, ok := strings.CutPrefix(word, "code:"); !ok || !isGroup(language) || n.Tag != "str" {
		word = r.word(n, what, roleWords()...)
	}
	kind, dialect, _ := strings.Cut(word, ":")
	return toolverdict.Role{Kind: toolverdict.RoleKind(kind), Dialect: dialect}
}

func (r *reader) roleField(role *toolverdict.Role, key string, n strictyaml.Node) {
	switch key {
	case "optional":
		role.Optional = r.flag(n, key)
	case "default":
		role.Default = r.text(n, key)
	case "uses":
		role.Uses = r.texts(n, key)
		for i := range role.Uses {
			r.word(n.Items[i], "an element of uses", "read", "write", "delete", "list")
		}
	case "deep":
		role.Deep = r.flag(n, key)
	case "glob":
		role.Glob = r.flag(n, key)
	case "verbatim":
		role.Verbatim = r.flag(n, key)
	case "base":
		role.Base = r.text(n, key)
	case "baseFrom":
		role.BaseFrom = r.baseFrom(n, key)
	case "field":
		role.Field = r.word(n, key, "to", "cc", "bcc")
	case "single":
		role.Single = r.flag(n, key)
	case "currency":
		role.Currency = r.text(n, key)
	case "currencyFrom":
		role.CurrencyFrom = r.exactPointer(n, key)
	case "minor":
		role.Minor = r.flag(n, key)
	case "negative":
		role.Negative = r.flag(n, key)
	case "resolve":
		role.Resolve = r.flag(n, key)
	}
}

// baseFrom reads the pointer of an argument, or env.NAME for a fact of the host.
func (r *reader) baseFrom(n strictyaml.Node, what string) string {
	if name, fact := strings.CutPrefix(n.Text, "env."); fact && n.Tag == "str" && isGroup(name) {
		return n.Text
	}
	return r.exactPointer(n, what)
}

func (r *reader) exactPointer(n strictyaml.Node, what string) string {
	s := r.text(n, what)
	if s != "" {
		r.pointer(n, what, false)
	}
	return s
}

// flag reads true or false.
func (r *reader) flag(n strictyaml.Node, what string) bool {
	if n.Kind != strictyaml.Scalar || n.Tag != "bool" {
		r.at(n, "%s must be true or false", what)
	}
	return n.Text == "true"
}

// place reads where a tool works.
func (r *reader) place(n strictyaml.Node) toolverdict.Place {
	var p toolverdict.Place
	r.mapping(n, "place", []string{"root", "home", "windows", "foldsCase", "links"}, func(k, v strictyaml.Node) {
		switch k.Text {
		case "root":
			p.Root = r.text(v, k.Text)
		case "home":
			p.Home = r.text(v, k.Text)
		case "windows":
			p.Windows = r.flag(v, k.Text)
		case "foldsCase":
			p.Folded = r.flag(v, k.Text)
		case "links":
			p.Links = r.flag(v, k.Text)
		}
	})
	for what, folder := range map[string]string{"root": p.Root, "home": p.Home} {
		if folder != "" && !absolute(folder, p.Windows) {
			r.at(n, "place: %s must be an absolute folder, such as /srv/app", what)
		}
	}
	if p.Links && p.Root == "" {
		r.at(n, "place: links needs a root: links are followed below it")
	}
	if n.Kind == strictyaml.Map && len(n.Keys) == 0 {
		r.at(n, "place is empty: leave the key out, or name a root")
	}
	return p
}

func absolute(folder string, windows bool) bool {
	if !windows {
		return strings.HasPrefix(folder, "/")
	}
	drive := len(folder) > 2 && folder[1] == ':' && (folder[2] == '\\' || folder[2] == '/')
	return drive || strings.HasPrefix(folder, `\\`)
}

// pointed lists the arguments that roles name: those they are about, and those
// they read beside them.
func pointed(roles map[string]toolverdict.Role) []string {
	var out []string
	for _, at := range slices.Sorted(maps.Keys(roles)) {
		out = append(out, at)
		role := roles[at]
		for _, beside := range []string{role.BaseFrom, role.CurrencyFrom} {
			if _, fact := role.BaseFact(); beside != "" && (!fact || beside != role.BaseFrom) {
				out = append(out, beside)
			}
		}
	}
	return out
}
