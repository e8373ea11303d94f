// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package script reads programs in awk and sed as far as it takes to tell what
// they do beside printing: commands they run, files they open.
//
// It fails towards not knowing: where implementations of the language disagree,
// or a name is computed, the finding says so.
package script

// Kind is what a script does.
type Kind uint8

// Kinds.
const (
	Run     Kind = iota + 1 // runs Text with a shell
	Read                    // reads the file Text
	Write                   // writes the file Text
	Connect                 // opens a connection
	Opaque                  // does what cannot be said; Text is why
)

// Finding is one thing that a script does.
type Finding struct {
	Kind  Kind
	Text  string
	Known bool // Text is all of it; false when the script computes it
}

func opaque(why string) Finding { return Finding{Kind: Opaque, Text: why} }
