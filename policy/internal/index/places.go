// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package index

import (
	"net/netip"
	"slices"

	"github.com/toolverdict/toolverdict/policy/internal/match"
)

// domains finds rules by the domain of a mail address or the host of a URL.
type domains struct {
	exact     *words
	below     *words // names that end in it, after a dot
	addresses map[netip.Addr][]int32
}

func newDomains() *domains {
	return &domains{newWords(), newWords(), map[netip.Addr][]int32{}}
}

func (d *domains) add(list []match.Domain, at int32) {
	for _, one := range list {
		switch name, sub, ip := one.Parts(); {
		case ip.IsValid():
			put(d.addresses, ip, at)
		case sub:
			d.below.add(name, at)
		default:
			d.exact.add(name, at)
		}
	}
}

func (d *domains) finish() {
	d.exact.finish()
	d.below.finish()
}

func (d *domains) name(name string, out []int32) []int32 {
	out = d.exact.find(name, out)
	for _, size := range d.below.sizes {
		if at := len(name) - size; at > 1 && name[at-1] == '.' {
			out = d.below.find(name[at:], out)
		}
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
	for _, p := range list {
		put(r.rules, p, at)
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
