// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package notify

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"
)

// CallbackPath is where platforms send clicks: the path and a channel's name.
const CallbackPath = "/channels/"

const (
	maxBody  = 64 << 10 // bytes of a callback
	maxAfter = 64       // answers under way to platforms, at once
	afterFor = 10 * time.Second
)

// Callbacks is the handler of everything under [CallbackPath]. There is no
// bearer and no session: a request is believed for its signature alone.
func (s *Service) Callbacks() http.Handler {
	after := make(chan struct{}, maxAfter)
	mux := http.NewServeMux()
	mux.HandleFunc(CallbackPath+"{name}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		l := s.lane(r.PathValue("name"))
		if l == nil || len(l.Decide) == 0 { // where nothing is decided, nothing is listened to
			w.WriteHeader(http.StatusNotFound)
			return
		}
		receiver, ok := l.Channel.(Receiver)
		if !ok || r.Method != http.MethodPost && r.Method != http.MethodGet {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		reply := l.receive(w, r, receiver)
		if reply.Type != "" {
			w.Header().Set("Content-Type", reply.Type)
		}
		w.WriteHeader(reply.Status)
		_, _ = w.Write(reply.Body)
		if reply.After == nil {
			return
		}
		select {
		case after <- struct{}{}:
		default:
			return // the platform is slow: who clicked sees the card all the same
		}
		ctx := context.WithoutCancel(r.Context())
		s.work.Go(func() {
			defer func() { <-after }()
			ctx, done := context.WithTimeout(ctx, afterFor)
			defer done()
			if err := told(ctx, reply.After); err != nil {
				s.Log.Warn("who clicked could not be told what came of it", "channel", l.Name, "error", s.errorText(err))
			}
		})
	})
	return mux
}

// told tells something; a panic on the way is an error.
func told(ctx context.Context, after func(context.Context) error) (err error) {
	defer caught(&err)
	return after(ctx)
}

// receive reads a request and has its click decided.
func (l *lane) receive(w http.ResponseWriter, r *http.Request, from Receiver) Reply {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if large, ok := errors.AsType[*http.MaxBytesError](err); ok && large != nil {
		return l.stranger(r.Context(), ErrSize, http.StatusRequestEntityTooLarge)
	}
	if err != nil {
		return Reply{Status: http.StatusBadRequest}
	}
	click, reply, err := from.Read(Request{Method: r.Method, Header: r.Header, Query: r.URL.Query(), Body: body, At: l.s.Now()})
	switch {
	case errors.Is(err, ErrSignature), errors.Is(err, ErrAge):
		return l.stranger(r.Context(), err, http.StatusUnauthorized)
	case err != nil:
		return l.stranger(r.Context(), err, http.StatusBadRequest)
	case reply != nil:
		return *reply
	}
	return from.Reply(click, l.take(r.Context(), click))
}

// stranger refuses what nobody vouches for. The answer says nothing of why: it
// would help whoever forges.
func (l *lane) stranger(ctx context.Context, why error, status int) Reply {
	if refusal, ok := errors.AsType[Refusal](why); ok {
		l.s.refused.add(ctx, refused{channel: l.Name, why: string(refusal)})
	}
	return Reply{Status: status}
}
