// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package effect

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"syscall"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/effect/path"
)

// Bounds of what is read of files that a call would run. A person who approves a
// script approves what it says, so a script that cannot be read is opaque.
const (
	maxOperands     = 16
	maxOperandBytes = 8 << 20
)

// operand is what a file that would be run holds, or why that cannot be told.
type operand struct{ sum, why string }

// operands reads the files below the tool's root that the call would run, where
// the gate sees the root, and notes in their effects what they hold.
func (r *reading) operands() {
	if !r.place.Links || r.place.Windows || r.place.Root == "" {
		return
	}
	var root *os.Root
	read, sources := map[string]operand{}, map[string]string{}
	for i := range r.found.Effects {
		e := &r.found.Effects[i]
		name, inside := path.Below(r.place.Root, e.Program, r.place.Folded)
		if e.Kind != tv.EffectExecute || !inside || strings.Contains(name, "\x00") {
			continue
		}
		if root == nil {
			var err error
			if root, err = os.OpenRoot(r.place.Root); err != nil {
				r.add(opaque(e.Source, "the folder that the tool works in cannot be seen from here"))
				return
			}
			defer func() { _ = root.Close() }() // it was only read
		}
		found, known := read[name]
		if !known {
			found.why = "more files are run than are looked at"
			if len(read) < maxOperands {
				found.sum, found.why = content(r.ctx, root, name)
			}
			read[name] = found
		}
		if e.SHA256 = found.sum; found.why != "" {
			sources[e.Source] = found.why
		}
	}
	for _, source := range slices.Sorted(maps.Keys(sources)) { // a record says the same each time
		r.add(opaque(source, sources[source]))
	}
}

// noFile is what is noted of a file that is not there: it may be, later.
const noFile = "none"

// content is the digest of a file, or why it cannot be told. A link is followed
// below the root only.
func content(ctx context.Context, root *os.Root, name string) (sum, why string) {
	const unreadable = "a file that would be run cannot be read from here"
	// A pipe would hold the call until somebody writes to it.
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return noFile, ""
	}
	if err != nil {
		return "", unreadable
	}
	defer func() { _ = f.Close() }() // it was only read
	info, err := f.Stat()
	switch {
	case err != nil || !info.Mode().IsRegular():
		return "", unreadable
	case info.Size() > maxOperandBytes:
		return "", "a file that would be run is too large to be looked at"
	case ctx.Err() != nil:
		return "", "there was no time to look at a file that would be run"
	}
	h := sha256.New()
	n, err := io.Copy(h, io.LimitReader(f, maxOperandBytes+1))
	switch {
	case err != nil:
		return "", unreadable
	case n > maxOperandBytes: // it grew
		return "", "a file that would be run is too large to be looked at"
	}
	return hex.EncodeToString(h.Sum(nil)), ""
}
