// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package filewatch says when files may have changed. It knows names and
// folders only, not what is in them: whoever looks compares contents.
//
// It watches folders and not files, because files are replaced by renaming, and
// links to folders are swapped, as mounted configuration maps of Kubernetes are.
// Because no notification is certain (network file systems send none), it also
// has somebody look from time to time. It misses no change for longer than that.
package filewatch

import (
	"context"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/fsnotify/fsnotify"
)

// Config says what is watched, and who looks. Every field is required.
type Config struct {
	Paths []string      // files and folders, absolute
	Quiet time.Duration // how long nothing must happen before somebody looks
	Poll  time.Duration // how often somebody looks in any case
	Log   *slog.Logger
	// Look compares what is there with what it knows. It returns true to be asked
	// again after another quiet while: a file may be half written.
	Look func(ctx context.Context) (again bool)
}

// patience is how many events put a look off at most: a folder in which
// something happens all the time must not hide changes.
const patience = 8

// Run watches until ctx ends.
func Run(ctx context.Context, c Config) {
	w := &watcher{Config: c, folders: map[string]bool{}}
	if notify, err := fsnotify.NewWatcher(); err == nil {
		w.notify = notify
		defer func() { _ = notify.Close() }() // it has nothing more to tell
	} else {
		c.Log.Warn("changes of policy files are not notified of: they are looked at from time to time only", "error", err, "every", c.Poll.String())
	}
	w.follow()
	w.run(ctx)
}

type watcher struct {
	Config
	notify  *fsnotify.Watcher // nil where the system has none left
	folders map[string]bool   // watched now
}

func (w *watcher) run(ctx context.Context) {
	quiet, poll := time.NewTimer(w.Quiet), time.NewTicker(w.Poll) // looks once at first: files may have changed before it watched
	defer quiet.Stop()
	defer poll.Stop()
	events, errs := w.channels()
	waits := 0
	for {
		select {
		case <-ctx.Done():
			return
		case e := <-events:
			if e.Has(fsnotify.Chmod) && e.Op == fsnotify.Chmod {
				continue // readers and indexers cause these all the time; the poll sees the rest
			}
			if waits++; waits <= patience {
				quiet.Reset(w.Quiet)
			}
		case _, open := <-errs: // events were lost
			if !open {
				errs = nil
			}
			quiet.Reset(w.Quiet)
		case <-poll.C:
			quiet.Reset(0)
		case <-quiet.C:
			waits = 0
			w.follow()
			if w.Look(ctx) {
				quiet.Reset(w.Quiet)
			}
		}
	}
}

func (w *watcher) channels() (<-chan fsnotify.Event, <-chan error) {
	if w.notify == nil {
		return nil, nil
	}
	return w.notify.Events, w.notify.Errors
}

// follow watches the folders in which something must happen for one of the
// files to change. They are found anew each time, because links are swapped and
// folders made again.
func (w *watcher) follow() {
	if w.notify == nil {
		return
	}
	want := map[string]bool{}
	for _, p := range w.Paths {
		folders(want, filepath.Clean(p), maxLinks)
	}
	for _, gone := range slices.Collect(maps.Keys(w.folders)) {
		if !want[gone] {
			_ = w.notify.Remove(gone) // it may be gone itself
			delete(w.folders, gone)
		}
	}
	for dir := range want {
		if isFolder(dir) && w.notify.Add(dir) == nil { // again each time: a folder made anew has another inode
			w.folders[dir] = true
		}
	}
}

const maxLinks = 40

// folders collects the folder that a path ends in, the path itself where it is a
// folder, and on the way there each folder that holds a link: any of the links
// may be swapped.
func folders(into map[string]bool, path string, links int) {
	for i := 1; i <= len(path); i++ {
		if i < len(path) && path[i] != filepath.Separator {
			continue
		}
		target, err := os.Readlink(path[:i])
		if err != nil {
			continue // no link, or nothing at all
		}
		into[filepath.Dir(path[:i])] = true
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(path[:i]), target)
		}
		if links > 0 {
			folders(into, filepath.Join(target, path[i:]), links-1)
		}
		return
	}
	into[path], into[filepath.Dir(path)] = true, true
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
