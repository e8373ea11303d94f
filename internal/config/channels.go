// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/toolverdict/toolverdict/internal/strictyaml"
)

// Channel is a place where approvals are shown, of exactly one kind.
type Channel struct {
	strictyaml.Placed
	Language  string    `yaml:"language" json:"language,omitempty" jsonschema:"enum=en,enum=zh,description=Of the cards. en when left out."`
	Decide    []string  `yaml:"decide" json:"decide,omitempty" jsonschema:"description=Risks whose calls may be decided here: low and medium. None when left out; high risk is never decided in a chat."`
	Approvers []string  `yaml:"approvers" json:"approvers,omitempty" jsonschema:"description=Only approvals that name one of these are shown: role:NAME or group:NAME or user:ID. All when left out."`
	PerMinute int       `yaml:"perMinute" json:"perMinute,omitempty" jsonschema:"minimum=1,maximum=60,description=Messages in a minute. 15 when left out."`
	Slack     *Slack    `yaml:"slack" json:"slack,omitempty" jsonschema:"description=A channel or person in Slack."`
	Feishu    *Feishu   `yaml:"feishu" json:"feishu,omitempty" jsonschema:"description=A chat or person in Feishu or Lark."`
	WeCom     *WeCom    `yaml:"wecom" json:"wecom,omitempty" jsonschema:"description=Members in WeCom."`
	DingTalk  *DingTalk `yaml:"dingtalk" json:"dingtalk,omitempty" jsonschema:"description=A group or person in DingTalk."`
	Webhook   *Webhook  `yaml:"webhook" json:"webhook,omitempty" jsonschema:"description=A program that takes Standard Webhooks."`
}

// Slack is a place in Slack.
type Slack struct {
	strictyaml.Placed
	To            string `yaml:"to" json:"to" jsonschema:"description=Id of the channel or person."`
	Token         Secret `yaml:"token" json:"token" jsonschema:"description=Of the bot (xoxb-…)."`
	SigningSecret Secret `yaml:"signingSecret" json:"signingSecret,omitzero" jsonschema:"description=Of the app. Needed where something is decided."`
	API           string `yaml:"api" json:"api,omitempty" jsonschema:"description=Another address than Slack's own."`
}

// Feishu is a chat or person in Feishu or Lark.
type Feishu struct {
	strictyaml.Placed
	To                string `yaml:"to" json:"to" jsonschema:"description=Id of the chat or person."`
	ToType            string `yaml:"toType" json:"toType,omitempty" jsonschema:"enum=chat_id,enum=open_id,enum=user_id,enum=union_id,enum=email,description=What to is. chat_id when left out."`
	AppID             string `yaml:"appID" json:"appID"`
	AppSecret         Secret `yaml:"appSecret" json:"appSecret"`
	EncryptKey        Secret `yaml:"encryptKey" json:"encryptKey,omitzero" jsonschema:"description=Of events and callbacks. Needed where something is decided."`
	VerificationToken Secret `yaml:"verificationToken" json:"verificationToken,omitzero" jsonschema:"description=Of events and callbacks. Needed where something is decided."`
	API               string `yaml:"api" json:"api,omitempty" jsonschema:"description=Another address than Feishu's own; Lark's is https://open.larksuite.com."`
}

// WeCom is some members in WeCom.
type WeCom struct {
	strictyaml.Placed
	To             []string `yaml:"to" json:"to" jsonschema:"minItems=1,description=Ids of members."`
	CorpID         string   `yaml:"corpID" json:"corpID"`
	AgentID        int      `yaml:"agentID" json:"agentID" jsonschema:"description=Of the application."`
	Secret         Secret   `yaml:"secret" json:"secret" jsonschema:"description=Of the application."`
	Token          Secret   `yaml:"token" json:"token,omitzero" jsonschema:"description=Of its callback. Needed where something is decided."`
	EncodingAESKey Secret   `yaml:"encodingAESKey" json:"encodingAESKey,omitzero" jsonschema:"description=Of its callback. Needed where something is decided."`
	API            string   `yaml:"api" json:"api,omitempty" jsonschema:"description=Another address than WeCom's own."`
}

// DingTalk is a group or person in DingTalk.
type DingTalk struct {
	strictyaml.Placed
	To           string `yaml:"to" json:"to" jsonschema:"description=dtv1.card//IM_GROUP.CONVERSATION or dtv1.card//IM_ROBOT.USER."`
	ClientID     string `yaml:"clientID" json:"clientID"`
	ClientSecret Secret `yaml:"clientSecret" json:"clientSecret"`
	RobotCode    string `yaml:"robotCode" json:"robotCode"`
	Template     string `yaml:"template" json:"template" jsonschema:"description=Id of the card template."`
	CorpID       string `yaml:"corpID" json:"corpID,omitempty" jsonschema:"description=The organisation whose members may decide. Needed where something is decided."`
	API          string `yaml:"api" json:"api,omitempty" jsonschema:"description=Another address than DingTalk's own."`
}

