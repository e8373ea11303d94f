// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package url_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/effect/url"
	"github.com/toolverdict/toolverdict/internal/canon"
)

// show writes effects the way the tables here do: "scheme host ip port network",
// with - for what is not known, "read path", and "opaque".
func show(effects []tv.Effect) string {
	parts := make([]string, len(effects))
	for i, e := range effects {
		switch e.Kind {
		case tv.EffectConnect:
			parts[i] = fmt.Sprintf("%s %s %s %d %s", e.Scheme, dash(e.Host), dash(e.IP), e.Port, dash(e.Network))
		case tv.EffectRead:
			parts[i] = "read " + dash(e.Path)
		default:
			parts[i] = string(e.Kind)
		}
	}
	return strings.Join(parts, "; ")
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// TestPlain holds URLs that every parser reads alike: none is opaque.
func TestPlain(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"https://shop.example/":                            "https shop.example - 443 -",
		"http://shop.example":                              "http shop.example - 80 -",
		"HTTP://Shop.Example/":                             "http shop.example - 80 -",
		"https://shop.example?x=1":                         "https shop.example - 443 -",
		"https://shop.example#top":                         "https shop.example - 443 -",
		"https://shop.example/a/../../b":                   "https shop.example - 443 -",
		"https://shop.example/%2e%2e/%00":                  "https shop.example - 443 -",
		"https://shop.example/?to=http://10.1.2.3/":        "https shop.example - 443 -",
		"https://shop.example/#@10.1.2.3/":                 "https shop.example - 443 -",
		"https://shop.example/@10.1.2.3:80/":               "https shop.example - 443 -",
		`https://shop.example/a\b`:                         "https shop.example - 443 -",
		"https://shop.example/a b|c":                       "https shop.example - 443 -",
		"https://shop.example/日本語?q=né":                    "https shop.example - 443 -",
		"https://shop.example:443/":                        "https shop.example - 443 -",
		"https://shop.example:/":                           "https shop.example - 443 -",
		"http://shop.example:443/":                         "http shop.example - 443 -",
		"https://shop.example:65535/":                      "https shop.example - 65535 -",
		"wss://live.shop.example/feed":                     "wss live.shop.example - 443 -",
		"ws://live.shop.example:8080/feed":                 "ws live.shop.example - 8080 -",
		"ftp://files.shop.example/x.zip":                   "ftp files.shop.example - 21 -",
		"ssh://git@git.shop.example/repo.git":              "ssh git.shop.example - 22 -",
		"git+https://git.shop.example/repo.git":            "git+https git.shop.example - 443 -",
		"postgres://app:pw@db.shop.example/main":           "postgres db.shop.example - 5432 -",
		"https://user:p%40ss@shop.example/":                "https shop.example - 443 -",
		"https://10.1.2.3@shop.example/":                   "https shop.example - 443 -",
		"https://10-1-2-3.shop.example/":                   "https 10-1-2-3.shop.example - 443 -",
		"https://shop.example./":                           "https shop.example - 443 -",
		"https://my_host.shop.example/":                    "https my_host.shop.example - 443 -",
		"https://3com.example/":                            "https 3com.example - 443 -",
		"https://1.2.3.4.example/":                         "https 1.2.3.4.example - 443 -",
		"https://0x7f.example/":                            "https 0x7f.example - 443 -",
		"https://fe80.example/":                            "https fe80.example - 443 -",
		"https://müller.example/":                          "https xn--mller-kva.example - 443 -",
		"https://MÜLLER.example/":                          "https xn--mller-kva.example - 443 -",
		"https://xn--mller-kva.example/":                   "https xn--mller-kva.example - 443 -",
		"https://пример.example/":                          "https xn--e1afmkfd.example - 443 -",
		"https://例え.テスト/":                                  "https xn--r8jz45g.xn--zckzah - 443 -",
		"https://9.9.9.9/":                                 "https 9.9.9.9 9.9.9.9 443 public",
		"https://172.15.0.1/":                              "https 172.15.0.1 172.15.0.1 443 public",
		"https://172.32.0.1/":                              "https 172.32.0.1 172.32.0.1 443 public",
		"https://100.63.255.255/":                          "https 100.63.255.255 100.63.255.255 443 public",
		"https://192.0.1.1/":                               "https 192.0.1.1 192.0.1.1 443 public",
		"https://198.17.0.1/":                              "https 198.17.0.1 198.17.0.1 443 public",
		"https://223.255.255.254/":                         "https 223.255.255.254 223.255.255.254 443 public",
		"https://[2620:fe::fe]/":                           "https 2620:fe::fe 2620:fe::fe 443 public",
		"https://[2620:FE:0:0:0:0:0:FE]:8443/":             "https 2620:fe::fe 2620:fe::fe 8443 public",
		"https://[::ffff:9.9.9.9]/":                        "https 9.9.9.9 9.9.9.9 443 public",
		"https://[64:ff9b::9.9.9.9]/":                      "https 64:ff9b::909:909 64:ff9b::909:909 443 public; https 64:ff9b::909:909 9.9.9.9 443 public",
		"file:///srv/app/a%20b.txt":                        "read /srv/app/a b.txt",
		"file://localhost/srv/app/../x":                    "read /srv/x",
		"file:///srv/app/%2e%2e/x#z":                       "read /srv/x",
		"file:///srv/app/x.html#/orders/1..2":              "read /srv/app/x.html",
		"https://" + strings.Repeat("a", 63) + ".example/": "https " + strings.Repeat("a", 63) + ".example - 443 -",
	} {
		if diff := cmp.Diff(want, show(url.Analyse(text, url.Options{}))); diff != "" {
			t.Errorf("%s\n%s", text, diff)
		}
	}
}

