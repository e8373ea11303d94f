// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/toolverdict/toolverdict/e2e/internal/rig"
)

const policy = `policy: bench
version: v1
default: deny
rules:
  - id: lookups
    verdict: allow
    reason: Read-only calls are open
    tools: ["*/echo"]
`

// opener connects a number of slots to an endpoint.
type opener func(ctx context.Context, e endpoint, slots int) (caller, error)

// lab is what runs while the benchmark does.
type lab struct {
	dir   string // the built programs, and folders of gates
	now   clock
	gate  bool
	open  opener
	procs []*rig.Proc
}

func (l *lab) close() {
	for _, p := range slices.Backward(l.procs) {
		p.Stop()
	}
}

func (l *lab) program(name string) string { return filepath.Join(l.dir, name) }

// listen starts the baseline program on a port and returns its address.
func (l *lab) listen(ctx context.Context, args ...string) (string, *rig.Proc, error) {
	port, err := rig.FreePort()
	if err != nil {
		return "", nil, err
	}
	addr := "127.0.0.1:" + strconv.Itoa(port)
	p, err := rig.Start(rig.Spec{Argv: append([]string{l.program("plain"), "-http", addr}, args...)})
	if err != nil {
		return "", nil, err
	}
	l.procs = append(l.procs, p)
	return addr, p, p.WaitListening(ctx, addr)
}

// targets starts everything that is measured.
func (l *lab) targets(ctx context.Context) ([]target, error) {
	upstream, _, err := l.listen(ctx)
	if err != nil {
		return nil, err
	}
	hop, proxy, err := l.listen(ctx, "-proxy", "http://"+upstream)
	if err != nil {
		return nil, err
	}
	gates := map[string]endpoint{}
	var pid atomic.Int64
	if l.gate {
		up := []rig.Upstream{{Name: "http", URL: "http://" + upstream + "/"}, {Name: "stdio", Command: []string{l.program("plain")}}}
		g, p, addr, err := l.serve(ctx, up...)
		if err != nil {
			return nil, err
		}
		pid.Store(int64(p.PID()))
		for _, u := range up {
			gates[u.Name] = endpoint{addr: addr, path: rig.Endpoint(u.Name), key: g.Key}
		}
	}
	proxyPID := process(proxy)
	all := []target{l.commits()}
	for _, era := range []string{"2025-11-25", "2026-07-28"} {
		modern := era == "2026-07-28"
		group := "HTTP " + era
		all = append(all,
			l.overHTTP(group, "direct", endpoint{addr: upstream, path: "/", modern: modern}, nil),
			l.overHTTP(group, "reverse proxy", endpoint{addr: hop, path: "/", modern: modern}, proxyPID))
		for _, name := range []string{"http", "stdio"} {
			if e, ok := gates[name]; ok {
				e.modern = modern
				all = append(all, l.overHTTP(group, "gate to "+name, e, &pid))
			}
		}
		piped, err := l.overStdio("stdio "+era, modern)
		if err != nil {
			return nil, err
		}
		all = append(all, piped...)
	}
	return all, nil
}

func process(p *rig.Proc) *atomic.Int64 {
	var pid atomic.Int64
	pid.Store(int64(p.PID()))
	return &pid
}

func (l *lab) overHTTP(group, name string, e endpoint, pid *atomic.Int64) target {
	return target{group: group, name: name, direct: name == "direct", pid: pid,
		open: func(ctx context.Context, slots int) (caller, error) { return l.open(ctx, e, slots) }}
}

