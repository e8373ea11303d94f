// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package mcpwire

import (
	"strconv"

	"github.com/toolverdict/toolverdict/internal/canon"
)

// ResultResponse makes the response to a request, keeping the bytes of its id.
func ResultResponse(id Node, result []byte) []byte {
	b := append(openResponse(id, len(result)), `,"result":`...)
	return append(append(b, result...), '}')
}

// ErrorResponse makes an error response. Data is JSON, or nil for none.
func ErrorResponse(id Node, code int, message string, data []byte) []byte {
	b := append(openResponse(id, len(message)+len(data)), `,"error":{"code":`...)
	b = strconv.AppendInt(b, int64(code), 10)
	b = canon.AppendString(append(b, `,"message":`...), message)
	if data != nil {
		b = append(append(b, `,"data":`...), data...)
	}
	return append(b, "}}"...)
}

func openResponse(id Node, size int) []byte {
	b := append(make([]byte, 0, size+96), `{"jsonrpc":"2.0","id":`...)
	if !id.Exists() {
		return append(b, "null"...)
	}
	return append(b, id.Bytes()...)
}

// Edited returns the message with the edits applied. What was decided on must
// not change by them: ids, tokens and other labels of the wire only.
func (m *Message) Edited(edits ...canon.Edit) (*Message, error) {
	if len(edits) == 0 {
		return m, nil
	}
	b, err := canon.Splice(m.root.src, edits...)
	if err != nil {
		return nil, err
	}
	return ParseServer(b)
}

// SetID is the edit that gives a message another id. Raw is JSON.
func (m *Message) SetID(raw []byte) canon.Edit { return Replace(m.id, raw) }

// Replace is the edit that puts JSON in the place of a node.
func Replace(n Node, with []byte) canon.Edit {
	return canon.Edit{Start: n.start, End: n.end, With: with}
}

// SetMember is the edit that gives an object a member: in the place of its
// present value, else as its last one. Two edits that add to one empty object
// do not fit together. The object must be one.
func SetMember(object Node, name string, with []byte) canon.Edit {
	if old := object.Get(name); old.Exists() {
		return Replace(old, with)
	}
	var text []byte
	for range object.Members() {
		text = append(text, ',')
		break
	}
	text = append(canon.AppendString(text, name), ':')
	return canon.Edit{Start: object.end - 1, End: object.end - 1, With: append(text, with...)}
}

// RemoveMember is the edit that takes a member, with one comma, out of an
// object. ok is false where there is none. Edits that remove neighbours overlap:
// apply them one after another.
func RemoveMember(object Node, name string) (e canon.Edit, ok bool) {
	var before, found Node
	for at, m := range object.Members() {
		if found.Exists() {
			return canon.Edit{Start: found.name, End: m.name}, true
		}
		if at == name {
			found = m
			continue
		}
		before = m
	}
	switch {
	case !found.Exists():
		return canon.Edit{}, false
	case before.Exists():
		return canon.Edit{Start: before.end, End: found.end}, true
	}
	return canon.Edit{Start: found.name, End: found.end}, true
}

// KeepMembers is the edit that leaves an object only the members that keep wants, in
// their order.
func KeepMembers(object Node, keep func(name string) bool) canon.Edit {
	out := []byte{'{'}
	for name, m := range object.Members() {
		if !keep(name) {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(out, m.src[m.name:m.end]...)
	}
	return Replace(object, append(out, '}'))
}

// KeepItems is the edit that leaves an array only the elements that keep wants,
// in their order. changed is false where it wants all of them.
func KeepItems(array Node, keep func(Node) bool) (e canon.Edit, changed bool) {
	out := []byte{'['}
	for _, item := range array.Items() {
		if !keep(item) {
			changed = true
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(out, item.Bytes()...)
	}
	return Replace(array, append(out, ']')), changed
}

// MetaAddresses is the member of _meta that tells a server to which addresses
// the names in a call's arguments may lead: an object of lists of addresses, by
// name. The decision rests on them.
const MetaAddresses = "toolverdict/addresses"

// WithMeta returns the message with one member of its parameters' _meta set.
func (m *Message) WithMeta(name string, value []byte) (*Message, error) {
	if m.Meta().Kind() == canon.KindObject {
		return m.Edited(SetMember(m.Meta(), name, value))
	}
	member := append(canon.AppendString([]byte("{"), name), ':')
	return m.Edited(SetMember(m.Params(), "_meta", append(append(member, value...), '}')))
}
