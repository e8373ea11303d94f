// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package mcpsdk

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
)

const (
	sealKeyBytes = 32
	sealMark     = "toolverdict."
)

// seal keeps what a paused call is carried on with, in the state that the client
// hands back. It holds for one session and one tool; the gate itself holds it to
// the caller and the arguments.
type seal struct {
	key           []byte
	session, tool string
}

type sealed struct {
	Resume string `json:"resume"`
	State  string `json:"state,omitempty"` // the tool's own
}

func (s seal) mac(body string) []byte {
	h := hmac.New(sha256.New, s.key)
	for _, part := range []string{s.session, s.tool, body} {
		b, _ := json.Marshal(part) // a delimited form: parts cannot run into one another
		_, _ = h.Write(append(b, ','))
	}
	return h.Sum(nil)
}

func (s seal) close(resume, state string) string {
	if resume == "" {
		return state
	}
	b, _ := json.Marshal(sealed{resume, state})
	body := base64.RawURLEncoding.EncodeToString(b)
	return sealMark + body + "." + base64.RawURLEncoding.EncodeToString(s.mac(body))
}

// open returns what a state holds. One without the mark is the tool's own: its
// call was in no need of being carried on.
func (s seal) open(state string) (resume, own string, err error) {
	rest, ours := strings.CutPrefix(state, sealMark)
	if !ours {
		return "", state, nil
	}
	body, sum, _ := strings.Cut(rest, ".")
	mac, err := base64.RawURLEncoding.DecodeString(sum)
	if err != nil || !hmac.Equal(mac, s.mac(body)) {
		return "", "", errors.New("open state: the seal is broken")
	}
	var in sealed
	b, err := base64.RawURLEncoding.DecodeString(body)
	if err != nil || json.Unmarshal(b, &in) != nil {
		return "", "", errors.New("open state: it cannot be read")
	}
	return in.Resume, in.State, nil
}
