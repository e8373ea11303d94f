// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package shop

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// User is one customer. Name and email of a deleted one are empty.
type User struct {
	ID         string   `json:"user_id"`
	Name       string   `json:"name"`
	Email      string   `json:"email"`
	Status     string   `json:"status"` // active or deleted
	Orders     []string `json:"orders"`
	OpenOrders int      `json:"open_orders"`
}

// lister is what a database and a transaction have in common for lists.
type lister interface {
	querier
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// User finds one customer, deleted ones included, or refuses with [UnknownUser].
func (s *Shop) User(ctx context.Context, id string) (User, error) {
	return getUser(ctx, s.db, id)
}

// DeleteUser erases a customer's name and address for good. It wants confirm to
// be true, and refuses while an order of theirs is still under way.
func (s *Shop) DeleteUser(ctx context.Context, id string, confirm bool) (User, error) {
	if !confirm {
		return User{}, refuse(ConfirmMissing, "confirm is not true", "nothing was deleted; a deletion cannot be undone")
	}
	var done User
	err := s.write(ctx, func(tx *sql.Tx) error {
		u, err := getUser(ctx, tx, id)
		if err != nil {
			return err
		}
		if u.Status == "deleted" {
			return refuse(AlreadyDeleted, "the customer was deleted before", "there is nothing left to delete")
		}
		if u.OpenOrders > 0 {
			return refuse(UserHasOpenOrders, fmt.Sprintf("the customer has %d open orders", u.OpenOrders),
				"cancel or finish the orders first")
		}
		_, err = tx.ExecContext(ctx, "UPDATE customer SET name = '', email = '', deleted_at = ? WHERE id = ?", s.stamp(), id)
		if err != nil {
			return fmt.Errorf("delete user: %v", err)
		}
		u.Name, u.Email, u.Status = "", "", "deleted"
		done = u
		return s.record(ctx, tx, "delete_user", id, "name and address erased")
	})
	return done, err
}

func getUser(ctx context.Context, q lister, id string) (u User, err error) {
	u = User{Status: "active", Orders: []string{}}
	var deleted sql.NullString
	err = q.QueryRowContext(ctx, "SELECT id, name, email, deleted_at FROM customer WHERE id = ?", id).
		Scan(&u.ID, &u.Name, &u.Email, &deleted)
	if errors.Is(err, sql.ErrNoRows) {
		return User{}, refuse(UnknownUser, "there is no such user",
			"user ids are u_ and three digits, for example u_001")
	}
	if err != nil {
		return User{}, fmt.Errorf("find user: %v", err)
	}
	if deleted.Valid {
		u.Status = "deleted"
	}
	list, err := q.QueryContext(ctx, "SELECT id, state FROM purchase WHERE user_id = ? AND deleted_at IS NULL ORDER BY id", id)
	if err != nil {
		return User{}, fmt.Errorf("find user's orders: %v", err)
	}
	defer func() { err = errors.Join(err, list.Close()) }()
	for list.Next() {
		var order, state string
		if err := list.Scan(&order, &state); err != nil {
			return User{}, fmt.Errorf("find user's orders: %v", err)
		}
		u.Orders = append(u.Orders, order)
		if !finished(state) {
			u.OpenOrders++
		}
	}
	return u, list.Err()
}
