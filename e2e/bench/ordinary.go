// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/toolverdict/toolverdict/e2e/internal/wire"
)

// openOrdinary connects slots the way an ordinary Go client does, with net/http: dearer than the raw
// client, and nearer to what a hop costs a real one.
func openOrdinary(ctx context.Context, e endpoint, slots int) (caller, error) {
	header, err := e.header(ctx)
	if err != nil {
		return nil, err
	}
	header.Set("Content-Type", "application/json")
	header.Set("Accept", "application/json, text/event-stream")
	meta := ""
	if e.modern {
		meta = wire.ModernMeta + ","
	}
	transport := &http.Transport{MaxIdleConnsPerHost: slots, DisableCompression: true}
	o := &ordinaryCaller{ctx: func() context.Context { return ctx }, url: "http://" + e.addr + e.path, header: header,
		client: &http.Client{Transport: transport}, requests: make([]template, slots)}
	for i := range o.requests {
		o.requests[i] = newTemplate("", callBody(meta))
	}
	return o, nil
}

type ordinaryCaller struct {
	ctx      func() context.Context
	url      string
	header   http.Header
	client   *http.Client
	requests []template
}

func (o *ordinaryCaller) call(slot, id int) error {
	req, err := http.NewRequestWithContext(o.ctx(), http.MethodPost, o.url, bytes.NewReader(o.requests[slot].fill(id)))
	if err != nil {
		return err
	}
	req.Header = o.header
	resp, err := o.client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d: %.200q", resp.StatusCode, body)
	}
	return check(body, id)
}

func (o *ordinaryCaller) close() { o.client.CloseIdleConnections() }
