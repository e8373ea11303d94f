// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package seal keeps what a paused call is carried on with inside a text that the
// caller hands back, such as MCP's requestState. It refuses whatever was not made
// with the same key, for the same session and tool.
package seal

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// KeyBytes is how long a key must be.
const KeyBytes = 32

// CheckKey says why a key cannot seal: it is too short or too long, or was made and
// never filled, so that anybody knows it.
func CheckKey(key []byte) error {
	if len(key) != KeyBytes || bytes.Equal(key, make([]byte, KeyBytes)) {
		return fmt.Errorf("the key must have %d random bytes", KeyBytes)
	}
	return nil
}

const mark = "toolverdict."

// Seal holds for one session and one tool. The gate itself holds what is in it to
// the caller and the arguments.
type Seal struct {
	Key           []byte
	Session, Tool string
}

type sealed struct {
	Resume string `json:"resume"`
	State  string `json:"state,omitempty"` // the tool's own
}

func (s Seal) mac(body string) []byte {
	h := hmac.New(sha256.New, s.Key)
	for _, part := range []string{s.Session, s.Tool, body} {
		b, _ := json.Marshal(part) // a delimited form: parts cannot run into one another
		_, _ = h.Write(append(b, ','))
	}
	return h.Sum(nil)
}

// Close puts what carries a call on beside the tool's own state. Where nothing
// does, the state stays what it is.
func (s Seal) Close(resume, state string) string {
	if resume == "" {
		return state
	}
	b, _ := json.Marshal(sealed{resume, state})
	body := base64.RawURLEncoding.EncodeToString(b)
	return mark + body + "." + base64.RawURLEncoding.EncodeToString(s.mac(body))
}

// Open returns what a state holds. One that no Close made is the tool's own: its
// call was in no need of being carried on.
func (s Seal) Open(state string) (resume, own string, err error) {
	rest, ours := strings.CutPrefix(state, mark)
	if !ours {
		return "", state, nil
	}
	body, sum, _ := strings.Cut(rest, ".")
	mac, err := base64.RawURLEncoding.DecodeString(sum)
	if err != nil || CheckKey(s.Key) != nil || !hmac.Equal(mac, s.mac(body)) {
		return "", "", errors.New("open state: the seal is broken")
	}
	var in sealed
	b, err := base64.RawURLEncoding.DecodeString(body)
	if err != nil || json.Unmarshal(b, &in) != nil {
		return "", "", errors.New("open state: it cannot be read")
	}
	return in.Resume, in.State, nil
}
