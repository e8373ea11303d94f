// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package main_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/httpgate/client"
)

// fullDisk lets the gate's files grow no more, as a full disk would: calls are
// refused and nothing is dispatched; when there is room again, the same gate
// goes on.
func fullDisk(t *testing.T, gate, orders string) {
	t.Helper()
	s := newShop(t, gate, orders)
	p := s.serve(gate)
	id := s.approved("A1001")
	largest := int64(0)
	for _, name := range []string{"toolverdict.db", "toolverdict.db-wal"} {
		if info, err := os.Stat(filepath.Join(s.data(), name)); err == nil {
			largest = max(largest, info.Size())
		}
	}
	limit := func(size string) {
		cmd := exec.CommandContext(t.Context(), "prlimit", "--pid", strconv.Itoa(p.Process.Pid), "--fsize="+size+":unlimited")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("set a limit: %v\n%s", err, out)
		}
	}
	limit(strconv.FormatInt(largest, 10))

	query := client.Call{Tool: "orders/query_order", Arguments: []byte(`{"order_id":"A1002"}`)}
	refused := func() bool {
		res := s.do(query)
		return codeIn(&res) == tv.GateUnavailable && res.StateChanged == tv.Unchanged && res.SecurityBlocked
	}
	eventually(t, "a call is refused on a full disk", refused)
	res := s.do(cancelCall("A1001", id))
	if codeIn(&res) != tv.GateUnavailable || s.cancelled("A1001") != 0 {
		t.Errorf("on a full disk: %q, %d cancellations", codeIn(&res), s.cancelled("A1001"))
	}
	if isReady(s.url) {
		t.Error("the gate says that it is ready on a full disk")
	}

	limit("unlimited")
	eventually(t, "calls run when there is room again", func() bool {
		res := s.do(query)
		return res.Success
	})
	eventually(t, "the gate is ready again", func() bool { return isReady(s.url) })
	if res := s.do(cancelCall("A1001", id)); !res.Success || s.cancelled("A1001") != 1 {
		t.Errorf("with room again: %q, %d cancellations", codeIn(&res), s.cancelled("A1001"))
	}
	p.kill()
	s.verify()
}

func eventually(t *testing.T, what string, try func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if try() {
			return
		}
	}
	t.Fatal(fmt.Sprint("it did not come about: ", what))
}