// TestInside holds plain URLs of places that no public rule may reach.
func TestInside(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"http://127.0.0.1/":                        "http 127.0.0.1 127.0.0.1 80 loopback",
		"http://127.255.1.2/":                      "http 127.255.1.2 127.255.1.2 80 loopback",
		"http://0.0.0.0:8000/":                     "http 0.0.0.0 0.0.0.0 8000 loopback",
		"http://0.1.2.3/":                          "http 0.1.2.3 0.1.2.3 80 reserved",
		"http://10.255.0.1/":                       "http 10.255.0.1 10.255.0.1 80 private",
		"http://172.16.0.1/":                       "http 172.16.0.1 172.16.0.1 80 private",
		"http://172.31.9.9/":                       "http 172.31.9.9 172.31.9.9 80 private",
		"http://192.168.0.1/":                      "http 192.168.0.1 192.168.0.1 80 private",
		"http://100.64.0.1/":                       "http 100.64.0.1 100.64.0.1 80 private",
		"http://100.127.255.255/":                  "http 100.127.255.255 100.127.255.255 80 private",
		"http://169.254.1.1/":                      "http 169.254.1.1 169.254.1.1 80 link-local",
		"http://169.254.169.254/":                  "http 169.254.169.254 169.254.169.254 80 metadata",
		"http://169.254.170.2/v2/":                 "http 169.254.170.2 169.254.170.2 80 metadata",
		"http://100.100.100.200/":                  "http 100.100.100.200 100.100.100.200 80 metadata",
		"http://168.63.129.16/":                    "http 168.63.129.16 168.63.129.16 80 metadata",
		"http://192.0.0.192/":                      "http 192.0.0.192 192.0.0.192 80 metadata",
		"http://192.0.0.8/":                        "http 192.0.0.8 192.0.0.8 80 reserved",
		"http://192.0.2.1/":                        "http 192.0.2.1 192.0.2.1 80 reserved",
		"http://192.88.99.1/":                      "http 192.88.99.1 192.88.99.1 80 reserved",
		"http://198.19.255.1/":                     "http 198.19.255.1 198.19.255.1 80 reserved",
		"http://198.51.100.7/":                     "http 198.51.100.7 198.51.100.7 80 reserved",
		"http://203.0.113.7/":                      "http 203.0.113.7 203.0.113.7 80 reserved",
		"http://224.0.0.251/":                      "http 224.0.0.251 224.0.0.251 80 reserved",
		"http://255.255.255.255/":                  "http 255.255.255.255 255.255.255.255 80 reserved",
		"http://[::]/":                             "http :: :: 80 loopback",
		"http://[::1]:9000/":                       "http ::1 ::1 9000 loopback",
		"http://[0:0:0:0:0:0:0:1]/":                "http ::1 ::1 80 loopback",
		"http://[fe80::1]/":                        "http fe80::1 fe80::1 80 link-local",
		"http://[febf::1]/":                        "http febf::1 febf::1 80 link-local",
		"http://[fec0::1]/":                        "http fec0::1 fec0::1 80 private",
		"http://[fc00::1]/":                        "http fc00::1 fc00::1 80 private",
		"http://[fdff::1]/":                        "http fdff::1 fdff::1 80 private",
		"http://[fd00:ec2::254]/":                  "http fd00:ec2::254 fd00:ec2::254 80 metadata",
		"http://[fd20:ce::254]/":                   "http fd20:ce::254 fd20:ce::254 80 metadata",
		"http://[ff02::1]/":                        "http ff02::1 ff02::1 80 reserved",
		"http://[2001:db8::1]/":                    "http 2001:db8::1 2001:db8::1 80 reserved",
		"http://[3fff:0fff::1]/":                   "http 3fff:fff::1 3fff:fff::1 80 reserved",
		"http://[100::1]/":                         "http 100::1 100::1 80 reserved",
		"http://[4000::1]/":                        "http 4000::1 4000::1 80 reserved",
		"http://[::ffff:10.1.2.3]/":                "http 10.1.2.3 10.1.2.3 80 private",
		"http://[::ffff:a9fe:a9fe]/":               "http 169.254.169.254 169.254.169.254 80 metadata",
		"http://[::10.1.2.3]/":                     "http ::a01:203 ::a01:203 80 private; http ::a01:203 10.1.2.3 80 private",
		"http://[::ffff:0:10.1.2.3]/":              "http ::ffff:0:a01:203 ::ffff:0:a01:203 80 private; http ::ffff:0:a01:203 10.1.2.3 80 private",
		"http://[64:ff9b::10.1.2.3]/":              "http 64:ff9b::a01:203 64:ff9b::a01:203 80 private; http 64:ff9b::a01:203 10.1.2.3 80 private",
		"http://[64:ff9b:1::10.1.2.3]/":            "http 64:ff9b:1::a01:203 64:ff9b:1::a01:203 80 private; http 64:ff9b:1::a01:203 10.1.2.3 80 private",
		"http://[64:ff9b:2::9.9.9.9]/":             "http 64:ff9b:2::909:909 64:ff9b:2::909:909 80 reserved; http 64:ff9b:2::909:909 9.9.9.9 80 public",
		"http://[2002:a01:203::1]/":                "http 2002:a01:203::1 2002:a01:203::1 80 private; http 2002:a01:203::1 10.1.2.3 80 private",
		"http://[2002:909:909::1]/":                "http 2002:909:909::1 2002:909:909::1 80 reserved; http 2002:909:909::1 9.9.9.9 80 public",
		"http://[2001:0:1:2:3:4:f5fe:fdfc]/":       "http 2001:0:1:2:3:4:f5fe:fdfc 2001:0:1:2:3:4:f5fe:fdfc 80 private; http 2001:0:1:2:3:4:f5fe:fdfc 10.1.2.3 80 private",
		"http://[2620:fe::5efe:10.1.2.3]/":         "http 2620:fe::5efe:a01:203 2620:fe::5efe:a01:203 80 private; http 2620:fe::5efe:a01:203 10.1.2.3 80 private",
		"http://localhost:3000/":                   "http localhost - 3000 loopback",
		"http://LocalHost./":                       "http localhost - 80 loopback",
		"http://a.b.localhost/":                    "http a.b.localhost - 80 loopback",
		"http://ip6-localhost/":                    "http ip6-localhost - 80 loopback",
		"http://printer/":                          "http printer - 80 private",
		"http://nas.local/":                        "http nas.local - 80 private",
		"http://api.internal/":                     "http api.internal - 80 private",
		"http://hub.home.arpa/":                    "http hub.home.arpa - 80 private",
		"http://metadata.google.internal/":         "http metadata.google.internal - 80 metadata",
		"http://x.onion/":                          "http x.onion - 80 reserved",
		"redis://10.1.2.3/0":                       "redis 10.1.2.3 10.1.2.3 6379 private",
		"gopher://127.0.0.1:25/_HELO":              "gopher 127.0.0.1 127.0.0.1 25 loopback",
		"https://shop.example@10.1.2.3/":           "https 10.1.2.3 10.1.2.3 443 private",
		"https://shop.example:443@10.1.2.3:8080/x": "https 10.1.2.3 10.1.2.3 8080 private",
	} {
		if diff := cmp.Diff(want, show(url.Analyse(text, url.Options{}))); diff != "" {
			t.Errorf("%s\n%s", text, diff)
		}
	}
}

