// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"time"
)

var nodeName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)

// presence is the lock that shows a process to be alive: a file named after it
// in the data folder, locked for as long as the process lives.
type presence struct {
	file *os.File
	path string
}

// appear locks the file of a node. A name that is in use is refused: two
// processes of one name could each hide the other's death.
func appear(dir, node string) (*presence, error) {
	if !nodeName.MatchString(node) {
		return nil, fmt.Errorf("name node %q: use letters, digits, dots, dashes and underscores, at most 100", node)
	}
	nodes := filepath.Join(dir, nodesDir)
	if err := os.MkdirAll(nodes, 0o700); err != nil {
		return nil, fmt.Errorf("make folder of nodes: %w", err)
	}
	path := filepath.Join(nodes, node)
	f, err := hold(path)
	if err != nil {
		return nil, fmt.Errorf("show that node %q lives: %w", node, err)
	}
	if f == nil {
		return nil, fmt.Errorf("show that node %q lives: another process has that name: choose a new one at each start", node)
	}
	return &presence{file: f, path: path}, nil
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
		ours, err := f.Stat()
		named, errNamed := os.Lstat(path)
		if err == nil && errNamed == nil && os.SameFile(ours, named) {
			return f, nil
		}
		if err := f.Close(); err != nil {
			return nil, err
		}
	}
}

// vanish takes the node's file away.
func (p *presence) vanish() error {
	return errors.Join(os.Remove(p.path), p.file.Close())
}

// alive reports whether a process holds the lock of a node. In doubt it does
// not: what that process dispatched then reads as unknown, never as free.
func (s *Store) alive(node string) bool {
	if node == s.node {
		return true
	}
	if !nodeName.MatchString(node) {
		return false
	}
	f, err := os.OpenFile(filepath.Join(s.dir, nodesDir, node), os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	free, err := tryLock(f)
	return err == nil && !free
}

// DeadNodes returns the nodes that dispatched calls, have not reported all of
// them, and are gone.
func (s *Store) DeadNodes(ctx context.Context) ([]string, error) {
	nodes, err := s.read.column(ctx, `SELECT DISTINCT node FROM claims WHERE state = 'dispatched' ORDER BY node`)
	if err != nil {
		return nil, fmt.Errorf("find lost nodes: %w", s.explain(err))
	}
	var dead []string
	for _, node := range nodes {
		if !s.alive(node) {
			dead = append(dead, node)
		}
	}
	return dead, nil
}

// sweepNodes takes away the files of nodes that are gone. The ledger does not
// need them: a node without a file is gone.
func (s *Store) sweepNodes() error {
	entries, err := os.ReadDir(filepath.Join(s.dir, nodesDir))
	if err != nil {
		return fmt.Errorf("list nodes: %w", err)
	}
	for _, e := range entries {
		if e.Name() == s.node {
			continue
		}
		path := filepath.Join(s.dir, nodesDir, e.Name())
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

// lockOpening lets one process at a time prepare the data folder.
func lockOpening(ctx context.Context, dir string) (*os.File, error) {
	wait := time.NewTicker(10 * time.Millisecond)
	defer wait.Stop()
	for {
		f, err := hold(filepath.Join(dir, openLock))
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
