# Copyright 2026 The Toolverdict Authors
# SPDX-License-Identifier: Apache-2.0

"""Runs the tools of a program only with leave of a Toolverdict gate.

There is leave where the gate answers a claim with status 200, the literal verdict "allow", and a claim
for exactly the call that was asked about. Everything else is raised, and the tool is not entered."""

from .aio import AsyncGate
from .call import Call
from .claimed import Claimed
from .errors import AlreadyRan, NotBegun, Ran, Refused, ToolFailed, Unfinished, Untold
from .gate import Approvals, Gate

__all__ = ["AlreadyRan", "Approvals", "AsyncGate", "Call", "Claimed", "Gate", "NotBegun", "Ran", "Refused", "ToolFailed", "Unfinished", "Untold"]
