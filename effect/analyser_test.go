// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package effect_test

import (
	"context"
	"errors"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/effect"
	"github.com/toolverdict/toolverdict/internal/canon"
)

// anything accepts every argument.
type anything struct{}

func (anything) Clash(tv.Value) (tv.FieldError, bool) { return tv.FieldError{}, false }
func (anything) Validate(tv.Value) []tv.FieldError    { return nil }

func tool(t testing.TB, safety tv.Safety, place tv.Place, roles map[string]tv.Role) *tv.Tool {
	t.Helper()
	out, err := tv.NewTool(tv.Definition{
		Name: "s/tool", Server: "s", Safety: safety, Risk: tv.LowRisk, Confirmation: tv.ConfirmByRisk,
		Execution: tv.Parallel, Roles: roles, Place: place,
	}, anything{})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func arguments(t testing.TB, text string) tv.Value {
	t.Helper()
	v, err := canon.ParseObject([]byte(text), canon.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// words are effects as text, each with its source.
func words(effects []tv.Effect) []string {
	var out []string
	for _, e := range effects {
		out = append(out, e.Source+" "+e.String())
	}
	return out
}

func TestRoles(t *testing.T) {
	t.Parallel()
	workspace := tv.Place{Root: "/srv/app", Home: "/home/me"}
	for name, c := range map[string]struct {
		reads bool
		place tv.Place
		roles map[string]tv.Role
		facts map[string]string
		args  string
		want  []string
	}{
		"a path of a tool that writes": {
			place: workspace, roles: map[string]tv.Role{"/path": {Kind: tv.RolePath, Uses: []string{"write"}}},
			args: `{"path":"a/../b"}`, want: []string{"/path write /srv/app/b"},
		},
		"a path of a tool that does not say": {
			place: workspace, roles: map[string]tv.Role{"/path": {Kind: tv.RolePath}},
			args: `{"path":"b"}`, want: []string{"/path read /srv/app/b", "/path write /srv/app/b", "/path delete /srv/app/b"},
		},
		"a path of a tool that only reads": {
			reads: true, place: workspace, roles: map[string]tv.Role{"/path": {Kind: tv.RolePath}},
			args: `{"path":"b"}`, want: []string{"/path read /srv/app/b"},
		},
		"a path below a folder that is declared": {
			place: workspace, roles: map[string]tv.Role{"/path": {Kind: tv.RolePath, Uses: []string{"read"}, Base: "docs"}},
			args: `{"path":"b"}`, want: []string{"/path read /srv/app/docs/b"},
		},
		"a path below a folder that another argument names": {
			place: workspace, roles: map[string]tv.Role{"/path": {Kind: tv.RolePath, Uses: []string{"read"}, BaseFrom: "/cwd"}},
			args: `{"path":"b","cwd":"/etc"}`, want: []string{"/path read /etc/b"},
		},
		"a path where that argument is left out": {
			place: workspace, roles: map[string]tv.Role{"/path": {Kind: tv.RolePath, Uses: []string{"read"}, BaseFrom: "/cwd"}},
			args: `{"path":"b"}`, want: []string{"/path read /srv/app/b"},
		},
		"a path where that argument is no text": {
			place: workspace, roles: map[string]tv.Role{"/path": {Kind: tv.RolePath, Uses: []string{"read"}, BaseFrom: "/cwd"}},
			args: `{"path":"b","cwd":null}`, want: []string{"/path opaque (the argument that names the folder is no text)"},
		},
		"a path below a folder that the host names": {
			place: workspace, roles: map[string]tv.Role{"/path": {Kind: tv.RolePath, Uses: []string{"read"}, BaseFrom: "env.cwd"}},
			facts: map[string]string{"cwd": "/srv/app/sub"}, args: `{"path":"../b"}`, want: []string{"/path read /srv/app/b"},
		},
		"a path where the host does not say": {
			place: workspace, roles: map[string]tv.Role{"/path": {Kind: tv.RolePath, Uses: []string{"read"}, BaseFrom: "env.cwd"}},
			facts: map[string]string{"other": "/srv/app"}, args: `{"path":"b","cwd":"/srv/app"}`,
			want: []string{"/path opaque (the host does not say which folder it starts from)"},
		},
		"a path where the host says what is no folder": {
			place: workspace, roles: map[string]tv.Role{"/path": {Kind: tv.RolePath, Uses: []string{"read"}, BaseFrom: "env.cwd"}},
			facts: map[string]string{"cwd": "sub"}, args: `{"path":"/b"}`,
			want: []string{"/path opaque (the host does not say which folder it starts from)"},
		},
		"a command in a folder that the host names": {
			place: workspace, roles: map[string]tv.Role{"/command": {Kind: tv.RoleShell, BaseFrom: "env.cwd"}},
			facts: map[string]string{"cwd": "/tmp"}, args: `{"command":"rm x"}`, want: []string{"/command execute rm x", "/command delete /tmp/x"},
		},
		"a command where the host does not say": {
			place: workspace, roles: map[string]tv.Role{"/command": {Kind: tv.RoleShell, BaseFrom: "env.cwd"}},
			args: `{"command":"rm x /srv/y"}`, want: []string{"/command execute rm x /srv/y", "/command delete a file that is not known", "/command delete /srv/y"},
		},
		"a patch": {
			place: workspace, roles: map[string]tv.Role{"/patch": {Kind: tv.RolePatch, BaseFrom: "env.cwd"}}, facts: map[string]string{"cwd": "/srv/app/sub"},
			args: `{"patch":"*** Begin Patch\n*** Add File: a\n+*** Delete File: not\n*** Update File: ../b\n*** Move to: /etc/c\n@@\n-x\n+y\n *** Delete File: d\r\n*** End of File\n*** End Patch"}`,
			want: []string{
				"/patch write /srv/app/sub/a", "/patch read /srv/app/b", "/patch write /srv/app/b", "/patch delete /srv/app/b",
				"/patch write /etc/c", "/patch delete /srv/app/sub/d",
			},
		},
		"a patch with a line that is not known": {
			place: workspace, roles: map[string]tv.Role{"/patch": {Kind: tv.RolePatch}},
			args: `{"patch":"*** Link File: a\n*** Add File: b"}`,
			want: []string{"/patch opaque (a line of a patch that is not known)", "/patch write /srv/app/b"},
		},
		"a patch of another form": {
			place: workspace, roles: map[string]tv.Role{"/patch": {Kind: tv.RolePatch}},
			args: `{"patch":"--- a\n+++ b\n"}`, want: []string{"/patch opaque (a patch that names no file)"},
		},
		"a patch in a folder that is not known": {
			place: workspace, roles: map[string]tv.Role{"/patch": {Kind: tv.RolePatch, BaseFrom: "env.cwd"}},
			args: `{"patch":"*** Add File: a"}`, want: []string{"/patch opaque (the host does not say which folder it starts from)"},
		},
		"paths in objects of a list": {
			place: workspace, roles: map[string]tv.Role{"/files/*/path": {Kind: tv.RolePath, Uses: []string{"delete"}}},
			args: `{"files":[{"path":"/a"},{"path":"/b"},{"name":"/c"}]}`,
			want: []string{
				"/files/0/path delete /a", "/files/1/path delete /b",
				"/files/2/path opaque (the argument is left out, and what the tool then does is not declared)",
			},
		},
		"an argument with a default": {
			place: workspace, roles: map[string]tv.Role{"/path": {Kind: tv.RolePath, Uses: []string{"list"}, Default: "."}},
			args: `{}`, want: []string{"/path read the names of /srv/app"},
		},
		"an argument that may be left out": {
			place: workspace, roles: map[string]tv.Role{"/path": {Kind: tv.RolePath, Optional: true}}, args: `{}`,
		},
		"an argument that is left out": {
			roles: map[string]tv.Role{"/url": {Kind: tv.RoleURL}},
			args:  `{}`, want: []string{"/url opaque (the argument is left out, and what the tool then does is not declared)"},
		},
		"recipients": {
			roles: map[string]tv.Role{"/to": {Kind: tv.RoleEmail, Field: "to"}, "/cc": {Kind: tv.RoleEmail, Field: "cc"}},
			args:  `{"to":["a@example.com","b@example.org"]}`, want: []string{"/to/0 send to a@example.com", "/to/1 send to b@example.org"},
		},
		"a header": {
			roles: map[string]tv.Role{"/subject": {Kind: tv.RoleHeader}},
			args:  `{"subject":"hi\r\nBcc: x@example.com"}`,
			want:  []string{"/subject opaque (characters that end a header, so that what follows is one of its own)"},
		},
		"money in a currency that is declared": {
			roles: map[string]tv.Role{"/amount": {Kind: tv.RoleMoney, Currency: "EUR", Minor: true}},
			args:  `{"amount":1250}`, want: []string{"/amount spend 12.5 EUR"},
		},
		"money in the currency of another argument": {
			roles: map[string]tv.Role{"/amount": {Kind: tv.RoleMoney, CurrencyFrom: "/currency"}},
			args:  `{"amount":"12.50","currency":"usd"}`, want: []string{"/amount spend 12.5 USD"},
		},
		"money where that argument is missing": {
			roles: map[string]tv.Role{"/amount": {Kind: tv.RoleMoney, CurrencyFrom: "/currency"}},
			args:  `{"amount":"12.50"}`, want: []string{"/amount opaque (the argument that names the currency is missing, or no text)"},
		},
		"a command": {
			place: workspace, roles: map[string]tv.Role{"/command": {Kind: tv.RoleShell}},
			args: `{"command":"rm -r x"}`, want: []string{"/command execute rm -r x", "/command delete /srv/app/x", "/command delete /srv/app/x and what is below"},
		},
		"a command as a list of words": {
			place: workspace, roles: map[string]tv.Role{"/command": {Kind: tv.RoleShell}},
			args: `{"command":["rm","it's; ls"]}`, want: []string{"/command execute rm it's; ls", "/command delete /srv/app/it's; ls"},
		},
		"a command in a folder that another argument names": {
			place: workspace, roles: map[string]tv.Role{"/command": {Kind: tv.RoleShell, BaseFrom: "/cwd"}},
			args: `{"command":"rm x","cwd":"/tmp"}`, want: []string{"/command execute rm x", "/command delete /tmp/x"},
		},
		"a command in a folder that is not clear": {
			place: workspace, roles: map[string]tv.Role{"/command": {Kind: tv.RoleShell, BaseFrom: "/cwd"}},
			args: `{"command":"rm x","cwd":"$HOME"}`, want: []string{"/command execute rm x", "/command delete a file that is not known"},
		},
		"a command that is no text": {
			place: workspace, roles: map[string]tv.Role{"/command": {Kind: tv.RoleShell}},
			args: `{"command":{"cmd":"ls"}}`, want: []string{"/command opaque (no command where one is expected: a text, or a list of words)"},
		},
		"a command on Windows": {
			place: tv.Place{Windows: true}, roles: map[string]tv.Role{"/command": {Kind: tv.RoleShell}},
			args: `{"command":"dir"}`, want: []string{"/command opaque (commands on Windows are not analysed)"},
		},
		"a statement": {
			roles: map[string]tv.Role{"/sql": {Kind: tv.RoleSQL, Dialect: "sqlite"}},
			args:  `{"sql":"delete from users"}`, want: []string{"/sql query delete users, any number of rows"},
		},
		"a statement in a dialect that is read by the database's own parser": {
			roles: map[string]tv.Role{"/sql": {Kind: tv.RoleSQL, Dialect: "postgres"}},
			args:  `{"sql":"EXPLAIN ANALYZE DELETE FROM users"}`, want: []string{"/sql query delete users, any number of rows"},
		},
		"a statement that is no text": {
			roles: map[string]tv.Role{"/sql": {Kind: tv.RoleSQL, Dialect: "mysql"}},
			args:  `{"sql":["select 1"]}`, want: []string{"/sql opaque (no text where SQL is expected)"},
		},
		"a language without an analyser": {
			roles: map[string]tv.Role{"/code": {Kind: tv.RoleCode, Dialect: "python"}},
			args:  `{"code":"1"}`, want: []string{"/code opaque (a program in a language that is not analysed)"},
		},
		"a role of a later day": {
			roles: map[string]tv.Role{"/x": {Kind: "hologram"}},
			args:  `{"x":"1"}`, want: []string{"/x opaque (a role that this version does not know)"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			safety := tv.Destructive
			if c.reads {
				safety = tv.ReadOnly
			}
			got := words(effect.Effects(tool(t, safety, c.place, c.roles), arguments(t, c.args), c.facts))
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// names is what a name server says.
type names map[string][]netip.Addr

func (n names) Resolve(_ context.Context, name string) ([]netip.Addr, error) {
	if ips, ok := n[name]; ok {
		return ips, nil
	}
	return nil, errors.New("no such name")
}

// TestNamesThatAreResolved: what a name leads to counts, and is handed on.
func TestNamesThatAreResolved(t *testing.T) {
	t.Parallel()
	inside := netip.MustParseAddr("10.0.0.7")
	a := &effect.Analyser{Names: names{"inside.example.com": {inside}}}
	asks := tool(t, tv.ReadOnly, tv.Place{}, map[string]tv.Role{"/url": {Kind: tv.RoleURL, Resolve: true}})
	found := a.Analyse(t.Context(), asks, arguments(t, `{"url":["https://inside.example.com/x","https://gone.example.com"]}`), nil)
	if len(found.Effects) != 2 || found.Effects[0].Network != "private" || found.Effects[0].IP != "10.0.0.7" || found.Effects[1].Network != "" {
		t.Errorf("got %v", words(found.Effects))
	}
	if diff := cmp.Diff(map[string][]string{"inside.example.com": {"10.0.0.7"}}, text(found.Addresses)); diff != "" {
		t.Error(diff)
	}
	does := tool(t, tv.ReadOnly, tv.Place{}, map[string]tv.Role{"/url": {Kind: tv.RoleURL}})
	if found := a.Analyse(t.Context(), does, arguments(t, `{"url":"https://inside.example.com"}`), nil); found.Addresses != nil || found.Effects[0].IP != "" {
		t.Errorf("looked up what nobody asked for: %+v", found)
	}
}

func text(all map[string][]netip.Addr) map[string][]string {
	out := map[string][]string{}
	for name, ips := range all {
		for _, ip := range ips {
			out[name] = append(out[name], ip.String())
		}
	}
	return out
}

// TestLinks: below a root that the gate sees, a file has the name it really has.
func TestLinks(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	if err := os.Symlink("/etc", filepath.Join(root, "docs")); err != nil {
		t.Fatal(err)
	}
	roles := map[string]tv.Role{"/path": {Kind: tv.RolePath, Uses: []string{"read"}}}
	args := arguments(t, `{"path":"docs/passwd"}`)
	seen := words(effect.Effects(tool(t, tv.ReadOnly, tv.Place{Root: root, Links: true}, roles), args, nil))
	if !slices.ContainsFunc(seen, func(s string) bool { return strings.Contains(s, "/etc/passwd") }) {
		t.Errorf("the link was not followed: %q", seen)
	}
	gone := words(effect.Effects(tool(t, tv.ReadOnly, tv.Place{Root: root + "/gone", Links: true}, roles), args, nil))
	if diff := cmp.Diff([]string{"/path opaque (the folder that the tool works in cannot be seen from here)"}, gone); diff != "" {
		t.Error(diff)
	}
}

// TestTooMuch: what goes beyond the bounds is opaque.
func TestTooMuch(t *testing.T) {
	t.Parallel()
	paths := tool(t, tv.ReadOnly, tv.Place{}, map[string]tv.Role{"/a/*": {Kind: tv.RolePath, Uses: []string{"read"}, Optional: true}})
	list := strings.Repeat(`"/x",`, 1500)
	found := effect.Effects(paths, arguments(t, `{"a":[`+list+`"/x"]}`), nil)
	if last := found[len(found)-1]; len(found) != 1001 || last.Kind != tv.EffectOpaque {
		t.Errorf("%d effects, the last is %v", len(found), last)
	}
	many := map[string]tv.Role{}
	for _, name := range []string{"a", "b", "c", "d"} {
		many["/"+name] = tv.Role{Kind: tv.RolePath}
	}
	list = strings.Repeat(`"/x",`, 900) + `"/x"`
	found = effect.Effects(tool(t, tv.Destructive, tv.Place{}, many), arguments(t, `{"a":[`+list+`],"b":[`+list+`],"c":[`+list+`],"d":[`+list+`]}`), nil)
	if last := found[len(found)-1]; len(found) != 10_001 || last.Kind != tv.EffectOpaque {
		t.Errorf("%d effects, the last is %v", len(found), last)
	}
}

// FuzzAnalyse: whatever the arguments are, the analysis ends, says where each
// effect was found, and says something of every argument that is there.
func FuzzAnalyse(f *testing.F) {
	roles := map[string]tv.Role{}
	for _, kind := range []tv.RoleKind{tv.RolePath, tv.RoleURL, tv.RoleEmail, tv.RoleHeader, tv.RoleMoney, tv.RoleShell, tv.RoleSQL, tv.RoleCode} {
		roles["/"+string(kind)] = tv.Role{Kind: kind, Optional: true, Dialect: map[tv.RoleKind]string{tv.RoleSQL: "sqlite"}[kind]}
	}
	all := tool(f, tv.Destructive, tv.Place{Root: "/srv", Home: "/home/me"}, roles)
	for _, seed := range []string{
		`{"path":"../x","url":"http://0x7f.1","email":["a@b.example, c@d.example"],"header":"a\r\nb"}`,
		`{"money":{"amount":"1e3","currency":"EUR"},"shell":["sh","-c","rm -rf /"],"sql":"drop table x","code":"1"}`,
		`{"path":null,"url":{},"email":[[]],"header":[{}],"money":[],"shell":[],"sql":1,"code":true}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, src string) {
		v, err := canon.ParseObject([]byte(src), canon.Limits{MaxBytes: 1 << 16})
		if err != nil {
			return
		}
		for _, e := range effect.Effects(all, v, nil) {
			if !strings.HasPrefix(e.Source, "/") {
				t.Fatalf("an effect without a source: %+v", e)
			}
		}
		for _, kind := range []string{"path", "url", "shell", "sql", "code"} {
			got, given := v.Get(kind)
			if given && got.Kind() != canon.KindArray && got.Kind() != canon.KindString && len(sourcedAt(effect.Effects(all, v, nil), "/"+kind)) == 0 {
				t.Fatalf("nothing was said of %s", kind)
			}
		}
	})
}

func sourcedAt(effects []tv.Effect, at string) []tv.Effect {
	return slices.DeleteFunc(effects, func(e tv.Effect) bool { return !strings.HasPrefix(e.Source, at) })
}
