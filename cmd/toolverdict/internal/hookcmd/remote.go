// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package hookcmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/toolverdict/toolverdict/hookgate"
)

// maxAnswer bounds what is read of a gate's answer.
const maxAnswer = 64 << 10

// remote asks a gate that is served. Whatever it answers but one of the two answers
// is a fault.
func (h *hook) remote(ctx context.Context, server string, input []byte) answer {
	key, err := h.key()
	if err != nil {
		return answer{fault: err}
	}
	at, err := url.Parse(server)
	if err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" {
		return answer{fault: errors.New("--server is no http or https address")}
	}
	to := at.JoinPath("v1", "hooks", string(h.agent))
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, to.String(), bytes.NewReader(input))
	if err != nil {
		return answer{fault: errors.New("--server is no address")}
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+key)
	transport := &http.Transport{Proxy: nil, DisableKeepAlives: true}
	client := &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(req)
	if err != nil {
		return answer{fault: fmt.Errorf("no gate answers at %s: start it, or take the hook out of the agent's settings", to.Host)}
	}
	defer func() { _ = res.Body.Close() }() // it was only read
	text, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	whole := err == nil && len(text) <= maxAnswer
	text = bytes.TrimSpace(text)
	if _, ok := hookgate.Objects(h.agent, text); !whole || res.StatusCode != http.StatusOK || !ok {
		return answer{fault: fmt.Errorf("what answers at %s is no gate, or one without hooks for %s (status %d)", to.Host, h.agent, res.StatusCode)}
	}
	return answer{text: text}
}

// key is the API key: from a file, never from the command line, which other users
// can see, nor from the environment.
func (h *hook) key() (string, error) {
	if h.flags.keyFile == "" {
		return "", errors.New("there is no API key: name its file with --key-file")
	}
	b, err := os.ReadFile(h.flags.keyFile)
	if err != nil {
		return "", fmt.Errorf("read --key-file: %w", err)
	}
	key := strings.TrimSpace(string(b))
	if key == "" || strings.ContainsAny(key, " \n\r\t") {
		return "", errors.New("the file of --key-file holds no API key")
	}
	return key, nil
}
