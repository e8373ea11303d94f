// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package rollout

import "time"

// Status is what a person wants to know of a gate's policy.
type Status struct {
	Active  Point         `json:"active"`           // in force
	Hold    *Hold         `json:"rollback"`         // why that is not what the sources say; null where it is
	Source  Point         `json:"source"`           // what the sources last came to
	Bundle  *BundleStatus `json:"bundle,omitempty"` // where one is configured
	Refused *Refusal      `json:"lastError"`        // the last update, where it was refused; null where it was not
}

// BundleStatus is what is known of a fetched bundle.
type BundleStatus struct {
	Name    string    `json:"name"`
	URL     string    `json:"url"`
	Serial  int64     `json:"serial"` // 0: none was accepted yet
	Key     string    `json:"key,omitempty"`
	Expires time.Time `json:"expires,omitzero"` // every call is denied from then on
	Checked time.Time `json:"checked,omitzero"` // when the source last said what is the newest, as this process knows
}
