// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package toolverdict

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/toolverdict/toolverdict/internal/canon"
)

// maxChanges bounds how many changed arguments are listed, maxChange how large a
// listed value is, in bytes.
const maxChanges, maxChange = 32, 512

// changed lists what a changed call has in the place of what its caller asked.
func (g *Gate) changed(t *Tool, old *Approval, now Value) (changes []Change, more int, err error) {
	first := old.Call.Arguments
	if old.Asked.Digest != "" {
		first = old.Asked.Arguments
	}
	asked, err := canon.Parse(first, g.Limits)
	if err != nil {
		return nil, 0, fmt.Errorf("read the arguments that were asked: %w", err)
	}
	paths := differences(nil, "", asked, now)
	before, after := g.disclosed(t, asked), g.disclosed(t, now)
	more = max(len(paths)-maxChanges, 0)
	changes = make([]Change, 0, len(paths)-more)
	for _, at := range paths[:len(paths)-more] {
		changes = append(changes, Change{Path: quote(g.Redactor.Shown, at), Before: excerpt(before, at, asked), After: excerpt(after, at, now)})
	}
	return changes, more, nil
}

// disclosed is what may be shown of arguments, as a value. It is absent where
// the redactor shows none.
func (g *Gate) disclosed(t *Tool, arguments Value) Value {
	v, err := canon.Parse(g.Redactor.Arguments(t, arguments, WholeView), canon.Limits{MaxBytes: canon.HardMaxBytes, MaxDepth: canon.HardMaxDepth})
	if err != nil {
		return Value{}
	}
	return v
}

// excerpt is what may be shown of one value; nil where there is none.
func excerpt(disclosed Value, at string, was Value) json.RawMessage {
	if _, there := was.Pointer(at); !there {
		return nil
	}
	v, ok := disclosed.Pointer(at)
	if !ok {
		return json.RawMessage(`"[not shown]"`) // its place has another name in what is shown
	}
	if b := canon.Append(nil, v); len(b) <= maxChange {
		return b
	}
	return canon.Quote(fmt.Sprintf("[%s of %d bytes]", v.Kind(), len(v.Raw())))
}

// differences appends the JSON pointers of what differs: members one by one,
// items where there are as many of them.
func differences(to []string, at string, a, b Value) []string {
	switch {
	case canon.Equal(a, b):
		return to
	case a.Kind() == canon.KindObject && b.Kind() == canon.KindObject:
		for name, old := range a.Fields() {
			if now, ok := b.Get(name); ok {
				to = differences(to, at+"/"+escape(name), old, now)
			} else {
				to = append(to, at+"/"+escape(name))
			}
		}
		for name := range b.Fields() {
			if _, ok := a.Get(name); !ok {
				to = append(to, at+"/"+escape(name))
			}
		}
		return to
	case a.Kind() == canon.KindArray && b.Kind() == canon.KindArray && a.Len() == b.Len():
		for i, old := range a.Items() {
			now, _ := b.Index(i)
			to = differences(to, at+"/"+strconv.Itoa(i), old, now)
		}
		return to
	}
	return append(to, at)
}

func escape(name string) string {
	return strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
}

// unhide puts what an approver was not shown back in its place: who edits sees
// placeholders, and leaves them. One that stands anywhere else is refused: the
// tool would be given it for a value.
func (g *Gate) unhide(old *Approval, arguments []byte) ([]byte, error) {
	given, err := canon.ParseArguments(arguments, g.Limits)
	if err != nil {
		return nil, malformed(err)
	}
	was, err := canon.Parse(old.Call.Arguments, g.Limits)
	if err != nil {
		return nil, fmt.Errorf("read the stored arguments: %w", err)
	}
	tool, ok := g.Snapshots.Current().Catalog.Tool(old.Call.Tool)
	if !ok {
		return arguments, nil // resolve refuses it
	}
	disclosed := g.disclosed(tool, was)
	marks := hidden(nil, was, disclosed)
	if len(marks) == 0 {
		return arguments, nil
	}
	text, err := canon.Splice([]byte(given.Document()), kept(was, disclosed, given)...)
	if err != nil {
		return nil, fmt.Errorf("put hidden values back: %w", err)
	}
	back, err := canon.Parse(text, g.Limits)
	if err != nil {
		return nil, malformed(err)
	}
	if left := misplaced(nil, "", was, back, marks); len(left) > 0 {
		r := refusal(InvalidInput, "A hidden value stands where it was not, or was changed in part: leave it as it is, or write the whole value.")
		r.Details = left
		return nil, r
	}
	return text, nil
}

var placeholder = regexp.MustCompile(`\[[^\[\]]{1,64}\]`)

// hidden collects the placeholders in what is shown of a value.
func hidden(marks []string, was, disclosed Value) []string {
	switch {
	case disclosed.Kind() == canon.KindString && (was.Kind() != canon.KindString || was.Text() != disclosed.Text()):
		for _, m := range placeholder.FindAllString(disclosed.Text(), -1) {
			if was.Kind() != canon.KindString || !strings.Contains(was.Text(), m) {
				marks = append(marks, m)
			}
		}
	case was.Kind() == canon.KindObject && disclosed.Kind() == canon.KindObject:
		for name, v := range was.Fields() {
			if d, ok := disclosed.Get(name); ok {
				marks = hidden(marks, v, d)
			}
		}
	case was.Kind() == canon.KindArray && disclosed.Kind() == canon.KindArray:
		for i, v := range was.Items() {
			if d, ok := disclosed.Index(i); ok {
				marks = hidden(marks, v, d)
			}
		}
	}
	return marks
}

// kept lists the edits that put values back where the approver left what was
// shown of them.
func kept(was, disclosed, given Value) (edits []canon.Edit) {
	switch {
	case given.Kind() == canon.KindString && disclosed.Kind() == canon.KindString && given.Text() == disclosed.Text():
		return []canon.Edit{canon.Replace(given, was.Raw())}
	case given.Kind() == canon.KindObject && disclosed.Kind() == canon.KindObject && was.Kind() == canon.KindObject:
		for name, v := range given.Fields() {
			r, there := was.Get(name)
			if d, ok := disclosed.Get(name); ok && there {
				edits = append(edits, kept(r, d, v)...)
			}
		}
	case given.Kind() == canon.KindArray && disclosed.Kind() == canon.KindArray && was.Kind() == canon.KindArray:
		for i, v := range given.Items() {
			r, there := was.Index(i)
			if d, ok := disclosed.Index(i); ok && there {
				edits = append(edits, kept(r, d, v)...)
			}
		}
	}
	return edits
}

// misplaced finds texts that hold a placeholder and are not what was there.
func misplaced(to []FieldError, at string, was, v Value, marks []string) []FieldError {
	switch v.Kind() {
	case canon.KindString:
		same := was.Kind() == canon.KindString && was.Text() == v.Text()
		if !same && slices.ContainsFunc(marks, func(m string) bool { return strings.Contains(v.Text(), m) }) {
			to = append(to, FieldError{Path: at, Message: "holds a placeholder for a hidden value"})
		}
	case canon.KindObject:
		for name, m := range v.Fields() {
			old, _ := was.Lookup(name)
			to = misplaced(to, at+"/"+escape(name), old, m, marks)
		}
	case canon.KindArray:
		for i, m := range v.Items() {
			old, _ := was.Lookup(strconv.Itoa(i))
			to = misplaced(to, at+"/"+strconv.Itoa(i), old, m, marks)
		}
	default: // holds no text
	}
	return to[:min(len(to), maxFieldErrors)]
}