// overStdio are the paths over pipes: a program of its own for each measurement.
func (l *lab) overStdio(group string, modern bool) ([]target, error) {
	var none, pid atomic.Int64
	direct := command{argv: []string{l.program("plain")}, modern: modern, pid: &none}
	all := []target{{group: group, name: "direct", direct: true,
		open: func(ctx context.Context, slots int) (caller, error) { return openStdio(ctx, direct, slots) }}}
	if !l.gate {
		return all, nil
	}
	g, err := l.newGate(rig.Upstream{Name: "stdio", Command: []string{l.program("plain")}})
	if err != nil {
		return nil, err
	}
	gated := command{argv: g.StdioArgv("stdio"), env: g.Env(), modern: modern, pid: &pid}
	return append(all, target{group: group, name: "gate to stdio", pid: &pid,
		open: func(ctx context.Context, slots int) (caller, error) { return openStdio(ctx, gated, slots) }}), nil
}

func (l *lab) newGate(upstreams ...rig.Upstream) (*rig.Gate, error) {
	dir, err := os.MkdirTemp(l.dir, "gate-")
	if err != nil {
		return nil, err
	}
	var tools strings.Builder
	tools.WriteString("tools:\n")
	for _, u := range upstreams {
		fmt.Fprintf(&tools, "  %s/echo: {safety: read-only, risk: low}\n", u.Name)
	}
	return rig.NewGate(rig.GateSpec{Bin: l.program("toolverdict"), Dir: dir, Policy: policy, Catalog: tools.String(), Upstreams: upstreams})
}

func (l *lab) serve(ctx context.Context, upstreams ...rig.Upstream) (*rig.Gate, *rig.Proc, string, error) {
	g, err := l.newGate(upstreams...)
	if err != nil {
		return nil, nil, "", err
	}
	p, addr, err := g.Serve(ctx)
	if err != nil {
		return nil, nil, "", err
	}
	l.procs = append(l.procs, p)
	return g, p, addr, nil
}

// extras prints what is not a latency: the price of a commit on this disk, the time until a new
// gate answers its first call, and the memory of an idle one.
func (l *lab) extras(ctx context.Context, out io.Writer) error {
	const syncs = 200
	times, err := syncTimes(l.dir, syncs, l.now)
	if err != nil {
		return err
	}
	s := newSample(times, time.Second, 0)
	fmt.Fprintf(out, "\none fsync of 4 KiB on this disk: p50 %s µs, p99 %s µs\n", micros(s.p50), micros(s.p99))
	if !l.gate {
		return nil
	}
	var starts []time.Duration
	var memory []int
	const runs = 5
	for range runs {
		took, kib, err := l.coldStart(ctx)
		if err != nil {
			return err
		}
		starts, memory = append(starts, took), append(memory, kib)
	}
	slices.Sort(starts)
	slices.Sort(memory)
	fmt.Fprintf(out, "start to first answered call, three stdio upstreams: median %v, worst %v\n", starts[runs/2].Round(time.Millisecond), starts[runs-1].Round(time.Millisecond))
	fmt.Fprintf(out, "resident memory after one call to each of three upstreams: median %.1f MiB, worst %.1f MiB\n", float64(memory[runs/2])/1024, float64(memory[runs-1])/1024)
	return nil
}

// coldStart starts a gate with three upstreams, and calls each of them once.
func (l *lab) coldStart(ctx context.Context) (took time.Duration, kib int, err error) {
	var up []rig.Upstream
	for _, name := range []string{"one", "two", "three"} {
		up = append(up, rig.Upstream{Name: name, Command: []string{l.program("plain")}})
	}
	start := l.now()
	g, p, addr, err := l.serve(ctx, up...)
	if err != nil {
		return 0, 0, err
	}
	defer p.Stop()
	for i, u := range up {
		c, err := openHTTP(ctx, endpoint{addr: addr, path: rig.Endpoint(u.Name), key: g.Key}, 1)
		if err != nil {
			return 0, 0, err
		}
		err = c.call(0, firstID)
		c.close()
		if err != nil {
			return 0, 0, fmt.Errorf("first call: %v", err)
		}
		if i == 0 {
			took = l.now().Sub(start)
		}
	}
	kib, err = residentKiB(p.PID())
	return took, kib, err
}
