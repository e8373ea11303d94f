// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package suggest

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/workbench/draft"
)

// clear reports whether everything that a call would do is known.
func (s *seen) clear() bool {
	return s.told && len(s.effects) > 0 && !slices.ContainsFunc(s.effects, func(e tv.Effect) bool {
		switch e.Kind {
		case tv.EffectRead, tv.EffectWrite, tv.EffectDelete:
			return e.Path == ""
		case tv.EffectExecute:
			return !e.Known || e.Program == "" || strings.ContainsRune(e.Program, 0)
		case tv.EffectConnect:
			return e.Host == "" && e.IP == ""
		case tv.EffectSend:
			return e.Recipient == ""
		case tv.EffectSpend:
			return e.Amount == "" || e.Currency == ""
		case tv.EffectQuery:
			return e.Query == nil || e.Query.Verb == ""
		default: // opaque, or a kind of later
			return true
		}
	})
}

// effectBounds is a condition on what calls would do: for each kind of effect
// what was seen of it.
func effectBounds(list []*seen) (draft.Map, []string, bool) {
	byKind := map[tv.EffectKind][]tv.Effect{}
	for _, s := range list {
		for _, e := range s.effects {
			byKind[e.Kind] = append(byKind[e.Kind], e)
		}
	}
	if len(byKind) == 0 {
		return nil, nil, false
	}
	var ways []any
	var notes []string
	for _, kind := range slices.Sorted(maps.Keys(byKind)) {
		found, note, ok := ofKind(kind, byKind[kind])
		if !ok {
			return nil, nil, false
		}
		for _, f := range found {
			ways = append(ways, f)
		}
		notes = append(notes, "  "+note)
	}
	if len(ways) == 1 {
		only, _ := ways[0].(draft.Map)
		return draft.One("effects.every", only), notes, true
	}
	return draft.One("effects.every", draft.One("any", ways)), notes, true
}

func ofKind(kind tv.EffectKind, list []tv.Effect) (ways []draft.Map, note string, ok bool) {
	head := draft.One("kind", string(kind))
	with := func(key string, value any) draft.Map {
		return append(slices.Clone(head), draft.Entry{Key: key, Value: value})
	}
	switch kind {
	case tv.EffectRead, tv.EffectWrite, tv.EffectDelete:
		return pathWays(head, kind, list)
	case tv.EffectExecute:
		return programWays(head, list)
	case tv.EffectConnect:
		return hostWays(head, list)
	case tv.EffectSend:
		found := fieldsOf(list, func(e *tv.Effect) string { return e.Recipient })
		return []draft.Map{with("recipient", listOf(found))}, fmt.Sprintf("sends to %d addresses", len(found)), len(found) <= maxMails
	case tv.EffectSpend:
		return spendWays(head, list)
	case tv.EffectQuery:
		return queryWays(head, list)
	default:
		return nil, "", false
	}
}

func fieldsOf(list []tv.Effect, field func(*tv.Effect) string) []string {
	var out []string
	for i := range list {
		out = append(out, field(&list[i]))
	}
	return unique(out)
}

// pathWays bounds paths by folders, those of which only the names were read apart
// from those whose contents were.
func pathWays(head draft.Map, kind tv.EffectKind, list []tv.Effect) (ways []draft.Map, note string, ok bool) {
	var notes []string
	for _, names := range []bool{false, true} {
		own := slices.DeleteFunc(slices.Clone(list), func(e tv.Effect) bool { return e.Names != names })
		if len(own) == 0 {
			continue
		}
		found, ok := foldersSeen(own)
		if !ok {
			return nil, "", false
		}
		way, what := slices.Clone(head), "paths"
		if names {
			way, what = append(way, draft.Entry{Key: "names", Value: true}), "names of paths"
		}
		ways = append(ways, append(way, draft.Entry{Key: "path", Value: draft.One("under", listOf(found))}))
		different := len(fieldsOf(own, func(e *tv.Effect) string { return e.Path }))
		notes = append(notes, fmt.Sprintf("%s: %s below %s (%d different)", kind, what, strings.Join(found, ", "), different))
	}
	return ways, strings.Join(notes, "; "), true
}

func foldersSeen(list []tv.Effect) ([]string, bool) {
	paths := fieldsOf(list, func(e *tv.Effect) string { return e.Path })
	inside := slices.Clone(paths)
	for i := range list {
		if list[i].Deep { // the path itself is touched, and all below it
			at := slices.Index(inside, list[i].Path)
			if at >= 0 {
				inside[at] += "/x"
			}
		}
	}
	if found, ok := foldersOf(unique(inside)); ok {
		return found, true
	}
	return paths, len(paths) <= fewValues && !slices.Contains(paths, "/")
}

// programWays lists programs, with their subcommands where they have one.
func programWays(head draft.Map, list []tv.Effect) ([]draft.Map, string, bool) {
	verbs := map[string][]string{}
	for i := range list {
		verbs[list[i].Program] = append(verbs[list[i].Program], list[i].Verb)
	}
	if len(verbs) > someValues {
		return nil, "", false
	}
	var ways []draft.Map
	var plain []string
	for _, program := range slices.Sorted(maps.Keys(verbs)) {
		words := unique(verbs[program])
		switch {
		case len(words) == 1 && words[0] == "":
			plain = append(plain, program)
		case slices.Contains(words, "") || len(words) > someValues:
			return nil, "", false
		default:
			ways = append(ways, append(slices.Clone(head), draft.Entry{Key: "known", Value: true}, draft.Entry{Key: "program", Value: program}, draft.Entry{Key: "verb", Value: listOf(words)}))
		}
	}
	if len(plain) > 0 {
		ways = append(ways, append(slices.Clone(head), draft.Entry{Key: "known", Value: true}, draft.Entry{Key: "program", Value: listOf(plain)}))
	}
	return ways, fmt.Sprintf("runs %s", strings.Join(slices.Sorted(maps.Keys(verbs)), ", ")), true
}

