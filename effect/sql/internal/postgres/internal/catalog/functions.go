// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package catalog

// Reach is what a function does besides computing a value.
type Reach uint8

// The reaches. Whatever is not harmless is reported by its name; the reaches
// from ReadsFile on are effects of their own as well.
const (
	Unknown     Reach = iota
	Harmless          // computes a value, or tells about the server, the session or the catalog
	ReadsFile         // the first argument names it
	ListsFiles        // the first argument names the folder, which may be absent
	ImportsFile       // lo_import: reads it, and keeps it in the database
	ExportsFile       // lo_export: the second argument names it
	WritesFile        // the first argument names it
	Connects          // the first argument is a connection string, or a connection's name
	Fetches           // an address is in some argument
	RunsText          // an argument is SQL, or a part of some
	ReadsNamed        // the first argument names the relation
	ReadsAny          // relations that are not named
	SetsNamed         // the first argument names the sequence
	KeepsObject       // changes large objects
	ReadsObject       // reads large objects
)

// ReachOf is the table of functions. PostgreSQL looks into its own catalog
// first, so a name that is Harmless is that of PostgreSQL's function, unless someone
// made one with the same name for other types of argument.
func ReachOf(name string) Reach {
	switch name {
	case "pg_read_file", "pg_read_binary_file", "pg_read_file_old", "pg_file_read", "pg_stat_file":
		return ReadsFile
	case "pg_ls_dir", "pg_ls_logdir", "pg_ls_waldir", "pg_ls_tmpdir", "pg_ls_archive_statusdir", "pg_ls_summariesdir",
		"pg_ls_logicalmapdir", "pg_ls_logicalsnapdir", "pg_ls_replslotdir", "pg_logdir_ls", "pg_show_all_file_settings",
		"pg_hba_file_rules", "pg_ident_file_mappings", "pg_current_logfile":
		return ListsFiles
	case "lo_import":
		return ImportsFile
	case "lo_export":
		return ExportsFile
	case "pg_file_write", "pg_file_rename", "pg_file_unlink", "pg_file_sync":
		return WritesFile
	case "dblink", "dblink_connect", "dblink_connect_u", "dblink_exec", "dblink_open", "dblink_fetch", "dblink_close",
		"dblink_send_query", "dblink_get_result", "dblink_build_sql_insert", "dblink_build_sql_update":
		return Connects
	case "http", "http_get", "http_post", "http_put", "http_patch", "http_delete", "http_head",
		"postgres_fdw_get_connections", "aws_s3", "table_import_from_s3", "query_export_to_s3":
		return Fetches
	case "query_to_xml", "query_to_xml_and_xmlschema", "query_to_xmlschema", "ts_stat", "ts_rewrite", "crosstab",
		"crosstab2", "crosstab3", "crosstab4", "connectby", "xpath_table", "cursor_to_xml", "cursor_to_xmlschema":
		return RunsText
	case "table_to_xml", "table_to_xml_and_xmlschema", "table_to_xmlschema", "pgstattuple", "pgstatindex", "get_raw_page":
		return ReadsNamed
	case "schema_to_xml", "schema_to_xml_and_xmlschema", "schema_to_xmlschema", "database_to_xml",
		"database_to_xml_and_xmlschema", "database_to_xmlschema":
		return ReadsAny
	case "nextval", "setval":
		return SetsNamed
	case "lo_create", "lo_creat", "lo_from_bytea", "lo_put", "lo_unlink", "lo_truncate", "lo_truncate64", "lowrite", "lo_open":
		return KeepsObject
	case "lo_get", "loread":
		return ReadsObject
	}
	if computes(name) || tells(name) {
		return Harmless
	}
	return Unknown
}

// Texts are the places of the arguments that a function which runs text takes as
// SQL, of so many arguments. None are known where it makes SQL of several, or runs
// what was declared elsewhere.
func Texts(function string, arguments int) []int {
	switch function {
	case "query_to_xml", "query_to_xml_and_xmlschema", "query_to_xmlschema", "ts_stat", "crosstab2", "crosstab3", "crosstab4":
		return []int{0}
	case "crosstab": // the second one is SQL, or a number
		return []int{0, 1}[:max(1, min(arguments, 2))]
	case "ts_rewrite": // with three, they are values
		if arguments == 2 {
			return []int{1}
		}
	}
	return nil
}

// Parameter is the name of a function's parameter, where PostgreSQL has one that a
// call can use; empty where none is known.
func Parameter(function string, place int) string {
	if place != 0 {
		return ""
	}
	switch function {
	case "query_to_xml", "query_to_xml_and_xmlschema", "query_to_xmlschema", "ts_stat":
		return "query"
	case "table_to_xml", "table_to_xml_and_xmlschema", "table_to_xmlschema":
		return "tbl"
	case "pgstattuple", "pgstatindex":
		return "relname"
	default:
		return ""
	}
}

// Aggregate reports whether the function makes one row of any number, so that a
// query with it and no GROUP BY always has a row.
func Aggregate(name string) bool {
	switch name {
	case "any_value", "array_agg", "avg", "bit_and", "bit_or", "bit_xor", "bool_and", "bool_or", "count", "every",
		"json_agg", "json_object_agg", "jsonb_agg", "jsonb_object_agg", "max", "min", "range_agg", "string_agg", "sum",
		"stddev", "variance", "xmlagg":
		return true
	default:
		return false
	}
}

// KnownOperator tells PostgreSQL's own operators from those that somebody
// defined, which call a function of theirs.
func KnownOperator(name string) bool {
	switch name {
	case "!!", "!~", "!~*", "!~~", "!~~*", "!=", "#", "##", "#-", "#>", "#>>", "%", "&", "&&", "&<", "&<|", "&>", "*", "*<",
		"*<=", "*<>", "*=", "*>", "*>=", "+", "-", "->", "->>", "-|-", "/", "<", "<->", "<<", "<<=", "<<|", "<=", "<>",
		"<@", "<^", "=", ">", ">=", ">>", ">>=", ">^", "?", "?#", "?&", "?-", "?-|", "?|", "?||", "@", "@-@", "@>", "@?",
		"@@", "@@@", "^", "^@", "|", "|&>", "|/", "|>>", "||", "||/", "~", "~*", "~<=~", "~<~", "~=", "~>=~", "~>~", "~~",
		"~~*":
		return true
	default:
		return false
	}
}
