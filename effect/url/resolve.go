// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package url

import (
	"context"
	"net"
	"net/netip"
	"slices"
	"time"

	"github.com/toolverdict/toolverdict"
)

// Bounds of one resolution. What lies beyond them is not known.
const (
	MaxNames = 16              // names of one argument
	MaxAddrs = 64              // addresses of one name
	Patience = 2 * time.Second // for all of them together
)

// Resolver looks up the addresses of a name. It is called from several
// goroutines at once, and must return when the context ends.
type Resolver interface {
	// Resolve returns every address of the name, or an error.
	Resolve(ctx context.Context, name string) ([]netip.Addr, error)
}

// Answer is what one name resolved to.
type Answer struct {
	// Addrs are all its addresses, sorted.
	Addrs []netip.Addr `json:"addrs,omitempty"`
	// Problem says why there may be others that are not in the list; the name's
	// network is then not known, whatever the list holds.
	Problem string `json:"problem,omitempty"`
}

// Answers is what names resolved to, by name as effects spell it. It is read
// only. A decision that rests on it holds for these addresses alone: a tool
// that can be told where to connect must be told one of them, because its own
// look-up may find another.
type Answers map[string]Answer

// Names returns the names in the argument that a connection would look up, in
// the order of their first use, each once.
func Names(v toolverdict.Value, o Options) []string {
	o.Answers = nil
	var names []string
	for _, e := range AnalyseValue(v, o) {
		if e.Kind == toolverdict.EffectConnect && e.IP == "" && !slices.Contains(names, e.Host) {
			names = append(names, e.Host)
		}
		if len(names) > MaxNames {
			break // Resolve knows that there are too many
		}
	}
	return names
}

// Resolve looks the names up, side by side, within [Patience]. It always
// returns: a name that failed, that panicked the resolver or that came too late
// has an answer with a problem, and names beyond [MaxNames] have none.
func Resolve(ctx context.Context, r Resolver, names []string) Answers {
	names = names[:min(len(names), MaxNames)]
	ctx, cancel := context.WithTimeout(ctx, Patience)
	defer cancel()
	found := make([]chan Answer, len(names))
	for i, name := range names {
		found[i] = make(chan Answer, 1)
		go func() { found[i] <- lookUp(ctx, r, name) }()
	}
	answers := make(Answers, len(names))
	for i, name := range names {
		select {
		case answers[name] = <-found[i]:
		case <-ctx.Done():
			answers[name] = late(found[i])
		}
	}
	return answers
}

// late takes an answer that came in time while another was waited for.
func late(found chan Answer) Answer {
	select {
	case a := <-found:
		return a
	default:
		return Answer{Problem: "the name was not resolved in time"}
	}
}

func lookUp(ctx context.Context, r Resolver, name string) (a Answer) {
	defer func() {
		if recover() != nil {
			a = Answer{Problem: "the resolver failed"}
		}
	}()
	addrs, err := r.Resolve(ctx, name)
	if err != nil || len(addrs) == 0 {
		return Answer{Problem: "the name could not be resolved"}
	}
	for _, ip := range addrs {
		if !ip.IsValid() {
			return Answer{Problem: "the resolver answered with no address"}
		}
		a.Addrs = append(a.Addrs, ip.Unmap().WithZone(""))
	}
	slices.SortFunc(a.Addrs, netip.Addr.Compare)
	a.Addrs = slices.Compact(a.Addrs)
	if len(a.Addrs) > MaxAddrs {
		a.Addrs, a.Problem = a.Addrs[:MaxAddrs], "the name has more addresses than are looked at"
	}
	return a
}

// AnalyseResolved resolves the argument's names and analyses it with the
// answers, which it returns, to be recorded with the decision and pinned into
// the call.
func AnalyseResolved(ctx context.Context, v toolverdict.Value, o Options, r Resolver) ([]toolverdict.Effect, Answers) {
	o.Answers = Resolve(ctx, r, Names(v, o))
	return AnalyseValue(v, o), o.Answers
}

// System resolves as this machine does. The zero value is ready for use.
type System struct{ Net net.Resolver }

var _ Resolver = (*System)(nil)

// Resolve implements [Resolver].
func (s *System) Resolve(ctx context.Context, name string) ([]netip.Addr, error) {
	return s.Net.LookupNetIP(ctx, "ip", name)
}
