// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package pull fetches one document from a URL, again and again, and says when
// it is another. It trusts nothing of what it gets: it bounds size and time,
// follows no way to another server, and leaves it to the caller to judge what
// the bytes are. What it cannot get whole is an error, never a part.
package pull

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Config says what to fetch. URL, MaxBytes and Timeout are required.
type Config struct {
	URL      string         // https, or http of this machine, or file
	Header   http.Header    // sent with every request: credentials
	Roots    *x509.CertPool // nil means those of the system
	MaxBytes int64
	Timeout  time.Duration // of one fetch, to its last byte
}

// Source is one document. It is safe for concurrent use.
type Source struct {
	Config
	url    *url.URL
	client *http.Client
}

// CheckURL says what is wrong with an address.
func CheckURL(text string) error {
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return errors.New("it is not a URL")
	case u.User != nil || u.Fragment != "" || u.Opaque != "":
		return errors.New("an address without user information and fragment is wanted")
	case u.Scheme == "file" && u.Host == "" && filepath.IsAbs(u.Path) && u.RawQuery == "":
		return nil
	case u.Scheme == "https" && u.Hostname() != "", u.Scheme == "http" && loopback(u.Hostname()):
		return nil
	}
	return errors.New("use https://HOST/…, file:///PATH, or http:// of this machine")
}

// loopback reports whether a host is this machine. What is dialled is looked at
// again: a name can lead anywhere.
func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// New checks the configuration; it does not connect.
func New(c Config) (*Source, error) {
	if c.MaxBytes <= 0 || c.Timeout <= 0 {
		return nil, errors.New("configure source: MaxBytes and Timeout are needed")
	}
	if err := CheckURL(c.URL); err != nil {
		return nil, fmt.Errorf("configure source: %w", err)
	}
	u, err := url.Parse(c.URL)
	if err != nil {
		return nil, fmt.Errorf("configure source: %w", err)
	}
	c.Header = c.Header.Clone()
	return &Source{c, u, &http.Client{
		CheckRedirect: sameServer,
		Transport: &http.Transport{
			DialContext:            dialer(u.Scheme, c.Timeout).DialContext,
			TLSClientConfig:        &tls.Config{RootCAs: c.Roots, MinVersion: tls.VersionTLS12},
			TLSHandshakeTimeout:    c.Timeout,
			ForceAttemptHTTP2:      true,
			DisableCompression:     true, // a small body must not become a large one
			MaxIdleConns:           1,
			IdleConnTimeout:        time.Minute,
			MaxResponseHeaderBytes: 64 << 10,
		},
	}}, nil
}

// dialer connects anywhere with TLS, and to this machine without.
func dialer(scheme string, patience time.Duration) *net.Dialer {
	if scheme == "https" {
		return &net.Dialer{Timeout: patience}
	}
	return &net.Dialer{Timeout: patience, ControlContext: stayHere}
}

// stayHere refuses to speak without TLS to another machine, whatever a name
// resolves to.
func stayHere(_ context.Context, _, address string, _ syscall.RawConn) error {
	if host, _, err := net.SplitHostPort(address); err != nil || !loopback(host) {
		return errors.New("http leads to another machine: use https")
	}
	return nil
}

const maxRedirects = 3

// sameServer follows redirects within one server only: another one would see
// the credentials, and could be anybody's.
func sameServer(next *http.Request, before []*http.Request) error {
	first := before[0].URL
	if next.URL.Scheme != first.Scheme || next.URL.Host != first.Host || next.URL.User != nil {
		return errors.New("it redirects to another server: name that one instead")
	}
	if len(before) > maxRedirects {
		return errors.New("it redirects too often")
	}
	return nil
}

// Answer is what a fetch brought.
type Answer struct {
	Same bool   // as the one of the tag that was sent; there is no body
	Body []byte // the whole document
	Tag  string // to be sent next time; "" where there is none
}

// Get fetches the document, unless it still is the one that came with a tag.
// A tag is only ever a hint that spares a transfer.
func (s *Source) Get(ctx context.Context, tag string) (Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, s.Timeout)
	defer cancel()
	if s.url.Scheme == "file" {
		return s.read()
	}
	a, err := s.fetch(ctx, tag)
	if err != nil && ctx.Err() != nil {
		return Answer{}, fmt.Errorf("fetch %s: it took too long: %w", s, ctx.Err())
	}
	return a, err
}

// String names the source, without what may be secret in its query.
func (s *Source) String() string {
	u := *s.url
	u.RawQuery, u.ForceQuery = "", false
	return u.String()
}

func (s *Source) fetch(ctx context.Context, tag string) (Answer, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL, http.NoBody)
	if err != nil {
		return Answer{}, fmt.Errorf("fetch %s: %w", s, err)
	}
	maps.Copy(req.Header, s.Header)
	req.Header.Set("Accept", "text/plain, application/octet-stream;q=0.9, */*;q=0.1")
	if tag != "" {
		req.Header.Set("If-None-Match", tag)
	}
	resp, err := s.client.Do(req)
	if err != nil {
		return Answer{}, fmt.Errorf("fetch %s: %v", s, reason(err))
	}
	defer resp.Body.Close()
	switch {
	case resp.StatusCode == http.StatusNotModified && tag != "":
		return Answer{Same: true, Tag: tag}, nil
	case resp.StatusCode != http.StatusOK:
		return Answer{}, fmt.Errorf("fetch %s: the server answers with status %d", s, resp.StatusCode)
	case resp.Header.Get("Content-Encoding") != "":
		return Answer{}, fmt.Errorf("fetch %s: the server encodes it, and was not asked to", s)
	case resp.ContentLength > s.MaxBytes:
		return Answer{}, s.tooLarge()
	}
	body, err := s.bounded(resp.Body)
	if err != nil {
		return Answer{}, err
	}
	return Answer{Body: body, Tag: usable(resp.Header.Get("ETag"))}, nil
}

// reason leaves out the URL, whose query may be secret.
func reason(err error) error {
	if e, ok := errors.AsType[*url.Error](err); ok {
		return e.Err
	}
	return err
}

func (s *Source) bounded(r io.Reader) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(r, s.MaxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("fetch %s: the answer broke off: %v", s, err)
	}
	if int64(len(body)) > s.MaxBytes {
		return nil, s.tooLarge()
	}
	return body, nil
}

func (s *Source) tooLarge() error {
	return fmt.Errorf("fetch %s: it has more than %d bytes", s, s.MaxBytes)
}

const maxTag = 256

// usable returns a tag that can be sent back, or "".
func usable(tag string) string {
	opaque, quoted := strings.CutPrefix(strings.TrimPrefix(tag, "W/"), `"`)
	opaque, closed := strings.CutSuffix(opaque, `"`)
	printable := !strings.ContainsFunc(opaque, func(r rune) bool { return r <= ' ' || r >= 0x7f || r == '"' })
	if !quoted || !closed || !printable || len(tag) > maxTag {
		return ""
	}
	return tag
}

// read reads a file of this machine. It has no tag: reading is cheap. It opens
// without waiting, and looks at what it opened: for a pipe it would wait
// without end, also where one was put there an instant ago.
func (s *Source) read() (Answer, error) {
	f, err := os.OpenFile(s.url.Path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return Answer{}, fmt.Errorf("fetch: %w", err)
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return Answer{}, fmt.Errorf("fetch %s: it is not a plain file", s)
	}
	body, err := s.bounded(f)
	return Answer{Body: body}, err
}
