// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package dingtalk

import (
	"time"

	"github.com/toolverdict/toolverdict/internal/notify"
)

// Read reads a frame, for a fuzzer.
func (ch *Channel) Read(id, stamp, data string, now time.Time) (notify.Click, error) {
	return ch.read(&frame{Type: "CALLBACK", Headers: map[string]string{"messageId": id, "time": stamp}, Data: data}, now)
}
