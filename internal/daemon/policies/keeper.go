// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package policies

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/bundle"
	"github.com/toolverdict/toolverdict/internal/daemon/bundles"
	"github.com/toolverdict/toolverdict/internal/rollout"
	"github.com/toolverdict/toolverdict/policy"
)

// Gate is what a policy is put in force in.
type Gate interface {
	// Build makes of a set what calls could be decided by, and puts nothing in
	// force.
	Build(ctx context.Context, s Set) (Candidate, error)
}

// Candidate is what calls could be decided by.
type Candidate interface {
	Identity() (version, hash string)
	// Enforce puts it in force until a time; the zero time means without end.
	Enforce(until time.Time)
}

// Config holds what a keeper is made of. Every field but Source is required.
type Config struct {
	Gate    Gate
	Journal rollout.Journal
	Source  *bundles.Source // nil: no bundle
	Beside  bool            // nothing is put in force here: a gate that runs on the journal follows
	Read    func() (Set, error)
	Paths   []string // what Read reads: files and folders
	Place   string   // see rollout.Place
	Now     func() time.Time
	Text    func(string) string // hides secrets in what people write
	Log     *slog.Logger
}

// Keeper keeps one gate's policy. It is safe for concurrent use.
type Keeper struct {
	Config

	mu sync.Mutex // one change at a time; guards the rest
	sources
	force
	standing rollout.Standing // as it was read or written last
	revision int64
}

// sources are what the sources last came to.
type sources struct {
	own     Set            // the gate's own files
	bundle  *bundle.Signed // the newest that was accepted
	tag     string         // that it came with
	checked time.Time      // when the bundle's source last answered
	seen    string         // digest of the files that were read last, good or not
	next    string         // digest of files that were looked at once
	told    string         // the refusal that was told last
	refused uint64         // updates that were refused since the start
}

// force is what is in force.
type force struct {
	set    Set
	active rollout.Point
	held   string // hash of a version that a person went back to, "" for none
}

// New makes a keeper. It reads nothing.
func New(c Config) (*Keeper, error) {
	if c.Gate == nil || c.Journal == nil || c.Read == nil || c.Place == "" || c.Now == nil || c.Text == nil || c.Log == nil {
		return nil, errors.New("keep policies: every part is needed")
	}
	return &Keeper{Config: c}, nil
}

// Start reads all sources and puts the policy in force that is meant to be. It
// fails where the files cannot be read, or no bundle was ever accepted.
func (k *Keeper) Start(ctx context.Context) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.load(ctx); err != nil {
		return err
	}
	if k.Source == nil {
		return k.adopt(ctx, k.own, nil, "")
	}
	got, err := k.first(ctx)
	if err == nil {
		k.checked = k.Now()
		if err = k.adopt(ctx, k.own, cmp.Or(got.Signed, k.bundle), got.Tag); err == nil {
			return nil
		}
	}
	if k.bundle == nil {
		return fmt.Errorf("%s: %w: no earlier bundle was accepted to go on with", k.Source.Origin(), err)
	}
	if kept := k.adopt(ctx, k.own, k.bundle, ""); kept != nil {
		return errors.Join(err, kept)
	}
	k.refuse(ctx, k.Source.Origin(), err)
	return nil
}

// patience is how long a start waits for a source where there is a bundle to go
// on with: it is asked again soon.
const patience = 5 * time.Second

// first asks for the newest bundle at a start.
func (k *Keeper) first(ctx context.Context) (bundles.Fetched, error) {
	if k.bundle != nil {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, patience)
		defer cancel()
	}
	return k.Source.Fetch(ctx, k.bundle, "")
}

// load reads the files, the standing and the newest bundle that was accepted.
// It writes nothing.
func (k *Keeper) load(ctx context.Context) error {
	own, err := k.read()
	if err != nil {
		return err
	}
	k.own = own
	if k.standing, k.revision, err = rollout.ReadStanding(ctx, k.Journal, k.Place); err != nil {
		return err
	}
	if k.Source == nil || k.standing.Source.Hash == "" {
		return nil
	}
	v, err := k.Journal.PolicyVersion(ctx, k.standing.Source.Hash)
	if err == nil {
		k.bundle, err = k.Source.Of(&v)
	}
	if err != nil {
		k.Log.Warn("the bundle that was accepted last cannot be used", "error", err)
		k.bundle = nil
	}
	return nil
}

