// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package suggest

import (
	"fmt"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/workbench/draft"
)

// Bounds of what is written.
const (
	fewValues  = 8  // so many different values are listed
	someValues = 20 // and so many, where each was seen three times in the mean
	maxCalls   = 20 // different calls that are listed word for word
	maxText    = 2000
	maxFolders = 8
	maxHosts   = 20
	maxMails   = 50
	maxColumns = 100
	minForm    = 5 // different values that a form is read of
)

// bound is a test for each type of the values, and what they say in words.
func bound(values []canon.Value) (tests []draft.Map, note string) {
	byKind := map[canon.Kind][]canon.Value{}
	for _, v := range values {
		byKind[v.Kind()] = append(byKind[v.Kind()], v)
	}
	var notes []string
	for _, kind := range []canon.Kind{canon.KindString, canon.KindNumber, canon.KindBool, canon.KindNull} {
		list := byKind[kind]
		if len(list) == 0 {
			continue
		}
		test, note := draft.One("type", "null"), "null"
		switch kind {
		case canon.KindString:
			test, note = texts(list)
		case canon.KindNumber:
			test, note = numbers(list)
		case canon.KindBool:
			test, note = truths(list)
		default:
		}
		tests, notes = append(tests, test), append(notes, note)
	}
	return tests, strings.Join(notes, ", or ")
}

func truths(list []canon.Value) (draft.Map, string) {
	for _, v := range list {
		if v.Bool() != list[0].Bool() {
			return draft.One("type", "boolean"), "true or false"
		}
	}
	return draft.One("eq", list[0].Bool()), strconv.FormatBool(list[0].Bool())
}

func numbers(list []canon.Value) (draft.Map, string) {
	least, most := list[0].Number(), list[0].Number()
	for _, v := range list {
		if n := v.Number(); n.Cmp(least) < 0 {
			least = n
		} else if n.Cmp(most) > 0 {
			most = n
		}
	}
	if least.Cmp(most) == 0 {
		return draft.One("eq", draft.Number(least.String())), "always " + least.String()
	}
	return draft.One("between", []any{draft.Number(least.String()), draft.Number(most.String())}),
		fmt.Sprintf("from %s to %s, as was seen %s", least, most, times(len(list)))
}

// texts bounds texts.
func texts(list []canon.Value) (draft.Map, string) {
	all := make([]string, len(list))
	for i, v := range list {
		all[i] = v.Text()
	}
	different := slices.Clone(all)
	slices.Sort(different)
	different = slices.Compact(different)
	counts := fmt.Sprintf("%d different in %d", len(different), len(all))
	size := 0
	for _, s := range different {
		size += len(s)
	}
	few := len(different) <= fewValues || len(different) <= someValues && len(all) >= 3*len(different)
	if few && size <= maxText && utf8Only(different) {
		return draft.One("in", listOf(different)), counts
	}
	for _, try := range []func([]string) (draft.Map, string, bool){hosts, folders, mails, form} {
		if test, note, ok := try(different); ok {
			return test, note + " (" + counts + ")"
		}
	}
	longest := 0
	for _, s := range different {
		longest = max(longest, utf8.RuneCountInString(s))
	}
	return draft.Map{{Key: "type", Value: "string"}, {Key: "length", Value: draft.One("lte", draft.Number(strconv.Itoa(longest)))}},
		fmt.Sprintf("any text of at most %d characters (%s)", longest, counts)
}

func utf8Only(list []string) bool {
	return !slices.ContainsFunc(list, func(s string) bool { return !utf8.ValidString(s) })
}

func listOf(texts []string) any {
	out := make([]any, len(texts))
	for i, t := range texts {
		out[i] = t
	}
	return out
}

// hosts bounds URLs by their hosts and schemes.
func hosts(list []string) (draft.Map, string, bool) {
	var found, schemes []string
	for _, s := range list {
		u, err := url.Parse(s)
		if err != nil || u.Host == "" || u.User != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() != strings.ToLower(u.Hostname()) || !strings.HasPrefix(s, u.Scheme+"://") {
			return nil, "", false
		}
		found, schemes = append(found, u.Hostname()), append(schemes, u.Scheme+"://")
	}
	found, schemes = unique(found), unique(schemes)
	if len(found) > maxHosts || slices.ContainsFunc(found, func(h string) bool { return !plainHost.MatchString(h) }) {
		return nil, "", false
	}
	return draft.Map{{Key: "prefix", Value: listOf(schemes)}, {Key: "hostIn", Value: listOf(found)}}, fmt.Sprintf("URLs at %d hosts", len(found)), true
}

var plainHost = regexp.MustCompile(`^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]$`)

func unique(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}

