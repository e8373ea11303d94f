// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/toolverdict/toolverdict/hookgate/setup/internal/jsontext"
)

// text is a file of settings while it is changed.
type text struct {
	*form

	src      string
	root     *jsontext.Node
	programs []string
}

// group is how agents nest handlers. It has no matcher: every tool is asked about.
type group struct {
	Hooks []any `json:"hooks"`
}

// parse reads a text in the agent's form, as far as hooks are concerned.
func (f *form) parse(src string, programs []string) (*text, error) {
	t := &text{form: f, programs: programs}
	return t, t.set(src)
}

// set takes up a changed text.
func (t *text) set(src string) error {
	root, err := jsontext.Parse(src, t.comments)
	if err != nil {
		return fmt.Errorf("it is no plain JSON, and is left as it is: %w", err)
	}
	t.src, t.root = src, root
	hooks := root.Get("hooks")
	switch {
	case root.Kind != jsontext.Object:
		return fmt.Errorf("line %d: it must be an object", t.line(root))
	case hooks == nil:
		return nil
	case hooks.Kind != jsontext.Object:
		return fmt.Errorf("line %d: hooks must be an object", t.line(hooks))
	}
	for _, m := range hooks.Members {
		if m.Value.Kind != jsontext.Array && slices.Contains(t.events, m.Name) {
			return fmt.Errorf("line %d: hooks.%s must be a list", t.line(m.Value), m.Name)
		}
	}
	return nil
}

func (t *text) line(n *jsontext.Node) int { return jsontext.Line(t.src, n.Start) }

// found is an entry of the gate's: the item of an event's list, and the handler in
// it.
type found struct {
	event         string
	item, handler int // handler is -1 where items are handlers
	entry         Entry
	node          *jsontext.Node
}

// own finds the gate's entries for an event.
func (t *text) own(event string) []found {
	list := t.root.Get("hooks", event)
	if list == nil {
		return nil
	}
	var out []found
	for i, item := range list.Items {
		if !t.nested {
			if e, ok := entryOf(t.agent, item, t.programs); ok {
				out = append(out, found{event, i, -1, e, item})
			}
			continue
		}
		handlers := item.Get("hooks")
		if handlers == nil {
			continue
		}
		for j, handler := range handlers.Items {
			if e, ok := entryOf(t.agent, handler, t.programs); ok {
				out = append(out, found{event, i, j, e, handler})
			}
		}
	}
	return out
}

// item is the list's item that an entry is in, and whether it holds nothing else.
func (t *text) item(at found) (item *jsontext.Node, alone bool) {
	item = t.root.Get("hooks", at.event).Items[at.item]
	if at.handler < 0 {
		return item, true
	}
	return item, len(item.Members) == 1 && len(item.Get("hooks").Items) == 1
}

// remove takes an entry out, with a group that held nothing else.
func (t *text) remove(at found) error {
	list := t.root.Get("hooks", at.event)
	item := list.Items[at.item]
	if at.handler < 0 || len(item.Get("hooks").Items) == 1 {
		return t.set(jsontext.RemoveItem(t.src, list, at.item))
	}
	return t.set(jsontext.RemoveItem(t.src, item.Get("hooks"), at.handler))
}

// with returns the text with the entry for each event, once.
func (f *form) with(src string, e *Entry, programs []string) (string, error) {
	if f.whole != nil {
		return f.written(src, e)
	}
	if strings.TrimSpace(src) == "" {
		src = "{}\n"
	}
	t, err := f.parse(src, programs)
	if err != nil {
		return "", err
	}
	for _, event := range t.eventsThere() {
		if !slices.Contains(f.events, event) {
			if err := t.clear(event, 0); err != nil {
				return "", err
			}
		}
	}
	if err := t.ensure(); err != nil {
		return "", err
	}
	for _, event := range f.events {
		if err := t.put(event, f.handler(e)); err != nil {
			return "", err
		}
	}
	return t.src, nil
}

// ensure adds what stands around the entries.
func (t *text) ensure() error {
	style := jsontext.StyleOf(t.src, t.root)
	if t.version && t.root.Get("version") == nil {
		if err := t.set(style.AppendMember(t.src, t.root, 0, "version", "1")); err != nil {
			return err
		}
	}
	if t.root.Get("hooks") == nil {
		return t.set(style.AppendMember(t.src, t.root, 0, "hooks", "{}"))
	}
	return nil
}