// TestDoubtful holds what parsers read in more than one way: the reading of the
// standard, and an opaque effect so that no rule allows it.
func TestDoubtful(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"http://127.1/":                        "http 127.0.0.1 127.0.0.1 80 loopback; opaque",
		"http://127.0.0.1./":                   "http 127.0.0.1 127.0.0.1 80 loopback; opaque",
		"http://2130706433/":                   "http 127.0.0.1 127.0.0.1 80 loopback; opaque",
		"http://0x7f000001/":                   "http 127.0.0.1 127.0.0.1 80 loopback; opaque",
		"http://017700000001/":                 "http 127.0.0.1 127.0.0.1 80 loopback; opaque",
		"http://0177.1/":                       "http 127.0.0.1 127.0.0.1 80 loopback; opaque",
		"http://0X7F.0.0.0x1/":                 "http 127.0.0.1 127.0.0.1 80 loopback; opaque",
		"http://0/":                            "http 0.0.0.0 0.0.0.0 80 loopback; opaque",
		"http://0x/":                           "http 0.0.0.0 0.0.0.0 80 loopback; opaque",
		"http://010.1.2.3/":                    "http 8.1.2.3 8.1.2.3 80 public; opaque",
		"http://0xa9.254.0xa9fe/":              "http 169.254.169.254 169.254.169.254 80 metadata; opaque",
		"http://１２７.０.０.１/":                    "http 127.0.0.1 127.0.0.1 80 loopback; opaque",
		"http://127。0。0。1/":                    "http 127.0.0.1 127.0.0.1 80 loopback; opaque",
		"http://⑩.①.②.③/":                      "http 10.1.2.3 10.1.2.3 80 private; opaque",
		"http://%31%30.1.2.3/":                 "http 10.1.2.3 10.1.2.3 80 private; opaque",
		"http://shop%2eexample/":               "http shop.example - 80 -; opaque",
		"http://ｓhop.example/":                 "http shop.example - 80 -; opaque",
		"http://sh\u00adop.example/":           "http shop.example - 80 -; opaque",
		"http://straße.example/":               "http xn--strae-oqa.example - 80 -; opaque",
		"http://ΑΣΣΟς.example/":                "http xn--mxa2ajca.example - 80 -; opaque",
		"http://\u212a.example/":               "http k.example - 80 -; opaque",
		"http:/10.1.2.3/":                      "http 10.1.2.3 10.1.2.3 80 private; opaque",
		"http:10.1.2.3/":                       "http 10.1.2.3 10.1.2.3 80 private; opaque",
		"http:///10.1.2.3/":                    "http 10.1.2.3 10.1.2.3 80 private; opaque",
		`http:\\10.1.2.3\`:                     "http 10.1.2.3 10.1.2.3 80 private; opaque",
		`https://10.1.2.3\@shop.example/`:      "https 10.1.2.3 10.1.2.3 443 private; opaque",
		`https://10.1.2.3\.shop.example/`:      "https 10.1.2.3 10.1.2.3 443 private; opaque",
		"https://a@10.1.2.3@shop.example/":     "https shop.example - 443 -; opaque",
		"https://a b@shop.example/":            "https shop.example - 443 -; opaque",
		"https://é@shop.example/":              "https shop.example - 443 -; opaque",
		"http://sh\top.example/":               "http shop.example - 80 -; opaque",
		"h\nttp://10.1.2.3/":                   "http 10.1.2.3 10.1.2.3 80 private; opaque",
		" http://10.1.2.3/":                    "http 10.1.2.3 10.1.2.3 80 private; opaque",
		"http://10.1.2.3/ ":                    "http 10.1.2.3 10.1.2.3 80 private; opaque",
		"http://10.1.2.3/\r\nHost: x":          "http 10.1.2.3 10.1.2.3 80 private; opaque",
		"http://10.1.2.3/\x00.example":         "http 10.1.2.3 10.1.2.3 80 private; opaque",
		"http://[fe80::1%25eth0]/":             "http fe80::1 fe80::1 80 link-local; opaque",
		"https://shop.example:0443/":           "https shop.example - 443 -; opaque",
		"https://shop.example:0/":              "https shop.example - 0 -; opaque",
		"https://shop..example/":               "https shop..example - 443 -; opaque",
		"https://.shop.example/":               "https .shop.example - 443 -; opaque",
		"https://shop.example../":              "https shop.example. - 443 -; opaque",
		"https://shop.example,evil.example/":   "https shop.example,evil.example - 443 -; opaque",
		"https://shop.example;evil.example/":   "https shop.example;evil.example - 443 -; opaque",
		"https://shop.example&@10.1.2.3/":      "https 10.1.2.3 10.1.2.3 443 private",
		"https://xn--a.example/":               "https xn--a.example - 443 -; opaque",
		"https://xn--/":                        "https xn-- - 443 private; opaque",
		"foo://shop.example/":                  "foo shop.example - 0 -; opaque",
		"file:/srv/app/x":                      "read /srv/app/x; opaque",
		"file:srv/app/x":                       "read -; opaque",
		"file:////host/share/x":                "read /host/share/x; opaque",
		"file://files.shop.example/x":          "read -; file files.shop.example - 445 -; opaque",
		"file://10.1.2.3/x":                    "read -; file 10.1.2.3 10.1.2.3 445 private; opaque",
		"file:///srv/%00/x":                    "read -",
		"file:///srv/ok?/../../etc/passwd":     "read /srv/ok; opaque",
		"file://localhost/srv/ok?x":            "read /srv/ok; opaque",
		"file:///srv/ok?":                      "read /srv/ok; opaque",
		"file:///srv/ok#/../../etc/passwd":     "read /srv/ok; opaque",
		"file:///srv/ok#/%2E./../etc/passwd":   "read /srv/ok; opaque",
		`file:///srv/ok#\..\..\etc\passwd`:     "read /srv/ok; opaque",
		"file:///srv/ok#a?b/../../etc":         "read /srv/ok; opaque",
		`file:///srv\..\x`:                     "read -",
		"https://" + strings.Repeat("a", 64):   "https " + strings.Repeat("a", 64) + " - 443 private; opaque",
		"https://" + strings.Repeat("a.", 130): "https " + strings.Repeat("a.", 129) + "a - 443 -; opaque",
	} {
		if diff := cmp.Diff(want, show(url.Analyse(text, url.Options{}))); diff != "" {
			t.Errorf("%q\n%s", text, diff)
		}
	}
}

