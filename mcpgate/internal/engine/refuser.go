// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"

	"github.com/toolverdict/toolverdict"
)

// refuser is the executor of calls that must not run whatever is decided.
type refuser struct{}

// Execute implements [toolverdict.Executor].
func (refuser) Execute(context.Context, toolverdict.Permit) toolverdict.Outcome {
	return toolverdict.Outcome{Status: toolverdict.NotSent, Code: toolverdict.ToolError, Message: "The call was not sent."}
}
