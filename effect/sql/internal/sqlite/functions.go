// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package sqlite

// harmless is the table of functions of SQLite and its shell that compute a
// value, or tell about the connection, and do nothing else. A program may put a
// function of its own in the place of any of them. What is left out on purpose:
// load_extension, fts3_tokenizer, readfile, writefile, edit, fsdir, eval, and
// whatever a program adds.
func harmless(name string) bool {
	switch name {
	case "abs", "changes", "char", "coalesce", "concat", "concat_ws", "format", "glob", "hex", "if", "ifnull", "iif", "instr",
		"last_insert_rowid", "length", "like", "likelihood", "likely", "lower", "ltrim", "max", "min", "nullif",
		"octet_length", "printf", "quote", "random", "randomblob", "replace", "round", "rtrim", "sign", "soundex",
		"sqlite_compileoption_get", "sqlite_compileoption_used", "sqlite_offset", "sqlite_source_id", "sqlite_version",
		"subtype", "substr", "substring", "total_changes", "trim", "typeof", "unhex", "unicode", "unistr", "unistr_quote",
		"unlikely", "upper", "zeroblob",
		"current_date", "current_time", "current_timestamp", "date", "datetime", "julianday", "strftime", "time",
		"timediff", "unixepoch",
		"avg", "count", "group_concat", "median", "percentile", "percentile_cont", "percentile_disc", "string_agg", "sum",
		"total",
		"cume_dist", "dense_rank", "first_value", "lag", "last_value", "lead", "nth_value", "ntile", "percent_rank", "rank",
		"row_number",
		"acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "ceil", "ceiling", "cos", "cosh", "degrees", "exp",
		"floor", "ln", "log", "log10", "log2", "mod", "pi", "pow", "power", "radians", "sin", "sinh", "sqrt", "tan", "tanh",
		"trunc",
		"json", "json_array", "json_array_insert", "json_array_length", "json_each", "json_error_position", "json_extract",
		"json_group_array", "json_group_object", "json_insert", "json_object", "json_patch", "json_pretty", "json_quote",
		"json_remove", "json_replace", "json_set", "json_tree", "json_type", "json_valid", "jsonb", "jsonb_array",
		"jsonb_array_insert", "jsonb_each", "jsonb_extract", "jsonb_group_array", "jsonb_group_object", "jsonb_insert",
		"jsonb_object", "jsonb_patch", "jsonb_remove", "jsonb_replace", "jsonb_set", "jsonb_tree",
		"bm25", "highlight", "matchinfo", "offsets", "snippet", "generate_series", "match", "regexp":
		return true
	default:
		return false
	}
}

// aggregate reports whether a call makes one row of any number.
func aggregate(name string, args int) bool {
	switch name {
	case "avg", "count", "group_concat", "json_group_array", "json_group_object", "jsonb_group_array", "jsonb_group_object",
		"median", "percentile", "string_agg", "sum", "total":
		return true
	case "max", "min":
		return args == 1
	default:
		return false
	}
}