// TestRefused holds what leads nowhere that could be told.
func TestRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", " ", ":", "/", "//10.1.2.3/x", "///10.1.2.3", `\\10.1.2.3\x`, "10.1.2.3", "shop.example/x", "localhost:3000/x",
		"?x", "#x", "http:", "http://", "http:///", "http://@/", "http://:80/", "http://u@:80/", "http://./", "1http://x/",
		"http://256.1.1.1/", "http://1.2.3.4.5/", "http://09.1/", "http://1.2..3/", "http://4294967296/",
		"http://x.0x7f/", "http://99999999999999999999/", "http://[::1/", "http://[::1]x/", "http://[shop.example]/", "http://[1.2.3.4]/",
		"http://[:::1]/", "http://[1:2:3:4:5:6:7:8:9]/", "http://[::ffff:01.2.3.4]/", "http://a b/", "http://a<b/", "http://a^b/", "http://a|b/",
		"http://a%00b/", "http://a%20b/", "http://%ff/", "http://a%zz/", "http://a%2fb/", "http://℀.example/", "http://shop.example:x/", "http://shop.example:65536/", "http://shop.example:80:80/",
		"http://shop.example:-1/", "http://shop.example:٣/", "data:text/plain,x", "javascript:alert(1)", "mailto:a@shop.example", "about:blank",
		"blob:https://shop.example/x", "view-source:http://shop.example/", "jar:http://shop.example/x!/", "urn:x", "unix:///run/x.sock", "http://\xff/",
		`redis://a\b/`, "http://" + strings.Repeat("ü", 64) + ".example/", "http://" + strings.Repeat("ü.", 128) + "example/", "http://xn--" + strings.Repeat("a", 60) + ".example/",
	} {
		got := url.Analyse(text, url.Options{Source: "/u"})
		if len(got) == 0 || got[len(got)-1].Kind != tv.EffectOpaque || got[len(got)-1].Detail == "" || got[0].Source != "/u" {
			t.Errorf("%q is not opaque: %s", text, show(got))
		}
		for _, e := range got[:len(got)-1] {
			t.Errorf("%q leads to %+v", text, e)
		}
	}
}

