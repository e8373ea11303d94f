// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package policyfiles

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/toolverdict/toolverdict/internal/bundle"
	"github.com/toolverdict/toolverdict/policy"
)

// Bundled reads policies, and those of folders, as a bundle has them. What lies
// elsewhere goes by its last name only.
func Bundled(paths ...string) ([]bundle.File, error) {
	read, err := Read(paths...)
	if err != nil {
		return nil, err
	}
	files := make([]bundle.File, len(read))
	for i, f := range read {
		name := filepath.Clean(f.Name)
		if !filepath.IsLocal(name) {
			name = filepath.Base(name)
		}
		files[i] = bundle.File{Name: filepath.ToSlash(name), Content: f.Content}
	}
	return files, nil
}

// Identity loads the files of a bundle as a gate would that knows no tool yet.
func Identity(files []bundle.File) (version, hash string, err error) {
	in := make([]policy.File, len(files))
	for i, f := range files {
		in[i] = policy.File{Name: f.Name, Content: f.Content}
	}
	set, _, err := policy.Compile(in, nil, policy.Options{Discovery: true})
	if err != nil {
		return "", "", err
	}
	version, hash = set.Identity()
	return version, hash, nil
}

// Replace puts a file in the place of another, whole or not at all: a gate may
// read it at any time. A link stays one, and the file's mode what it was.
func Replace(path string, content []byte) error {
	mode := fs.FileMode(0o644)
	target, err := filepath.EvalSymlinks(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		target = path
	case err != nil:
		return err
	default:
		info, err := os.Stat(target)
		if err != nil {
			return err
		}
		mode = info.Mode().Perm()
	}
	f, err := os.CreateTemp(filepath.Dir(target), ".toolverdict-*")
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), target)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
