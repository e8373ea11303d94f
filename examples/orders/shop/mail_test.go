// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package shop_test

import (
	"bytes"
	"database/sql"
	"io"
	"maps"
	"mime"
	"mime/quotedprintable"
	"net/mail"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/toolverdict/toolverdict/examples/orders/shop"
)

// readMail reads a message of the outbox back as a mail program would.
func readMail(t *testing.T, dir, file string) (*mail.Message, string) {
	t.Helper()
	f, err := os.Open(filepath.Join(dir, "outbox", file))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	m, err := mail.ReadMessage(f)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(quotedprintable.NewReader(m.Body))
	if err != nil {
		t.Fatal(err)
	}
	return m, string(body)
}

func outbox(t *testing.T, dir string) []string {
	t.Helper()
	list, err := os.ReadDir(filepath.Join(dir, "outbox"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}

func TestSendMail(t *testing.T) {
	t.Parallel()
	s, dir := newShop(t)
	got, err := s.SendMail(t.Context(), shop.Mail{
		To: []string{"customer1@example.com", "customer2@example.org"}, Cc: []string{"desk@example.com"},
		Bcc: []string{"archive@example.com"}, Subject: "Ihre Bestellung — 订单 A1001",
		Body: "Hello,\nit is on its way.\r\nBcc: nobody@example.net\n.\n",
	})
	if err != nil {
		t.Fatal(err)
	}
	want := shop.Sent{
		File: "20261130T120000Z-id1.eml", MessageID: "<id1@example.com>", Recipients: 4,
		Note: "Written to the outbox folder; this example delivers nothing.",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error("result (-want +got):\n" + d)
	}
	m, body := readMail(t, dir, got.File)
	subject, err := new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject"))
	if err != nil || subject != "Ihre Bestellung — 订单 A1001" {
		t.Errorf("subject reads %q, %v", subject, err)
	}
	for header, want := range map[string][]string{
		"To": {"customer1@example.com", "customer2@example.org"}, "Cc": {"desk@example.com"},
		"Bcc": {"archive@example.com"}, "From": {"orders@example.com"},
	} {
		list, err := m.Header.AddressList(header)
		if err != nil {
			t.Fatal(err)
		}
		var addrs []string
		for _, a := range list {
			addrs = append(addrs, a.Address)
		}
		if d := cmp.Diff(want, addrs); d != "" {
			t.Errorf("%s (-want +got):\n%s", header, d)
		}
	}
	if at, err := m.Header.Date(); err != nil || !at.Equal(noon()) {
		t.Errorf("date is %v, %v", at, err)
	}
	if want := "Hello,\r\nit is on its way.\r\nBcc: nobody@example.net\r\n.\r\n"; body != want {
		t.Errorf("body is %q, want %q", body, want)
	}
	if info, _ := os.Stat(filepath.Join(dir, "outbox", got.File)); info.Mode().Perm() != 0o600 {
		t.Errorf("mode is %v", info.Mode())
	}
	if c := changes(t, dir); len(c) != 1 || c[0].What != got.File || c[0].Detail != "4 recipients" {
		t.Errorf("changes: %v", c)
	}
}

func TestSendMailRefusesInjection(t *testing.T) {
	t.Parallel()
	s, dir := newShop(t)
	ok := func() shop.Mail {
		return shop.Mail{To: []string{"customer1@example.com"}, Subject: "Hello", Body: "Text"}
	}
	addresses := []string{
		"", "nobody", "a@b", "@example.com", "a@", "a b@example.com", "a@example.com\r\nBcc: x@example.net", "a@example.com\n",
		"a@example.com, b@example.net", "a@example.com;b@example.net", "Desk <a@example.com>", `"a\r\n"@example.com`, `"x@example.net "@example.com`,
		"a(comment)@example.com", "a@example.com(b@example.net)", "a@[127.0.0.1]", "a..b@example.com", ".a@example.com", "a.@example.com",
		"a@-example.com", "a@example..com", "a@example.com.", "a@exаmple.com", "a@example.com\x00", "a@@example.com", "a@example.net@example.com",
		"%61@example.com\t", strings.Repeat("a", 65) + "@example.com", "a@" + strings.Repeat("a", 64) + ".com", "undisclosed:a@example.com;",
	}
	for _, a := range addresses {
		for _, place := range []func(*shop.Mail){
			func(m *shop.Mail) { m.To = append(m.To, a) },
			func(m *shop.Mail) { m.Cc = []string{a} },
			func(m *shop.Mail) { m.Bcc = []string{a} },
		} {
			m := ok()
			place(&m)
			_, err := s.SendMail(t.Context(), m)
			wantCode(t, err, shop.InvalidRecipient)
		}
	}
	for _, subject := range []string{
		"", "  ", "=?utf-8?q?=0d=0aBcc:_x@example.net?=", "a\r\nBcc: x@example.net", "a\nb", "a\rb", "a\x00b", "a\tb", "a\x85b", "a\u0085b", "a\u2028b", "a\u2029b", "\xff", strings.Repeat("é", 201),
	} {
		m := ok()
		m.Subject = subject
		_, err := s.SendMail(t.Context(), m)
		wantCode(t, err, shop.InvalidSubject)
	}
	for _, body := range []string{"a\x00b", "a\x1b[2Jb", "\xff", strings.Repeat("a", 64<<10+1)} {
		m := ok()
		m.Body = body
		_, err := s.SendMail(t.Context(), m)
		wantCode(t, err, shop.InvalidBody)
	}
	none, many := ok(), ok()
	none.To = nil
	many.Bcc = slices.Repeat([]string{"a@example.com"}, 50)
	for _, m := range []shop.Mail{none, many} {
		_, err := s.SendMail(t.Context(), m)
		wantCode(t, err, shop.InvalidRecipient)
	}
	if left := outbox(t, dir); len(left) != 0 || len(changes(t, dir)) != 0 {
		t.Errorf("refused mail left %v and %d changes", left, len(changes(t, dir)))
	}
}

// A name that is taken must not be overwritten, nor its file removed when the
// second message fails.
func TestSendMailNeverTouchesAnotherMessage(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "shop")
	cfg := config(dir)
	cfg.NewID = func() string { return "same" }
	s := open(t, cfg)
	m := shop.Mail{To: []string{"customer1@example.com"}, Subject: "First", Body: "Text"}
	if _, err := s.SendMail(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	m.Subject = "Second"
	if _, err := s.SendMail(t.Context(), m); err == nil {
		t.Error("a second message with the same name was written")
	}
	left := outbox(t, dir)
	if len(left) != 1 || len(changes(t, dir)) != 1 {
		t.Fatalf("outbox %v, %d changes; want one of each", left, len(changes(t, dir)))
	}
	if first, _ := readMail(t, dir, left[0]); first.Header.Get("Subject") != "First" {
		t.Errorf("the first message now has the subject %q", first.Header.Get("Subject"))
	}
}

// Mail whose record cannot be kept must not lie in the outbox.
func TestSendMailTakesTheFileBack(t *testing.T) {
	t.Parallel()
	s, dir := newShop(t)
	db, err := sql.Open("sqlite", filepath.Join(dir, "orders.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	// A reference that is checked at the very end makes the commit itself fail.
	_, err = db.ExecContext(t.Context(), `CREATE TABLE spoilt (at REFERENCES customer (id) DEFERRABLE INITIALLY DEFERRED);
		CREATE TRIGGER spoil AFTER INSERT ON change BEGIN INSERT INTO spoilt VALUES ('nobody'); END`)
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.SendMail(t.Context(), shop.Mail{To: []string{"customer1@example.com"}, Subject: "Hello", Body: "Text"})
	if err == nil || !strings.Contains(err.Error(), "commit") {
		t.Errorf("got %v, want an error of the commit", err)
	}
	if left := outbox(t, dir); len(left) != 0 || len(changes(t, dir)) != 0 {
		t.Errorf("left %v and %d changes", left, len(changes(t, dir)))
	}
}

// Whatever is accepted comes out as the same recipients, the same subject and
// exactly the headers that the server writes.
func TestAcceptedMailReadsBackTheSame(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		subject := rapid.OneOf(rapid.String(), rapid.StringMatching(`[ -~é界]{1,200}`)).Draw(rt, "subject")
		checkMail(rt.Fatalf, rapid.String().Draw(rt, "to"), subject, rapid.String().Draw(rt, "body"))
	})
}

func FuzzSendMail(f *testing.F) {
	f.Add("a@example.com", "Hello", "Text")
	f.Add("a@example.com\r\nBcc: b@example.net", "x\r\nBcc: b@example.net", "\r\n.\r\n")
	f.Add("a@example.com", "=?utf-8?q?=0d=0aBcc:_b@example.net?=", "=0d=0a")
	f.Add("a@example.com", strings.Repeat("界", 200), strings.Repeat("x", 2000))
	f.Fuzz(func(t *testing.T, to, subject, body string) { checkMail(t.Fatalf, to, subject, body) })
}

func checkMail(fatalf func(string, ...any), to, subject, body string) {
	for _, addr := range []string{to, "customer1@example.com"} {
		raw, err := shop.Mail{To: []string{addr}, Subject: subject, Body: body}.Encode("<id@example.com>", noon())
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(raw)) {
			if len(line) > 1000 || strings.HasSuffix(line, "\n") != strings.HasSuffix(line, "\r\n") {
				fatalf("a line is longer than 998 bytes or ends without a return: %q", line)
			}
		}
		m, err := mail.ReadMessage(bytes.NewReader(raw))
		if err != nil {
			fatalf("it cannot be read back: %v", err)
		}
		want := []string{"Content-Transfer-Encoding", "Content-Type", "Date", "From", "Message-Id", "Mime-Version", "Subject", "To"}
		if d := cmp.Diff(want, slices.Sorted(maps.Keys(m.Header))); d != "" {
			fatalf("headers (-want +got):\n%s", d)
		}
		list, err := m.Header.AddressList("To")
		if err != nil || len(list) != 1 || list[0].Address != addr {
			fatalf("recipients read %v, %v; want %q only", list, err, addr)
		}
		got, err := new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject"))
		if err != nil || strings.TrimSpace(got) != strings.TrimSpace(subject) {
			fatalf("subject reads %q, %v; want %q", got, err, subject)
		}
	}
}
