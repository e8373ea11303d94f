// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package engine takes the messages of MCP clients through the gate to an
// upstream, and the answers back. It is the same for every front and every kind
// of upstream.
//
// A passive message is forwarded as it is. One that acts is a call: it goes
// through Gate.Do, and its bytes are forwarded only by the executor that the
// gate hands a permit to. A method that is not known is refused, unless the
// operator allowed it. What the upstream sends is looked at on the way back:
// requests to the client are calls too, lists lose what the caller may not see.
//
// The engine decides nothing itself. Its memory holds only exchanges that are
// open at this moment; what outlives one travels with the client, sealed.
package engine
