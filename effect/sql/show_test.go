// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package sql_test

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/toolverdict/toolverdict"
)

// show writes effects as the tables of this package's tests do, one after the
// other: the number of the statement, the verb and the facts that are not empty.
func show(effects []toolverdict.Effect) string {
	parts := make([]string, 0, len(effects))
	for _, e := range effects {
		parts = append(parts, showOne(e))
	}
	return strings.Join(parts, "; ")
}

func showOne(e toolverdict.Effect) string {
	switch e.Kind {
	case toolverdict.EffectQuery:
		return showQuery(e.Query)
	case toolverdict.EffectRead, toolverdict.EffectWrite:
		words := []string{string(e.Kind), "file"}
		if e.Names {
			words[1] = "names"
		}
		if e.Path != "" {
			words = append(words, e.Path)
		}
		return strings.Join(words, " ")
	case toolverdict.EffectExecute:
		return strings.ReplaceAll(strings.TrimSpace("run "+e.Program+" "+strings.Join(e.Argv, "|")), "\x00", "?")
	case toolverdict.EffectConnect:
		return strings.TrimSuffix(fmt.Sprintf("connect %s:%d", e.Host, e.Port), " :0")
	default:
		return string(e.Kind)
	}
}

func showQuery(q *toolverdict.Query) string {
	words := []string{strconv.Itoa(q.Statement), q.Verb}
	for _, fact := range []struct {
		name string
		list []string
	}{{"reads", q.Reads}, {"changes", q.Changes}, {"columns", q.Columns}, {"calls", q.Functions}} {
		if len(fact.list) > 0 {
			words = append(words, fact.name, strings.Join(fact.list, ","))
		}
	}
	if !q.Bounded {
		words = append(words, "UNBOUNDED")
	}
	if q.Limit != 0 {
		words = append(words, "limit", strconv.FormatInt(q.Limit, 10))
	}
	return strings.Join(words, " ")
}
