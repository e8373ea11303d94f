// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package mcpwire

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
)

// MaxMessage is the largest message that is read from a server, in bytes.
const MaxMessage = 16 << 20

// ErrTooLarge says that a server sent a message larger than the limit.
var ErrTooLarge = errors.New("read event stream: the server's message is larger than the limit")

// StreamReader splits an event stream into events, keeping the bytes of each.
// It is not safe for concurrent use.
type StreamReader struct {
	in    *bufio.Reader
	limit int
	begun bool // the first line was read
	cr    bool // the last line ended with \r: a \n that follows was passed on already
	raw   []byte
	event Event
	data  bool // a data field was seen
	any   bool // a field was seen
}

// NewStreamReader reads events of at most limit bytes; 0 means [MaxMessage].
func NewStreamReader(r io.Reader, limit int) *StreamReader {
	if limit <= 0 {
		limit = MaxMessage
	}
	return &StreamReader{in: bufio.NewReader(r), limit: limit}
}

// maxEmpty bounds how many empty lines are kept back.
const maxEmpty = 8

// Next returns the next event, or a comment as an event with only Raw. io.EOF
// says that the stream ended between two events, io.ErrUnexpectedEOF that it
// ended inside one, which is dropped, as browsers do.
func (s *StreamReader) Next() (Event, error) {
	s.raw, s.event, s.data, s.any = nil, Event{}, false, false
	for empty := 0; ; {
		line, err := s.line()
		if err != nil {
			if errors.Is(err, io.EOF) && s.any {
				err = io.ErrUnexpectedEOF
			}
			return Event{}, err
		}
		switch {
		case len(line) > 0 && line[0] != ':':
			s.any = true
			s.field(line)
			continue
		case len(line) > 0 && s.any:
			continue // a comment inside an event stays with it
		case len(line) == 0 && !s.any && empty < maxEmpty:
			empty++ // a stray empty line is passed on with what follows
			continue
		}
		s.event.Raw = s.raw
		return s.event, nil
	}
}

// line reads one line into raw and returns it without its end.
func (s *StreamReader) line() ([]byte, error) {
	from := len(s.raw)
	for {
		c, err := s.in.ReadByte()
		if err != nil {
			if errors.Is(err, io.EOF) && len(s.raw) > from {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
		if s.cr && c == '\n' {
			s.cr = false
			continue
		}
		s.cr = false
		s.raw = append(s.raw, c)
		if c == '\n' || c == '\r' {
			break
		}
		if err := s.rest(); err != nil {
			return nil, err
		}
	}
	line := s.raw[from : len(s.raw)-1]
	if s.raw[len(s.raw)-1] == '\r' {
		if err := s.returned(); err != nil {
			return nil, err
		}
	}
	if !s.begun {
		s.begun = true
		line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
	}
	return line, nil
}

// returned completes a line end that begins with \r. A \n may follow, and must
// not be waited for: the line may be the last one for hours. Some readers want
// it to end an event, so it is passed on whether it has come yet or not.
func (s *StreamReader) returned() error {
	if s.in.Buffered() == 0 {
		s.raw, s.cr = append(s.raw, '\n'), true
		return nil
	}
	next, err := s.in.Peek(1)
	if err != nil || next[0] != '\n' {
		return err
	}
	s.raw = append(s.raw, '\n')
	_, err = s.in.Discard(1)
	return err
}

// rest takes over the bytes that are buffered already, up to the end of the
// line.
func (s *StreamReader) rest() error {
	if len(s.raw) > s.limit {
		return ErrTooLarge
	}
	buffered, err := s.in.Peek(s.in.Buffered())
	if err != nil {
		return err
	}
	if end := bytes.IndexAny(buffered, "\r\n"); end >= 0 {
		buffered = buffered[:end]
	}
	s.raw = append(s.raw, buffered...)
	_, err = s.in.Discard(len(buffered))
	return err
}

// field takes one field of an event, as the standard for event streams says.
func (s *StreamReader) field(line []byte) {
	name, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(name) {
	case "data":
		if s.data {
			s.event.Data = append(s.event.Data, '\n')
		}
		s.data = true
		s.event.Data = append(s.event.Data, value...)
	case "event":
		s.event.Type = string(value)
	case "id":
		if !bytes.ContainsRune(value, 0) {
			s.event.ID, s.event.HasID = string(value), true
		}
	case "retry":
		s.event.Retry = string(value)
	}
}

// AppendEvent writes an event: untouched where it has its bytes, built from its
// parts otherwise. Line ends inside the message, which JSON has only between
// its tokens, become separate data fields.
func AppendEvent(dst []byte, e Event) []byte {
	if e.Raw != nil {
		return append(dst, e.Raw...)
	}
	if e.Type != "" {
		dst = appendField(dst, "event: ", e.Type)
	}
	if e.HasID {
		dst = appendField(dst, "id: ", e.ID)
	}
	if e.Retry != "" {
		dst = appendField(dst, "retry: ", e.Retry)
	}
	for line := range bytes.FieldsFuncSeq(e.Data, func(r rune) bool { return r == '\n' || r == '\r' }) {
		dst = append(append(append(dst, "data: "...), line...), '\n')
	}
	return append(dst, '\n')
}

// appendField writes a one-line field; a value that is not one line is left out.
func appendField(dst []byte, name, value string) []byte {
	if strings.ContainsAny(value, "\r\n\x00") {
		return dst
	}
	return append(append(append(dst, name...), value...), '\n')
}

// Replaced returns the event with this message in it, and everything else that
// its event block said. An event whose message is the same stays untouched.
func (e Event) Replaced(data []byte) Event {
	if !bytes.Equal(e.Data, data) {
		e.Data, e.Raw = data, nil
	}
	return e
}

// OneLine returns a message in the form of the stdio transport: without line
// ends, which JSON has only between its tokens, and with nothing around it, at
// which servers were seen to end. It copies only where it must.
func OneLine(message []byte) []byte {
	message = bytes.Trim(message, " \t\r\n")
	if !bytes.ContainsAny(message, "\r\n") {
		return message
	}
	out := slices.Clone(message)
	for i, c := range out {
		if c == '\n' || c == '\r' {
			out[i] = ' '
		}
	}
	return out
}
