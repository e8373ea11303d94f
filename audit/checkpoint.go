// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"
)

// CheckpointEvery is how many records at most stand between two checkpoints: a
// log has one at size 0 and at every multiple of it, so that taking one away is
// noticed, and so that no more than this many records are ever unsigned.
const CheckpointEvery = 256

// Checkpoint is the head of a log: what a signature binds.
type Checkpoint struct {
	Origin string // the log's name, which is also the key's
	Size   int64
	Root   Hash
}

// text is the body of the signed note, as c2sp.org/tlog-checkpoint has it.
func (c Checkpoint) text() string {
	return fmt.Sprintf("%s\n%d\n%s\n", c.Origin, c.Size, c.Root)
}

func parseCheckpoint(text string) (Checkpoint, error) {
	lines := strings.Split(text, "\n")
	if len(lines) != 4 || lines[3] != "" {
		return Checkpoint{}, errors.New("it does not have the three lines of one")
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	if err != nil || size < 0 || strconv.FormatInt(size, 10) != lines[1] {
		return Checkpoint{}, errors.New("its second line is not a size")
	}
	root, err := ParseHash(lines[2])
	if err != nil {
		return Checkpoint{}, errors.New("its third line is not a hash")
	}
	return Checkpoint{Origin: lines[0], Size: size, Root: root}, nil
}

// Stored is a signed checkpoint as a store keeps it.
type Stored struct {
	Size int64
	At   time.Time // when it was made; not signed, see Verify
	Note []byte
}

// Signer signs checkpoints of one log. It is safe for concurrent use and never
// prints its key.
type Signer struct {
	key      note.Signer
	verifier *Verifier
}

// Generate makes a key for a log. The name must be unique to the log and have
// neither spaces nor a plus sign, such as "example.com/gate-1". It returns the
// key in the text form that [ParseSigner] reads: a secret.
func Generate(name string, random io.Reader) (string, error) {
	secret, _, err := note.GenerateKey(random, name)
	if err != nil {
		return "", fmt.Errorf("make audit key: %v", err)
	}
	if _, err := note.NewSigner(secret); err != nil {
		return "", fmt.Errorf("make audit key: %q cannot be a log's name: use neither spaces nor a plus sign", name)
	}
	return secret, nil
}

// ParseSigner reads a key that [Generate] made.
func ParseSigner(secret string) (*Signer, error) {
	secret = strings.TrimSuffix(secret, "\n")
	key, err := note.NewSigner(secret)
	if err != nil {
		return nil, errors.New("read audit key: it is not the text of a private key")
	}
	public, err := publicOf(secret)
	if err != nil {
		return nil, err
	}
	v, err := ParseVerifier(public)
	if err != nil {
		return nil, err
	}
	return &Signer{key: key, verifier: v}, nil
}

// Origin returns the log's name.
func (s *Signer) Origin() string { return s.key.Name() }

// Verifier returns the public half.
func (s *Signer) Verifier() *Verifier { return s.verifier }

// Sign makes the signed note of a tree's head.
func (s *Signer) Sign(t *Tree) ([]byte, error) {
	c := Checkpoint{Origin: s.Origin(), Size: t.Size(), Root: t.Root()}
	b, err := note.Sign(&note.Note{Text: c.text()}, s.key)
	if err != nil {
		return nil, fmt.Errorf("sign checkpoint: %v", err)
	}
	return b, nil
}

// Verifier checks checkpoints of one log. It is safe for concurrent use.
type Verifier struct {
	key  note.Verifier
	text string
}

// ParseVerifier reads the text form of a public key: NAME+HASH+KEY.
func ParseVerifier(public string) (*Verifier, error) {
	public = strings.TrimSuffix(public, "\n")
	key, err := note.NewVerifier(public)
	if err != nil {
		return nil, errors.New("read audit key: it is not the text of a public key, NAME+HASH+KEY")
	}
	return &Verifier{key: key, text: public}, nil
}

// Origin returns the log's name.
func (v *Verifier) Origin() string { return v.key.Name() }

// String returns the text form, which is no secret.
func (v *Verifier) String() string { return v.text }

// Open reads a signed checkpoint and checks its signature and its origin.
// Signatures by others, such as witnesses, are ignored.
func (v *Verifier) Open(signed []byte) (Checkpoint, error) {
	n, err := note.Open(signed, note.VerifierList(v.key))
	if err != nil {
		return Checkpoint{}, fmt.Errorf("open checkpoint: it is not signed by %s, or was changed since", v.key.Name())
	}
	if !oneSpelling(signed) {
		return Checkpoint{}, errors.New("open checkpoint: a signature is not spelt as it was written")
	}
	c, err := parseCheckpoint(n.Text)
	if err != nil {
		return Checkpoint{}, fmt.Errorf("open checkpoint: %v", err)
	}
	if c.Origin != v.key.Name() {
		return Checkpoint{}, fmt.Errorf("open checkpoint: it is of the log %q, not of %q", c.Origin, v.key.Name())
	}
	return c, nil
}

// oneSpelling reports whether the base64 of every signature is the only one for
// its bytes: a note that was changed in any bit is not the note that was kept.
func oneSpelling(signed []byte) bool {
	_, signatures, _ := bytes.Cut(signed, []byte("\n\n"))
	for line := range bytes.Lines(signatures) {
		text := bytes.TrimSuffix(line[bytes.LastIndexByte(line, ' ')+1:], []byte("\n"))
		if _, err := base64.StdEncoding.Strict().DecodeString(string(text)); err != nil {
			return false
		}
	}
	return true
}