// folders bounds absolute paths by folders that are at least two deep.
func folders(list []string) (draft.Map, string, bool) {
	found, ok := foldersOf(list)
	if !ok {
		return nil, "", false
	}
	return draft.One("under", listOf(found)), fmt.Sprintf("paths below %s", strings.Join(found, ", ")), true
}

// foldersOf finds the deepest folders that hold all paths, at most eight.
func foldersOf(list []string) ([]string, bool) {
	for _, s := range list {
		if !strings.HasPrefix(s, "/") || path.Clean(s) != s || strings.ContainsAny(s, "\\%\x00\n") {
			return nil, false
		}
	}
	for depth := 8; depth >= 2; depth-- {
		var found []string
		for _, s := range list {
			parts := strings.Split(path.Dir(s), "/")
			if len(parts) < 3 {
				return nil, false // a whole folder of the root would be let through
			}
			found = append(found, strings.Join(parts[:min(len(parts), depth+1)], "/"))
		}
		found = outermost(unique(found))
		if len(found) <= maxFolders && (len(found) == 1 || len(found)*3 <= len(list) || depth == 2) {
			return found, true
		}
	}
	return nil, false
}

// outermost drops folders inside of others.
func outermost(sorted []string) []string {
	var out []string
	for _, f := range sorted {
		if !slices.ContainsFunc(out, func(o string) bool { return strings.HasPrefix(f, o+"/") }) {
			out = append(out, f)
		}
	}
	return out
}

var plainMail = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._+-]*@([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}$`)

// mails lists addresses. A domain would let through anybody at it, so it is left
// to the reviewer.
func mails(list []string) (draft.Map, string, bool) {
	if len(list) > maxMails || slices.ContainsFunc(list, func(s string) bool { return !plainMail.MatchString(s) }) {
		return nil, "", false
	}
	return draft.One("in", listOf(list)), "mail addresses; write domainIn if everybody at a domain is meant", true
}

// form is an expression for texts that all look alike, such as ids.
func form(list []string) (draft.Map, string, bool) {
	if len(list) < minForm {
		return nil, "", false
	}
	var least, most map[int]int
	shape := ""
	for i, s := range list {
		runs, lengths := runsOf(s)
		if i == 0 {
			shape, least, most = runs, map[int]int{}, map[int]int{}
			for j, n := range lengths {
				least[j], most[j] = n, n
			}
		}
		if runs != shape || len(s) > 64 || s == "" {
			return nil, "", false
		}
		for j, n := range lengths {
			least[j], most[j] = min(least[j], n), max(most[j], n)
		}
	}
	expression := expressionOf(shape, least, most, list)
	if expression == "" {
		return nil, "", false
	}
	return draft.One("regex", expression), "of the form " + expression, true
}

// runsOf writes a text as runs of digits (0), lower (a) and upper case letters
// (A), and other signs as they are.
func runsOf(s string) (runs string, lengths []int) {
	var b strings.Builder
	last := rune(0)
	for _, r := range s {
		kind := r
		switch {
		case r >= '0' && r <= '9':
			kind = '0'
		case r >= 'a' && r <= 'z':
			kind = 'a'
		case r >= 'A' && r <= 'Z':
			kind = 'A'
		}
		if kind == last && strings.ContainsRune("0aA", kind) {
			lengths[len(lengths)-1]++
			continue
		}
		b.WriteRune(kind)
		lengths = append(lengths, 1)
		last = kind
	}
	return b.String(), lengths
}

// expressionOf writes the shape, with runs of letters that never change as they
// are. Words and sentences are no form.
func expressionOf(shape string, least, most map[int]int, list []string) string {
	var b strings.Builder
	digits := false
	j := 0
	for _, kind := range shape {
		fixed, same := runAt(list, j)
		switch {
		case !strings.ContainsRune("0aA_.:/-#", kind):
			return ""
		case same:
			b.WriteString(regexp.QuoteMeta(fixed))
		case kind == '0':
			digits = true
			b.WriteString("[0-9]" + count(least[j], most[j]))
		case kind == 'a':
			b.WriteString("[a-z]" + count(least[j], most[j]))
		case kind == 'A':
			b.WriteString("[A-Z]" + count(least[j], most[j]))
		}
		j++
	}
	if !digits || j > 12 {
		return ""
	}
	return b.String()
}

func count(least, most int) string {
	switch {
	case least == most && most == 1:
		return ""
	case least == most:
		return fmt.Sprintf("{%d}", most)
	}
	return fmt.Sprintf("{%d,%d}", least, most)
}

// runAt is one run of the texts, if it is the same in all.
func runAt(list []string, at int) (run string, same bool) {
	for i, s := range list {
		_, lengths := runsOf(s)
		start := 0
		runes := []rune(s)
		for _, n := range lengths[:at] {
			start += n
		}
		got := string(runes[start : start+lengths[at]])
		if i > 0 && got != run {
			return "", false
		}
		run = got
	}
	return run, true
}