func TestBase(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, base, want string }{
		{"/v1/x", "https://api.shop.example:8443/v0/", "https api.shop.example - 8443 -"},
		{"x?y", "https://api.shop.example/v0/", "https api.shop.example - 443 -"},
		{"", "https://api.shop.example/v0/", "https api.shop.example - 443 -"},
		{"?y", "http://10.1.2.3/", "http 10.1.2.3 10.1.2.3 80 private"},
		{"//10.1.2.3:81/x", "https://api.shop.example:8443/", "https 10.1.2.3 10.1.2.3 81 private"},
		{`/\10.1.2.3/x`, "https://api.shop.example/", "https 10.1.2.3 10.1.2.3 443 private; opaque"},
		{`\\10.1.2.3/x`, "https://api.shop.example/", "https 10.1.2.3 10.1.2.3 443 private; opaque"},
		{`\x`, "https://api.shop.example/", "https api.shop.example - 443 -; opaque"},
		{"///10.1.2.3/x", "https://api.shop.example/", "https 10.1.2.3 10.1.2.3 443 private; opaque"},
		{"https:x", "https://api.shop.example/", "https api.shop.example - 443 -; opaque"},
		{"https:/x", "https://api.shop.example/", "https api.shop.example - 443 -; opaque"},
		{`https:\\x.example`, "https://api.shop.example/", "https x.example - 443 -; opaque"},
		{"http:x.example", "https://api.shop.example/", "http x.example - 80 -; opaque"},
		{"http://x.example", "https://api.shop.example/", "http x.example - 80 -"},
		{"x", "api.shop.example", "opaque"},
		{"x", "http://0x7f.1/", "opaque"},
		{"x", "redis://cache.example/", "opaque"},
		{"x", "file:///srv/", "opaque"},
	} {
		if got := show(url.Analyse(c.text, url.Options{Base: c.base})); got != c.want {
			t.Errorf("%q against %q: got %s, want %s", c.text, c.base, got, c.want)
		}
	}
}

