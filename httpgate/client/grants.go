// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
)

// Grant is a grant as the API shows it.
type Grant struct {
	ID       string         `json:"id"`
	State    string         `json:"status"`
	Approval string         `json:"approval"`
	Tool     string         `json:"tool"`
	Label    string         `json:"label"`
	Scope    string         `json:"scope"`
	Subject  string         `json:"subject"`
	By       string         `json:"by"`
	Reason   string         `json:"reason,omitempty"`
	Created  time.Time      `json:"created"`
	Expires  time.Time      `json:"expires"`
	MaxUses  int            `json:"maxUses"`
	Used     int            `json:"used"`
	Revoked  *tv.Revocation `json:"revoked,omitempty"`
}

// GrantProposal is a class of calls before it is granted.
type GrantProposal struct {
	Label     string `json:"label"`
	Arguments []struct {
		At    string          `json:"at"`
		Value json.RawMessage `json:"value"`
		Free  string          `json:"free"`
		Forms []string        `json:"forms"`
		Does  json.RawMessage `json:"does"`
	} `json:"arguments"`
	Admits  []GrantExample `json:"admits"`
	Refuses []GrantExample `json:"refuses"`
	Scope   string         `json:"scope"`
	Scopes  []string       `json:"scopes"`
	Expires string         `json:"expires"`
	Uses    int            `json:"uses"`
}

// GrantExample is a call that was tried.
type GrantExample struct {
	Arguments json.RawMessage `json:"arguments"`
	Differs   string          `json:"differs"`
}

// GrantPreview shows what a choice comes to; nil is the narrowest.
func (c *Client) GrantPreview(ctx context.Context, approval string, choice []byte) (GrantProposal, json.RawMessage, error) {
	var out GrantProposal
	raw, err := c.send(ctx, http.MethodPost, "/v1/approvals/"+url.PathEscape(approval)+"/grant", choice, &out)
	return out, raw, err
}

// Grant approves a call and grants its like.
func (c *Client) Grant(ctx context.Context, approval string, choice []byte) (Grant, error) {
	var out Grant
	_, err := c.send(ctx, http.MethodPost, "/v1/approvals/"+url.PathEscape(approval)+"/grant", choice, &out)
	return out, err
}

// Grants lists the grants that concern this caller, the open ones or all.
func (c *Client) Grants(ctx context.Context, all bool) ([]Grant, error) {
	var out struct {
		Grants []Grant `json:"grants"`
	}
	_, err := c.send(ctx, http.MethodGet, "/v1/grants?all="+strconv.FormatBool(all), nil, &out)
	return out.Grants, err
}

// OneGrant returns one grant.
func (c *Client) OneGrant(ctx context.Context, id string) (Grant, error) {
	var out Grant
	_, err := c.send(ctx, http.MethodGet, "/v1/grants/"+url.PathEscape(id), nil, &out)
	return out, err
}

// RevokeGrant takes a grant back.
func (c *Client) RevokeGrant(ctx context.Context, id, reason string) (Grant, error) {
	var out Grant
	body := append(canon.AppendString([]byte(`{"reason":`), reason), '}')
	_, err := c.send(ctx, http.MethodPost, "/v1/grants/"+url.PathEscape(id)+"/revoke", body, &out)
	return out, err
}
