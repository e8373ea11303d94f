// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"fmt"
	"maps"
	"slices"

	library "cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
)

// Environment is what expressions can name: types, variables, functions. Nothing
// of the library's own is in it, so that nothing can be called that is not
// listed here.
type Environment struct{ library *library.Env }

// NewEnvironment makes the one environment; it is costly, so make it once.
func NewEnvironment() (*Environment, error) {
	options := []library.EnvOption{
		library.CustomTypeProvider(records{}),
		library.Variable("args", library.MapType(library.StringType, library.DynType)),
		library.Variable("env", library.MapType(library.StringType, library.StringType)),
		library.Variable("effects", library.ListType(library.ObjectType("effect"))),
		library.Macros(library.HasMacro, library.AllMacro, library.ExistsMacro, library.ExistsOneMacro),
		library.ParserExpressionSizeLimit(1 << 13),
		library.ParserRecursionLimit(64),
	}
	for _, name := range []string{"tool", "subject", "agent", "session", "run", "time"} {
		options = append(options, library.Variable(name, library.ObjectType(name)))
	}
	e, err := library.NewCustomEnv(append(options, functions()...)...)
	if err != nil {
		return nil, fmt.Errorf("make the environment of CEL: %w", err)
	}
	return &Environment{e}, nil
}

// signature is one way to call a function. The last type is that of its result.
type signature []*library.Type

func functions() []library.EnvOption {
	b, n, f, s := library.BoolType, library.IntType, library.DoubleType, library.StringType
	at, length := library.TimestampType, library.DurationType
	a, k := library.TypeParamType("A"), library.TypeParamType("B")
	some, members := library.ListType(a), library.MapType(a, k)
	alike := []signature{{b, b, b}, {s, s, b}, {n, n, b}, {f, f, b}, {n, f, b}, {f, n, b}, {at, at, b}, {length, length, b}, {library.NullType, library.NullType, b}}
	ordered := []signature{{n, n, b}, {f, f, b}, {n, f, b}, {f, n, b}, {at, at, b}, {length, length, b}}
	numeric := []signature{{n, n, n}, {f, f, f}, {n, f, f}, {f, n, f}}
	out := []library.EnvOption{}
	for name, list := range map[string][]signature{
		operators.LogicalAnd: {{b, b, b}}, operators.LogicalOr: {{b, b, b}}, operators.LogicalNot: {{b, b}},
		operators.NotStrictlyFalse: {{b, b}}, operators.Conditional: {{b, a, a, a}},
		operators.Equals: alike, operators.NotEquals: alike,
		operators.Less: ordered, operators.LessEquals: ordered, operators.Greater: ordered, operators.GreaterEquals: ordered,
		operators.Add:      append([]signature{{s, s, s}, {at, length, at}}, numeric...),
		operators.Subtract: append([]signature{{at, at, length}, {at, length, at}}, numeric...),
		operators.Multiply: numeric, operators.Modulo: {{n, n, n}}, operators.Negate: {{n, n}, {f, f}},
		operators.Index: {{some, n, a}, {members, a, k}}, operators.In: {{a, some, b}, {a, members, b}},
		"timestamp": {{s, at}}, "duration": {{s, length}},
	} {
		out = append(out, declare(name, false, list))
	}
	for name, list := range map[string][]signature{
		"size": {{s, n}, {some, n}, {members, n}}, "startsWith": {{s, s, b}}, "endsWith": {{s, s, b}}, "contains": {{s, s, b}}, "matches": {{s, s, b}},
	} {
		out = append(out, declare(name, true, list))
	}
	return append(out, declare("size", false, []signature{{s, n}, {some, n}, {members, n}}))
}

func declare(name string, member bool, list []signature) library.EnvOption {
	var overloads []library.FunctionOpt
	for i, types := range list {
		last := len(types) - 1
		overload, id := library.Overload, fmt.Sprintf("%s %d", name, i)
		if member {
			overload, id = library.MemberOverload, "member "+id
		}
		overloads = append(overloads, overload(id, types[:last], types[last]))
	}
	return library.Function(name, overloads...)
}

// fieldsOf returns the fields of a record with their types.
func fieldsOf(record string) map[string]*types.Type {
	b, n, s, words := library.BoolType, library.IntType, library.StringType, library.ListType(library.StringType)
	switch record {
	case "tool":
		return map[string]*types.Type{"name": s, "server": s, "safety": s, "risk": s, "permission": s, "confirmation": s, "execution": s, "groups": words}
	case "subject":
		return map[string]*types.Type{"id": s, "kind": s, "user": s, "roles": words, "permissions": words, "authenticated": b}
	case "agent":
		return map[string]*types.Type{"id": s, "model": s}
	case "session":
		return map[string]*types.Type{"id": s}
	case "run":
		return map[string]*types.Type{"id": s, "readOnly": b}
	case "time":
		return map[string]*types.Type{"now": library.TimestampType, "date": s, "clock": s, "weekday": s, "hour": n, "minute": n}
	case "effect":
		return map[string]*types.Type{
			"kind": s, "source": s, "path": s, "deep": b, "names": b, "program": s, "argv": words, "verb": s, "known": b, "host": s, "ip": s,
			"port": n, "scheme": s, "network": s, "recipient": s, "domain": s, "field": s, "amount": library.DoubleType, "currency": s,
			"query": library.ObjectType("query"),
		}
	case "query":
		return map[string]*types.Type{"statement": n, "verb": s, "reads": words, "changes": words, "columns": words, "functions": words, "bounded": b, "limit": n}
	}
	return nil
}

// records tells the type checker what fields there are.
type records struct{}

var _ types.Provider = records{}

// EnumValue implements [types.Provider]: there are none.
func (records) EnumValue(string) ref.Val { return types.NewErr("there are no enumerations") }

// FindIdent implements [types.Provider]: types are no values here.
func (records) FindIdent(string) (ref.Val, bool) { return nil, false }

// FindStructType implements [types.Provider].
func (records) FindStructType(name string) (*types.Type, bool) {
	if fieldsOf(name) == nil {
		return nil, false
	}
	return types.NewTypeTypeWithParam(types.NewObjectType(name)), true
}

// FindStructFieldNames implements [types.Provider].
func (records) FindStructFieldNames(name string) ([]string, bool) {
	fields := fieldsOf(name)
	return slices.Sorted(maps.Keys(fields)), fields != nil
}

// FindStructFieldType implements [types.Provider].
func (records) FindStructFieldType(record, field string) (*types.FieldType, bool) {
	t := fieldsOf(record)[field]
	if t == nil {
		return nil, false
	}
	return &types.FieldType{Type: t}, true
}

// NewValue implements [types.Provider]: expressions make no records.
func (records) NewValue(string, map[string]ref.Val) ref.Val {
	return types.NewErr("there are no records")
}
