// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package e2e_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/effect/url"
)

// readURLs is what Node's URL class makes of pairs of a URL and a base.
const readURLs = `
const pairs = JSON.parse(require('fs').readFileSync(0, 'utf8'));
console.log(JSON.stringify(pairs.map(([text, base]) => {
  try {
    const u = base ? new URL(text, base) : new URL(text);
    return {ok: true, scheme: u.protocol.slice(0, -1), host: u.hostname, port: u.port};
  } catch { return {ok: false}; }
})));`

type nodeURL struct {
	OK                 bool
	Scheme, Host, Port string
}

// TestURLDifferential compares the analyser of URLs with Node's URL class, on
// spellings made from what attacks on URL filters are made of. Whatever Node
// connects to must be among the effects, whatever Node refuses must be opaque.
func TestURLDifferential(t *testing.T) {
	t.Parallel()
	pairs := urlSpellings(40_000)
	in, err := json.Marshal(pairs)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), node(), "-e", readURLs)
	cmd.Stdin = bytes.NewReader(in)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("run Node: %v", err)
	}
	var want []nodeURL
	if err := json.Unmarshal(out, &want); err != nil || len(want) != len(pairs) {
		t.Fatalf("read %d of Node's %d answers: %v", len(want), len(pairs), err)
	}
	read, sure, failed := 0, 0, 0
	for i, pair := range pairs {
		effects := url.Analyse(pair[0], url.Options{Base: pair[1]})
		if want[i].OK {
			read++
		}
		if !hasOpaque(effects) {
			sure++
		}
		if why := disagree(want[i], effects); why != "" {
			if failed++; failed <= 20 {
				t.Errorf("%q against %q: %s\nNode: %+v\nours: %+v", pair[0], pair[1], why, want[i], effects)
			}
		}
	}
	t.Logf("%d URLs, Node reads %d, %d are not opaque, %d disagree", len(pairs), read, sure, failed)
	if read < len(pairs)/5 || sure < len(pairs)/50 {
		t.Errorf("Node reads %d and %d are not opaque: the spellings test nothing", read, sure)
	}
}

// disagree says how the effects are not what Node reads.
func disagree(want nodeURL, effects []tv.Effect) string {
	if !want.OK {
		if !hasOpaque(effects) {
			return "Node refuses it"
		}
		return ""
	}
	if want.Scheme == "file" {
		if effects[0].Kind != tv.EffectRead {
			return "no read"
		}
		return ""
	}
	port, known := defaultPorts[want.Scheme]
	if !known || want.Host == "" {
		return "" // another scheme: the standard gives its host no meaning
	}
	if want.Port != "" {
		port, _ = strconv.Atoi(want.Port)
	}
	host := strings.TrimSuffix(want.Host, ".")
	if ip, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		host = ip.Unmap().String()
	}
	for _, e := range effects {
		if e.Kind == tv.EffectConnect && e.Host == host && e.Port == port && e.Scheme == want.Scheme {
			return ""
		}
	}
	if hasOpaque(effects) && (port == 0 || host == "") && len(effects) == 1 {
		return "" // refused outright: nothing listens there
	}
	return "no such connection among the effects"
}

var defaultPorts = map[string]int{"http": 80, "https": 443, "ws": 80, "wss": 443, "ftp": 21}

func hasOpaque(effects []tv.Effect) bool {
	for _, e := range effects {
		if e.Kind == tv.EffectOpaque {
			return true
		}
	}
	return false
}

// urlSpellings makes URLs, the same ones in every run.
func urlSpellings(n int) [][2]string {
	r := rand.New(rand.NewPCG(3, 1))
	pick := func(of []string) string { return of[r.IntN(len(of))] }
	schemes := []string{"http:", "https:", "https:", "HTTPS:", "ftp:", "ws:", "wss:", "file:", "ht\ntp:", " http:", "redis:", "data:", ""}
	slashes := []string{"//", "//", "//", "//", "//", "///", "/", "", `\\`, `/\`, "/\t/"}
	users := []string{"", "", "", "", "u@", "u:p@", "a@b@", "example.com:80@", "u%40@", "é@", "1.1.1.1 &@", `\@`, "[@", "/@"}
	tails := []string{"", "/", "/a?b#c", "?q=http://x", "#@evil.example", `\x`, "/@x", "/%2e%2e", "/\u202e", "/a b", " ", ";x", ",y"}
	ports := []string{"", "", "", "", ":80", ":443", ":8443", ":", ":0", ":00443", ":65535", ":65536", ":x", ":8 0", ":80:90", ":+80", ":８０"}
	bases := []string{"", "", "", "https://base.example/dir/x", "http://10.0.0.1:81/"}
	out := make([][2]string, n)
	for i := range out {
		text := pick(schemes) + pick(slashes) + pick(users) + someHost(r, pick) + pick(ports) + pick(tails)
		if r.IntN(12) == 0 { // one character more or less
			at := r.IntN(len(text) + 1)
			text = strings.ToValidUTF8(text[:at]+pick([]string{"", "/", `\`, "@", ":", ".", "%", "%2e", "\t", "[", "]", "é", "\u00ad", "\x00"})+text[min(len(text), at+r.IntN(2)):], "")
		}
		out[i] = [2]string{text, pick(bases)}
	}
	return out
}

func someHost(r *rand.Rand, pick func([]string) string) string {
	switch r.IntN(8) {
	case 0: // IPv4 in any form
		forms := []string{"%d", "0%o", "0x%x", "0X%X", "00%o"}
		parts := make([]string, 1+r.IntN(4))
		for i := range parts {
			limit := 256
			if i == len(parts)-1 {
				limit = 1 << min(8*(5-len(parts)), 62)
			}
			parts[i] = fmt.Sprintf(pick(forms), r.IntN(limit+limit/40))
		}
		return strings.Join(parts, ".") + pick([]string{"", "", ".", ".."})
	case 1: // IPv6
		groups := make([]string, 1+r.IntN(9))
		for i := range groups {
			groups[i] = pick([]string{"0", "1", "", "ffff", "FE80", "7f00", "0000", "00001", "a.b", "64", "ff9b"})
		}
		return "[" + strings.Join(groups, ":") + pick([]string{"", "", ":127.0.0.1", ":10.0.0.05", "::", "%25eth0", "%eth0"}) + pick([]string{"]", "]", "]", "", "]x"})
	case 2: // a name of odd parts
		parts := make([]string, 1+r.IntN(4))
		for i := range parts {
			parts[i] = pick([]string{"a", "example", "com", "xn--bcher-kva", "xn--a", "xn--", "bücher", "BÜCHER", "faß", "ｅｘ", "１２７", "例え", "\u200d", "a\u00adb", "-a-", "a--b", "_x", "", "%65", "%00", "%2e", "a,b", "0x", "09", "1", "σς", "ا1", "é", "İ", "K", "℀", "a\u0300"})
		}
		return strings.Join(parts, pick([]string{".", ".", ".", "。", "．", "｡"}))
	case 3:
		return "[::ffff:" + pick([]string{"127.0.0.1", "8.8.8.8", "7f00:1", "1.2.3", "0127.0.0.1"}) + "]"
	}
	return pick([]string{"example.com", "EXAMPLE.com.", "localhost", "127.0.0.1", "169.254.169.254", "a.b.c.example", "192.168.1.1", "[::1]", "0", "0x7f.1", "2130706433", "1.2.3.4.5", "256.1.1.1", "foo.0x10", "foo.09", "1.1.1.1e"})
}
