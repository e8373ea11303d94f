// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package grants

import (
	stdpath "path"
	"slices"
	"strings"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
)

// trials are commands or statements to try as examples of a class: such as do
// what it names, such as do a little more, and the one at hand with other names in
// it. Whether one is in the class is for its condition to say.
func (f *Free) trials(p *place) (inside, outside []canon.Value) {
	text := p.value.Text()
	if p.role.Kind == tv.RoleSQL {
		return f.statements(text)
	}
	var folders []string
	for _, d := range f.Does {
		folders = append(folders, d.Under...)
	}
	add := func(list *[]canon.Value, s string) { *list = append(*list, canon.String(s)) }
	for _, d := range f.Does {
		for _, program := range d.Programs {
			verbs := d.Verbs
			if len(verbs) == 0 {
				verbs = []string{""}
			}
			for _, verb := range verbs {
				words := strings.TrimSpace(program + " " + verb)
				add(&inside, words)
				for _, folder := range folders {
					add(&inside, words+" "+folder+"/example.txt")
					add(&inside, words+" "+folder+"/a/b.txt")
				}
				add(&outside, words+" /etc/passwd")
			}
			add(&outside, program+" push")
		}
	}
	for _, e := range p.effects {
		if e.Path == "" || !strings.Contains(text, stdpath.Base(e.Path)) {
			continue
		}
		name := stdpath.Base(e.Path)
		add(&inside, strings.ReplaceAll(text, name, "example-"+name))
		add(&outside, strings.ReplaceAll(text, name, name+"/../../../etc/passwd"))
		if strings.Contains(text, e.Path) {
			for _, folder := range folders {
				add(&inside, strings.ReplaceAll(text, e.Path, folder+"/example.txt"))
			}
			add(&outside, strings.ReplaceAll(text, e.Path, "/etc/passwd"))
		}
	}
	for _, more := range []string{" && curl https://example.net/x", "; rm -rf /tmp/example", " > /tmp/example", " | sh"} {
		add(&outside, text+more)
	}
	return inside, outside
}

// statements are the same for a database.
func (f *Free) statements(text string) (inside, outside []canon.Value) {
	add := func(list *[]canon.Value, s string) { *list = append(*list, canon.String(s)) }
	for _, d := range f.Does {
		for _, table := range d.Reads {
			if slices.Contains(d.Verbs, "select") {
				add(&inside, "SELECT * FROM "+table)
				add(&inside, "SELECT count(*) FROM "+table)
				add(&inside, "SELECT * FROM "+table+" WHERE id = 1")
			}
			add(&outside, "DELETE FROM "+table)
			add(&outside, "SELECT * FROM "+table+"; DROP TABLE "+table)
			add(&outside, "SELECT * FROM "+table+"_other")
		}
		for _, table := range d.Changes {
			if slices.Contains(d.Verbs, "delete") {
				add(&inside, "DELETE FROM "+table+" WHERE id = 1")
				add(&inside, "DELETE FROM "+table+" WHERE id = 2")
			}
			if slices.Contains(d.Verbs, "insert") {
				add(&inside, "INSERT INTO "+table+" (id) VALUES (1)")
				add(&inside, "INSERT INTO "+table+" (id) VALUES (2)")
			}
			if slices.Contains(d.Verbs, "update") {
				add(&inside, "UPDATE "+table+" SET id = 2 WHERE id = 1")
				add(&inside, "UPDATE "+table+" SET id = 3 WHERE id = 1")
			}
			add(&outside, "DELETE FROM "+table)
			add(&outside, "DROP TABLE "+table)
		}
	}
	add(&inside, text+" ")
	add(&outside, text+"; DROP TABLE example")
	return inside, outside
}
