// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package grants

import (
	"fmt"
	stdpath "path"
	"slices"
	"strings"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
)

// under frees paths by what the tool would touch, not by their text: a link, a
// dot-dot and a relative path are followed before.
func (f *Free) under(p *place) (bound, error) {
	element := canon.KindString
	if p.value.Kind() == canon.KindArray {
		element = canon.KindArray
	}
	if err := p.wants(tv.RolePath, element, "under"); err != nil {
		return bound{}, err
	}
	if err := folders(p.at, f.Under); err != nil {
		return bound{}, err
	}
	kinds, err := p.kinds(tv.EffectRead, tv.EffectWrite, tv.EffectDelete)
	if err != nil {
		return bound{}, err
	}
	b := bound{
		when: p.list(tests{"type": "string"}), words: "at or below " + strings.Join(f.Under, ", "),
		effects: []tests{{"kind": kinds, "all": []any{p.source(), tests{"path": tests{"under": f.Under}}}}},
	}
	name := stdpath.Base(p.value.Text())
	if p.value.Kind() == canon.KindArray || name == "." || name == "/" {
		name = "example.txt"
	}
	for _, folder := range f.Under {
		b.inside = append(b.inside, p.one(folder+"/"+name), p.one(folder+"/example.txt"), p.one(folder+"/a/b.txt"), p.one(folder+"/other.txt"))
		b.outside = append(b.outside, p.one(folder+"-other/"+name), p.one(folder+"/../"+name))
	}
	b.outside = append(b.outside, p.one("/etc/passwd"))
	return b, nil
}

// one is a text as the argument has it: in a list where it is one.
func (p *place) one(text string) canon.Value {
	if p.value.Kind() == canon.KindArray {
		return canon.Array(canon.String(text))
	}
	return canon.String(text)
}

// folders refuses what would let everything through.
func folders(at string, list []string) error {
	for _, folder := range list {
		rest := folder
		if len(folder) > 2 && folder[1] == ':' { // on Windows
			rest = folder[2:]
		}
		if !strings.HasPrefix(rest, "/") || stdpath.Clean(rest) != rest || rest == "/" {
			return refused("under of %s: %s is no folder below the root, written from there and without a slash at its end", at, canon.Quote(folder))
		}
	}
	return nil
}

// kinds are those of the argument's effects, all of which must be of some.
func (p *place) kinds(of ...tv.EffectKind) ([]tv.EffectKind, error) {
	var out []tv.EffectKind
	for _, e := range p.effects {
		if !slices.Contains(of, e.Kind) {
			return nil, refused("the argument %s does more than this form bounds (%s): it stays as it is", p.at, e.Kind)
		}
		if !slices.Contains(out, e.Kind) {
			out = append(out, e.Kind)
		}
	}
	return out, nil
}

func (f *Free) hosts(p *place) (bound, error) {
	if err := p.wants(tv.RoleURL, canon.KindString, "hosts"); err != nil {
		return bound{}, err
	}
	if _, err := p.kinds(tv.EffectConnect); err != nil {
		return bound{}, err
	}
	e := &p.effects[0]
	connect := tests{"kind": "connect", "all": []any{p.source()}, "host": tests{"in": f.Hosts}}
	pin(connect, "scheme", e.Scheme)
	pin(connect, "network", e.Network)
	if e.Port != 0 {
		connect["port"] = e.Port
	}
	b := bound{when: tests{"type": "string"}, effects: []tests{connect}, words: "at " + strings.Join(f.Hosts, ", ")}
	for _, host := range f.Hosts {
		for _, path := range []string{"/", "/example", "/a?b=c"} {
			b.inside = append(b.inside, canon.String(e.Scheme+"://"+host+path))
		}
		b.outside = append(b.outside, canon.String(e.Scheme+"://"+host+".example.net/"), canon.String("http://127.0.0.1/"))
	}
	return b, nil
}

// pin tests a field of an effect where it is known.
func pin(t tests, field, value string) {
	if value != "" && !strings.ContainsRune(value, 0) {
		t[field] = tests{"eq": value}
	}
}

func (f *Free) domains(p *place) (bound, error) {
	element := canon.KindString
	if p.value.Kind() == canon.KindArray {
		element = canon.KindArray
	}
	if err := p.wants(tv.RoleEmail, element, "domains"); err != nil {
		return bound{}, err
	}
	if _, err := p.kinds(tv.EffectSend); err != nil {
		return bound{}, err
	}
	send := tests{"kind": "send", "all": []any{p.source()}, "domain": tests{"in": f.Domains}}
	pin(send, "field", p.effects[0].Field)
	b := bound{when: p.list(tests{"type": "string"}), effects: []tests{send}, words: "addresses at " + strings.Join(f.Domains, ", ")}
	for _, domain := range f.Domains {
		b.inside = append(b.inside, p.one("someone@"+domain), p.one("other@"+domain), p.one("team@"+domain))
		b.outside = append(b.outside, p.one("someone@other."+domain), p.one("someone@example.net"))
	}
	return b, nil
}

// does frees a command or a statement by all that it does. A program is named,
// and must be one whose doings are known: they then are among the effects.
func (f *Free) does(p *place) (bound, error) {
	if p.value.Kind() != canon.KindString {
		return bound{}, refused("the argument %s is no single text: it stays as it is", p.at)
	}
	b := bound{when: tests{"type": "string"}}
	var words []string
	runs := false
	for i := range f.Does {
		d := &f.Does[i]
		t, said, err := d.test(p)
		if err != nil {
			return bound{}, err
		}
		runs = runs || d.Kind == string(tv.EffectExecute)
		b.effects, words = append(b.effects, t), append(words, said)
	}
	if p.role.Kind == tv.RoleShell && !runs {
		return bound{}, refused("does of %s: name the programs that may run, as {kind: execute, programs: […]}", p.at)
	}
	b.words = "anything that only " + strings.Join(words, " and ")
	b.inside, b.outside = f.trials(p)
	return b, nil
}

