// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package httpgate_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"net/http"
	"os"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	invopop "github.com/invopop/jsonschema"
	santhosh "github.com/santhosh-tekuri/jsonschema/v6"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/httpgate"
	"github.com/toolverdict/toolverdict/internal/canon"
)

var update = flag.Bool("update", false, "write the published document anew")

type object = map[string]any

// types collects the schemas of answers, each under one name.
type types struct{ schemas object }

// of is the schema of a Go type. Strict, it has no member that the type has not.
func (ts *types) of(v any) object {
	r := invopop.Reflector{Anonymous: true, Mapper: mapped, Namer: func(t reflect.Type) string {
		if path.Base(t.PkgPath()) == "decide" { // whose names others have, too
			return map[string]string{"Verdict": "CallVerdict", "Claim": "Leave", "Told": "ToldOutcome", "Outcome": "Outcome", "Evaluation": "Evaluation", "Reasons": "Reasons"}[t.Name()]
		}
		return t.Name()
	}}
	b, err := json.Marshal(r.Reflect(v))
	if err != nil {
		panic(err)
	}
	b = bytes.ReplaceAll(b, []byte("#/$defs/"), []byte("#/components/schemas/"))
	var s object
	if err := json.Unmarshal(b, &s); err != nil {
		panic(err)
	}
	defs, _ := s["$defs"].(object)
	for name, def := range defs {
		if was, ok := ts.schemas[name]; ok && !reflect.DeepEqual(was, def) {
			panic("two types are called " + name)
		}
		ts.schemas[name] = def
	}
	delete(s, "$defs")
	delete(s, "$schema")
	return s
}

// mapped are the types that write themselves.
func mapped(t reflect.Type) *invopop.Schema {
	switch t {
	case reflect.TypeFor[tv.Verdict]():
		return &invopop.Schema{Type: "string", Enum: []any{"allow", "ask", "deny"}}
	case reflect.TypeFor[tv.StateChange]():
		return &invopop.Schema{Enum: []any{true, false, "unknown"}}
	case reflect.TypeFor[json.RawMessage](), reflect.TypeFor[canon.Value]():
		return &invopop.Schema{Description: "Any JSON."}
	case reflect.TypeFor[time.Duration]():
		return &invopop.Schema{Type: "integer", Description: "Nanoseconds."}
	case reflect.TypeFor[[]byte]():
		return &invopop.Schema{Type: "string", ContentEncoding: "base64"}
	}
	return nil
}

// generate makes the document: strict for the tests, and for those who read it
// open for members that will come.
func generate(strict bool) []byte {
	ts := &types{schemas: object{}}
	paths := object{}
	for _, op := range operations(ts) {
		method, at, _ := strings.Cut(op.pattern, " ")
		entry, _ := paths[at].(object)
		if entry == nil {
			entry = object{}
			paths[at] = entry
		}
		entry[strings.ToLower(method)] = op.document(at)
	}
	ts.schemas["Problem"] = object{
		"type": "object", "required": []any{"title", "status", "detail"}, "additionalProperties": false, "properties": object{
			"title": text(""), "status": object{"type": "integer"}, "detail": text("What is wrong, and what to do."), "requestId": text("The same as the header X-Request-Id."),
		},
	}
	doc := object{
		"openapi": "3.1.0", "jsonSchemaDialect": "https://json-schema.org/draft/2020-12/schema",
		"info": object{
			"title": "Toolverdict", "version": "1", "license": object{"name": "Apache-2.0", "identifier": "Apache-2.0"},
			"description": "The gate in front of an agent's tool calls. A decision is an answer with status 200, whatever the verdict. Anything else, a status of another kind included, is no leave to run anything.",
		},
		"security":   []any{object{"key": []any{}}},
		"paths":      paths,
		"components": object{"schemas": ts.schemas, "securitySchemes": object{"key": object{"type": "http", "scheme": "bearer"}}},
	}
	if !strict {
		for _, s := range ts.schemas {
			open(s)
		}
	}
	b, err := json.MarshalIndent(doc, "", " ")
	if err != nil {
		panic(err)
	}
	return append(b, '\n')
}

// open lets answers have more members than are known.
func open(v any) {
	switch v := v.(type) {
	case object:
		if v["additionalProperties"] == false {
			delete(v, "additionalProperties")
		}
		for _, inner := range v {
			open(inner)
		}
	case []any:
		for _, inner := range v {
			open(inner)
		}
	}
}

