// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package channels makes the channels of a configuration: it is the one place
// that knows every kind of them.
package channels

import (
	"crypto/rand"
	"maps"
	"slices"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/config"
	"github.com/toolverdict/toolverdict/internal/notify"
	"github.com/toolverdict/toolverdict/internal/notify/dingtalk"
	"github.com/toolverdict/toolverdict/internal/notify/feishu"
	"github.com/toolverdict/toolverdict/internal/notify/slack"
	"github.com/toolverdict/toolverdict/internal/notify/webhook"
	"github.com/toolverdict/toolverdict/internal/notify/wecom"
	"github.com/toolverdict/toolverdict/internal/notify/words"
)

// Entries makes the channels of a configuration. A secret that is not there
// stops the start: a channel without it would be believed, or silent.
func Entries(c *config.Config, value func(config.Secret) (string, error), now func() time.Time) ([]notify.Entry, error) {
	var out []notify.Entry
	for _, name := range slices.Sorted(maps.Keys(c.Channels)) {
		ch := c.Channels[name]
		m := maker{value: value, now: now}
		kind, made, err := m.make(ch)
		if m.err != nil {
			err = m.err
		}
		if err != nil {
			return nil, ch.Problem("channel %q: %v", name, err)
		}
		e := notify.Entry{
			Name: name, Kind: kind, Channel: made, Language: words.Language(ch.Language), Approvers: ch.Approvers, PerMinute: ch.PerMinute,
		}
		for _, risk := range ch.Decide {
			e.Decide = append(e.Decide, tv.Risk(risk))
		}
		out = append(out, e)
	}
	return out, nil
}

// maker makes one channel, and keeps the first secret that is not there.
type maker struct {
	value func(config.Secret) (string, error)
	now   func() time.Time
	err   error
}

// secret is the value of a reference; "" where there is none.
func (m *maker) secret(ref config.Secret) string {
	if ref.IsZero() || m.err != nil {
		return ""
	}
	var v string
	v, m.err = m.value(ref)
	return v
}

func (m *maker) secrets(refs []config.Secret) []string {
	var out []string
	for _, ref := range refs {
		out = append(out, m.secret(ref))
	}
	return out
}

func (m *maker) make(c *config.Channel) (kind string, _ notify.Channel, _ error) {
	switch {
	case c.Slack != nil:
		made, err := slack.New(slack.Config{
			To: c.Slack.To, Token: m.secret(c.Slack.Token), SigningSecret: m.secret(c.Slack.SigningSecret), API: c.Slack.API, Now: m.now,
		})
		return "slack", made, err
	case c.Feishu != nil:
		f := c.Feishu
		made, err := feishu.New(feishu.Config{
			To: f.To, ToType: f.ToType, AppID: f.AppID, AppSecret: m.secret(f.AppSecret), EncryptKey: m.secret(f.EncryptKey),
			VerificationToken: m.secret(f.VerificationToken), API: f.API, Now: m.now,
		})
		return "feishu", made, err
	case c.WeCom != nil:
		w := c.WeCom
		made, err := wecom.New(wecom.Config{
			To: w.To, CorpID: w.CorpID, AgentID: int64(w.AgentID), Secret: m.secret(w.Secret), Token: m.secret(w.Token),
			EncodingAESKey: m.secret(w.EncodingAESKey), API: w.API, Now: m.now,
			Random: func(b []byte) { _, _ = rand.Read(b) }, // never fails: crypto/rand ends the process instead
		})
		return "wecom", made, err
	case c.DingTalk != nil:
		d := c.DingTalk
		made, err := dingtalk.New(dingtalk.Config{
			To: d.To, ClientID: d.ClientID, ClientSecret: m.secret(d.ClientSecret), RobotCode: d.RobotCode, Template: d.Template,
			CorpID: d.CorpID, API: d.API, Now: m.now,
		})
		return "dingtalk", made, err
	default: // the configuration has exactly one
		w := c.Webhook
		made, err := webhook.New(webhook.Config{URL: w.URL, Secrets: m.secrets(w.Secrets), Callers: m.secrets(w.Callers), Now: m.now})
		return "webhook", made, err
	}
}
