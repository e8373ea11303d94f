// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package url says where a tool that is given a URL would connect to. It reads
// URLs as the WHATWG standard tells browsers to, and knows in which places
// other parsers read another target: those URLs yield what the standard says
// and an opaque effect besides, so that no rule allows them by half.
//
// It knows the text alone, no network. Names are looked up beforehand, by
// [Resolve], and their addresses handed in; without them the network of a name
// is not known, and unknown is never public. It fails closed: what does not
// parse is opaque, a name without an answer has no network, and every address
// that stands for another one (mapped, NAT64, 6to4, Teredo) is both.
//
// The parser is its own, because the libraries there are cost two to four
// microseconds and dozens of allocations for a usual URL, need seconds for a
// hostile one, and do not tell what other parsers read differently. Node's URL
// class is what it is tested against.
package url
