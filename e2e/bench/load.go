// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// firstID is the first id that calls use: every id has as many digits, so that a request is made by
// writing the digits into a template.
const firstID = 1_000_000_000

// caller makes calls in a number of slots, each of which is used by one goroutine at a time.
type caller interface {
	// call makes one call and checks the reply to it.
	call(slot, id int) error
	close()
}

// target is one path that calls can take.
type target struct {
	group, name string
	direct      bool
	// open connects a number of slots.
	open func(ctx context.Context, slots int) (caller, error)
	// pid holds the process whose CPU time is the hop's; nil: none.
	pid *atomic.Int64
}

// clock is the time, as a value that tests can replace.
type clock func() time.Time

// measure makes calls in every slot for a while and sums up how long they took. One wrong reply
// makes the whole measurement an error.
func measure(ctx context.Context, t target, slots int, length time.Duration, now clock) (sample, error) {
	c, err := t.open(ctx, slots)
	if err != nil {
		return sample{}, fmt.Errorf("open %s, %s: %v", t.group, t.name, err)
	}
	defer c.close()
	d := newDriver(c, slots, now)
	// Connections, pools and caches are warm before anything is measured.
	if _, err := d.drive(length / 10); err != nil {
		return sample{}, fmt.Errorf("%s, %s: %v", t.group, t.name, err)
	}
	before, err := cpuOf(t)
	if err != nil {
		return sample{}, err
	}
	start := now()
	latencies, err := d.drive(length)
	took := now().Sub(start)
	if err != nil {
		return sample{}, fmt.Errorf("%s, %s: %v", t.group, t.name, err)
	}
	after, err := cpuOf(t)
	if err != nil {
		return sample{}, err
	}
	if len(latencies) == 0 {
		return sample{}, fmt.Errorf("%s, %s: no call ended within %v", t.group, t.name, length)
	}
	return newSample(latencies, took, after-before), nil
}

// driver makes calls in every slot of a caller; no id is used twice.
type driver struct {
	caller caller
	next   []int // per slot
	now    clock
}

func newDriver(c caller, slots int, now clock) *driver {
	d := &driver{caller: c, next: make([]int, slots), now: now}
	for slot := range d.next {
		d.next[slot] = firstID + slot
	}
	return d
}

// drive makes calls until the time is over, and returns how long each took.
func (d *driver) drive(length time.Duration) ([]time.Duration, error) {
	var wg sync.WaitGroup
	slots := len(d.next)
	all := make([][]time.Duration, slots)
	errs := make([]error, slots)
	until := d.now().Add(length)
	for slot := range slots {
		wg.Go(func() {
			took := make([]time.Duration, 0, 1<<14)
			for start := d.now(); start.Before(until); d.next[slot] += slots {
				if errs[slot] = d.caller.call(slot, d.next[slot]); errs[slot] != nil {
					break
				}
				end := d.now()
				took = append(took, end.Sub(start))
				start = end
			}
			all[slot] = took
		})
	}
	wg.Wait()
	return slices.Concat(all...), errors.Join(errs...)
}

// template is a request with places for the id and the message, which are the same ten digits.
type template struct {
	text        []byte
	id, message int // offsets
}

const placeholder = "0000000000"

func newTemplate(before, body string) template {
	text := []byte(before + body)
	first := len(before) + bytes.Index([]byte(body), []byte(placeholder))
	second := len(before) + bytes.LastIndex([]byte(body), []byte(placeholder))
	return template{text: text, id: first, message: second}
}

// fill writes an id into both places.
func (t template) fill(id int) []byte {
	digits := strconv.AppendInt(make([]byte, 0, len(placeholder)), int64(id), 10)
	copy(t.text[t.id:], digits)
	copy(t.text[t.message:], digits)
	return t.text
}

// check looks for the id and the message in a reply, and for no error.
func check(reply []byte, id int) error {
	digits := strconv.Itoa(id)
	if bytes.Contains(reply, []byte(`"id":`+digits)) && bytes.Contains(reply, []byte(`"text":"`+digits+`"`)) &&
		!bytes.Contains(reply, []byte(`"isError":true`)) {
		return nil
	}
	return fmt.Errorf("wrong reply to call %d: %.300s", id, reply)
}

// callBody is the message of a call; modern adds what the stateless era wants.
func callBody(meta string) string {
	return `{"jsonrpc":"2.0","id":` + placeholder + `,"method":"tools/call","params":{` + meta +
		`"name":"echo","arguments":{"message":"` + placeholder + `"}}}`
}
