// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package grants_test

import "testing"

// What a class of calls lets through, and what it does not, form by form.
func TestClasses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		tool, args, choice string
		in, out            []string
	}{
		"nothing is free": {
			"refund", `{"order":"A1","amount":50,"tags":["x","y"],"who":{"name":"Ann","age":7}}`, `{}`,
			[]string{`{"order":"A1","amount":50.0,"who":{"age":7,"name":"Ann"},"tags":["x","y"]}`},
			[]string{
				`{"order":"A2","amount":50,"tags":["x","y"],"who":{"name":"Ann","age":7}}`, `{"order":"A1","amount":51,"tags":["x","y"],"who":{"name":"Ann","age":7}}`,
				`{"order":"A1","amount":50,"tags":["y","x"],"who":{"name":"Ann","age":7}}`, `{"order":"A1","amount":50,"tags":["x"],"who":{"name":"Ann","age":7}}`,
				`{"order":"A1","amount":50,"tags":["x","y","z"],"who":{"name":"Ann","age":7}}`, `{"order":"A1","amount":50,"tags":["x","y"],"who":{"name":"Ann"}}`,
				`{"order":"A1","amount":50,"tags":["x","y"],"who":{"name":"Ann","age":7,"more":1}}`, `{"order":"A1","amount":50,"tags":["x","y"],"who":{"name":"Ann","age":7},"more":1}`,
				`{"order":"A1","amount":50,"tags":["x","y"]}`, `{"order":"A1","tags":["x","y"],"who":{"name":"Ann","age":7}}`,
			},
		},
		"a range": {
			"refund", `{"order":"A1","amount":50}`, `{"free":{"/amount":{"between":[0.5,100]}}}`,
			[]string{`{"order":"A1","amount":0.5}`, `{"order":"A1","amount":100}`, `{"order":"A1","amount":99.99}`},
			[]string{`{"order":"A1","amount":100.01}`, `{"order":"A1","amount":0.49}`, `{"order":"A2","amount":50}`, `{"order":"A1"}`},
		},
		"values": {
			"refund", `{"order":"A1","status":"open"}`, `{"free":{"/status":{"in":["open","paid"]},"/order":{"in":["A1","A2"]}}}`,
			[]string{`{"order":"A2","status":"paid"}`}, []string{`{"order":"A3","status":"paid"}`, `{"order":"A1","status":"late"}`, `{"order":"A1"}`},
		},
		"a beginning": {
			"refund", `{"order":"A1001"}`, `{"free":{"/order":{"prefix":"A10"}}}`,
			[]string{`{"order":"A10"}`, `{"order":"A10-x"}`},
			[]string{`{"order":"B1001"}`, `{"order":"A10\n"}`, `{"order":"A10\u202e"}`, `{"order":"A10\u200b"}`, `{"order":"A1000000000000000000000000000000000000000"}`, `{"order":"a1001"}`},
		},
		"a form": {
			"refund", `{"order":"A1001"}`, `{"free":{"/order":{"glob":"A1?0*","length":6}}}`,
			[]string{`{"order":"A110"}`, `{"order":"A1x0yz"}`}, []string{`{"order":"A1x0xyz"}`, `{"order":"A10"}`},
		},
		"true or false": {
			"refund", `{"dry":true}`, `{"free":{"/dry":{"either":true}}}`, []string{`{"dry":false}`}, []string{`{}`, `{"dry":true,"order":"x"}`},
		},
		"a part of a list": {
			"refund", `{"tags":["x","y"]}`, `{"free":{"/tags":{"subset":["x","y"]}}}`,
			[]string{`{"tags":["x"]}`, `{"tags":["y","x"]}`}, []string{`{"tags":[]}`, `{"tags":["x","y","x"]}`, `{"tags":["x","z"]}`, `{}`},
		},
		"a member of an object": {
			"refund", `{"who":{"name":"Ann","age":7}}`, `{"free":{"/who/age":{"between":[1,9]}}}`,
			[]string{`{"who":{"name":"Ann","age":9}}`}, []string{`{"who":{"name":"Ann","age":10}}`, `{"who":{"name":"Bob","age":7}}`, `{"who":{"name":"Ann","age":7,"x":1}}`, `{"who":{"name":"Ann"}}`},
		},
		"a folder": {
			"file", `{"path":"/srv/app/docs/a.txt","text":"x"}`, `{"free":{"/path":{"under":["/srv/app/docs"]}}}`,
			[]string{`{"path":"/srv/app/docs/b/c.txt","text":"x"}`, `{"path":"docs/b.txt","text":"x"}`, `{"path":"/srv/app/docs/x/../b.txt","text":"x"}`},
			[]string{`{"path":"/srv/app/docs/../b.txt","text":"x"}`, `{"path":"/srv/app/docs2/b.txt","text":"x"}`, `{"path":"/srv/app/docs/b.txt","text":"y"}`, `{"path":["/srv/app/docs/b.txt"],"text":"x"}`, `{"path":"","text":"x"}`},
		},
		"files in a folder": {
			"files", `{"paths":["/srv/app/a","/srv/app/b"]}`, `{"free":{"/paths":{"under":["/srv/app"]}}}`,
			[]string{`{"paths":["/srv/app/c"]}`, `{"paths":["c","d"]}`}, []string{`{"paths":["/srv/app/c","/etc/x"]}`, `{"paths":["a","b","c"]}`, `{"paths":[]}`, `{"paths":"a"}`},
		},
		"hosts": {
			"fetch", `{"url":"https://api.example.com/a"}`, `{"free":{"/url":{"hosts":["api.example.com","www.example.com"]}}}`,
			[]string{`{"url":"https://www.example.com/b?c=d"}`}, []string{`{"url":"http://www.example.com/b"}`, `{"url":"https://example.com/"}`, `{"url":"https://api.example.com:8443/"}`, `{"url":"https://api.example.com.evil.net/"}`, `{"url":"https://api.example.com@evil.net/"}`},
		},
		"listed URLs": {
			"fetch", `{"url":"https://api.example.com/a"}`, `{"free":{"/url":{"in":["https://api.example.com/a","https://b.example.org/x"]}}}`,
			[]string{`{"url":"https://b.example.org/x"}`}, []string{`{"url":"https://b.example.org/y"}`},
		},
		"domains": {
			"mail", `{"to":"ann@corp.example","subject":"Hello"}`, `{"free":{"/to":{"domains":["corp.example"]}}}`,
			[]string{`{"to":"bob@corp.example","subject":"Hello"}`},
			[]string{`{"to":"bob@corp.example","subject":"Hi"}`, `{"to":"bob@corp.example, eve@evil.net","subject":"Hello"}`, `{"to":"eve@evil.net","subject":"Hello"}`, `{"to":["bob@corp.example"],"subject":"Hello"}`},
		},
		"a subject line": {
			"mail", `{"to":"ann@corp.example","subject":"Re: 1"}`, `{"free":{"/subject":{"prefix":"Re: "}}}`,
			[]string{`{"to":"ann@corp.example","subject":"Re: 2"}`}, []string{`{"to":"ann@corp.example","subject":"Re: \r\nBcc: eve@evil.net"}`, `{"to":"ann@corp.example"}`},
		},
		"money": {
			"pay", `{"amount":"250.00","currency":"EUR"}`, `{"free":{"/amount":{"between":[1,300]}}}`,
			[]string{`{"amount":"300","currency":"EUR"}`, `{"amount":"1.00","currency":"EUR"}`}, []string{`{"amount":"300.01","currency":"EUR"}`, `{"amount":"250.00","currency":"USD"}`, `{"amount":"-5","currency":"EUR"}`, `{"amount":"1e2x","currency":"EUR"}`,
				`{"amount":["300","300","300"],"currency":"EUR"}`, `{"amount":["250.00"],"currency":"EUR"}`, `{"amount":250,"currency":"EUR"}`, `{"amount":{"a":"5"},"currency":"EUR"}`, `{"amounts":"250.00","currency":"EUR"}`},
		},
		"money as a number": {
			"pay", `{"amount":250,"currency":"EUR"}`, `{"free":{"/amount":{"between":[1,300]}}}`,
			[]string{`{"amount":300,"currency":"EUR"}`}, []string{`{"amount":"250","currency":"EUR"}`, `{"amount":[250,300],"currency":"EUR"}`, `{"amount":301,"currency":"EUR"}`},
		},
		"a command": {
			"run", `{"command":"cat /srv/app/a.txt"}`, `{"free":{"/command":{"does":[{"kind":"execute","programs":["cat","wc"]},{"kind":"read","under":["/srv/app"]}]}}}`,
			[]string{`{"command":"cat /srv/app/b.txt /srv/app/c/d"}`, `{"command":"wc -l b.txt | cat"}`},
			[]string{
				`{"command":"cat /etc/passwd"}`, `{"command":"cat /srv/app/../../etc/passwd"}`, `{"command":"cat a; rm a"}`, `{"command":"cat a > b"}`, `{"command":"ls /srv/app"}`,
				`{"command":"cat $(curl https://example.net)"}`, `{"command":"cat $X"}`, `{"command":"./cat a"}`, `{"command":"cat a | sh"}`, `{"command":""}`, `{"command":["cat","a"]}`,
			},
		},
		"a command with verbs": {
			"run", `{"command":"git status"}`, `{"free":{"/command":{"does":[{"kind":"execute","programs":["git"],"verbs":["status","log"]},{"kind":"read","under":["/srv/app"]}]}}}`,
			[]string{`{"command":"git log -3"}`}, []string{`{"command":"git push"}`, `{"command":"git -c core.pager=x log"}`, `{"command":"git commit -m x"}`},
		},
		"a statement": {
			"sql", `{"q":"SELECT a FROM orders WHERE id = 1"}`, `{"free":{"/q":{"does":[{"kind":"query","verbs":["select"],"reads":["orders"]}]}}}`,
			[]string{`{"q":"select count(*) from orders"}`, `{"q":"SELECT 1"}`},
			[]string{`{"q":"select * from orders join users"}`, `{"q":"delete from orders"}`, `{"q":"select * from orders; drop table orders"}`, `{"q":"select load_extension('x') from orders"}`, `{"q":"not sql"}`},
		},
		"a changing statement": {
			"sql", `{"q":"UPDATE orders SET a = 1 WHERE id = 1"}`, `{"free":{"/q":{"does":[{"kind":"query","verbs":["update"],"reads":["orders"],"changes":["orders"]}]}}}`,
			[]string{`{"q":"update orders set a = 2 where id = 7"}`}, []string{`{"q":"update orders set a = 2"}`, `{"q":"update users set a = 2 where id = 7"}`, `{"q":"update orders set a = 2 where 1 = 1"}`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, nil)
			pick := c.choice[:len(c.choice)-1]
			if len(pick) > 1 {
				pick += ","
			}
			r.granted(c.tool, c.args, pick+`"uses":20}`)
			for _, args := range append([]string{c.args}, c.in...) {
				if args == c.args {
					p := call(c.tool, args) // the very call was approved, and its like is granted besides
					r.do(p)
					if !r.runs(p) {
						t.Errorf("the call at hand is not in the class")
					}
					continue
				}
				if !r.runs(call(c.tool, args)) {
					t.Errorf("not let through: %s", args)
				}
			}
			for _, args := range c.out {
				if r.runs(call(c.tool, args)) {
					t.Errorf("let through: %s", args)
				}
			}
		})
	}
}
