// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/toolverdict/toolverdict/internal/config"
	"github.com/toolverdict/toolverdict/internal/execute"
	"github.com/toolverdict/toolverdict/internal/mcpwire"
	reach "github.com/toolverdict/toolverdict/internal/upstream"
	upstreamhttp "github.com/toolverdict/toolverdict/internal/upstream/http"
	upstreamstdio "github.com/toolverdict/toolverdict/internal/upstream/stdio"
)

// upstream is one configured server with what it announced last.
type upstream struct {
	name    string
	conf    *config.Upstream
	backend mcpwire.Backend
	peer    *execute.Peer
	again   chan struct{} // holds a wish to be asked again

	mu    sync.Mutex
	tools []json.RawMessage
	known bool
	unfit error // why its tools could not be taken into the catalog
}

func (d *Daemon) newUpstreams(context.Context) error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(d.Config.Upstreams)) {
		conf := d.Config.Upstreams[name]
		if d.Only != "" && name != d.Only {
			continue
		}
		if conf.Local {
			d.locals = append(d.locals, &upstream{name: name, conf: conf})
			continue
		}
		backend, err := d.newBackend(name, conf)
		if err != nil {
			errs = append(errs, conf.Problem("upstream %q: %v", name, err))
			continue
		}
		d.upstreams = append(d.upstreams, &upstream{
			name: name, conf: conf, backend: backend, peer: execute.NewPeer(backend, d.Version),
			again: make(chan struct{}, 1),
		})
	}
	return errors.Join(errs...)
}

func (d *Daemon) newBackend(name string, conf *config.Upstream) (mcpwire.Backend, error) {
	if conf.URL != "" {
		header := http.Header{}
		for key, ref := range conf.Headers {
			v, err := d.secrets.Value(ref)
			if err != nil {
				return nil, err
			}
			header.Set(key, v)
		}
		return upstreamhttp.New(upstreamhttp.Config{URL: conf.URL, Header: header})
	}
	env, err := d.environment(conf)
	if err != nil {
		return nil, err
	}
	command := make([]string, len(conf.Command))
	for i, arg := range conf.Command {
		command[i] = d.Config.Fill(arg)
	}
	return upstreamstdio.New(upstreamstdio.Config{
		Name: name, Command: command, Dir: d.Config.Fill(conf.Dir), Env: env, Shared: conf.Shared,
		Log: d.Log, Text: d.redactor.Text,
	})
}

// environment is all that a child process gets: the names let through, and the
// values set for it, which win.
func (d *Daemon) environment(conf *config.Upstream) ([]string, error) {
	values := map[string]string{}
	for _, key := range conf.Env {
		if v, ok := d.Getenv(key); ok {
			values[key] = v
		}
	}
	for key, ref := range conf.Set {
		v, err := d.secrets.Value(ref)
		if err != nil {
			return nil, err
		}
		if ref.Plain() {
			v = d.Config.Fill(v)
		}
		values[key] = v
	}
	env := make([]string, 0, len(values))
	for _, key := range slices.Sorted(maps.Keys(values)) {
		env = append(env, key+"="+values[key])
	}
	return env, nil
}

func (u *upstream) announced() ([]json.RawMessage, bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.tools, u.known
}

// learn takes down what a server announces, and reports whether it is anything
// new.
func (u *upstream) learn(tools []json.RawMessage) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	same := u.known && slices.EqualFunc(u.tools, tools, func(a, b json.RawMessage) bool { return bytes.Equal(a, b) })
	u.tools, u.known, u.unfit = tools, true, nil
	return !same
}

// forget takes a server's tools away, because something about them cannot be
// judged.
func (u *upstream) forget(why error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.tools, u.known, u.unfit = nil, false, why
}

// Unfit returns why tools that servers announced could not be taken into the
// catalog: as a rule, because the policy does not fit their arguments.
func (d *Daemon) Unfit() error {
	var errs []error
	for _, u := range d.upstreams {
		u.mu.Lock()
		if u.unfit != nil {
			errs = append(errs, fmt.Errorf("upstream %q: %w", u.name, u.unfit))
		}
		u.mu.Unlock()
	}
	return errors.Join(errs...)
}

// Bounds of asking a server for its tools.
const (
	askTimeout  = 30 * time.Second
	firstPause  = 500 * time.Millisecond
	longestWait = 30 * time.Second
	askAgain    = 10 * time.Minute // a server may change its tools and tell nobody
)

// watch asks a server for its tools until it answers, again whenever it says
// that they changed, and from time to time. First is called when the first try is over.
func (d *Daemon) watch(ctx context.Context, u *upstream, first func()) {
	pause := firstPause
	for {
		err := d.ask(ctx, u)
		if first != nil {
			first()
			first = nil
		}
		var retry <-chan time.Time
		if err != nil && ctx.Err() == nil {
			d.Log.Warn("the tools of an upstream are not known; trying again", "upstream", u.name, "in", pause.String(), "error", err)
			retry = time.After(pause)
			pause = min(2*pause, longestWait)
		} else {
			pause = firstPause
		}
		select {
		case <-ctx.Done():
			return
		case <-retry:
		case <-u.again:
		case <-time.After(askAgain):
		}
	}
}

func (d *Daemon) ask(ctx context.Context, u *upstream) error {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	listing, err := reach.ListTools(ctx, u.backend)
	if err != nil {
		return err
	}
	fresh, err := d.take(ctx, u, listing.Tools)
	if err != nil {
		return fmt.Errorf("take its tools into the catalog: %w", err)
	}
	if !fresh {
		return nil
	}
	d.Log.Info("upstream is there", "upstream", u.name, "tools", len(listing.Tools), "revision", listing.Revision)
	return nil
}

// changed is told by the front that a server's tools are not what they were.
func (d *Daemon) changed(server string) {
	for _, u := range d.upstreams {
		if u.name == server {
			select {
			case u.again <- struct{}{}:
			default: // it will be asked anyway
			}
		}
	}
}

func (u *upstream) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	return errors.Join(u.peer.Close(ctx), u.backend.Close())
}