// door is what a host is connected to by.
type door struct {
	scheme, network string
	port            int
}

func (d door) compare(o door) int {
	return cmp.Or(cmp.Compare(d.scheme, o.scheme), cmp.Compare(d.port, o.port), cmp.Compare(d.network, o.network))
}

// hostWays lists hosts, for each door those that it was seen with. What is not
// known of a door cannot be tested.
func hostWays(head draft.Map, list []tv.Effect) ([]draft.Map, string, bool) {
	found := fieldsOf(list, func(e *tv.Effect) string { return e.Host })
	if len(found) > maxHosts || slices.Contains(found, "") {
		return nil, "", false
	}
	byDoor := map[door][]string{}
	for _, e := range list {
		at := door{e.Scheme, e.Network, e.Port}
		byDoor[at] = append(byDoor[at], e.Host)
	}
	if len(byDoor) > someValues {
		return nil, "", false
	}
	var ways []draft.Map
	for _, at := range slices.SortedFunc(maps.Keys(byDoor), door.compare) {
		way := append(slices.Clone(head), draft.Entry{Key: "host", Value: draft.One("in", listOf(unique(byDoor[at])))})
		if at.scheme != "" {
			way = append(way, draft.Entry{Key: "scheme", Value: at.scheme})
		}
		if at.port != 0 {
			way = append(way, draft.Entry{Key: "port", Value: draft.Number(strconv.Itoa(at.port))})
		}
		if at.network != "" {
			way = append(way, draft.Entry{Key: "network", Value: at.network})
		}
		ways = append(ways, way)
	}
	return ways, fmt.Sprintf("connects to %s", strings.Join(found, ", ")), true
}

func spendWays(head draft.Map, list []tv.Effect) ([]draft.Map, string, bool) {
	most := map[string]canon.Number{}
	for _, e := range list {
		n, err := canon.ParseNumber(e.Amount)
		if err != nil {
			return nil, "", false
		}
		if m, known := most[e.Currency]; !known || n.Cmp(m) > 0 {
			most[e.Currency] = n
		}
	}
	var ways []draft.Map
	var notes []string
	for _, currency := range slices.Sorted(maps.Keys(most)) {
		ways = append(ways, append(slices.Clone(head), draft.Entry{Key: "currency", Value: currency},
			draft.Entry{Key: "amount", Value: draft.One("lte", draft.Number(most[currency].String()))}))
		notes = append(notes, "at most "+most[currency].String()+" "+currency)
	}
	return ways, "spends " + strings.Join(notes, ", ") + ", as was seen", true
}

// queryWays bounds statements, for each verb by the names it was seen with.
func queryWays(head draft.Map, list []tv.Effect) ([]draft.Map, string, bool) {
	byVerb := map[string][]*tv.Query{}
	for i := range list {
		byVerb[list[i].Query.Verb] = append(byVerb[list[i].Query.Verb], list[i].Query)
	}
	var ways []draft.Map
	for _, verb := range slices.Sorted(maps.Keys(byVerb)) {
		way := append(slices.Clone(head), draft.Entry{Key: "query.verb", Value: verb})
		bounded := true
		for _, q := range byVerb[verb] {
			bounded = bounded && q.Bounded
		}
		if bounded {
			way = append(way, draft.Entry{Key: "query.bounded", Value: true})
		}
		names, ok := queryNames(byVerb[verb])
		if !ok {
			return nil, "", false
		}
		ways = append(ways, draft.Both(append([]draft.Map{way}, names...)...))
	}
	return ways, "statements: " + strings.Join(slices.Sorted(maps.Keys(byVerb)), ", "), true
}

// queryNames bounds what statements name. Where one named all columns there is
// no bound for them: it is what the tables have.
func queryNames(list []*tv.Query) (parts []draft.Map, ok bool) {
	for _, f := range []struct {
		name string
		of   func(*tv.Query) []string
		most int
		all  bool // * is no reason to ask
	}{
		{"query.reads", func(q *tv.Query) []string { return q.Reads }, someValues, false},
		{"query.changes", func(q *tv.Query) []string { return q.Changes }, someValues, false},
		{"query.functions", func(q *tv.Query) []string { return q.Functions }, someValues, false},
		{"query.columns", func(q *tv.Query) []string { return q.Columns }, maxColumns, true},
	} {
		var names []string
		empty := false
		for _, q := range list {
			names = append(names, f.of(q)...)
			empty = empty || len(f.of(q)) == 0
		}
		names = unique(names)
		switch everything := slices.Contains(names, "*"); {
		case everything && f.all:
			continue
		case everything || len(names) > f.most:
			return nil, false
		}
		var either []draft.Map
		if empty {
			either = append(either, draft.One(f.name, draft.One("length", draft.Number("0"))))
		}
		if len(names) > 0 {
			either = append(either, draft.One(f.name, draft.One("every", draft.One("in", listOf(names)))))
		}
		parts = append(parts, draft.Either(either...))
	}
	return parts, true
}
