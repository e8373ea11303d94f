// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package rollout

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/bundle"
)

// Bounds of what is kept.
const (
	MaxVersions = 50
	MaxKept     = 64 << 20 // bytes, as they are stored

	maxContent = 256 << 20 // bytes of one version, unpacked
)

// Point says which policy, where it came from, and since when it counts.
type Point struct {
	Hash    string    `json:"hash"`
	Version string    `json:"version"`
	Origin  string    `json:"origin"`
	At      time.Time `json:"at"`
}

// Version is a policy that was accepted, with all it was made of.
type Version struct {
	Point

	Files  []bundle.File // the gate's own
	Bundle []byte        // the signed envelope, nil where there was none
}

// content is how the parts of a version are kept.
type content struct {
	Files  []bundle.File `json:"files,omitempty"`
	Bundle []byte        `json:"bundle,omitempty"`
}

// Encode makes what a store keeps.
func (v *Version) Encode() (body, packed []byte, err error) {
	if v.Hash == "" {
		return nil, nil, errors.New("encode policy version: it has no hash")
	}
	if body, err = json.Marshal(v.Point); err != nil {
		return nil, nil, fmt.Errorf("encode policy version: %v", err)
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if err := errors.Join(json.NewEncoder(z).Encode(content{v.Files, v.Bundle}), z.Close()); err != nil {
		return nil, nil, fmt.Errorf("encode policy version: %v", err)
	}
	return body, b.Bytes(), nil
}

// DecodePoint reads the part of a version that lists show.
func DecodePoint(body []byte) (Point, error) {
	var p Point
	if err := json.Unmarshal(body, &p); err != nil {
		return p, fmt.Errorf("decode policy version: %v", err)
	}
	return p, nil
}

// DecodeVersion reads a version back.
func DecodeVersion(body, packed []byte) (Version, error) {
	p, err := DecodePoint(body)
	if err != nil {
		return Version{}, err
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return Version{}, fmt.Errorf("decode policy version: %v", err)
	}
	text, err := io.ReadAll(io.LimitReader(z, maxContent))
	if err != nil {
		return Version{}, fmt.Errorf("decode policy version: %v", err)
	}
	var c content
	if err := json.Unmarshal(text, &c); err != nil {
		return Version{}, fmt.Errorf("decode policy version: %v", err)
	}
	return Version{p, c.Files, c.Bundle}, nil
}

// minHash is how many digits of a hash name a version at least.
const minHash = 8

// Conflict is why another policy cannot be put in force now. It quotes nothing.
type Conflict string

// Error implements error.
func (c Conflict) Error() string { return string(c) }

// Conflict tells a conflict from a fault.
func (c Conflict) Conflict() string { return string(c) }

// Conflicts that callers tell apart.
const (
	// ErrAmbiguous says that several versions are meant by a name.
	ErrAmbiguous Conflict = "several kept policies are meant"
	// ErrInForce says that a policy is in force already.
	ErrInForce Conflict = "it is in force already"
	// ErrNoRollback says that what is in force is what the sources say.
	ErrNoRollback Conflict = "nobody went back to an earlier policy: what is in force is what the sources say"
	// ErrStranger says that no gate would follow a wish.
	ErrStranger Conflict = "no gate of this configuration has run on this data folder: name the configuration, by the path that the gate was started with"
	// ErrUnusable says that a kept policy cannot be put in force.
	ErrUnusable Conflict = "it cannot be put in force"
)

// Find returns the version that a label or the start of a hash names. A label
// that several policies carry names none of them: a guess could be wrong.
func Find(kept []Point, name string) (Point, error) {
	var found []Point
	for _, p := range kept {
		if p.Hash == name {
			return p, nil
		}
		if p.Version == name || len(name) >= minHash && strings.HasPrefix(p.Hash, name) {
			found = append(found, p)
		}
	}
	switch len(found) {
	case 0:
		return Point{}, fmt.Errorf("find policy: %w", tv.ErrNotFound)
	case 1:
		return found[0], nil
	}
	return Point{}, fmt.Errorf("find policy: %w: give the start of its hash, %d digits or more", ErrAmbiguous, minHash)
}
