// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package disk

import (
	"context"
	"errors"
	"fmt"
	"github.com/toolverdict/toolverdict/internal/plain"
	"os"
	"path/filepath"
	"time"
)

func nodeName(s string) bool { return plain.Name{Signs: "._-", Max: 100}.Fits(s) }

// Presence shows that this process lives: a locked file named after it.
type Presence struct {
	dir, node string
	file      *os.File
}

// Appear locks the file of a node in a folder, which it makes. A name that is in
// use is refused: two processes of one name would each hide the other's death.
func Appear(dir, node string) (*Presence, error) {
	if !nodeName(node) {
		return nil, fmt.Errorf("name node %q: use letters, digits, dots, dashes and underscores, at most 100", node)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make folder of nodes: %w", err)
	}
	f, err := hold(filepath.Join(dir, node))
	if err != nil {
		return nil, fmt.Errorf("show that node %q lives: %w", node, err)
	}
	if f == nil {
		return nil, fmt.Errorf("show that node %q lives: another process has that name: choose a new one at each start", node)
	}
	return &Presence{dir: dir, node: node, file: f}, nil
}

// hold opens and locks a file, or returns nil when somebody else has the lock.
func hold(path string) (*os.File, error) {
	for {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return nil, err
		}
		ok, err := tryLock(f)
		if err != nil || !ok {
			return nil, errors.Join(err, f.Close())
		}
		// Whoever held it before may have removed it: a lock on a file that has
		// no name any more shows nothing to anybody.
		if named(f, path) {
			return f, nil
		}
		if err := f.Close(); err != nil {
			return nil, err
		}
	}
}

// Vanish takes the node's file away, unless it is another process's by now.
func (p *Presence) Vanish() error {
	path := filepath.Join(p.dir, p.node)
	var err error
	if named(p.file, path) {
		err = os.Remove(path)
	}
	return errors.Join(err, p.file.Close())
}

// named reports whether an open file is the one that has the name.
func named(f *os.File, path string) bool {
	open, errOpen := f.Stat()
	there, errThere := os.Lstat(path)
	return errOpen == nil && errThere == nil && os.SameFile(open, there)
}

// Alive reports whether a process holds the lock of a node.
func (p *Presence) Alive(node string) bool {
	if node == p.node {
		return true
	}
	if !nodeName(node) {
		return false
	}
	f, err := os.OpenFile(filepath.Join(p.dir, node), os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	free, err := tryLock(f)
	return err == nil && !free
}

// Sweep takes away the files of nodes that are gone: a node without a file is
// gone too.
func (p *Presence) Sweep() error {
	entries, err := os.ReadDir(p.dir)
	if err != nil {
		return fmt.Errorf("list nodes: %w", err)
	}
	for _, e := range entries {
		if e.Name() == p.node {
			continue
		}
		path := filepath.Join(p.dir, e.Name())
		f, err := hold(path)
		if err != nil || f == nil {
			continue // alive, or not ours to judge
		}
		if err := errors.Join(os.Remove(path), f.Close()); err != nil {
			return fmt.Errorf("remove node: %w", err)
		}
	}
	return nil
}

// Turn waits until no other process has its turn at a file. Closing what it
// returns gives the turn on.
func Turn(ctx context.Context, path string) (*os.File, error) {
	wait := time.NewTicker(10 * time.Millisecond)
	defer wait.Stop()
	for {
		f, err := hold(path)
		if f != nil || err != nil {
			return f, err
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("wait for another process to open the data folder: %w", ctx.Err())
		case <-wait.C:
		}
	}
}
