# Copyright 2026 The Toolverdict Authors
# SPDX-License-Identifier: Apache-2.0

"""A call as a program says it, and as a request holds it."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional, Tuple, Union

from . import _json
from .errors import Refused

Arguments = Union[str, Mapping[str, Any]]
Run = Union[str, Mapping[str, Any]]

HOLD = 60.0  # seconds that one request may hold a call


@dataclass(frozen=True)
class Call:
    """One call. It names a tool, or the confirmation whose stored call is meant."""

    tool: Optional[str] = None
    """SERVER/TOOL. Beside a confirmation alone it is not sent: leave for another tool is refused."""
    arguments: Optional[Arguments] = None
    """A mapping that is plain JSON, or the JSON text itself, which goes to the gate as it is."""
    confirmation: Optional[str] = None
    id: Optional[str] = None
    """Your own id of the call."""
    run: Optional[Run] = None
    """The run that it belongs to: its id, or what holds of it (id, readOnly, disabled)."""
    session: Optional[str] = None
    model: Optional[str] = None
    trace: Optional[str] = None
    idempotency_key: Optional[str] = None
    """Names the act: of one that was done before, the stored result is answered."""


def act(server: Optional[str], tool: str, arguments: Arguments, id: Optional[str], session: Optional[str]) -> Call:
    """A framework's call. Its id names the act within a session, so that a repeat of it is no new one. The two
    are named as a list: a model that picks an id with a slash in it must not name the act of another session."""
    key = _json.write([session, id]) if session and id else None
    return Call(f"{server}/{tool}" if server else tool, arguments, id=id or None, session=session or None, idempotency_key=key)


@dataclass(frozen=True)
class Asked:
    """What a request asked about."""

    body: str
    tool: Optional[str]
    id: str
    arguments: Any
    known: bool
    """Whether arguments are known here: not where the gate is to refuse them, or has them itself."""


def context(of: Mapping[str, Any]) -> str:
    """What stands beside a call or a message, each with a comma before it."""
    out = ""
    run = of.get("run")
    if run is not None:
        out += ',"run":' + write({"id": run} if isinstance(run, str) else run)
    for name, member in (("session", "session"), ("model", "model"), ("trace", "trace"), ("idempotency_key", "idempotencyKey")):
        if of.get(name) is not None:
            out += f',"{member}":' + write(of[name])
    return out


def write(value: Any) -> str:
    try:
        return _json.write(value)
    except _json.NotJson as e:
        raise Refused("MALFORMED_CALL", f"The call cannot be sent as it is: {e}.", retryable=True) from e


def asked(call: Call, hold: float = 0) -> Asked:
    """Writes a call. The id is made here where the caller gave none, so that an answer can be told
    from that of another call."""
    name = call.id if call.id is not None else str(uuid.uuid4())
    body = '{"id":' + write(name)
    resumes = call.confirmation is not None and call.arguments is None
    if call.tool is not None and not resumes:
        body += ',"tool":' + write(call.tool)
    arguments, known = None, False
    if call.arguments is not None:
        text, arguments, known = _embedded(call.arguments)
        body += ',"arguments":' + text
    elif call.confirmation is None:
        arguments, known = {}, True
    if call.confirmation is not None:
        body += ',"confirmation":' + write(call.confirmation)
    if hold > 0:
        body += ',"wait":"%dms"' % max(1, int(hold * 1000))
    return Asked(body + context(vars(call)) + "}", call.tool, name, arguments, known)


def _embedded(given: Arguments) -> Tuple[str, Any, bool]:
    """Arguments as a request holds them. Text that is no strict JSON goes as a JSON string, which
    the gate refuses and records; nothing in it can pass for another member of the request."""
    if isinstance(given, str):
        try:
            value = _json.strict(given)
            if isinstance(value, dict) and given.isascii():
                return given, value, True
            if isinstance(value, dict):
                return _json.quoted(given), value, True  # the gate reads a text that holds an object, too
        except _json.NotJson:
            pass
        return _json.quoted(given), None, False
    text = write(given)
    try:
        return text, _json.strict(text), True
    except _json.NotJson:
        return text, None, False  # half a character: the gate refuses it itself


def bodies(all_calls: List[Asked]) -> str:
    return '{"calls":[' + ",".join(a.body for a in all_calls) + "]}"


def message_body(shape: str, message: Any, server: Optional[str], turn: Optional[str], of: Dict[str, Any]) -> str:
    """A request with a model's message in it."""
    text = message
    if not isinstance(message, str):
        text = write(message)
    else:
        try:
            _json.strict(message)
        except _json.NotJson as e:
            raise Refused("MALFORMED_CALL", f"The message cannot be sent as it is: {e}.", retryable=True) from e
        if not text.isascii():
            text = "".join(c if c.isascii() else _json.quoted(c)[1:-1] for c in text)
    body = '{"shape":' + write(shape)
    if server is not None:
        body += ',"server":' + write(server)
    if turn is not None:
        body += ',"turn":' + write(turn)
    return body + ',"message":' + text + context(of) + "}"