// Webhook is a program that takes Standard Webhooks.
type Webhook struct {
	strictyaml.Placed
	URL     string   `yaml:"url" json:"url" jsonschema:"description=https; http for this machine only."`
	Secrets []Secret `yaml:"secrets" json:"secrets" jsonschema:"minItems=1,description=whsec_… or whsk_…: each signs. Two of them while they are changed."`
	Callers []Secret `yaml:"callers" json:"callers,omitempty" jsonschema:"description=whsec_… or whpk_… of those whose events decide. Needed where something is decided."`
}

// References are the secrets of a channel by their keys.
func (c *Channel) References() map[string]Secret {
	out := map[string]Secret{}
	switch {
	case c.Slack != nil:
		out["slack.token"], out["slack.signingSecret"] = c.Slack.Token, c.Slack.SigningSecret
	case c.Feishu != nil:
		out["feishu.appSecret"], out["feishu.encryptKey"], out["feishu.verificationToken"] = c.Feishu.AppSecret, c.Feishu.EncryptKey, c.Feishu.VerificationToken
	case c.WeCom != nil:
		out["wecom.secret"], out["wecom.token"], out["wecom.encodingAESKey"] = c.WeCom.Secret, c.WeCom.Token, c.WeCom.EncodingAESKey
	case c.DingTalk != nil:
		out["dingtalk.clientSecret"] = c.DingTalk.ClientSecret
	case c.Webhook != nil:
		for i, s := range c.Webhook.Secrets {
			out["webhook.secrets."+strconv.Itoa(i+1)] = s
		}
		for i, s := range c.Webhook.Callers {
			out["webhook.callers."+strconv.Itoa(i+1)] = s
		}
	}
	maps.DeleteFunc(out, func(_ string, s Secret) bool { return s.IsZero() })
	return out
}

// decides reports whether there is what a callback is believed by.
func (c *Channel) decides() bool {
	switch {
	case c.Slack != nil:
		return !c.Slack.SigningSecret.IsZero()
	case c.Feishu != nil:
		return !c.Feishu.EncryptKey.IsZero() && !c.Feishu.VerificationToken.IsZero()
	case c.WeCom != nil:
		return !c.WeCom.Token.IsZero() && !c.WeCom.EncodingAESKey.IsZero()
	case c.DingTalk != nil:
		return c.DingTalk.CorpID != ""
	case c.Webhook != nil:
		return len(c.Webhook.Callers) > 0
	}
	return false
}

const (
	maxPerMinute = 60
	wecomPerHour = 1000 // messages for one member: what is more is dropped without a word
	maxSecrets   = 9
)

func (c *Config) checkChannels(add adder) {
	for _, name := range slices.Sorted(maps.Keys(c.Channels)) {
		c.Channels[name].check(name, add)
	}
}

func (c *Channel) check(name string, add adder) {
	if !upstreamName(name) {
		add(c.Placed, "channel %q: a name is 1 to 63 of a-z, 0-9, _ and -", name)
	}
	kinds := 0
	for _, there := range []bool{c.Slack != nil, c.Feishu != nil, c.WeCom != nil, c.DingTalk != nil, c.Webhook != nil} {
		if there {
			kinds++
		}
	}
	if kinds != 1 {
		add(c.Placed, "channel %q: exactly one of slack, feishu, wecom, dingtalk, webhook is wanted", name)
	}
	if c.Language != "" && c.Language != "en" && c.Language != "zh" {
		add(c.Placed, "channel %q: language: en or zh", name)
	}
	c.checkDecide(name, add)
	for _, a := range c.Approvers {
		if kind, who, _ := strings.Cut(a, ":"); kind != "role" && kind != "group" && kind != "user" || who == "" {
			add(c.Placed, "channel %q: approvers: role:NAME, group:NAME or user:ID", name)
		}
	}
	switch {
	case c.PerMinute < 0 || c.PerMinute > maxPerMinute:
		add(c.Placed, "channel %q: perMinute: 1 to %d", name, maxPerMinute)
	case c.WeCom != nil && c.PerMinute*60 > wecomPerHour:
		add(c.Placed, "channel %q: perMinute: WeCom drops what is more than %d an hour for one member: %d at most", name, wecomPerHour, wecomPerHour/60)
	}
	refs := c.References()
	for _, key := range slices.Sorted(maps.Keys(refs)) {
		if refs[key].Plain() {
			add(c.Placed, "channel %q: %s: a secret must not stand in the file: use env: or file:", name, key)
		}
	}
	if w := c.Webhook; w != nil && (len(w.Secrets) > maxSecrets || len(w.Callers) > maxSecrets) {
		add(c.Placed, "channel %q: %d secrets at most", name, maxSecrets)
	}
}

func (c *Channel) checkDecide(name string, add adder) {
	for _, risk := range c.Decide {
		switch risk {
		case "low", "medium":
		case "high":
			add(c.Placed, "channel %q: decide: high risk is never decided in a chat: its card has a link instead", name)
		default:
			add(c.Placed, "channel %q: decide: %q: low and medium are the risks that can be decided in a chat", name, risk)
		}
	}
	if len(c.Decide) > 0 && !c.decides() {
		add(c.Placed, "channel %q: decide: clicks could be anybody's: give signingSecret (slack), encryptKey and verificationToken (feishu), token and encodingAESKey (wecom), corpID (dingtalk) or callers (webhook)", name)
	}
}
