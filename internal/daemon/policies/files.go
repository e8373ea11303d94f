// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package policies

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/toolverdict/toolverdict/catalog"
	"github.com/toolverdict/toolverdict/internal/bundle"
	"github.com/toolverdict/toolverdict/policy"
)

// Set is what a gate decides by.
type Set struct {
	Overlays []*catalog.Overlay
	Policies []policy.File
}

// with returns the gate's own files together with those of a bundle. The names
// of the latter say where they are from.
func (s Set) with(b *bundle.Signed) Set {
	if b == nil {
		return s
	}
	out := Set{Overlays: s.Overlays, Policies: append([]policy.File(nil), s.Policies...)}
	for _, f := range b.Files {
		out.Policies = append(out.Policies, policy.File{Name: fmt.Sprintf("bundle:%s#%d/%s", b.Name, b.Serial, f.Name), Content: f.Content})
	}
	return out
}

// kept returns the files as a version keeps them.
func (s Set) kept() []bundle.File {
	out := make([]bundle.File, len(s.Policies))
	for i, f := range s.Policies {
		out[i] = bundle.File{Name: f.Name, Content: f.Content}
	}
	return out
}

const (
	maxFile  = 8 << 20
	maxFiles = 10_000 // of one folder
)

// Digest tells one state of files and folders from another, by names and
// contents. What cannot be read is a state, too.
func Digest(paths []string) string {
	h := sha256.New()
	for _, p := range paths {
		digestPath(h, p)
	}
	return hex.EncodeToString(h.Sum(nil))
}

func digestPath(h hash.Hash, path string) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		fmt.Fprintf(h, "%q: missing\n", path)
	case !info.IsDir():
		digestFile(h, path, info)
	default:
		entries, err := os.ReadDir(path)
		fmt.Fprintf(h, "%q: folder, %v\n", path, err != nil)
		for _, e := range entries[:min(len(entries), maxFiles)] {
			name := filepath.Join(path, e.Name())
			if !isPolicy(name) {
				continue
			}
			info, err := os.Stat(name)
			switch {
			case err != nil:
				fmt.Fprintf(h, "%q: missing\n", name)
			case !info.IsDir(): // a link could lead round in circles
				digestFile(h, name, info)
			}
		}
	}
}

// isPolicy reports whether a folder's entry may be one of its policy files.
func isPolicy(name string) bool {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".yaml", ".yml", ".json":
		return true
	}
	return false
}

func digestFile(h hash.Hash, path string, info os.FileInfo) {
	if !info.Mode().IsRegular() || info.Size() > maxFile { // nobody would read it
		fmt.Fprintf(h, "%q: %v %d %v\n", path, info.Mode(), info.Size(), info.ModTime())
		return
	}
	f, err := os.Open(path)
	if err != nil {
		fmt.Fprintf(h, "%q: unreadable\n", path)
		return
	}
	defer f.Close()
	content := sha256.New()
	if _, err := io.Copy(content, io.LimitReader(f, maxFile+1)); err != nil {
		fmt.Fprintf(h, "%q: unreadable\n", path)
		return
	}
	fmt.Fprintf(h, "%q: %x\n", path, content.Sum(nil))
}
