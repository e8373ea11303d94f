// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package wecom

// What is tested with the documentation's example.
func KeyOf(encoded string) ([]byte, error)                     { return keyOf(encoded) }
func Decrypt(key []byte, sealed string) ([]byte, string, bool) { return decrypt(key, sealed) }
func Sign(texts ...string) []byte                              { return sign(texts...) }
func (ch *Channel) Encrypt(message []byte) (string, error)     { return ch.encrypt(message) }
