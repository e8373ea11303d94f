// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package feishu

// Decrypt is tested with the documentation's example.
func Decrypt(key, sealed string) ([]byte, bool) { return decrypt(key, sealed) }
