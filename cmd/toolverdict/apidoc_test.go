// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package main_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// aBlock is a fenced block of a document.
var aBlock = regexp.MustCompile("(?ms)^```([a-z]*)\n(.*?)^```$")

// document runs the curl commands of a document as they stand there, and holds
// each answer to the JSON below it: document FILE LEAST.
func document(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: document FILE LEAST")
	}
	b, err := os.ReadFile("../../" + args[0])
	ts.Check(err)
	words := strings.NewReplacer("http://127.0.0.1:8711", ts.Getenv("URL"))
	ran := 0
	blocks := aBlock.FindAllStringSubmatch(string(b), -1)
	for i, block := range blocks {
		if !strings.HasPrefix(block[2], "curl ") {
			continue
		}
		command := words.Replace(block[2])
		cmd := exec.Command("bash", "-c", command)
		cmd.Dir = ts.MkAbs(".")
		out, err := cmd.CombinedOutput()
		if err != nil {
			ts.Fatalf("%s: %v\n%s", command, err, out)
		}
		if i+1 == len(blocks) || blocks[i+1][1] != "json" {
			ts.Fatalf("%s: the document does not say what comes of it", command)
		}
		var got, want any
		ts.Check(json.Unmarshal([]byte(blocks[i+1][2]), &want))
		if err := json.Unmarshal(out, &got); err != nil {
			ts.Fatalf("%s: %v\n%s", command, err, out)
		}
		if miss := differs("", want, got); miss != "" {
			ts.Fatalf("%s\nanswered %s\nand the document says otherwise: %s", command, out, miss)
		}
		if claim, ok := got.(map[string]any)["claim"].(map[string]any); ok {
			words = strings.NewReplacer("http://127.0.0.1:8711", ts.Getenv("URL"), "CLAIM", fmt.Sprint(claim["id"]), "TOKEN", fmt.Sprint(claim["token"]))
		}
		ran++
	}
	least, err := strconv.Atoi(args[1])
	ts.Check(err)
	if ran < least {
		ts.Fatalf("%s: %d commands were run, %d at least are wanted", args[0], ran, least)
	}
}

// differs says where an answer is not what is wanted; an ellipsis wants anything.
func differs(at string, want, got any) string {
	if want == "…" && got != nil {
		return ""
	}
	switch want := want.(type) {
	case map[string]any:
		members, _ := got.(map[string]any)
		for name, w := range want {
			g, ok := members[name]
			if !ok {
				return at + "/" + name + " is missing"
			}
			if miss := differs(at+"/"+name, w, g); miss != "" {
				return miss
			}
		}
		return ""
	case []any:
		items, _ := got.([]any)
		if len(items) != len(want) {
			return fmt.Sprintf("%s has %d items, not %d", at, len(items), len(want))
		}
		for i, w := range want {
			if miss := differs(fmt.Sprintf("%s/%d", at, i), w, items[i]); miss != "" {
				return miss
			}
		}
		return ""
	}
	if want != got {
		return fmt.Sprintf("%s is %v, not %v", at, got, want)
	}
	return ""
}
