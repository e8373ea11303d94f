// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package catalog

// ReturnsRows reports whether the function is PostgreSQL's own and returns rows
// of several columns, whatever its arguments are.
func ReturnsRows(name string) bool {
	switch name {
	case "aclexplode", "json_each", "json_each_text", "json_populate_record", "json_populate_recordset", "json_to_record",
		"json_to_recordset", "jsonb_each", "jsonb_each_text", "jsonb_populate_record", "jsonb_populate_recordset",
		"jsonb_to_record", "jsonb_to_recordset", "pg_get_keywords", "pg_get_object_address", "pg_identify_object",
		"pg_identify_object_as_address", "pg_lock_status", "pg_options_to_table", "pg_partition_tree",
		"pg_sequence_parameters", "pg_walfile_name_offset", "ts_debug", "ts_parse", "ts_token_type":
		return true
	default:
		return false
	}
}

// Column is the column of a harmless function that returns one value for each
// row, where it is known by the name in a FROM list.
func Column(function, name string) string {
	switch function {
	case "json_array_elements", "json_array_elements_text", "jsonb_array_elements", "jsonb_array_elements_text":
		return "value"
	case "pg_partition_ancestors":
		return "relid"
	default:
		return name
	}
}

// ReturnsMany reports whether the harmless function returns any number of rows.
func ReturnsMany(name string) bool {
	switch name {
	case "unnest", "generate_series", "generate_subscripts", "regexp_matches", "regexp_split_to_table", "string_to_table",
		"json_array_elements", "json_array_elements_text", "jsonb_array_elements", "jsonb_array_elements_text",
		"json_object_keys", "jsonb_object_keys", "jsonb_path_query", "jsonb_path_query_tz", "pg_listening_channels",
		"pg_partition_ancestors", "pg_tablespace_databases", "pg_snapshot_xip", "txid_snapshot_xip":
		return true
	default:
		return ReturnsRows(name)
	}
}
