// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package desk

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/hookgate"
)

// Handler is the desk as an endpoint: POST …/{agent} with what the agent told its
// hook. It always answers with status 200 and one of the two answers, because
// agents run the tool after any other.
type Handler struct {
	Desk         *Desk
	Authenticate func(bearer string) (tv.Subject, bool)
	Deadline     time.Duration // of one answer
}

// ServeHTTP implements [http.Handler].
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answer := h.answer(r)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(answer) //nolint:gosec // it is JSON, and says so; a client that is gone runs nothing
}

func (h *Handler) answer(r *http.Request) []byte {
	agent, known := hookgate.Named(r.PathValue("agent"))
	if !known {
		return hookgate.Denial(hookgate.ClaudeCode, "Toolverdict knows no such agent: the hook's address must end in one of its names. Tell the user.")
	}
	bearer, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	by, signedIn := h.Authenticate(bearer)
	if !ok || bearer == "" || !signedIn { // a variable that is not set makes an empty key
		return hookgate.Denial(agent, "Toolverdict: the hook has no valid key, so nothing may run. Tell the user.")
	}
	input, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, hookgate.MaxInput))
	if err != nil {
		return hookgate.Denial(agent, "Toolverdict could not read the hook's input, or it is larger than it takes. Tell the user.")
	}
	ctx, cancel := context.WithTimeout(r.Context(), h.Deadline)
	defer cancel()
	answer, fault := h.Desk.Answer(ctx, agent, by, input)
	if fault != nil && !errors.Is(fault, context.Canceled) {
		h.Desk.c.Log.Error("hook", "door", Door(agent), "error", fault)
	}
	return answer
}
