# Copyright 2026 The Toolverdict Authors
# SPDX-License-Identifier: Apache-2.0

"""Why a call was not run, or what came of one that was."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional


@dataclass(frozen=True)
class Ran:
    """What came of a call that ran, as the gate lets the model read it: without secrets that it holds."""

    text: str
    """For the model: the result where it is text, and its JSON where it is not."""
    value: Any
    """The result, read; None where the tool gave none."""
    replayed: bool = False
    """Nothing was run now: this is the stored result of the same act."""
    edited: Optional[Mapping[str, Any]] = None
    """What an approver changed before it ran."""


class Refused(Exception):
    """The call was not run: the gate refused it, a person must approve it first, or there was
    no answer that is leave. The text is fit for the model."""

    def __init__(
        self,
        code: str,
        reason: str,
        *,
        recommended_action: Optional[str] = None,
        retryable: bool = False,
        retry_after: Optional[float] = None,
        details: Optional[List[Mapping[str, Any]]] = None,
        confirmation: Optional[Mapping[str, Any]] = None,
        verdict: Optional[Mapping[str, Any]] = None,
        status: Optional[int] = None,
    ) -> None:
        self.code, self.reason, self.recommended_action = code, reason, recommended_action
        self.retryable, self.retry_after, self.details = retryable, retry_after, details or []
        self.confirmation, self.verdict, self.status = confirmation, verdict, status
        super().__init__(self._sentence())

    def _sentence(self) -> str:
        parts = [f"{self.code}: {self.reason}"]
        parts += [f"{d.get('path', '')}: {d.get('message', '')}." for d in self.details]
        if self.recommended_action:
            parts.append(self.recommended_action)
        if self.confirmation and str(self.confirmation.get("id")) not in parts[0]:
            parts.append(f"Confirmation: {self.confirmation.get('id', '')}.")
        return " ".join(parts)

    @property
    def waits(self) -> bool:
        """Whether a person must approve the call."""
        return self.code == "CONFIRMATION_REQUIRED" and self.confirmation is not None


class AlreadyRan(Refused):
    """The same act ran before, and nothing was run now."""

    def __init__(self, ran: Ran, verdict: Mapping[str, Any]) -> None:
        self.ran = ran
        super().__init__("ALREADY_RAN", "The same call was run before; its stored result stands.", verdict=verdict)


class ToolFailed(Exception):
    """The tool was entered and failed. The text is what the gate lets the model read."""

    def __init__(self, told: Mapping[str, Any]) -> None:
        self.told = told
        error = told.get("error") or {}
        super().__init__(f"{error.get('code') or 'TOOL_ERROR'}: {error.get('message') or 'the tool failed'}")


class Untold(Exception):
    """The call ran, or may have: the gate could not be told what came of it, or its own answer was lost. It
    must not be run again as if nothing had happened. What the tool answered is not given out, since nobody
    hid its secrets."""

    code = "OUTCOME_UNKNOWN"

    def __init__(self, why: str, what: str = "the tool ran, and the gate could not be told what came of it") -> None:
        self.why = why
        super().__init__(f"OUTCOME_UNKNOWN: {what} ({why.rstrip('.')}). Do not retry.")


class NotBegun(Exception):
    """Raised by a tool's function that was entered and did nothing, such as one that pauses: the
    claim is given back, and the cause (raise NotBegun() from cause) goes on."""


class Unfinished(Exception):
    """Raised by a tool's function that did something and cannot say what came of it: that is told as
    unknown, so that the act is not done again, and the cause (raise Unfinished() from cause) goes on."""


def may_have_run(error: BaseException) -> bool:
    """Whether what a tool raised leaves open what it did: it was cut short, or what it called did not answer
    in time. The name counts, since each HTTP client and each database has a class of its own for it."""
    seen: List[int] = []
    at: Optional[BaseException] = error
    while at is not None and id(at) not in seen:
        cut_short = isinstance(at, (Untold, Unfinished)) or not isinstance(at, Exception)
        if cut_short or any("timeout" in c.__name__.lower() for c in type(at).__mro__):
            return True
        seen.append(id(at))
        at = at.__cause__ or (None if at.__suppress_context__ else at.__context__)
    return False


def unavailable(reason: str, status: Optional[int] = None, retryable: bool = True) -> Refused:
    """No answer that a gate gives: nothing may run on it."""
    return Refused(
        "GATE_UNAVAILABLE",
        reason,
        recommended_action="Nothing was run. Retry later; if it persists, tell the operator." if retryable else "Nothing was run.",
        retryable=retryable,
        status=status,
    )


def lost(reason: str) -> Untold:
    """The gate was asked to run a call, and what came of that is not known."""
    return Untold(reason, "the gate may have run the call, and its answer was lost")


def shown(text: str) -> str:
    """Text of strangers made fit for a message: no control, bidirectional or invisible characters, and not long."""
    plain = "".join(" " if unicodedata.category(c)[0] == "C" or unicodedata.category(c) in ("Zl", "Zp") else c for c in text[:2000])
    plain = " ".join(plain.split())
    return plain if len(plain) <= 500 else plain[:499] + "…"


def refusal(answer: Dict[str, Any], verdict: Optional[Mapping[str, Any]] = None) -> Refused:
    """The refusal that an answer holds."""
    error = answer.get("error")
    if not isinstance(error, dict) or not isinstance(error.get("code"), str):
        return unavailable("What answered is no gate: it neither allows the call nor refuses it.")
    confirmation = answer.get("confirmation")
    return Refused(
        error["code"],
        str(error.get("message", "")),
        recommended_action=error.get("recommendedAction"),
        retryable=error.get("retryable") is True,
        retry_after=error.get("retryAfter"),
        details=[d for d in error.get("details") or [] if isinstance(d, dict)],
        confirmation=confirmation if isinstance(confirmation, dict) else None,
        verdict=verdict,
    )
