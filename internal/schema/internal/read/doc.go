// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package read reads a JSON Schema as what it is: which draft it is written in,
// whether each keyword has the form that the draft's metaschema asks for, which
// of its parts have addresses of their own, and where its references go.
//
// It reads drafts 4, 6, 7, 2019-09 and 2020-12, one in each document. What the
// metaschema of the draft refuses is refused, and so is a reference that a check
// would need and that goes nowhere. Nothing is ever fetched. Where JSON Schema
// leaves two ways to read a document, or programs are known to differ, it is
// refused with the words "not supported".
//
// It does not know what keywords mean for a value: that is for who asks.
package read
