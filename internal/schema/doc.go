// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package schema checks arguments against the JSON Schema of a tool.
//
// Schemas come from strangers, so they are bounded before anything is built of
// them: size, depth, number of subschemas, cost of regular expressions. No
// reference is ever fetched; one that leaves the document does not compile. A
// schema that cannot be read, bounded or checked exactly is refused, and with
// it the tool that carries it.
//
// A package below this one reads the schema: drafts 4 to 2020-12, references,
// anchors, its own validity. What it found is turned into a frozen graph, which
// is evaluated over [canon.Value] directly, so that numbers stay exact, nothing
// is converted, and each check has a budget of steps. Tests hold both against a
// well-kept library that does it all in another way.
//
// format, contentEncoding and contentMediaType are notes, as 2020-12 and MCP
// have them: servers differ in what they accept as a date or an address, and
// the gate must not refuse what the tool takes. [Options.Strict] makes format a
// rule, for schemas that an operator wrote.
package schema
