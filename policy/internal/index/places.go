// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package index

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/toolverdict/toolverdict/policy/internal/match"
)

// domains finds rules by the domain of a mail address or the host of a URL.
type domains struct {
	exact     map[string][]int32
	below     map[string][]int32 // names that end in it, after a dot
	addresses map[netip.Addr][]int32
}

func (d *domains) add(list []match.Domain, at int32) {
	if d.exact == nil {
		d.exact, d.below, d.addresses = map[string][]int32{}, map[string][]int32{}, map[netip.Addr][]int32{}
	}
	for _, one := range list {
		switch name, sub, ip := one.Parts(); {
		case ip.IsValid():
			d.addresses[ip] = append(d.addresses[ip], at)
		case sub:
			d.below[name] = append(d.below[name], at)
		default:
			d.exact[name] = append(d.exact[name], at)
		}
	}
}

func (d *domains) name(name string, out []int32) []int32 {
	out = append(out, d.exact[name]...)
	for len(d.below) > 0 {
		_, rest, found := strings.Cut(name, ".")
		if !found {
			break
		}
		out, name = append(out, d.below[rest]...), rest
	}
	return out
}

func (d *domains) mail(s string, out []int32) (found []int32, ok bool) {
	name, ok := match.MailDomain(s)
	if !ok {
		return out, false
	}
	return d.name(name, out), true
}

func (d *domains) host(s string, out []int32) (found []int32, ok bool) {
	name, ip, ok := match.URLHost(s)
	switch {
	case !ok:
		return out, false
	case name == "":
		return append(out, d.addresses[ip]...), true
	}
	return d.name(name, out), true
}

// ranges finds rules by a range that an address is in.
type ranges struct {
	rules map[netip.Prefix][]int32
	sizes []int // distinct lengths of ranges
}

func (r *ranges) add(list []netip.Prefix, at int32) {
	if r.rules == nil {
		r.rules = map[netip.Prefix][]int32{}
	}
	for _, p := range list {
		r.rules[p] = append(r.rules[p], at)
		if !slices.Contains(r.sizes, p.Bits()) {
			r.sizes = append(r.sizes, p.Bits())
		}
	}
}

func (r *ranges) find(s string, out []int32) (found []int32, ok bool) {
	addr, ok := match.Addr(s)
	if !ok {
		return out, false
	}
	for _, size := range r.sizes {
		if p, err := addr.Prefix(size); err == nil {
			out = append(out, r.rules[p]...)
		}
	}
	return out, true
}
