# Copyright 2026 The Toolverdict Authors
# SPDX-License-Identifier: Apache-2.0

"""Leave to run one call, once, and how it is read out of an answer."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone
from typing import Any, Dict, List, Mapping, Optional, Tuple

from . import _json
from .call import Asked
from .errors import AlreadyRan, Ran, Refused, Untold, lost, refusal, unavailable

_TIME = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(?:Z|([+-]\d\d):(\d\d))")


def _moment(text: str) -> Optional[datetime]:
    """A point in time as RFC 3339 has it; None where it is none."""
    at = _TIME.fullmatch(text)
    try:
        return at and _utc(*at.groups())
    except (ValueError, OverflowError):
        return None


def _utc(seconds: str, fraction: Optional[str], hours: Optional[str], minutes: Optional[str]) -> datetime:
    offset = timedelta(hours=abs(int(hours or 0)), minutes=int(minutes or 0))
    local = datetime.fromisoformat(seconds) + timedelta(microseconds=int((fraction or "0").ljust(6, "0")[:6]))
    return (local + offset if (hours or "").startswith("-") else local - offset).replace(tzinfo=timezone.utc)


class Claimed:
    """Leave to run one call, once. What may run is `arguments`: an approver may have changed it."""

    __slots__ = ("id", "tool", "digest", "deadline", "edited", "verdict", "text", "_token")

    def __init__(self, id: str, token: str, text: str, tool: str, digest: str, deadline: str, verdict: Dict[str, Any]) -> None:
        self.id, self.tool, self.digest, self.deadline = id, tool, digest, deadline
        self.text = text
        """The exact arguments, as the gate decided them."""
        self.edited: Optional[Mapping[str, Any]] = verdict.get("edited")
        self.verdict = verdict
        """The whole answer, without the claim."""
        self._token = token

    @property
    def arguments(self) -> Dict[str, Any]:
        """The same, read, exactly. Each time they are made anew, so that nobody changes what another one gets."""
        value = _json.strict(self.text)
        assert isinstance(value, dict)  # it was read before
        return value

    @property
    def over(self) -> bool:
        """Whether the leave has ended: the gate holds the outcome for unknown by now."""
        until = _moment(self.deadline)
        return until is None or datetime.now(timezone.utc) >= until

    def __repr__(self) -> str:  # the token is the proof that an outcome comes from who claimed: it reaches no log
        return f"Claimed(id={self.id!r}, tool={self.tool!r})"


def parts(text: str) -> Dict[str, str]:
    """The members of an answer. One that can be read in two ways is none."""
    try:
        return _json.members(text)
    except _json.NotJson as e:
        raise unavailable("What answered is no gate: its answer is broken, or can be read in two ways.") from e


def results(answer: Dict[str, str], want: Optional[int] = None) -> List[str]:
    try:
        all_results = _json.items(answer.get("results", ""))
    except _json.NotJson:
        all_results = []
    if not all_results or want is not None and len(all_results) != want:
        raise unavailable("What answered is no gate: it does not answer each call.")
    return all_results


def text_of(members: Mapping[str, str], name: str) -> str:
    """A text, "" where it is none."""
    try:
        value = _json.strict(members.get(name, '""'))
    except _json.NotJson:
        return ""
    return value if isinstance(value, str) else ""


def whole(members: Mapping[str, str]) -> Dict[str, Any]:
    """An answer for showing, without its claim."""
    return {name: _json.loose(text) for name, text in members.items() if name != "claim"}


def verdict_of(text: str, of: Optional[Asked]) -> Tuple[Dict[str, str], Dict[str, Any]]:
    """Reads a verdict. A word that is none, or an answer to another call, is raised."""
    members = parts(text)
    word = text_of(members, "verdict")
    if word not in ("allow", "ask", "deny"):
        raise unavailable("What answered is no gate: its verdict is none.")
    if word == "allow" and of and text_of(members, "id") != of.id:
        raise unavailable("What answered is no gate: it answers another call.")
    return members, whole(members)


def leave(text: str, of: Optional[Asked], digest: Optional[str]) -> Tuple[Claimed, Optional[str]]:
    """Reads leave. Only the literal verdict with a whole claim is leave; the second says why a claim
    is not for what was asked about."""
    members, verdict = verdict_of(text, of)
    if verdict["verdict"] != "allow":
        raise _refused(members, verdict)
    if verdict.get("success") is not True or verdict.get("error") is not None:
        raise unavailable("What answered is no gate: it allows and refuses at once.")
    claimed = _complete(members, verdict)
    wrong = None
    if digest is not None and claimed.digest != digest:
        wrong = "The call is not the one that was decided about."
    if of and of.tool is not None and claimed.tool != of.tool:
        wrong = "The gate gave leave for another tool."
    if of and of.known and claimed.edited is None and not _json.same(claimed.arguments, of.arguments):
        wrong = "The gate gave leave for other arguments."
    return claimed, wrong


def _complete(members: Dict[str, str], verdict: Dict[str, Any]) -> Claimed:
    try:
        claim = _json.members(members.get("claim", ""))
        if not isinstance(_json.strict(claim.get("arguments", "")), dict):
            raise _json.NotJson("arguments are no object")
    except _json.NotJson as e:
        raise unavailable("What answered is no gate: it allows the call and gives no claim.") from e
    said = [text_of(claim, "id"), text_of(claim, "token"), claim["arguments"], text_of(members, "tool"), text_of(members, "digest"), text_of(claim, "deadline")]
    if not all(said) or _moment(said[5]) is None:
        raise unavailable("What answered is no gate: it allows the call and gives no claim.")
    return Claimed(*said, verdict)


def _refused(members: Dict[str, str], verdict: Dict[str, Any]) -> Refused:
    if verdict.get("replayed") is True and verdict.get("success") is True:
        return AlreadyRan(ran_of(members.get("result"), True), verdict)
    return refusal(verdict, verdict)


def ran_of(text: Optional[str], replayed: bool, edited: Optional[Mapping[str, Any]] = None) -> Ran:
    """A result for the model."""
    if text is None:
        return Ran("", None, replayed, edited)
    value = _json.loose(text)
    return Ran(value if isinstance(value, str) else text, value, replayed, edited)


def done(text: str) -> Ran:
    """The result of a call that the gate was to run. What is no answer of a gate leaves open whether it ran."""
    try:
        members = parts(text)
    except Refused as e:
        raise lost(e.reason) from e
    answer = whole(members)
    error = answer.get("error")
    if answer.get("success") is True and error is None:
        return ran_of(members.get("result"), answer.get("replayed") is True, answer.get("edited"))
    if answer.get("success") is not False or not isinstance(error, dict) or not isinstance(error.get("code"), str):
        raise lost("What answered is no gate: it neither ran the call nor refused it.")
    if error["code"] == Untold.code:
        raise Untold(str(error.get("message", "")), "the gate does not know what came of the call")
    raise refusal(answer, answer)


def following(shape: str, answers: List[Any]) -> List[Any]:
    """What is appended to a conversation: in some forms one message holds all answers."""
    one = {
        "anthropic": ("role", "user", "content"),
        "bedrock": ("role", "user", "content"),
        "gemini": ("role", "user", "parts"),
        "autogen": ("type", "FunctionExecutionResultMessage", "content"),
        "spring-ai": ("messageType", "TOOL", "responses"),
        "vercel": ("role", "tool", "content"),
    }.get(shape)
    return [{one[0]: one[1], one[2]: answers}] if one else answers
