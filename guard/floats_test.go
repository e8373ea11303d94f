// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package guard_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/toolverdict/toolverdict/guard"
)

func TestFitFloats(t *testing.T) {
	t.Parallel()
	for arguments, want := range map[string]bool{
		`{}`: true, ``: true, `{"a":"9007199254740993","b":[null,true]}`: true, `{"9007199254740993":1}`: true,
		`{"n":0}`: true, `{"n":-1}`: true, `{"n":0.1}`: true, `{"n":1e-300}`: true, `{"n":9007199254740991}`: true, `{"n":9007199254740992}`: true,
		`{"n":1000000000000000000}`: true, `{"n":1e22}`: true,
		`{"n":9007199254740993}`: false, `{"n":-9007199254740993}`: false, `{"n":123456789012345678901234567890}`: false,
		`{"a":{"b":[1,{"c":9007199254740993}]}}`:  false,
		`{"n":1234567890123456800}`:               false, // printed as itself, and another integer
		`{"n":1152921504606846976}`:               false, // 2^60 is the float, and printed as another number
		`{"n":9223372036854775807}`:               false,
		`{"n":1e300}`:                             false,
		`{"n":1` + strings.Repeat("0", 350) + `}`: false,
		`{"n":1,"n":2}`:                           false,
		`[1]`:                                     false,
		`{"n":"1","m":1} `:                        true,
		`"{\"n\":9007199254740993}"`:              false, // arguments as text are read
		`{"n":` + strings.Repeat("[", 20) + `9007199254740993` + strings.Repeat("]", 20) + `}`: false,
	} {
		err := guard.FitFloats([]byte(arguments))
		if (err == nil) != want || err != nil && !errors.Is(err, guard.ErrNotRun) {
			t.Errorf("%s: %v", arguments, err)
		}
		if err != nil && strings.Contains(err.Error(), "9007199254740993") {
			t.Errorf("the error shows arguments: %v", err)
		}
	}
}

// Whatever fits is the same number to the two kinds of programs: those that take
// the integer of a float, and those that write it as JSON and read that.
func TestWhatFitsIsTheSame(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64().Draw(t, "n") << rapid.IntRange(0, 10).Draw(t, "shift")
		text := fmt.Appendf(nil, `{"n":%d}`, n)
		var in struct{ N float64 }
		if err := json.Unmarshal(text, &in); err != nil {
			t.Fatal(err)
		}
		integer, _ := big.NewFloat(in.N).Int(nil)
		written, err := json.Marshal(in.N)
		if err != nil {
			t.Fatal(err)
		}
		again, ok := new(big.Int).SetString(string(written), 10)
		same := integer.IsInt64() && integer.Int64() == n && ok && again.Cmp(integer) == 0
		if err := guard.FitFloats(text); (err == nil) != same {
			t.Errorf("%s: %v, as an integer %s, written as %s", text, err, integer, written)
		}
	})
}
