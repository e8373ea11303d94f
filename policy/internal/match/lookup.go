// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package match

import "net/netip"

// What an index finds domains and addresses by. Each says not ok of a text that
// EmailIn, HostIn or AddrIn says Unknown of.

// MailDomain returns the domain of one plain mail address, in lower case.
func MailDomain(text string) (name string, ok bool) { return mailDomain(text) }

// URLHost returns the host of a URL: a name in lower case or, where that is "",
// an address.
func URLHost(text string) (name string, ip netip.Addr, ok bool) { return urlHost(text) }

// Parts returns what the domain is compared by: a name alone, with sub all
// names that end in it after a dot, or an address.
func (d Domain) Parts() (name string, sub bool, ip netip.Addr) { return d.name, d.sub, d.ip }
