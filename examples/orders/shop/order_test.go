// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package shop_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/toolverdict/toolverdict/examples/orders/shop"
)

func TestOrder(t *testing.T) {
	t.Parallel()
	s, _ := newShop(t)
	got, err := s.Order(t.Context(), "A1001")
	if err != nil {
		t.Fatal(err)
	}
	want := shop.Order{
		ID: "A1001", UserID: "u_002", State: "paid", Item: "Standing desk", Quantity: 1, Currency: "EUR",
		Total: 48000, Paid: 48000, Refundable: 48000, Cancellable: true,
		PlacedAt: "2026-11-02T09:00:00Z", UpdatedAt: "2026-11-02T09:00:00Z",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error("order (-want +got):\n" + d)
	}
	for _, id := range []string{"", "A9999", "a1001", " A1001", "20240101", "' OR 1=1 --"} {
		_, err := s.Order(t.Context(), id)
		wantCode(t, err, shop.UnknownOrder)
		if !strings.Contains(err.Error(), "A1001") {
			t.Errorf("%q does not show a valid id", err)
		}
		if len(id) > 6 && strings.Contains(err.Error(), id) {
			t.Errorf("%q repeats what the caller sent", err)
		}
	}
}

func TestCancelOrderFollowsTheState(t *testing.T) {
	t.Parallel()
	s, dir := newShop(t)
	for id, want := range map[string]shop.Code{
		"A1001": "", "A1002": "", // paid, placed
		"A1005": shop.OrderNotCancellable, "A1004": shop.OrderNotCancellable, // packed, shipped
		"A1003": shop.OrderNotCancellable, "A1008": shop.OrderNotCancellable, // delivered, returned
		"A1009": shop.AlreadyCancelled,
	} {
		before, err := s.Order(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if before.Cancellable != (want == "") {
			t.Errorf("%s says cancellable: %v", id, before.Cancellable)
		}
		got, err := s.CancelOrder(t.Context(), id)
		if want != "" {
			wantCode(t, err, want)
			if after, _ := s.Order(t.Context(), id); after != before {
				t.Errorf("a refused cancellation changed %s: %s", id, cmp.Diff(before, after))
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		cancelled := shop.Cancellation{OrderID: id, PreviousState: before.State, State: "cancelled", Refundable: before.Paid, Currency: "EUR"}
		if d := cmp.Diff(cancelled, got); d != "" {
			t.Error("cancellation (-want +got):\n" + d)
		}
		_, err = s.CancelOrder(t.Context(), id)
		wantCode(t, err, shop.AlreadyCancelled)
	}
	if got := len(changes(t, dir)); got != 2 {
		t.Errorf("%d changes, want 2: one for each cancellation that happened", got)
	}
}

func TestRefund(t *testing.T) {
	t.Parallel()
	s, dir := newShop(t)
	got, err := s.Refund(t.Context(), "A1001", "250.00")
	if err != nil {
		t.Fatal(err)
	}
	want := shop.Refund{ID: 1, OrderID: "A1001", Amount: 25000, Refunded: 25000, Refundable: 23000, Currency: "EUR"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error("refund (-want +got):\n" + d)
	}
	_, err = s.Refund(t.Context(), "A1001", "230.01")
	wantCode(t, err, shop.RefundTooLarge)
	if !strings.Contains(err.Error(), "230.00 EUR") {
		t.Errorf("%q does not say what would pass", err)
	}
	_, err = s.Refund(t.Context(), "A1002", "1")
	wantCode(t, err, shop.NothingPaid)
	_, err = s.Refund(t.Context(), "A9999", "1")
	wantCode(t, err, shop.UnknownOrder)
	if got := changes(t, dir); len(got) != 1 || got[0].Detail != "250.00 EUR" {
		t.Errorf("changes: %v, want the one refund", got)
	}
}

// Whatever is refunded and cancelled in whatever order, no order pays back more
// than was paid, and the change log adds up to the books.
func TestRefundsNeverExceedWhatWasPaid(t *testing.T) {
	t.Parallel()
	fresh := filepath.Join(t.TempDir(), "shop")
	first, err := shop.Open(t.Context(), config(fresh))
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(rt *rapid.T) {
		dir := filepath.Join(t.TempDir(), "shop") // a copy: making one takes many syncs
		if err := os.CopyFS(dir, os.DirFS(fresh)); err != nil {
			rt.Fatal(err)
		}
		s, err := shop.Open(t.Context(), config(dir))
		if err != nil {
			rt.Fatal(err)
		}
		defer s.Close()
		ids := []string{"A1001", "A1002", "A1006", "A1009", "A1010"}
		paid := map[string]shop.Amount{}
		for range rapid.IntRange(1, 8).Draw(rt, "steps") {
			id := rapid.SampledFrom(ids).Draw(rt, "order")
			if rapid.Bool().Draw(rt, "cancel") {
				_, err = s.CancelOrder(t.Context(), id)
			} else {
				sum := shop.Amount(rapid.Int64Range(1, 60000).Draw(rt, "cents"))
				if _, err = s.Refund(t.Context(), id, sum.String()); err == nil {
					paid[id] += sum
				}
			}
			if _, refusal := errors.AsType[*shop.Error](err); err != nil && !refusal {
				rt.Fatal(err)
			}
		}
		seeded := map[string]shop.Amount{"A1009": 31000, "A1010": 10000}
		for _, id := range ids {
			o, err := s.Order(t.Context(), id)
			if err != nil {
				rt.Fatal(err)
			}
			if o.Refunded != seeded[id]+paid[id] || o.Refunded > o.Paid {
				rt.Fatalf("%s: books say %s refunded of %s paid, answers say %s", id, o.Refunded, o.Paid, seeded[id]+paid[id])
			}
		}
	})
}

func TestDeleteOrdersIsAllOrNothing(t *testing.T) {
	t.Parallel()
	s, dir := newShop(t)
	many := make([]string, shop.MaxBatch+1)
	for i := range many {
		many[i] = "A" + string(rune('0'+i%10))
	}
	for _, c := range []struct {
		ids  []string
		want shop.Code
	}{
		{[]string{"A1003", "A1001"}, shop.OrderNotDeletable},
		{[]string{"A1003", "A9999"}, shop.UnknownOrder},
		{[]string{"A1003", "A1003"}, shop.InvalidOrderList},
		{nil, shop.InvalidOrderList},
		{many, shop.InvalidOrderList},
	} {
		_, err := s.DeleteOrders(t.Context(), c.ids)
		wantCode(t, err, c.want)
	}
	if _, err := s.Order(t.Context(), "A1003"); err != nil {
		t.Errorf("a refused batch deleted an order: %v", err)
	}
	if _, err := s.DeleteOrders(t.Context(), []string{"A1003", "A1008"}); err != nil {
		t.Fatal(err)
	}
	_, err := s.Order(t.Context(), "A1003")
	wantCode(t, err, shop.UnknownOrder)
	_, err = s.DeleteOrders(t.Context(), []string{"A1003"})
	wantCode(t, err, shop.UnknownOrder)
	var what []string
	for _, c := range changes(t, dir) {
		what = append(what, c.Tool+" "+c.What)
	}
	if d := cmp.Diff([]string{"batch_delete_orders A1003", "batch_delete_orders A1008"}, what); d != "" {
		t.Error("changes (-want +got):\n" + d)
	}
}

func TestDeleteUser(t *testing.T) {
	t.Parallel()
	s, dir := newShop(t)
	_, err := s.DeleteUser(t.Context(), "u_001", false)
	wantCode(t, err, shop.ConfirmMissing)
	_, err = s.DeleteUser(t.Context(), "u_002", true)
	wantCode(t, err, shop.UserHasOpenOrders)
	_, err = s.DeleteUser(t.Context(), "u_999", true)
	wantCode(t, err, shop.UnknownUser)
	if got := changes(t, dir); len(got) != 0 {
		t.Fatalf("refused deletions were recorded as changes: %v", got)
	}
	before, err := s.User(t.Context(), "u_001")
	if err != nil {
		t.Fatal(err)
	}
	want := shop.User{ID: "u_001", Name: "Customer 1", Email: "customer1@example.com", Status: "active", Orders: []string{"A1003", "A1009"}}
	if d := cmp.Diff(want, before); d != "" {
		t.Error("user (-want +got):\n" + d)
	}
	if _, err := s.DeleteUser(t.Context(), "u_001", true); err != nil {
		t.Fatal(err)
	}
	want.Name, want.Email, want.Status = "", "", "deleted"
	after, err := s.User(t.Context(), "u_001")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, after); d != "" {
		t.Error("deleted user (-want +got):\n" + d)
	}
	_, err = s.DeleteUser(t.Context(), "u_001", true)
	wantCode(t, err, shop.AlreadyDeleted)
}

func TestCityWeather(t *testing.T) {
	t.Parallel()
	got, err := shop.CityWeather(" berlin ")
	want := shop.Weather{City: "Berlin", Condition: "cloudy", Temperature: 4, Note: shop.WeatherNote}
	if err != nil || got != want {
		t.Errorf("got %v %v, want %v", got, err, want)
	}
	_, err = shop.CityWeather("Atlantis")
	wantCode(t, err, shop.UnknownCity)
	if !strings.Contains(err.Error(), "Lisbon") {
		t.Errorf("%q does not list the cities", err)
	}
}

func TestParseAmount(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]shop.Amount{"250.00": 25000, "250": 25000, "0.01": 1, "9999999.99": 999999999} {
		if got, err := shop.ParseAmount(in); err != nil || got != want {
			t.Errorf("%q: got %v %v, want %d cents", in, got, err, want)
		}
	}
	for _, in := range []string{
		"", "0", "0.00", "-1", "+1", "1.5", "1.005", "1,50", "1e3", "01", " 1", "1 ", "1\n", ".50", "1.", "0x10",
		"NaN", "Infinity", "10000000", "١٢", "250.00 EUR",
	} {
		_, err := shop.ParseAmount(in)
		wantCode(t, err, shop.InvalidAmount)
	}
}

func TestAmountKeepsEveryCent(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		a := shop.Amount(rapid.Int64Range(1, 999999999).Draw(rt, "cents"))
		back, err := shop.ParseAmount(a.String())
		if err != nil || back != a {
			rt.Fatalf("%d cents came back as %d: %v", int64(a), int64(back), err)
		}
		j, err := json.Marshal(a)
		if err != nil || string(j) != `"`+a.String()+`"` {
			rt.Fatalf("JSON is %s, error %v", j, err)
		}
	})
	if got := shop.Amount(-5).String(); got != "-0.05" {
		t.Errorf("minus five cents reads %s", got)
	}
}

func FuzzParseAmount(f *testing.F) {
	for _, s := range []string{"250.00", "0", "1e9", "0.010", "-0", "1\x00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		a, err := shop.ParseAmount(s)
		if err != nil {
			return
		}
		if a <= 0 || strings.TrimSuffix(a.String(), ".00") != strings.TrimSuffix(s, ".00") {
			t.Errorf("%q was read as %s", s, a)
		}
	})
}