func (d *Doing) test(p *place) (t tests, words string, err error) {
	t = tests{"kind": d.Kind, "all": []any{p.source()}}
	need := func(what string, list []string, field string, test any) {
		if len(list) == 0 {
			err = refused("does of %s: %s needs %s", p.at, d.Kind, what)
		}
		t[field] = test
		words = strings.Join(list, ", ")
	}
	switch tv.EffectKind(d.Kind) {
	case tv.EffectExecute:
		need("programs", d.Programs, "program", tests{"in": d.Programs})
		t["known"] = true
		words = "runs " + words
		if len(d.Verbs) > 0 {
			t["verb"] = tests{"in": d.Verbs}
			words += " (" + strings.Join(d.Verbs, ", ") + ")"
		} else {
			t["verb"] = tests{"exists": false}
		}
	case tv.EffectRead, tv.EffectWrite, tv.EffectDelete:
		need("under", d.Under, "path", tests{"under": d.Under})
		if bad := folders(p.at, d.Under); bad != nil {
			err = bad
		}
		words = d.Kind + "s at or below " + words
	case tv.EffectConnect:
		need("hosts", d.Hosts, "host", tests{"in": d.Hosts})
		words = "connects to " + words
	case tv.EffectQuery:
		need("verbs", d.Verbs, "query.verb", tests{"in": d.Verbs})
		words = "runs " + strings.Join(d.Verbs, ", ") + " statements"
		t["all"] = []any{p.source(), names("query.reads", d.Reads), names("query.changes", d.Changes)}
		t["query.functions"] = tests{"length": 0}
		if len(d.Reads) > 0 {
			words += " that read " + strings.Join(d.Reads, ", ")
		}
		if len(d.Changes) > 0 {
			t["query.bounded"] = true
			words += " and change chosen rows of " + strings.Join(d.Changes, ", ")
		}
	default:
		err = refused("does of %s: kind must be execute, read, write, delete, connect or query", p.at)
	}
	return t, words, err
}

// names tests a list of names: none, or these and no others.
func names(field string, list []string) tests {
	none := tests{field: tests{"length": 0}}
	if len(list) == 0 {
		return none
	}
	return tests{"any": []any{none, tests{field: tests{"every": tests{"in": list}}}}}
}

// pinned says of an effect what the approver saw of it: as much as its fields
// tell for sure, or where that is not to be had, what and where it is.
func pinned(e *tv.Effect, closely bool) tests {
	t := tests{"kind": e.Kind, "source": tests{"eq": e.Source}}
	if !closely {
		return t
	}
	switch e.Kind {
	case tv.EffectRead, tv.EffectWrite, tv.EffectDelete:
		switch {
		case e.Path == "" || strings.ContainsRune(e.Path, 0):
		case e.Deep || e.Pattern != "":
			t["path"] = tests{"under": e.Path}
		default:
			t["path"], t["deep"] = tests{"eq": e.Path}, false
		}
	case tv.EffectExecute:
		pin(t, "program", e.Program)
		pin(t, "verb", e.Verb)
		t["known"] = e.Known
	case tv.EffectConnect:
		pin(t, "host", e.Host)
		pin(t, "scheme", e.Scheme)
		pin(t, "network", e.Network)
		if e.Port != 0 {
			t["port"] = e.Port
		}
	case tv.EffectSend:
		pin(t, "recipient", e.Recipient)
		pin(t, "field", e.Field)
	case tv.EffectSpend:
		if n, ok := canon.ParseDecimal(e.Amount); ok {
			t["amount"] = tests{"eq": n}
		}
		pin(t, "currency", e.Currency)
	case tv.EffectQuery:
		if e.Query != nil {
			pin(t, "query.verb", e.Query.Verb)
			t["query.bounded"] = e.Query.Bounded
		}
	default: // opaque: where it is, is all there is
	}
	return t
}

// suggested is how an approver could free a program: by what it does now, in the
// folders it does it in.
func suggested(p *place) []Doing {
	var out []Doing
	for _, e := range p.effects {
		d := Doing{Kind: string(e.Kind)}
		switch e.Kind {
		case tv.EffectExecute:
			if !e.Known || e.Program == "" || strings.ContainsRune(e.Program+e.Verb, 0) {
				return nil
			}
			d.Programs = []string{e.Program}
			if e.Verb != "" {
				d.Verbs = []string{e.Verb}
			}
		case tv.EffectRead, tv.EffectWrite, tv.EffectDelete:
			folder := e.Path
			if !e.Deep {
				folder = stdpath.Dir(e.Path)
			}
			if folders(p.at, []string{folder}) != nil {
				return nil
			}
			d.Under = []string{folder}
		case tv.EffectConnect:
			if e.Host == "" {
				return nil
			}
			d.Hosts = []string{e.Host}
		case tv.EffectQuery:
			if e.Query == nil || len(e.Query.Functions) > 0 || !e.Query.Bounded || slices.Contains(slices.Concat(e.Query.Reads, e.Query.Changes), "*") {
				return nil
			}
			d.Verbs, d.Reads, d.Changes = []string{e.Query.Verb}, e.Query.Reads, e.Query.Changes
		default:
			return nil
		}
		if !slices.ContainsFunc(out, func(o Doing) bool { return fmt.Sprint(o) == fmt.Sprint(d) }) {
			out = append(out, d)
		}
	}
	return out
}
