// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"

	"github.com/toolverdict/toolverdict/e2e/internal/wire"
)

// endpoint is a Streamable HTTP endpoint.
type endpoint struct {
	addr, path, key string
	modern          bool
}

// openHTTP connects slots over kept-alive HTTP/1.1 connections, one each. It writes and reads the
// protocol itself: net/http's client would cost more than what is measured.
func openHTTP(ctx context.Context, e endpoint, slots int) (caller, error) {
	header, err := e.header(ctx)
	if err != nil {
		return nil, err
	}
	meta := ""
	if e.modern {
		meta = wire.ModernMeta + ","
	}
	body := callBody(meta)
	var head strings.Builder
	fmt.Fprintf(&head, "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: %d\r\n",
		e.path, e.addr, len(body))
	for name := range header {
		fmt.Fprintf(&head, "%s: %s\r\n", name, header.Get(name))
	}
	head.WriteString("\r\n")
	h := &httpCaller{slots: make([]httpSlot, slots)}
	var dialer net.Dialer
	for i := range h.slots {
		conn, err := dialer.DialContext(ctx, "tcp", e.addr)
		if err != nil {
			h.close()
			return nil, err
		}
		h.slots[i] = httpSlot{conn: conn, in: bufio.NewReaderSize(conn, 16<<10), request: newTemplate(head.String(), body)}
	}
	return h, nil
}

// header is what requests carry besides; in the legacy era it opens a session first.
func (e endpoint) header(ctx context.Context) (http.Header, error) {
	h := http.Header{}
	if e.key != "" {
		h.Set("Authorization", "Bearer "+e.key)
	}
	if e.modern {
		h.Set("Mcp-Protocol-Version", wire.Modern)
		h.Set("Mcp-Method", "tools/call")
		h.Set("Mcp-Name", "echo")
		return h, nil
	}
	client := &wire.HTTP{URL: "http://" + e.addr + e.path, Header: h}
	if err := client.Initialize(ctx); err != nil {
		return nil, err
	}
	return client.Header, nil
}

type httpCaller struct{ slots []httpSlot }

type httpSlot struct {
	conn    net.Conn
	in      *bufio.Reader
	request template
	body    []byte
}

func (h *httpCaller) call(slot, id int) error {
	s := &h.slots[slot]
	if _, err := s.conn.Write(s.request.fill(id)); err != nil {
		return err
	}
	if err := s.read(); err != nil {
		return fmt.Errorf("read the reply to call %d: %v", id, err)
	}
	return check(s.body, id)
}

func (h *httpCaller) close() {
	for _, s := range h.slots {
		if s.conn != nil {
			_ = s.conn.Close()
		}
	}
}

// read reads one response into the slot's buffer.
func (s *httpSlot) read() error {
	status, err := s.in.ReadSlice('\n')
	if err != nil {
		return err
	}
	if !bytes.HasPrefix(status, []byte("HTTP/1.1 200 ")) {
		return fmt.Errorf("status line %q", status)
	}
	length, chunked := -1, false
	for {
		field, err := s.in.ReadSlice('\n')
		if err != nil {
			return err
		}
		name, value, ok := bytes.Cut(bytes.TrimSpace(field), []byte(":"))
		if !ok {
			break
		}
		text := strings.TrimSpace(string(value))
		switch {
		case bytes.EqualFold(name, []byte("Content-Length")):
			if length, err = strconv.Atoi(text); err != nil {
				return err
			}
		case bytes.EqualFold(name, []byte("Transfer-Encoding")):
			chunked = true
		case bytes.EqualFold(name, []byte("Connection")) && text == "close":
			return errors.New("the server ends the connection after each call")
		}
	}
	s.body = s.body[:0]
	if chunked {
		return s.readChunks()
	}
	if length < 0 {
		return errors.New("the response has no length")
	}
	return s.take(length)
}

func (s *httpSlot) readChunks() error {
	for {
		size, err := s.in.ReadSlice('\n')
		if err != nil {
			return err
		}
		n, err := strconv.ParseInt(string(bytes.TrimSpace(size)), 16, 32)
		if err != nil {
			return err
		}
		if err := s.take(int(n)); err != nil {
			return err
		}
		if _, err := s.in.Discard(2); err != nil {
			return err
		}
		if n == 0 {
			return nil
		}
	}
}

// take appends the next bytes of the connection to the body.
func (s *httpSlot) take(n int) error {
	old := len(s.body)
	s.body = append(s.body, make([]byte, n)...)
	_, err := io.ReadFull(s.in, s.body[old:])
	return err
}
