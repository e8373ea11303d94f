// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package userfile reads and writes files that belong to the user, without being led
// into those of another.
package userfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Max is the largest file that is read, in bytes.
const Max = 4 << 20

// Open reads an ordinary file of the user's, or finds that it may be made.
func Open(path string) (content []byte, mode fs.FileMode, existed bool, err error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, false, writable(filepath.Dir(path))
	}
	if err != nil {
		return nil, 0, false, fmt.Errorf("read %s: %w", path, err)
	}
	if !info.Mode().IsRegular() {
		return nil, 0, false, fmt.Errorf("read %s: it is no ordinary file", path)
	}
	if err := owned(path, info); err != nil {
		return nil, 0, false, err
	}
	b, err := Read(path)
	if err != nil {
		return nil, 0, false, fmt.Errorf("read %s: %w", path, err)
	}
	return b, info.Mode().Perm(), true, nil
}

// Read reads a file that is not too large.
func Read(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() { // a pipe that a project holds would be read for ever
		return nil, errors.New("it is no ordinary file")
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // it was only read
	b, err := io.ReadAll(io.LimitReader(file, Max+1))
	if err == nil && len(b) > Max {
		err = fmt.Errorf("it is larger than %d bytes", Max)
	}
	return b, err
}

// Resolve follows the links of a path that may not be there yet.
func Resolve(path string) (string, error) {
	for at, rest, links := path, "", 0; ; {
		to, err := filepath.EvalSymlinks(at)
		if err == nil {
			return filepath.Join(to, rest), nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		if to, err := os.Readlink(at); err == nil { // it leads to what is not there
			if !filepath.IsAbs(to) {
				to = filepath.Join(filepath.Dir(at), to)
			}
			if links++; links > 40 {
				return "", errors.New("its links lead in a circle")
			}
			at = filepath.Clean(to)
			continue
		}
		up := filepath.Dir(at)
		if up == at {
			return "", err
		}
		at, rest = up, filepath.Join(filepath.Base(at), rest)
	}
}

// writable checks the folder that a file is made in, as far as it is there.
func writable(folder string) error {
	for {
		info, err := os.Lstat(folder)
		if err == nil {
			if !info.IsDir() {
				return fmt.Errorf("read %s: it is no folder", folder)
			}
			return owned(folder, info)
		}
		if !errors.Is(err, fs.ErrNotExist) || filepath.Dir(folder) == folder {
			return fmt.Errorf("read %s: %w", folder, err)
		}
		folder = filepath.Dir(folder)
	}
}

// Write puts a file in the place of another in one step, so that an agent that reads
// it meanwhile reads one or the other.
func Write(path string, b []byte, mode, folders fs.FileMode) (err error) {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, folders); err != nil {
		return err
	}
	draft, err := os.CreateTemp(dir, ".toolverdict-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(draft.Name()))
		}
	}()
	_, err = draft.Write(b)
	if err == nil {
		err = keepGroup(draft, path)
	}
	if err == nil {
		err = draft.Chmod(mode)
	}
	if err == nil {
		err = draft.Sync()
	}
	if err = errors.Join(err, draft.Close()); err != nil {
		return err
	}
	return os.Rename(draft.Name(), path)
}