// TestValues reads arguments of every kind.
func TestValues(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`"https://shop.example/"`: "https shop.example - 443 -",
		`[]`:                      "",
		`["https://a.example/","http://10.1.2.3/"]`: "https a.example - 443 -; http 10.1.2.3 10.1.2.3 80 private",
		`["https://a.example/",7]`:                  "https a.example - 443 -; opaque",
		`[["https://a.example/"]]`:                  "opaque",
		`null`:                                      "opaque",
		`true`:                                      "opaque",
		`2130706433`:                                "opaque",
		`{"url":"https://a.example/"}`:              "opaque",
		`[` + strings.Repeat(`"",`, url.MaxValues+9) + `"http://x"]`: strings.Repeat("opaque; ", url.MaxValues) + "opaque",
	} {
		v, err := canon.Parse([]byte(text), canon.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, show(url.AnalyseValue(v, url.Options{}))); diff != "" {
			t.Errorf("%.60s\n%s", text, diff)
		}
	}
	v, _ := canon.Parse([]byte(`["https://a.example/","https://u:secret@10.1.2.3\\x"]`), canon.Limits{})
	for i, e := range url.AnalyseValue(v, url.Options{Source: "/urls"}) {
		if want := fmt.Sprintf("/urls/%d", min(i, 1)); e.Source != want {
			t.Errorf("effect %d has source %q, want %q", i, e.Source, want)
		}
		if strings.Contains(e.Detail, "secret") {
			t.Errorf("effect %d tells a password: %q", i, e.Detail)
		}
	}
	if got := show(url.AnalyseValue(tv.Value{}, url.Options{})); got != "opaque" {
		t.Errorf("an absent value: %s", got)
	}
}
