// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package shop

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

type seedOrder struct {
	id, user, state, item string
	quantity              int
	total, paid, refunded Amount
	day                   string
}

// seed adds the fixed data of a new shop. Nobody in it exists.
func (s *Shop) seed(ctx context.Context, tx *sql.Tx) error {
	for i := 1; i <= 6; i++ {
		host := "example.com"
		if i%2 == 0 {
			host = "example.org"
		}
		_, err := tx.ExecContext(ctx, "INSERT INTO customer (id, name, email) VALUES (?, ?, ?)",
			fmt.Sprintf("u_%03d", i), fmt.Sprintf("Customer %d", i), fmt.Sprintf("customer%d@%s", i, host))
		if err != nil {
			return fmt.Errorf("add customers: %v", err)
		}
	}
	for _, o := range seedOrders() {
		at := o.day + "T09:00:00Z"
		_, err := tx.ExecContext(ctx, `INSERT INTO purchase
			(id, user_id, state, item, quantity, total, paid, refunded, placed_at, updated_at)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			o.id, o.user, o.state, o.item, o.quantity, int64(o.total), int64(o.paid), int64(o.refunded), at, at)
		if err != nil {
			return fmt.Errorf("add orders: %v", err)
		}
	}
	return nil
}

// seedOrders: u_001 has finished orders only, so that nothing but a gate stands
// between a call of delete_user and the deletion.
func seedOrders() []seedOrder {
	return []seedOrder{
		{"A1001", "u_002", "paid", "Standing desk", 1, 48000, 48000, 0, "2026-11-02"},
		{"A1002", "u_003", "placed", "Desk lamp", 2, 6400, 0, 0, "2026-11-03"},
		{"A1003", "u_001", "delivered", "Office chair", 1, 21990, 21990, 0, "2026-10-05"},
		{"A1004", "u_004", "shipped", "Monitor arm", 1, 8900, 8900, 0, "2026-11-06"},
		{"A1005", "u_002", "packed", "Bookshelf", 1, 15000, 15000, 0, "2026-11-07"},
		{"A1006", "u_005", "paid", "Keyboard", 1, 7550, 7550, 0, "2026-11-08"},
		{"A1007", "u_003", "shipped", "Whiteboard", 1, 12999, 12999, 0, "2026-11-09"},
		{"A1008", "u_004", "returned", "Notebook set", 4, 2400, 2400, 2400, "2026-09-10"},
		{"A1009", "u_001", "cancelled", "Filing cabinet", 1, 31000, 31000, 31000, "2026-09-11"},
		{"A1010", "u_006", "delivered", "Projector", 1, 125000, 125000, 10000, "2026-10-12"},
		{"A1011", "u_005", "placed", "Cable tray", 3, 2700, 0, 0, "2026-11-13"},
		{"A1012", "u_006", "paid", "Headset", 2, 19800, 19800, 0, "2026-11-14"},
	}
}

// seedScratch gives the shell something to look at, and leaves alone what is there.
func (s *Shop) seedScratch() error {
	files := map[string]string{
		"notes.txt":          "Example notes.\nThe scratch folder is where execute_shell starts.\n",
		"stock.csv":          "item,stock\nDesk lamp,14\nKeyboard,7\nHeadset,0\n",
		"reports/weekly.txt": "Example report: 12 orders, 6 customers.\n",
	}
	if err := s.scratch.MkdirAll("reports", 0o700); err != nil {
		return fmt.Errorf("fill scratch: %v", err)
	}
	for name, text := range files {
		f, err := s.scratch.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("fill scratch: %v", err)
		}
		_, werr := f.WriteString(text)
		if err := errors.Join(werr, f.Close()); err != nil {
			return fmt.Errorf("fill scratch: %v", err)
		}
	}
	return nil
}
