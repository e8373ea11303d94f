// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package url

import (
	"net/netip"
	"strings"
)

// Networks, as [toolverdict.Effect] names them.
const (
	Public    = "public"
	Private   = "private"
	Loopback  = "loopback"
	LinkLocal = "link-local"
	Metadata  = "metadata"
	Reserved  = "reserved"
)

// Network says to which kind of network an address leads: by the registries of
// special-purpose addresses, and by what clouds serve credentials at. An
// address that stands for an IPv4 address is that address's, or reserved where
// nothing routes it any more. Only [Public] is reachable on the open internet;
// the zero Addr is Reserved.
func Network(ip netip.Addr) string {
	ip = ip.Unmap().WithZone("")
	switch {
	case ip.Is4():
		return network4(ip.As4())
	case ip.Is6():
		return network6(ip)
	}
	return Reserved
}

func network4(b [4]byte) string {
	switch b {
	case [4]byte{0, 0, 0, 0}: // connecting to it reaches this machine
		return Loopback
	case [4]byte{169, 254, 169, 254}, // nearly every cloud
		[4]byte{169, 254, 170, 2}, [4]byte{169, 254, 170, 23}, // credentials of containers on AWS
		[4]byte{169, 254, 0, 23}, [4]byte{169, 254, 10, 10}, // Tencent
		[4]byte{169, 254, 42, 42},   // Scaleway
		[4]byte{100, 100, 100, 200}, // Alibaba
		[4]byte{192, 0, 0, 192},     // Oracle
		[4]byte{168, 63, 129, 16}:   // Azure
		return Metadata
	}
	switch b[0] {
	case 10:
		return Private
	case 127:
		return Loopback
	case 100:
		if b[1]&0xc0 == 64 { // shared address space, also of overlay networks
			return Private
		}
	case 169:
		if b[1] == 254 {
			return LinkLocal
		}
	case 172:
		if b[1]&0xf0 == 16 {
			return Private
		}
	case 192:
		return network192(b)
	case 198:
		if b[1]&0xfe == 18 || b[1] == 51 && b[2] == 100 { // benchmarks, documentation
			return Reserved
		}
	case 203:
		if b[1] == 0 && b[2] == 113 { // documentation
			return Reserved
		}
	}
	if b[0] == 0 || b[0] >= 224 { // this network, multicast, reserved, broadcast
		return Reserved
	}
	return Public
}

func network192(b [4]byte) string {
	switch {
	case b[1] == 168:
		return Private
	case b[1] == 0 && (b[2] == 0 || b[2] == 2), // protocol assignments, documentation
		b[1] == 88 && b[2] == 99: // 6to4 relays
		return Reserved
	}
	return Public
}

func network6(ip netip.Addr) string {
	b := ip.As16()
	word := func(i int) uint16 { return uint16(b[2*i])<<8 | uint16(b[2*i+1]) }
	first, second := word(0), word(1)
	switch {
	case ip.IsUnspecified(), ip.IsLoopback():
		return Loopback
	case first == 0xfd00 && second == 0x0ec2, // AWS
		first == 0xfd00 && second == 0x0042,                     // Scaleway
		first == 0xfd20 && second == 0x00ce && word(7) == 0x254: // Google
		return Metadata
	case first&0xfe00 == 0xfc00, first&0xffc0 == 0xfec0: // unique local, site-local
		return Private
	case first&0xffc0 == 0xfe80:
		return LinkLocal
	case first == 0x0064 && second == 0xff9b && word(2) == 1: // NAT64 of one's own
		return Private
	}
	if inner, ok := embedded(ip); ok {
		if first == 0x0064 && [8]byte(b[4:12]) == [8]byte{} { // NAT64 leads to the address as any router does
			return Network(inner)
		}
		if n := Network(inner); n != Public {
			return n
		}
		if !isatap(b) {
			return Reserved
		}
	}
	switch {
	case first&0xe000 != 0x2000, // nothing else is handed out
		first == 0x2001 && second < 0x0200,    // protocol assignments: Teredo, benchmarks, ORCHID
		first == 0x2001 && second == 0x0db8,   // documentation
		first == 0x2002,                       // 6to4
		first == 0x3fff && second&0xf000 == 0, // documentation
		first == 0x3ffe:                       // given back
		return Reserved
	}
	return Public
}

// embedded returns the IPv4 address that an IPv6 address stands for, where
// something on the way can turn it into that.
func embedded(ip netip.Addr) (netip.Addr, bool) {
	if !ip.Is6() {
		return netip.Addr{}, false
	}
	b := ip.As16()
	switch {
	case b[0] == 0x00 && b[1] == 0x64 && b[2] == 0xff && b[3] == 0x9b: // NAT64
		return netip.AddrFrom4([4]byte(b[12:])), true
	case b[0] == 0x20 && b[1] == 0x02: // 6to4
		return netip.AddrFrom4([4]byte(b[2:6])), true
	case b[0] == 0x20 && b[1] == 0x01 && b[2] == 0 && b[3] == 0: // Teredo
		return netip.AddrFrom4([4]byte{^b[12], ^b[13], ^b[14], ^b[15]}), true
	case isatap(b):
		return netip.AddrFrom4([4]byte(b[12:])), true
	}
	for _, c := range b[:12] { // compatible and translated
		if c != 0 && c != 0xff {
			return netip.Addr{}, false
		}
	}
	compatible := [12]byte(b[:12]) == [12]byte{} && !ip.IsUnspecified() && !ip.IsLoopback()
	translated := [12]byte(b[:12]) == [12]byte{8: 0xff, 9: 0xff}
	return netip.AddrFrom4([4]byte(b[12:])), compatible || translated
}

func isatap(b [16]byte) bool {
	return (b[8] == 0 || b[8] == 2) && b[9] == 0 && b[10] == 0x5e && b[11] == 0xfe
}

// nameNetwork says where names lead that no public name server answers for, or
// that every machine answers itself; "" for all others.
func nameNetwork(name string) string {
	switch name {
	case "localhost", "localhost.localdomain", "localhost6", "localhost6.localdomain6", "ip6-localhost", "ip6-loopback":
		return Loopback
	case "metadata", "metadata.google.internal", "metadata.goog", "instance-data", "instance-data.ec2.internal",
		"metadata.tencentyun.com", "metadata.azure.internal", "metadata.azure.com", "metadata.oraclecloud.com",
		"metadata.packet.net", "metadata.platformequinix.com":
		return Metadata
	}
	dot := strings.LastIndexByte(name, '.')
	switch name[dot+1:] {
	case "localhost":
		return Loopback
	case "local", "internal", "intranet", "lan", "corp", "home", "private", "localdomain", "test":
		return Private
	case "arpa":
		if strings.HasSuffix(name, ".home.arpa") {
			return Private
		}
	case "onion", "invalid", "alt":
		return Reserved
	}
	if dot < 0 { // completed with the search list of whoever looks it up
		return Private
	}
	return ""
}
