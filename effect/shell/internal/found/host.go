// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package found

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"github.com/toolverdict/toolverdict"
)

// SetHost reads [scheme://][user@]host[:port][/...]. A host that is not plain
// is left unknown.
func SetHost(e *toolverdict.Effect, text string) {
	if scheme, rest, ok := strings.Cut(text, "://"); ok {
		e.Scheme = strings.ToLower(scheme)
		e.Port = PortOf(e.Scheme)
		text = rest
	}
	if at := strings.IndexAny(text, "/?#\\"); at >= 0 {
		if text[at] == '\\' {
			e.Port = 0
			return // clients disagree where the host ends
		}
		text = text[:at]
	}
	if at := strings.LastIndexByte(text, '@'); at >= 0 {
		text = text[at+1:]
	}
	host, port := splitPort(text)
	if port != "" {
		e.Port, _ = strconv.Atoi(port)
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if unescaped, err := url.PathUnescape(host); err != nil || unescaped != host || !PlainHost(host) {
		return
	}
	e.Host = host
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		e.Network = "loopback"
		return
	}
	if ip, ok := address(host); ok {
		e.Host, e.IP, e.Network = ip.String(), ip.String(), network(ip)
	}
}

func splitPort(s string) (host, port string) {
	if rest, ok := strings.CutPrefix(s, "["); ok {
		host, after, _ := strings.Cut(rest, "]")
		return host, strings.TrimPrefix(after, ":")
	}
	if strings.Count(s, ":") == 1 {
		host, port, _ := strings.Cut(s, ":")
		return host, port
	}
	return s, ""
}

// PlainHost reports whether a name holds nothing that clients could read in
// different ways.
func PlainHost(host string) bool {
	for i := 0; i < len(host); i++ {
		c := host[i]
		if c != '.' && c != '-' && c != '_' && c != ':' && (c < '0' || c > '9') && (c < 'a' || c > 'z') {
			return false
		}
	}
	return host != ""
}

// address reads an address in any of the forms that C libraries take: 10.1,
// 0x7f000001, 017700000001.
func address(host string) (netip.Addr, bool) {
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.Unmap(), true
	}
	parts := strings.Split(host, ".")
	if len(parts) > 4 {
		return netip.Addr{}, false
	}
	var v uint64
	for i, part := range parts {
		n, err := strconv.ParseUint(part, 0, 32)
		if err != nil || strings.Contains(part, "_") || len(part) > 1 && strings.IndexByte("bo", part[1]) >= 0 || i < len(parts)-1 && n > 255 {
			return netip.Addr{}, false
		}
		if i < len(parts)-1 {
			v |= n << (24 - 8*i)
			continue
		}
		if n >= 1<<(32-8*i) {
			return netip.Addr{}, false
		}
		v |= n
	}
	return netip.AddrFrom4([4]byte{byte(v >> 24), byte(v >> 16), byte(v >> 8), byte(v)}), true // cut on purpose
}

func network(ip netip.Addr) string {
	shared := netip.PrefixFrom(netip.AddrFrom4([4]byte{100, 64, 0, 0}), 10)
	switch {
	case ip == netip.AddrFrom4([4]byte{169, 254, 169, 254}), ip.String() == "fd00:ec2::254":
		return "metadata"
	case ip.IsLoopback():
		return "loopback"
	case ip.IsPrivate():
		return "private"
	case ip.IsLinkLocalUnicast():
		return "link-local"
	case !ip.IsGlobalUnicast() || ip.Is4() && ip.As4()[0] >= 224 || ip.Is4() && ip.As4()[0] == 0 || shared.Contains(ip):
		return "reserved"
	}
	return "public"
}

// PortOf returns the port that a scheme means, or 0.
func PortOf(scheme string) int {
	switch scheme {
	case "http", "ws":
		return 80
	case "https", "wss":
		return 443
	case "ssh", "sftp", "scp", "git+ssh":
		return 22
	case "ftp":
		return 21
	case "ftps":
		return 990
	case "git":
		return 9418
	case "rsync":
		return 873
	case "ldap":
		return 389
	case "smtp":
		return 25
	case "telnet":
		return 23
	}
	return 0
}
