// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package shop

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
)

// MaxBatch is the most orders that [Shop.DeleteOrders] takes at once.
const MaxBatch = 50

const (
	orderShape = "order ids are the letter A and four digits, for example A1001"
	orderCols  = "id, user_id, state, item, quantity, total, paid, refunded, placed_at, updated_at"
)

// Order is one order.
type Order struct {
	ID          string `json:"order_id"`
	UserID      string `json:"user_id"`
	State       string `json:"state"` // placed, paid, packed, shipped, delivered, cancelled or returned
	Item        string `json:"item"`
	Quantity    int    `json:"quantity"`
	Currency    string `json:"currency"`
	Total       Amount `json:"total"`
	Paid        Amount `json:"paid"`
	Refunded    Amount `json:"refunded"`
	Refundable  Amount `json:"refundable"`  // paid less refunded
	Cancellable bool   `json:"cancellable"` // answers "can this be cancelled?" without cancelling
	PlacedAt    string `json:"placed_at"`
	UpdatedAt   string `json:"updated_at"`
}

// Cancellation is what [Shop.CancelOrder] did.
type Cancellation struct {
	OrderID       string `json:"order_id"`
	PreviousState string `json:"previous_state"`
	State         string `json:"state"`
	Refundable    Amount `json:"refundable"`
	Currency      string `json:"currency"`
}

// Refund is what [Shop.Refund] did.
type Refund struct {
	ID         int64  `json:"refund_id"`
	OrderID    string `json:"order_id"`
	Amount     Amount `json:"amount"`
	Refunded   Amount `json:"refunded"`
	Refundable Amount `json:"refundable"`
	Currency   string `json:"currency"`
}

// Order finds one order, or refuses with [UnknownOrder].
func (s *Shop) Order(ctx context.Context, id string) (Order, error) {
	return getOrder(ctx, s.db, id)
}

// CancelOrder cancels an order that has not been packed yet. It pays nothing
// back. A second cancellation changes nothing and is refused with [AlreadyCancelled].
func (s *Shop) CancelOrder(ctx context.Context, id string) (Cancellation, error) {
	var done Cancellation
	err := s.write(ctx, func(tx *sql.Tx) error {
		o, err := getOrder(ctx, tx, id)
		if err != nil {
			return err
		}
		if o.State == "cancelled" {
			return refuse(AlreadyCancelled, "the order was cancelled before", "there is nothing left to cancel")
		}
		if !o.Cancellable {
			return refuse(OrderNotCancellable, "the order is already "+o.State,
				"only placed and paid orders can be cancelled: refund it instead")
		}
		_, err = tx.ExecContext(ctx, "UPDATE purchase SET state = 'cancelled', updated_at = ? WHERE id = ?", s.stamp(), o.ID)
		if err != nil {
			return fmt.Errorf("cancel order: %v", err)
		}
		done = Cancellation{o.ID, o.State, "cancelled", o.Refundable, Currency}
		return s.record(ctx, tx, "cancel_order", o.ID, o.State+" -> cancelled")
	})
	return done, err
}

// Refund pays back part of what was paid for an order, in whatever state the
// order is. It never pays back more than was paid less what was refunded.
func (s *Shop) Refund(ctx context.Context, id, amount string) (Refund, error) {
	sum, err := ParseAmount(amount)
	if err != nil {
		return Refund{}, err
	}
	var done Refund
	err = s.write(ctx, func(tx *sql.Tx) error {
		o, err := getOrder(ctx, tx, id)
		if err != nil {
			return err
		}
		if o.Refundable == 0 {
			return refuse(NothingPaid, "nothing is left to refund on this order", "look at paid and refunded with query_order")
		}
		if sum > o.Refundable {
			return refuse(RefundTooLarge, "the amount is more than is left to refund",
				"at most "+o.Refundable.String()+" "+Currency+" can be refunded on this order")
		}
		at := s.stamp()
		_, err = tx.ExecContext(ctx, "UPDATE purchase SET refunded = refunded + ?, updated_at = ? WHERE id = ?", int64(sum), at, o.ID)
		if err != nil {
			return fmt.Errorf("refund order: %v", err)
		}
		res, err := tx.ExecContext(ctx, "INSERT INTO refund (order_id, amount, at) VALUES (?, ?, ?)", o.ID, int64(sum), at)
		if err != nil {
			return fmt.Errorf("refund order: %v", err)
		}
		no, err := res.LastInsertId()
		if err != nil {
			return fmt.Errorf("refund order: %v", err)
		}
		done = Refund{no, o.ID, sum, o.Refunded + sum, o.Refundable - sum, Currency}
		return s.record(ctx, tx, "refund", o.ID, sum.String()+" "+Currency)
	})
	return done, err
}

// DeleteOrders removes finished orders from sight: all of those named, or none.
// The books keep their rows.
func (s *Shop) DeleteOrders(ctx context.Context, ids []string) ([]string, error) {
	if err := checkBatch(ids); err != nil {
		return nil, err
	}
	err := s.write(ctx, func(tx *sql.Tx) error {
		var open []string
		for _, id := range ids {
			o, err := getOrder(ctx, tx, id)
			if err != nil {
				return err
			}
			if !finished(o.State) {
				open = append(open, o.ID)
			}
		}
		if len(open) > 0 {
			return refuse(OrderNotDeletable, "not finished: "+strings.Join(open, ", "),
				"only delivered, cancelled and returned orders can be deleted; none was")
		}
		for _, id := range ids {
			if _, err := tx.ExecContext(ctx, "UPDATE purchase SET deleted_at = ? WHERE id = ?", s.stamp(), id); err != nil {
				return fmt.Errorf("delete orders: %v", err)
			}
			if err := s.record(ctx, tx, "batch_delete_orders", id, fmt.Sprintf("one of %d", len(ids))); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return ids, nil
}

func checkBatch(ids []string) error {
	if len(ids) == 0 || len(ids) > MaxBatch {
		return refuse(InvalidOrderList, "the list must name 1 to 50 orders", "name the orders one by one; "+orderShape)
	}
	seen := map[string]bool{}
	for _, id := range ids {
		if seen[id] {
			return refuse(InvalidOrderList, "the list names an order twice", "name each order once")
		}
		seen[id] = true
	}
	return nil
}

// querier is what a database and a transaction have in common.
type querier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

func getOrder(ctx context.Context, q querier, id string) (Order, error) {
	o := Order{Currency: Currency}
	err := q.QueryRowContext(ctx, "SELECT "+orderCols+" FROM purchase WHERE id = ? AND deleted_at IS NULL", id).
		Scan(&o.ID, &o.UserID, &o.State, &o.Item, &o.Quantity, &o.Total, &o.Paid, &o.Refunded, &o.PlacedAt, &o.UpdatedAt)
	if errors.Is(err, sql.ErrNoRows) {
		return Order{}, refuse(UnknownOrder, "there is no such order", orderShape)
	}
	if err != nil {
		return Order{}, fmt.Errorf("find order: %v", err)
	}
	o.Refundable = o.Paid - o.Refunded
	o.Cancellable = o.State == "placed" || o.State == "paid"
	return o, nil
}

func finished(state string) bool {
	return state == "delivered" || state == "cancelled" || state == "returned"
}
