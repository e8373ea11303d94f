// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
)

// The tools are plain functions: nothing in them knows of a gate.

type orderQuery struct {
	Order string `json:"order"`
}

func order(_ context.Context, q orderQuery) (string, error) {
	return fmt.Sprintf("order %s: a lamp, 120 euros, delivered broken", q.Order), nil
}

type refundOrder struct {
	Order string `json:"order"`
	Euros int    `json:"euros"`
}

func refund(_ context.Context, r refundOrder) (string, error) {
	return fmt.Sprintf("%d euros of order %s were paid back", r.Euros, r.Order), nil
}