func TestTheDocumentIsThatOfTheCode(t *testing.T) {
	t.Parallel()
	want := generate(false)
	if *update {
		if err := os.WriteFile("openapi.json", want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(want), string(httpgate.OpenAPI())); diff != "" {
		t.Errorf("openapi.json is not that of the code; run: go test ./httpgate -run TestTheDocument -update\n%s", diff)
	}
}

// TestEveryRouteIsDocumented holds the document to the routes, and the routes to
// the document.
func TestEveryRouteIsDocumented(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	var want, got []string
	for _, op := range operations(&types{schemas: object{}}) {
		got = append(got, op.pattern)
	}
	for _, pattern := range s.front.Patterns() {
		if strings.Contains(pattern, " /v1/") || strings.Contains(pattern, "/access/") || strings.Contains(pattern, "authzen") {
			want = append(want, pattern)
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("routes that are not documented (-), documented routes that are not there (+):\n%s", diff)
	}
	status, body := s.get("", "/v1/openapi.json")
	if status != http.StatusOK || !strings.Contains(body, `"openapi": "3.1.0"`) {
		t.Errorf("%d %.80s", status, body)
	}
}

var knownAre = regexp.MustCompile(`nown are ([^."]+)[."]`)

// TestRequestsAreDocumented asks with a member and a parameter that there are
// not: the gate answers with those that there are.
func TestRequestsAreDocumented(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for _, op := range operations(&types{schemas: object{}}) {
		method, at, _ := strings.Cut(op.pattern, " ")
		at = strings.NewReplacer("{server}", "server", "{tool}", "read", "{id}", "call00000001", "{name}", "n").Replace(at)
		if op.pattern == "POST /v1/outcome" {
			continue // held by its Go type
		}
		for form, known := range op.known() {
			body := `{"zz":1}`
			switch form {
			case "query":
				at, body = at+"?zz=1", ""
			case "message":
				body = `{"message":{},"zz":1}`
			case "calls":
				body = `{"calls":[],"zz":1}`
			}
			_, text := s.send("admin-key", method, at, body, nil)
			found := knownAre.FindStringSubmatch(text)
			if len(known) == 0 && (found == nil || strings.TrimSpace(found[1]) == "") {
				continue
			}
			if found == nil {
				t.Errorf("%s, %s: the gate does not say what it knows: %s", op.pattern, form, text)
				continue
			}
			got := strings.Split(found[1], ", ")
			slices.Sort(got)
			if diff := cmp.Diff(got, known); diff != "" {
				t.Errorf("%s, %s: known to the gate (-), documented (+):\n%s", op.pattern, form, diff)
			}
		}
	}
}

// answers are the compiled schemas of answers, by method and path.
var answers = sync.OnceValue(func() []compiled {
	doc, err := santhosh.UnmarshalJSON(bytes.NewReader(generate(true)))
	if err != nil {
		panic(err)
	}
	c := santhosh.NewCompiler()
	if err := c.AddResource("doc.json", doc); err != nil {
		panic(err)
	}
	var all []compiled
	for _, op := range operations(&types{schemas: object{}}) {
		method, at, _ := strings.Cut(op.pattern, " ")
		where := "doc.json#/paths/" + strings.ReplaceAll(at, "/", "~1") + "/" + strings.ToLower(method) + "/responses/200/content/application~1json/schema"
		shape := regexp.MustCompile("^" + regexp.MustCompile(`\\\{[a-z]+\\\}`).ReplaceAllString(regexp.QuoteMeta(at), "[^/]+") + "$")
		all = append(all, compiled{method, at, shape, c.MustCompile(strings.ReplaceAll(strings.ReplaceAll(where, "{", "%7B"), "}", "%7D"))})
	}
	all = append(all, compiled{"", "problem", nil, c.MustCompile("doc.json#/components/schemas/Problem")})
	return all
})

type compiled struct {
	method, at string
	path       *regexp.Regexp
	schema     *santhosh.Schema
}

// holds checks an answer against the document: every test that asks the front
// tests the document, too.
func (s *site) holds(method, at string, status int, body string) {
	s.t.Helper()
	at, _, _ = strings.Cut(at, "?")
	all := answers()
	schema := all[len(all)-1].schema
	if status == http.StatusOK {
		// A literal path comes before one with a name in it.
		var found *compiled
		for i := range all[:len(all)-1] {
			c := &all[i]
			if c.method == method && c.path.MatchString(at) && (found == nil || strings.Contains(found.at, "{")) {
				found = c
			}
		}
		if found == nil {
			return
		}
		schema = found.schema
	}
	v, err := santhosh.UnmarshalJSON(strings.NewReader(body))
	if err != nil {
		s.t.Errorf("%s %s: %d is no JSON: %s", method, at, status, body)
		return
	}
	if err := schema.Validate(v); err != nil {
		s.t.Errorf("%s %s: the answer is not as documented: %v\n%s", method, at, err, body)
	}
}
