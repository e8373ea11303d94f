// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package toolverdict_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/gatetest"
)

// TestMalformedSaysItOnce counts in the arguments that were given, and names the
// place and the advice once.
func TestMalformedSaysItOnce(t *testing.T) {
	t.Parallel()
	r := newRig(t, gatetest.Policy{}, []*tv.Tool{gatetest.Tool("read", nil)}, nil)
	for arguments, want := range map[string]struct {
		place   string
		details []tv.FieldError
	}{
		`{order_id:A1001}`:         {"line 1, column 2: unexpected character: ", nil},
		`"{order_id:A1001}"`:       {"line 1, column 2: unexpected character: ", nil},
		"{\"a\":1,\n \"a\":2}":     {"line 2, column 2 (/a): duplicate key: ", []tv.FieldError{{Path: "/a", Message: "duplicate key"}}},
		`{"order":{"id":01}}`:      {"line 1, column 17 (/order/id): invalid number: ", []tv.FieldError{{Path: "/order/id", Message: "invalid number"}}},
		`{"secret":"hunter2","a":`: {"line 1, column 25 (/a): unexpected end: ", []tv.FieldError{{Path: "/a", Message: "unexpected end"}}},
	} {
		res, err := r.Do(context.Background(), tv.Proposal{Tool: "server/read", Arguments: []byte(arguments), Subject: tv.Subject{ID: "agent"}})
		if err != nil || res.Error == nil || res.Error.Code != tv.MalformedCall {
			t.Fatalf("%s: %+v %v", arguments, res, err)
		}
		message := res.Error.Message
		if !strings.HasPrefix(message, "The arguments are not acceptable JSON: "+want.place) || strings.Contains(message, "hunter2") || strings.Contains(message, "parse JSON") {
			t.Errorf("%s: %s", arguments, message)
		}
		if diff := cmp.Diff(want.details, res.Error.Details); diff != "" {
			t.Errorf("%s (-want +got):\n%s", arguments, diff)
		}
	}
}
