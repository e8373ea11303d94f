// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package password keeps people's passwords as argon2id hashes in the PHC text
// form. It knows no people. What it does not understand matches no password.
package password

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base32"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"
)

// What new hashes cost: 19 MiB and two passes, the least that OWASP recommends
// for argon2id. A sign-in takes some tens of milliseconds.
const (
	memory  = 19 << 10 // KiB
	passes  = 2
	lanes   = 1
	saltLen = 16
	sumLen  = 32
)

// Bounds of the hashes that are read: one that somebody wrote by hand must not
// make a sign-in take the machine's memory.
const (
	minMemory, maxMemory = 8 << 10, 256 << 10
	minPasses, maxPasses = 1, 16
	maxLanes             = 16
	minSalt, maxSalt     = 8, 64
	minSum, maxSum       = 16, 64
)

// Bounds of a password, in bytes.
const (
	Shortest = 10
	Longest  = 1024
)

// Hash is the hash of one password. The zero Hash matches none.
type Hash struct {
	memory, passes uint32
	lanes          uint8
	salt, sum      []byte
}

// Check refuses passwords that are too short, too long or not text.
func Check(password string) error {
	switch {
	case len(password) < Shortest:
		return fmt.Errorf("the password has fewer than %d bytes: use a longer one", Shortest)
	case len(password) > Longest:
		return fmt.Errorf("the password has more than %d bytes: use a shorter one", Longest)
	case !utf8.ValidString(password) || strings.ContainsFunc(password, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return errors.New("the password holds control characters or is not UTF-8: use visible characters")
	}
	return nil
}

// Make makes a password of 26 letters and digits that nobody can guess.
func Make() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand ends the process instead
	return strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(b[:]))
}

// New hashes a password.
func New(password string) (Hash, error) {
	if err := Check(password); err != nil {
		return Hash{}, err
	}
	h := Hash{memory: memory, passes: passes, lanes: lanes, salt: make([]byte, saltLen)}
	_, _ = rand.Read(h.salt) // never fails: crypto/rand ends the process instead
	h.sum = argon2.IDKey([]byte(password), h.salt, h.passes, h.memory, h.lanes, sumLen)
	return h, nil
}

// Stable hashes a password that [Make] made, each time to the same hash. What
// nobody can guess needs no salt of its own.
func Stable(password string) (Hash, error) {
	if err := Check(password); err != nil {
		return Hash{}, err
	}
	sum := sha256.Sum256([]byte("toolverdict example\n" + password))
	h := Hash{memory: memory, passes: passes, lanes: lanes, salt: sum[:saltLen]}
	h.sum = argon2.IDKey([]byte(password), h.salt, h.passes, h.memory, h.lanes, sumLen)
	return h, nil
}

// Nobody is the hash to compare with where there is no such person: a sign-in
// then takes as long, and matches as little, as one with a wrong password.
func Nobody() Hash {
	return Hash{memory: memory, passes: passes, lanes: lanes, salt: make([]byte, saltLen)}
}

// Matches reports whether this is the password's hash.
func (h Hash) Matches(password string) bool {
	if h.passes == 0 || h.lanes == 0 || len(password) > Longest {
		return false
	}
	size := max(len(h.sum), minSum)
	sum := argon2.IDKey([]byte(password), h.salt, h.passes, h.memory, h.lanes, uint32(size)) //nolint:gosec // G115: at most maxSum
	return subtle.ConstantTimeCompare(sum, h.sum) == 1
}

// String is the PHC text form. It holds no password, but helps to guess one.
func (h Hash) String() string {
	b64 := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, h.memory, h.passes, h.lanes,
		b64.EncodeToString(h.salt), b64.EncodeToString(h.sum))
}

var errForm = errors.New("a password's hash is $argon2id$v=19$m=…,t=…,p=…$SALT$SUM, as 'toolverdict users hash' prints it")

// Parse reads the PHC text form, strictly: what is not exactly what [Hash.String]
// writes is refused. The error never holds it: somebody may have put the
// password itself there.
func Parse(text string) (Hash, error) {
	parts := strings.Split(text, "$")
	if len(parts) != 6 || parts[0] != "" || parts[1] != "argon2id" || parts[2] != "v="+strconv.Itoa(argon2.Version) {
		return Hash{}, errForm
	}
	var h Hash
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &h.memory, &h.passes, &h.lanes); err != nil {
		return Hash{}, errForm
	}
	var errSalt, errSum error
	h.salt, errSalt = base64.RawStdEncoding.Strict().DecodeString(parts[4])
	h.sum, errSum = base64.RawStdEncoding.Strict().DecodeString(parts[5])
	if errSalt != nil || errSum != nil || h.String() != text {
		return Hash{}, errForm
	}
	return h, h.bounded()
}

func (h *Hash) bounded() error {
	for _, b := range []struct {
		name            string
		got, least, top int
	}{
		{"m", int(h.memory), minMemory, maxMemory}, {"t", int(h.passes), minPasses, maxPasses}, {"p", int(h.lanes), 1, maxLanes},
		{"the salt's length", len(h.salt), minSalt, maxSalt}, {"the sum's length", len(h.sum), minSum, maxSum},
	} {
		if b.got < b.least || b.got > b.top {
			return fmt.Errorf("a password's hash: %s is %d and must be from %d to %d", b.name, b.got, b.least, b.top)
		}
	}
	return nil
}
