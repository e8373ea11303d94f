// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package shop

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"mime"
	"mime/quotedprintable"
	"os"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

const (
	mailFrom      = "orders@example.com"
	maxRecipients = 50
	maxSubject    = 200
	maxBody       = 64 << 10
)

// Mail is a message to write to the outbox.
type Mail struct {
	To, Cc, Bcc   []string
	Subject, Body string
}

// Sent is what [Shop.SendMail] did.
type Sent struct {
	File       string `json:"file"` // name in the outbox folder
	MessageID  string `json:"message_id"`
	Recipients int    `json:"recipients"`
	Delivered  bool   `json:"delivered"` // always false: the outbox is a folder
	Note       string `json:"note"`
}

// SendMail writes the message as an .eml file to the outbox folder, where a
// mail program would pick it up; none does here. It refuses whatever could add
// a header or a recipient that the caller did not name as one.
func (s *Shop) SendMail(ctx context.Context, m Mail) (Sent, error) {
	now, id := s.cfg.Now().UTC(), strings.ToLower(s.cfg.NewID())
	done := Sent{
		File:       now.Format("20060102T150405Z") + "-" + id + ".eml",
		MessageID:  "<" + id + "@example.com>",
		Recipients: len(m.To) + len(m.Cc) + len(m.Bcc),
		Note:       "Written to the outbox folder; this example delivers nothing.",
	}
	text, err := m.Encode(done.MessageID, now)
	if err != nil {
		return Sent{}, err
	}
	// The row and the file belong together: the file is written inside the
	// transaction and taken away again if the row cannot be kept.
	wrote := false
	err = s.write(ctx, func(tx *sql.Tx) error {
		if err := s.record(ctx, tx, "send_email", done.File, fmt.Sprintf("%d recipients", done.Recipients)); err != nil {
			return err
		}
		err := s.writeOutbox(done.File, text)
		wrote = err == nil
		return err
	})
	if err != nil && wrote {
		err = errors.Join(err, s.outbox.Remove(done.File))
	}
	if err != nil {
		return Sent{}, err
	}
	return done, nil
}

func (s *Shop) writeOutbox(name string, text []byte) error {
	f, err := s.outbox.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("write mail: %v", err)
	}
	_, werr := f.Write(text)
	if err := errors.Join(werr, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("write mail: %v", errors.Join(err, s.outbox.Remove(name)))
	}
	return nil
}

// Encode checks the message and gives its wire form, with exactly the headers
// and recipients that the caller named. Bcc is in it, as in any pick-up folder:
// the program that sends it takes the line out.
func (m Mail) Encode(messageID string, at time.Time) ([]byte, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	header := func(name, value string) { b.WriteString(name + ": " + value + "\r\n") }
	header("From", mailFrom)
	header("To", strings.Join(m.To, ",\r\n "))
	if len(m.Cc) > 0 {
		header("Cc", strings.Join(m.Cc, ",\r\n "))
	}
	if len(m.Bcc) > 0 {
		header("Bcc", strings.Join(m.Bcc, ",\r\n "))
	}
	header("Subject", strings.ReplaceAll(mime.QEncoding.Encode("utf-8", m.Subject), "?= =?", "?=\r\n =?"))
	header("Date", at.Format(time.RFC1123Z))
	header("Message-ID", messageID)
	header("MIME-Version", "1.0")
	header("Content-Type", "text/plain; charset=utf-8")
	header("Content-Transfer-Encoding", "quoted-printable")
	b.WriteString("\r\n")
	w := quotedprintable.NewWriter(&b)
	body := strings.NewReplacer("\r\n", "\r\n", "\r", "\r\n", "\n", "\r\n").Replace(m.Body)
	if _, err := w.Write([]byte(body)); err != nil {
		return nil, fmt.Errorf("encode mail: %v", err)
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("encode mail: %v", err)
	}
	return b.Bytes(), nil
}

func (m Mail) check() error {
	if len(m.To) == 0 {
		return refuse(InvalidRecipient, "there is no recipient in to", "name at least one address in to")
	}
	if len(m.To)+len(m.Cc)+len(m.Bcc) > maxRecipients {
		return refuse(InvalidRecipient, "there are more than 50 recipients", "send it to fewer people")
	}
	for _, list := range []struct {
		name  string
		addrs []string
	}{{"to", m.To}, {"cc", m.Cc}, {"bcc", m.Bcc}} {
		for i, a := range list.addrs {
			if !validAddress(a) {
				return refuse(InvalidRecipient, fmt.Sprintf("%s[%d] is not a plain address", list.name, i),
					"write each as name@host.example, without display name, comment or line break")
			}
		}
	}
	if !validSubject(m.Subject) {
		return refuse(InvalidSubject, "the subject is empty, longer than 200 characters or holds a line break, a control character or =?",
			"write it as one plain line")
	}
	if !validBody(m.Body) {
		return refuse(InvalidBody, "the body is longer than 64 KiB or holds control characters", "send plain text")
	}
	return nil
}

// addressForm takes the small part of RFC 5322 that every program reads alike:
// a dot-atom, an @ and a host name. Quoted parts, comments and groups are where
// two parsers find two different recipients.
var addressForm = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+/=?^_{|}~-]+(\\.[A-Za-z0-9!#$%&'*+/=?^_{|}~-]+)*" +
	`@([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$`)

func validAddress(a string) bool {
	return len(a) <= 254 && strings.IndexByte(a, '@') <= 64 && addressForm.MatchString(a)
}

// validSubject refuses, besides line breaks, text that is an encoded word
// already: a reader would decode it into what was not checked here.
func validSubject(s string) bool {
	n := utf8.RuneCountInString(s)
	if !utf8.ValidString(s) || strings.TrimSpace(s) == "" || n > maxSubject || strings.Contains(s, "=?") {
		return false
	}
	return !strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsControl(r) || r == '\u2028' || r == '\u2029'
	})
}

func validBody(s string) bool {
	return utf8.ValidString(s) && len(s) <= maxBody && !strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsControl(r) && r != '\n' && r != '\r' && r != '\t'
	})
}