// maxReads bounds how often files are read that change meanwhile.
const maxReads = 5

// read reads the files as they are at one moment: while they are replaced, the
// first may be old and the second new.
func (k *Keeper) read() (Set, error) {
	for range maxReads {
		k.seen, k.next = Digest(k.Paths), ""
		own, err := k.Read()
		if Digest(k.Paths) == k.seen {
			return own, err
		}
	}
	return Set{}, errors.New("read policy: the files keep changing while they are read")
}

// Reload reads the files anew and puts them in force, with the newest bundle.
// On any error what was in force stays.
func (k *Keeper) Reload(ctx context.Context) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.told = "" // somebody asked: say it again
	return k.reload(ctx)
}

func (k *Keeper) reload(ctx context.Context) error {
	own, err := k.read()
	if err == nil {
		err = k.adopt(ctx, own, k.bundle, k.tag)
	}
	if err != nil {
		k.refuse(ctx, originFiles, err)
	}
	return err
}

// Locked does something while no policy is put in force. Again builds what is in
// force anew, of tools that may be others now.
func (k *Keeper) Locked(do func(again func(context.Context) error) error) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	return do(func(ctx context.Context) error {
		c, err := k.Gate.Build(ctx, k.set)
		if err == nil {
			c.Enforce(k.until())
		}
		return err
	})
}

// until is when what is in force ends. That is the newest bundle's affair, also
// while a person went back to an older one: it tells that its source is alive.
func (k *Keeper) until() time.Time { return ends(k.bundle) }

func ends(b *bundle.Signed) time.Time {
	if b == nil {
		return time.Time{}
	}
	return b.Expires
}

const originFiles = "files"

// origin says where a policy is from.
func (k *Keeper) origin(own Set, b *bundle.Signed) string {
	switch {
	case b == nil:
		return originFiles
	case len(own.Policies) == 0:
		return fmt.Sprintf("bundle %s %d", b.Name, b.Serial)
	}
	return fmt.Sprintf("files and bundle %s %d", b.Name, b.Serial)
}

// Wanted returns the set that is meant to be in force by what the files say and
// the store kept. It fetches, writes and enforces nothing.
func (k *Keeper) Wanted(ctx context.Context) (Set, error) {
	set, err := k.Sources(ctx)
	if err != nil {
		return Set{}, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case k.Source != nil && k.bundle == nil:
		return Set{}, k.unfetched()
	case k.standing.Hold == nil:
		return set, nil
	}
	set, _, err = k.heldSet(ctx, k.standing.Hold.Hash)
	return set, err
}

// Sources returns the set that the sources make, as far as they are known.
func (k *Keeper) Sources(ctx context.Context) (Set, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.load(ctx); err != nil {
		return Set{}, err
	}
	if k.Source != nil && k.bundle == nil && len(k.own.Policies) == 0 {
		return Set{}, k.unfetched()
	}
	return k.own.with(k.bundle), nil
}

func (k *Keeper) unfetched() error {
	return fmt.Errorf("%s: no bundle was accepted yet: start the gate, which fetches it", k.Source.Origin())
}

// heldSet is the set of a kept version, under the gate's catalog of now. Its
// bundle is verified again.
func (k *Keeper) heldSet(ctx context.Context, hash string) (Set, *rollout.Version, error) {
	v, err := k.Journal.PolicyVersion(ctx, hash)
	if err != nil {
		return Set{}, nil, err
	}
	set := Set{Overlays: k.own.Overlays}
	for _, f := range v.Files {
		set.Policies = append(set.Policies, policy.File{Name: "kept:" + hash[:min(len(hash), 12)] + ":" + f.Name, Content: f.Content})
	}
	switch {
	case k.Source != nil:
		b, err := k.Source.Of(&v)
		if err != nil {
			return Set{}, nil, err
		}
		set = set.with(b)
	case len(v.Bundle) > 0: // there is no key to trust any more
		return Set{}, nil, errors.New("it was made with a bundle, and the configuration names none")
	}
	return set, &v, nil
}

// isConflict reports whether another process changed something first.
func isConflict(err error) bool {
	_, ok := errors.AsType[*tv.ConflictError](err)
	return ok
}
