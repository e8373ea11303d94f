// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package e2e_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/toolverdict/toolverdict/httpgate"
)

// The OpenAPI document, held to the standard by somebody else's validator.
func TestTheDocumentIsOpenAPI(t *testing.T) {
	t.Parallel()
	good := httpgate.OpenAPI()
	for name, c := range map[string]struct {
		document []byte
		want     bool
	}{
		"as it is":       {good, true},
		"a broken one":   {bytes.Replace(good, []byte(`"required": true`), []byte(`"required": "yes"`), 1), false},
		"one without it": {bytes.Replace(good, []byte(`"paths"`), []byte(`"path"`), 1), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at := filepath.Join(t.TempDir(), "openapi.json")
			if err := os.WriteFile(at, c.document, 0o600); err != nil {
				t.Fatal(err)
			}
			out, _ := exec.Command(node(), npm("node_modules/.bin/validate-api"), at).Output() // it ends with 1 where it is not valid
			var said struct{ Valid *bool }
			if err := json.Unmarshal(out, &said); err != nil || said.Valid == nil || *said.Valid != c.want {
				t.Errorf("%.2000s: %v", out, err)
			}
		})
	}
}

// use is a program against the types of a generated client.
const use = `import type { paths, components } from "./gate.js";
type Body<P extends keyof paths> = paths[P] extends { post: { requestBody?: { content: { "application/json": infer B } } } } ? B : never;
export const call: Body<"/v1/claim"> = { tool: "app/refund", arguments: { amount: 1 }, run: { readOnly: true } };
export const told: Body<"/v1/outcome"> = { claim: "c", token: "t", status: "succeeded" };
export const verdict = (v: components["schemas"]["CallVerdict"]): "allow" | "ask" | "deny" => v.verdict;
// @ts-expect-error there is no such word
export const misspelt: Body<"/v1/outcome"> = { claim: "c", token: "t", status: "ok" };
// @ts-expect-error there is no such path
export type Nothing = paths["/v1/nothing"];
`

// Somebody else's generator makes types of the document that a program compiles
// against.
func TestClientsCanBeGenerated(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string][]byte{"openapi.json": httpgate.OpenAPI(), "use.ts": []byte(use)} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, argv := range [][]string{
		{"openapi-typescript", "openapi.json", "-o", "gate.ts"},
		{"tsc", "--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext", "--moduleResolution", "nodenext", "use.ts"},
	} {
		cmd := exec.Command(node(), append([]string{npm("node_modules/.bin/" + argv[0])}, argv[1:]...)...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", argv[0], err, out)
		}
	}
}