// put makes the one entry of an event what it should be. One that stands in a group
// of its own is replaced in its place: Codex knows what it trusts by its place.
func (t *text) put(event string, handler any) error {
	style := jsontext.StyleOf(t.src, t.root)
	item := handler
	if t.nested {
		item = group{Hooks: []any{handler}}
	}
	if t.root.Get("hooks", event) == nil {
		written, err := style.Write([]any{item}, 2)
		if err != nil {
			return err
		}
		return t.set(style.AppendMember(t.src, t.root.Get("hooks"), 1, event, written))
	}
	written, err := style.Write(item, 3)
	if err != nil {
		return err
	}
	own := t.own(event)
	if err := t.clear(event, max(1, len(own))); err != nil { // takes nothing out yet
		return err
	}
	if len(own) > 0 {
		if there, alone := t.item(own[0]); alone {
			return t.renew(event, there, written)
		}
	}
	if err := t.clear(event, 0); err != nil {
		return err
	}
	return t.set(style.AppendItem(t.src, t.root.Get("hooks", event), 2, written))
}

// renew writes an item anew where it says something else, and takes the others out.
func (t *text) renew(event string, there *jsontext.Node, written string) error {
	if !same(t.src[there.Start:there.End], written, t.comments) {
		if err := t.set(jsontext.Replace(t.src, there, written)); err != nil {
			return err
		}
	}
	return t.clear(event, 1)
}

// clear takes the gate's entries for an event out, but for the first so many.
func (t *text) clear(event string, but int) error {
	for _, at := range t.own(event) {
		if rest := chained(t.agent, at.node); rest != "" {
			return fmt.Errorf("line %d: somebody put more behind the gate's command for %s, and it is left as it is: take that into an entry of its own", t.line(at.node), event)
		}
	}
	for own := t.own(event); len(own) > but; own = t.own(event) {
		if err := t.remove(own[len(own)-1]); err != nil {
			return err
		}
	}
	return nil
}

// eventsThere are those that the text has a list for.
func (t *text) eventsThere() []string {
	hooks := t.root.Get("hooks")
	if hooks == nil {
		return nil
	}
	var out []string
	for _, m := range hooks.Members {
		if m.Value.Kind == jsontext.Array {
			out = append(out, m.Name)
		}
	}
	return out
}

// without returns the text without the entries, and without what was made to hold
// them: was says what there was before, where that is known.
func (f *form) without(src string, programs []string, was *kept) (string, error) {
	if f.whole != nil {
		if marked(src) {
			return "", nil
		}
		return src, nil
	}
	if strings.TrimSpace(src) == "" {
		return src, nil
	}
	t, err := f.parse(src, programs)
	if err != nil {
		return "", err
	}
	var before *jsontext.Node
	if was != nil && was.Existed {
		before, _ = jsontext.Parse(string(was.Before), f.comments) // one that was none had nothing
	}
	touched := false
	for _, event := range t.eventsThere() {
		if len(t.own(event)) == 0 {
			continue
		}
		touched = true
		if err := t.clear(event, 0); err != nil {
			return "", err
		}
		if list := t.root.Get("hooks", event); len(list.Items) == 0 && before.Get("hooks", event) == nil {
			if err := t.set(jsontext.RemoveMember(t.src, t.root.Get("hooks"), event)); err != nil {
				return "", err
			}
		}
	}
	if !touched {
		return src, nil
	}
	return t.emptied(before, was == nil || !was.Existed)
}

// emptied takes away what is empty now and was not there before; a file that was
// made for the entry alone becomes empty.
func (t *text) emptied(before *jsontext.Node, made bool) (string, error) {
	if hooks := t.root.Get("hooks"); len(hooks.Members) == 0 && before.Get("hooks") == nil {
		if err := t.set(jsontext.RemoveMember(t.src, t.root, "hooks")); err != nil {
			return "", err
		}
	}
	only := len(t.root.Members) == 0 || len(t.root.Members) == 1 && t.version && t.root.Get("version") != nil
	if made && only && !strings.Contains(t.src, "/") { // a comment is somebody's
		return "", nil
	}
	hooks := t.root.Get("hooks")
	theirs := hooks != nil && len(hooks.Members) > 0 && before.Get("hooks") == nil // who came since may need it
	if t.version && !made && !theirs && before.Get("version") == nil {
		err := t.set(jsontext.RemoveMember(t.src, t.root, "version"))
		return t.src, err
	}
	return t.src, nil
}

// same reports whether two texts say the same.
func same(a, b string, comments bool) bool {
	if comments && strings.Contains(a, "/*") {
		return false
	}
	var x, y any
	return json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && reflect.DeepEqual(x, y)
}
