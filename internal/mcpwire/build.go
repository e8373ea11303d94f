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
