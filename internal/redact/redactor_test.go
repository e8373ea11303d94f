// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package redact_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/redact"
)

func newRedactor(t testing.TB, c redact.Config) *redact.Redactor {
	t.Helper()
	if c.Key == nil {
		c.Key = []byte(strings.Repeat("k", 32))
	}
	r, err := redact.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func parse(t testing.TB, raw string) canon.Value {
	t.Helper()
	v, err := canon.Parse([]byte(raw), canon.Limits{AllowFoldedSiblings: true})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// accepts is a schema for tests that need none.
type accepts struct{}

func (accepts) Clash(toolverdict.Value) (toolverdict.FieldError, bool) {
	return toolverdict.FieldError{}, false
}
func (accepts) Validate(toolverdict.Value) []toolverdict.FieldError { return nil }

func tool(t testing.TB, sensitive ...string) *toolverdict.Tool {
	t.Helper()
	tool, err := toolverdict.NewTool(toolverdict.Definition{
		Name: "s/a", Server: "s", Safety: "read-only", Risk: "low", Confirmation: "risk", Execution: "parallel", Sensitive: sensitive,
	}, accepts{})
	if err != nil {
		t.Fatal(err)
	}
	return tool
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	key := []byte(strings.Repeat("k", 32))
	for name, c := range map[string]redact.Config{
		"no key": {}, "short key": {Key: key[:31]}, "short secret": {Key: key, Held: []string{"long enough", "abc"}},
		"empty secret": {Key: key, Held: []string{""}}, "negative": {Key: key, MaxText: -1},
	} {
		if r, err := redact.New(c); err == nil || r != nil || strings.Contains(err.Error(), "abc") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Sensitive fields are hidden wherever a call could put them, also one that
// will be refused for where it put them.
func TestSensitive(t *testing.T) {
	t.Parallel()
	r := newRedactor(t, redact.Config{})
	for _, c := range []struct{ pointer, args, gone, kept string }{
		{"/body", `{"body":"hush","to":"keep"}`, "hush", "keep"},
		{"/body", `{"body":["hush"]}`, "hush", ""},
		{"/body", `{"body":{"hush":1}}`, "hush", ""},
		{"/body", `{"body":12345}`, "12345", ""},
		{"/body", `{"body":true,"n":1}`, "true", "1"},
		{"/body", `{"Body":"hush"}`, "hush", ""},
		{"/body", `{"ｂody":"hush"}`, "hush", ""},
		{"/body", `{"\u200bbody":"hush"}`, "hush", ""},
		{"/user/mail", `{"user":{"mail":"hush","name":"keep"}}`, "hush", "keep"},
		{"/user/mail", `{"user":"hush"}`, "hush", ""},
		{"/user/mail", `{"user":[{"mail":"hush"}]}`, "hush", ""},
		{"/rows/*/cell", `{"rows":[{"cell":"hush","id":"keep"},{"cell":"hush"}]}`, "hush", "keep"},
		{"/rows/*", `{"rows":["hush","hush"]}`, "hush", ""},
		{"/rows/1", `{"rows":["keep","hush"]}`, "hush", "keep"},
		{"/map/*/x", `{"map":{"a":{"x":"hush"},"b":{"y":"keep"}}}`, "hush", "keep"},
		{"/a~1b/c~0d", `{"a/b":{"c~d":"hush"}}`, "hush", ""},
	} {
		out := string(r.Arguments(tool(t, c.pointer), parse(t, c.args), toolverdict.RecordView))
		if strings.Contains(out, c.gone) || !strings.Contains(out, c.kept) || !json.Valid([]byte(out)) {
			t.Errorf("%s %s: %s", c.pointer, c.args, out)
		}
	}
}

// Placeholders tell equal from different, and nothing without the key.
func TestPlaceholders(t *testing.T) {
	t.Parallel()
	r := newRedactor(t, redact.Config{})
	sensitive := tool(t, "/a", "/b", "/c")
	var out map[string]string
	if err := json.Unmarshal(r.Arguments(sensitive, parse(t, `{"a":"x1","b":"x1","c":"x2","password":"x1"}`), toolverdict.RecordView), &out); err != nil {
		t.Fatal(err)
	}
	if out["a"] != out["b"] || out["a"] == out["c"] || !strings.HasPrefix(out["a"], "[sensitive ") || !strings.HasPrefix(out["password"], "[secret ") {
		t.Errorf("%v", out)
	}
	other := newRedactor(t, redact.Config{Key: []byte(strings.Repeat("j", 32))})
	if string(other.Arguments(sensitive, parse(t, `{"a":"x1"}`), toolverdict.RecordView)) == string(r.Arguments(sensitive, parse(t, `{"a":"x1"}`), toolverdict.RecordView)) {
		t.Error("the digest does not depend on the key")
	}
}

func TestMAC(t *testing.T) {
	t.Parallel()
	r := newRedactor(t, redact.Config{})
	a, b := r.MAC(parse(t, `{"a":1,"b":"x"}`)), r.MAC(parse(t, `{"b":"\u0078", "a":1.0}`))
	if a != b || len(a) != 64 {
		t.Errorf("%s %s", a, b)
	}
	if a == r.MAC(parse(t, `{"a":2,"b":"x"}`)) {
		t.Error("other arguments, same digest")
	}
	if a == newRedactor(t, redact.Config{Key: []byte(strings.Repeat("j", 32))}).MAC(parse(t, `{"a":1,"b":"x"}`)) {
		t.Error("the digest does not depend on the key")
	}
}

func TestNamesOfFields(t *testing.T) {
	t.Parallel()
	r := newRedactor(t, redact.Config{})
	for _, name := range []string{
		"password", "Password", "PASSWORD", "userPassword", "db_password", "ｐassword", "passwd", "pwd", "client-secret", "clientSecret",
		"token", "access_token", "authToken", "X-Api-Key", "apiKey", "APIKey", "AWS_SECRET_ACCESS_KEY", "privateKey", "authorization",
		"Authorization", "Proxy-Authorization", "cookie", "Set-Cookie", "credentials", "sessionId", "session_token", "cvv", "otp", "DB_PASS",
		"smtpPass", "passwords", "tokens", "密码", "用户密码", "spring.datasource.password", "connectionString",
	} {
		for _, args := range []string{`{%s:"hush1"}`, `{"x":{%s:["hush1",{"y":"hush1"}]}}`} {
			out := string(r.Arguments(nil, parse(t, fmt.Sprintf(args, canon.Quote(name))), toolverdict.RecordView))
			if strings.Contains(out, "hush1") {
				t.Errorf("%s: %s", name, out)
			}
		}
	}
	for _, name := range []string{
		"token_type", "tokenizer", "password_min_length", "secret_name", "api_key_id", "key", "keyboard", "bypass", "compass", "passenger",
		"author", "authority", "next_page_token", "pageToken", "sessions", "monkey", "description", "cookiePolicy", "passage",
	} {
		out := string(r.Arguments(nil, parse(t, fmt.Sprintf(`{%s:"shown1"}`, canon.Quote(name))), toolverdict.RecordView))
		if !strings.Contains(out, "shown1") {
			t.Errorf("%s: %s", name, out)
		}
	}
	got := string(r.Arguments(nil, parse(t, `{"max_tokens":4096,"pass":12,"password":null,"token":true,"pin":1234,"password2":"x","secret":""}`), toolverdict.RecordView))
	for _, kept := range []string{"4096", `"pass":12`, `"password":null`, `"token":true`, `"secret":""`} {
		if !strings.Contains(got, kept) {
			t.Errorf("%s is lost: %s", kept, got)
		}
	}
	if strings.Contains(got, "1234") {
		t.Errorf("a pin: %s", got)
	}
}

func TestTexts(t *testing.T) {
	t.Parallel()
	r := newRedactor(t, redact.Config{})
	const fake = "FAKEab12CD34ef56GH78ij90KL"
	for _, c := range []struct{ in, gone, kept string }{
		{"curl -H 'Authorization: Bearer " + fake + "' https://example.com", fake, "https://example.com"},
		{"bearer " + fake, fake, "bearer"},
		{"psql postgres://app:p%40ss@w0rd@db:5432/x", "w0rd", "db:5432/x"},
		{"redis://:onlypass9@cache:6379", "onlypass9", "cache:6379"},
		{"mysql --password hunter2x --host db", "hunter2x", "--host db"},
		{"mysql --password=hunter2x --host db", "hunter2x", "--host db"},
		{`login --token "two words 9" now`, "two words", "now"},
		{"curl -u ana:hunter2x https://x", "hunter2x", "ana"},
		{"docker run -u 1000:1000 image", "", "1000:1000"},
		{"export API_KEY='hunter2x'", "hunter2x", "API_KEY"},
		{"password: hunter2x", "hunter2x", "password"},
		{`{\"password\": \"hunter2x\", \"page\": 2}`, "hunter2x", "page"},
		{"Server=db;User Id=sa;Password=hunter,2x;Encrypt=true", "hunter,2x", "Encrypt=true"},
		{"user=ana, password=hunter2x, page=2", "hunter2x", "page=2"},
		{"密码：hunter2x", "hunter2x", "密码"},
		{"https://x/y?page=2&access_token=hunter2x&z=1#frag", "hunter2x", "z=1#frag"},
		{"https://x/y?code=hunter2x", "hunter2x", "https://x/y"},
		{"-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNz\nno end", "b3BlbnNz", ""},
		{"-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----", "", "MIIB"},
		{"x -----BEGIN EC PRIVATE KEY----- a -----END EC PRIVATE KEY----- y -----BEGIN PRIVATE KEY----- b -----END PRIVATE KEY----- z", " a ", " y "},
		{"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0." + fake, fake, ""},
		{"see eyJhbGciOiJIUzI1NiJ9 alone", "", "eyJhbGciOiJIUzI1NiJ9"},
		{"https://hooks.slack.com/services/T0FAKE/B0FAKE/" + fake, fake, "hooks.slack.com"},
		{"https://open.feishu.cn/open-apis/bot/v2/hook/fa4efa4e-2222-4333-8444-0b9d1ef47296", "fa4efa4e", "open.feishu.cn"},
		{"https://api.telegram.org/bot123456789:" + fake + "/send", fake, "/send"[:0]},
		{"(sk-" + fake + ").", fake, ")."},
		{"The key is AKIA" + "FAKEFAKEFAKE1234.", "FAKEFAKEFAKE1234", "The key is"},
		{"cat /home/ana/notes.txt /Users/ana/x", "ana", "/notes.txt"},
		{`type C:\Users\ana\x.txt C:\\Users\\Ana Maria\\y`, "na", `\x.txt`},
		{"C:/Users/ana/x /c/Users/ana/y file:///home/ana/z", "ana", "/z"},
		{"https://example.com/home/dashboard /srv/home/x", "", "https://example.com/home/dashboard /srv/home/x"},
		{"task-sk-is-not-a-key-at-all-really", "", "task-sk-is-not-a-key-at-all-really"},
		{"risk-management-plan-for-2026-in-full", "", "risk-management-plan-for-2026-in-full"},
		{"sk-learn-is-a-library-with-a-long-name", "", "sk-learn-is-a-library-with-a-long-name"},
		{"bearer of good news, basic understanding of tokens", "", "bearer of good news, basic understanding of tokens"},
		{"if token == other { password = getPassword() }", "", "token == other { password = getPassword() }"},
		{"token=$TOKEN password=<yours> secret={{ vault }} key=%KEY%", "", "token=$TOKEN password=<yours> secret={{ vault }} key=%KEY%"},
		{"password=os.environ['X'] token: env:TOKEN", "", "password=os.environ['X'] token: env:TOKEN"},
		{"550e8400-e29b-41d4-a716-446655440000 2026-11-30T12:00:00Z", "", "550e8400-e29b-41d4-a716-446655440000 2026-11-30T12:00:00Z"},
		{"short", "", "short"},
	} {
		out := r.Text(c.in)
		if c.gone != "" && strings.Contains(out, c.gone) || !strings.Contains(out, c.kept) {
			t.Errorf("%q became %q", c.in, out)
		}
		if again := r.Text(out); again != out {
			t.Errorf("%q: twice is %q, once was %q", c.in, again, out)
		}
	}
}

func TestHomeFolder(t *testing.T) {
	t.Parallel()
	r := newRedactor(t, redact.Config{})
	const command = "rm -rf /home/prod/data /home/x; export API_KEY=hunter2x"
	mark := strings.TrimPrefix(r.Text("API_KEY=hunter2x"), "API_KEY=")
	for want, got := range map[string]string{
		"rm -rf [LOCAL_PATH]/data [LOCAL_PATH]; export API_KEY=" + mark: r.Text(command),
		"rm -rf /home/prod/data /home/x; export API_KEY=" + mark:        r.Shown(command),
	} {
		if got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	args := parse(t, `{"/home/ana/n":"/home/ana/v","x":{"password":"hunter2x"}}`)
	for view, shown := range map[toolverdict.View]bool{
		toolverdict.RecordView: false, toolverdict.CardView: true, toolverdict.WholeView: true, 99: false,
	} {
		got := string(r.Arguments(nil, args, view))
		if strings.Contains(got, "/home/ana/n") != shown || strings.Contains(got, "/home/ana/v") != shown || strings.Contains(got, "hunter2x") {
			t.Errorf("view %d: %s", view, got)
		}
	}
}

// The summary has a bound, says what it left out, and stays valid JSON without
// repeated names.
func TestSummaryIsBounded(t *testing.T) {
	t.Parallel()
	var wide, deep strings.Builder
	wide.WriteString(`{"first":1`)
	for i := range 5000 {
		fmt.Fprintf(&wide, `,"field%d":"value %d"`, i, i)
	}
	wide.WriteString("}")
	deep.WriteString(strings.Repeat(`{"a":[`, 30) + "1" + strings.Repeat("]}", 30))
	for name, args := range map[string]string{
		"wide": wide.String(), "deep": deep.String(), "long": `{"text":"` + strings.Repeat("x ", 300_000) + `"}`,
		"controls": `{"text":"` + strings.Repeat(`\u0001`, 5000) + `"}`, "long name": `{"` + strings.Repeat("n", 5000) + `":1}`,
		"list": `{"l":[` + strings.Repeat("1,", 50_000) + `1]}`, "number": `{"n":` + strings.Repeat("9", 390) + `}`,
		"ellipsis": `{"…":1,"b":2}`, "names that become one": `{"/home/a/x":1,"/home/b/x":2}`,
		"a name made to collide": `{"…":1,"… #0":2}`,
	} {
		for _, limit := range []int{0, 500, 60} {
			r := newRedactor(t, redact.Config{MaxSummary: limit})
			out := r.Arguments(nil, parse(t, args), toolverdict.RecordView)
			if limit == 0 {
				limit = 4096
			}
			if len(out) > limit {
				t.Errorf("%s: %d bytes, at most %d", name, len(out), limit)
			}
			if _, err := canon.Parse(out, canon.Limits{}); err != nil {
				t.Errorf("%s: %v in %s", name, err, out)
			}
		}
	}
	r := newRedactor(t, redact.Config{MaxText: 10})
	got := string(r.Arguments(nil, parse(t, `{"a":"0123456789abcdef","b":"ééééééééé","c":[1,2],"d":{}}`), toolverdict.RecordView))
	if diff := cmp.Diff(`{"a":"0123456789…[16 bytes]","b":"ééééé…[18 bytes]","c":[1,2],"d":{}}`, got); diff != "" {
		t.Error(diff)
	}
	if got := string(newRedactor(t, redact.Config{MaxSummary: 200}).Arguments(nil, parse(t, `{"a":"`+strings.Repeat("x", 100)+`","b":"`+strings.Repeat("y", 100)+`","c":1}`), toolverdict.RecordView)); !strings.HasSuffix(got, `,"…":"[2 more]"}`) {
		t.Error(got)
	}
}

// A secret at the edge of what is shown is not cut in half.
func TestCutNeverShowsHalfASecret(t *testing.T) {
	t.Parallel()
	const secret = "hunter2-correct-horse"
	r := newRedactor(t, redact.Config{Held: []string{secret}, MaxText: 64})
	for pad := range 140 {
		text := strings.Repeat("x", pad) + secret + " sk-FAKEab12CD34ef56GH78ij90KL"
		out := string(r.Arguments(nil, canon.Object(canon.Member{Name: "t", Value: canon.String(text)}), toolverdict.RecordView))
		if strings.Contains(out, secret[:6]) || strings.Contains(out, "FAKE") {
			t.Fatalf("%d: %s", pad, out)
		}
	}
	for _, n := range []int{64<<10 - 10, 64<<10 - 1, 64 << 10} {
		// What is hidden before shrinks the text, so that its end moves into view.
		text := "-----BEGIN PRIVATE KEY-----" + strings.Repeat("k", n-60) + "-----END PRIVATE KEY-----" + secret
		out := string(r.Arguments(nil, canon.Object(canon.Member{Name: "t", Value: canon.String(text)}), toolverdict.RecordView))
		if strings.Contains(out, secret[:6]) {
			t.Fatalf("%d: %s", n, out)
		}
	}
}

// Who decides sees all of a call: what a summary leaves out may be what matters.
func TestWholeLeavesNothingOut(t *testing.T) {
	t.Parallel()
	const secret = "hunter2-correct-horse"
	r := newRedactor(t, redact.Config{Held: []string{secret}})
	deep := strings.Repeat(`{"d":`, 60) + `"tail"` + strings.Repeat(`}`, 60)
	for name, args := range map[string]string{
		"a long text":      `{"x":"` + strings.Repeat("y", 900<<10) + `tail"}`,
		"many members":     `{` + members(5000) + `"z":"tail"}`,
		"a long list":      `{"x":[` + strings.Repeat(`"y",`, 50000) + `"tail"]}`,
		"a deep value":     `{"x":` + deep + `}`,
		"a long name":      `{"` + strings.Repeat("n", 500) + `tail":1}`,
		"a long number":    `{"x":1` + strings.Repeat("0", 300) + `1,"y":"tail"}`,
		"many short marks": `{"x":[` + strings.Repeat(`{"pin":"1234"},`, 20000) + `"tail"]}`,
	} {
		out := string(r.Arguments(nil, parse(t, args), toolverdict.WholeView))
		if !strings.Contains(out, "tail") || strings.Contains(out, "…") || strings.Contains(out, "more]") || strings.Contains(out, "a number of") {
			t.Errorf("%s: %d bytes of %d: …%q", name, len(out), len(args), out[max(0, len(out)-80):])
		}
		if short := string(r.Arguments(nil, parse(t, args), toolverdict.RecordView)); len(short) > 4096 {
			t.Errorf("%s: the summary has %d bytes", name, len(short))
		}
	}
	hidden := string(r.Arguments(tool(t, "/body"), parse(t, `{"body":"private","x":"`+strings.Repeat("y", 2000)+secret+`"}`), toolverdict.WholeView))
	if strings.Contains(hidden, "private") || strings.Contains(hidden, "hunter2") {
		t.Errorf("shown: %s", hidden)
	}
}

func members(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"m%d":"%s",`, i, strings.Repeat("v", 60))
	}
	return b.String()
}
