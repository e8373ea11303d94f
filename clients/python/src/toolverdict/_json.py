# Copyright 2026 The Toolverdict Authors
# SPDX-License-Identifier: Apache-2.0

"""JSON as the gate reads it: no key twice, nothing that two readers take differently,
numbers exactly. What a value cannot hold is refused instead of changed."""

from __future__ import annotations

import json
import math
from decimal import Decimal
from json.decoder import scanstring
from typing import Any, Dict, List, Mapping, NoReturn, Tuple, Union

Number = Union[int, float, Decimal]

_SPACE = " \t\n\r"
_MAX_DEPTH = 200


class NotJson(ValueError):
    """A text is no strict JSON, or a value has no exact form in it."""


def _constant(name: str) -> NoReturn:
    raise NotJson(f"{name} is no number of JSON")


def _float(text: str) -> Union[float, Decimal]:
    """A float where it is the number that was written, and a Decimal where it is not."""
    exact, near = Decimal(text), float(text)
    return near if math.isfinite(near) and Decimal(repr(near)) == exact else exact


def _once(pairs: List[Any]) -> Dict[str, Any]:
    out = dict(pairs)
    if len(out) != len(pairs):
        raise NotJson("a key is given twice")
    return out


# What tools and models said is theirs to write: only its end must be found.
_loose = json.JSONDecoder(parse_constant=_constant, parse_float=_float)
_strict = json.JSONDecoder(parse_constant=_constant, parse_float=_float, object_pairs_hook=_once)


def _decode(decoder: json.JSONDecoder, text: str) -> Any:
    try:
        return decoder.decode(text)
    except NotJson:
        raise
    except (ValueError, RecursionError, ArithmeticError) as e:
        raise NotJson("the text is no JSON") from e


def strict(text: str) -> Any:
    """Reads a text of which every reader reads the same."""
    value = _decode(_strict, text)
    _whole(value, 0)
    return value


def loose(text: str) -> Any:
    """Reads what somebody else wrote: of a key that is given twice the last counts."""
    return _decode(_loose, text)


def _whole(value: Any, depth: int) -> None:
    """Refuses half characters and depth."""
    if depth > _MAX_DEPTH:
        raise NotJson("it is nested too deep")
    if isinstance(value, str):
        if any("\ud800" <= c <= "\udfff" for c in value):
            raise NotJson("it holds half a character")
    elif isinstance(value, dict):
        for name, inner in value.items():
            _whole(name, depth)
            _whole(inner, depth + 1)
    elif isinstance(value, list):
        for inner in value:
            _whole(inner, depth + 1)


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in _SPACE:
        at += 1
    return at


def members(text: str) -> Dict[str, str]:
    """The members of an object, each as the text that it is. A name stands there once."""
    out: Dict[str, str] = {}
    at = _opened(text, "{")
    while at >= 0:
        if text[at : at + 1] != '"':
            raise NotJson("a name is no text")
        name, at = _scan(text, at)
        at = _skip(text, at)
        if name in out or text[at : at + 1] != ":":
            raise NotJson("a key is given twice, or has no value")
        out[name], at = _value(text, _skip(text, at + 1), "}")
    return out


def items(text: str) -> List[str]:
    """The items of a list, each as the text that it is."""
    out: List[str] = []
    at = _opened(text, "[")
    while at >= 0:
        part, at = _value(text, at, "]")
        out.append(part)
    return out


def _scan(text: str, at: int) -> Tuple[str, int]:
    try:
        return scanstring(text, at + 1, True)
    except ValueError as e:
        raise NotJson("the text is no JSON") from e


def _opened(text: str, mark: str) -> int:
    """Where the first part begins; -1: there is none."""
    at = _skip(text, 0)
    if text[at : at + 1] != mark:
        raise NotJson("the text is of another kind")
    at = _skip(text, at + 1)
    if text[at : at + 1] == {"{": "}", "[": "]"}[mark]:
        return _ended(text, at)
    return at


def _value(text: str, at: int, close: str) -> Tuple[str, int]:
    """One value, and where the next part begins; -1: it was the last."""
    try:
        _, end = _loose.raw_decode(text, at)
    except NotJson:
        raise
    except (ValueError, RecursionError, ArithmeticError) as e:
        raise NotJson("the text is no JSON") from e
    part, then = text[at:end], _skip(text, end)
    mark = text[then : then + 1]
    if mark == ",":
        return part, _skip(text, then + 1)
    if mark == close:
        return part, _ended(text, then)
    raise NotJson("the text is no JSON")


def _ended(text: str, at: int) -> int:
    if _skip(text, at + 1) != len(text):
        raise NotJson("something stands behind it")
    return -1


def same(a: Any, b: Any) -> bool:
    """Whether two values are the same JSON: true is not 1, and 1.0 is 1."""
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, (int, float, Decimal)) and isinstance(b, (int, float, Decimal)):
        return _decimal(a) == _decimal(b)
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(v, b[k]) for k, v in a.items())
    if isinstance(a, list):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b))
    return bool(a == b)


def _decimal(n: Number) -> Decimal:
    return Decimal(repr(n)) if isinstance(n, float) else Decimal(n)


def quoted(text: str) -> str:
    """A text as JSON has it, in ASCII; half a character stays an escape, which the gate refuses."""
    return json.dumps(text)


def write(value: Any) -> str:
    """Writes a value exactly, or refuses it."""
    out: List[str] = []
    try:
        _write(value, out, 0)
    except RecursionError as e:
        raise NotJson("it is nested too deep") from e
    return "".join(out)


def _write(value: Any, out: List[str], depth: int) -> None:
    if depth > _MAX_DEPTH:
        raise NotJson("it is nested too deep, or holds itself")
    if value is None or value is True or value is False:
        out.append({None: "null", True: "true", False: "false"}[value])
    elif isinstance(value, str):
        out.append(quoted(str.__str__(value)))
    elif isinstance(value, int):
        out.append(int.__repr__(value))
    elif isinstance(value, float):
        if not math.isfinite(value):
            raise NotJson("a number is not finite")
        out.append(float.__repr__(value))
    elif isinstance(value, Decimal):
        if not value.is_finite():
            raise NotJson("a number is not finite")
        out.append(str(value))
    elif isinstance(value, Mapping):
        _write_object(value, out, depth)
    elif isinstance(value, (list, tuple)):
        for i, inner in enumerate(value):
            out.append("," if i else "[")
            _write(inner, out, depth + 1)
        out.append("]" if value else "[]")
    else:
        raise NotJson(f"a value of the type {type(value).__name__} has no form in JSON")


def _write_object(value: Mapping[Any, Any], out: List[str], depth: int) -> None:
    for i, (name, inner) in enumerate(value.items()):
        if not isinstance(name, str):
            raise NotJson("a key is no text")
        out.append("," if i else "{")
        out.append(quoted(str.__str__(name)) + ":")
        _write(inner, out, depth + 1)
    out.append("}" if value else "{}")
