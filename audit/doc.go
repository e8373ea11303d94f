// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package audit is the log of what the gate decided and did: how a record
// becomes bytes, how the bytes become a Merkle tree, how the tree's head is
// signed, and how all of it is checked again by somebody who trusts none of it.
//
// A record's bytes are hashed exactly as they are stored. The hashes form the
// tree of RFC 6962; its heads are checkpoints, signed notes as C2SP describes
// them, made at every multiple of [CheckpointEvery] records and in between as
// often as the store likes. [Verify] reads a whole log and names the first
// record that is not what was signed; [Prove] makes a proof for one record that
// needs nothing but the public key.
//
// The package does no I/O except for key files. It fails towards distrust: what
// cannot be read, parsed or matched is a [Fault], never a detail to skip over.
//
// What signing cannot do: whoever holds the private key can write another
// history, and whoever can replace the whole folder can put back an old one. A
// checkpoint kept elsewhere catches both; see docs/audit.md.
package audit
