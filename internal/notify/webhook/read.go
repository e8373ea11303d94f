// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	standard "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/toolverdict/toolverdict/internal/notify"
)

// maxSignatures bounds how many signatures of one event are looked at.
const maxSignatures = 16

// decision is the event that decides.
type decision struct {
	Type string `json:"type"`
	Data struct {
		Token    string `json:"token"`
		Vote     string `json:"vote"`
		Operator string `json:"operator"`
		Name     string `json:"name"`
	} `json:"data"`
}

// Read implements [notify.Receiver].
func (ch *Channel) Read(r notify.Request) (notify.Click, *notify.Reply, error) {
	id, stamp := r.Header.Get(standard.HeaderWebhookID), r.Header.Get(standard.HeaderWebhookTimestamp)
	at, err := strconv.ParseInt(stamp, 10, 64)
	if r.Method != http.MethodPost || id == "" || err != nil || strconv.FormatInt(at, 10) != stamp {
		return notify.Click{}, nil, notify.ErrForm
	}
	if !ch.believes(id, at, r.Body, r.Header.Get(standard.HeaderWebhookSignature)) {
		return notify.Click{}, nil, notify.ErrSignature
	}
	if err := notify.Fresh(stamp, r.At); err != nil {
		return notify.Click{}, nil, err
	}
	var d decision
	if json.Unmarshal(r.Body, &d) != nil || d.Type != "approval.decide" || d.Data.Operator == "" {
		return notify.Click{}, nil, notify.ErrForm
	}
	return notify.Click{
		Event: id, Operator: d.Data.Operator, Name: d.Data.Name, Token: d.Data.Token, Vote: notify.Vote(d.Data.Vote),
	}, nil, nil
}

// believes reports whether one of the signatures is of one of the callers: there
// are several of both while keys are changed.
func (ch *Channel) believes(id string, at int64, body []byte, signatures string) bool {
	all := strings.Fields(signatures)
	for _, s := range all[:min(len(all), maxSignatures)] {
		for _, verify := range ch.callers {
			if verify(id, at, body, s) {
				return true
			}
		}
	}
	return false
}

// outcome is what a program is told.
type outcome struct {
	Counted bool   `json:"counted"`
	Text    string `json:"text"`
	Link    string `json:"link,omitempty"`
	Card    *data  `json:"card,omitempty"`
}

// Reply implements [notify.Receiver].
func (ch *Channel) Reply(_ notify.Click, a notify.Answer) notify.Reply {
	o := outcome{Counted: a.Counted, Text: a.Text, Link: a.Link}
	if a.Card != nil {
		d := dataOf(a.Card)
		o.Card = &d
	}
	body, err := json.Marshal(o)
	if err != nil {
		return notify.Reply{Status: http.StatusInternalServerError}
	}
	return notify.Reply{Status: http.StatusOK, Type: "application/json", Body: body}
}
