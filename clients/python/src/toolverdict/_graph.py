# Copyright 2026 The Toolverdict Authors
# SPDX-License-Identifier: Apache-2.0

"""What a tool of LangGraph answers with: a message, or a command with messages in it, which the model reads as
well. Nothing of it goes on before the gate said what of it may be read."""

from __future__ import annotations

import dataclasses
from typing import Any, Callable, List, Mapping, Optional

from .errors import NotBegun, Ran, Unfinished

Change = Callable[[Any, bool], Any]

UNREAD = "OUTCOME_UNKNOWN: the tool ran, and its answer has a form in which secrets cannot be hidden. It is kept back. Do not retry."


class Answered(Exception):
    """The tool answered with an error of its own."""


class Unreadable(Exception):
    """There may be messages where none can be found."""


def named(value: Any, name: str) -> bool:
    """Whether something is of a class of LangGraph, which need not be installed."""
    return any(c.__name__ == name for c in type(value).__mro__)


class Taken:
    """What one call of a tool came to."""

    def __init__(self, base: type, id: Optional[str]) -> None:
        self._base, self._id = base, id  # the class of all messages, and the id of the call
        self._answer: Any = None
        self._contents: List[Any] = []
        self._alone = self._unread = False
        self._bubbled: Optional[BaseException] = None

    def holds(self, answer: Any) -> bool:
        """Whether an answer is one of the graph, and no plain value."""
        return isinstance(answer, self._base) or named(answer, "Command") or isinstance(answer, list) and any(self.holds(a) for a in answer)

    def take(self, answer: Any) -> Any:
        """Keeps an answer, and returns what of it the model would read, for the gate."""
        self._answer, self._alone = answer, isinstance(answer, self._base)
        contents: List[Any] = []

        def see(content: Any, failed: bool) -> Any:
            contents.append(content)
            if failed:
                raise Answered(content if isinstance(content, str) else "the tool failed")
            return content

        try:
            self._each(answer, see)
        except Unreadable:
            self._unread = True
            return None
        self._contents = contents
        return contents[0] if self._alone else contents or None

    def stop(self, error: Exception) -> Any:
        """Takes what LangGraph throws through a tool. An interrupt starts it again later; one that hands over to
        another graph has run, and its command goes there."""
        if named(error, "GraphInterrupt"):
            raise NotBegun() from error
        if named(error, "ParentCommand") and len(error.args) == 1:
            self._bubbled = error
            return self.take(error.args[0])
        if named(error, "GraphBubbleUp"):
            raise Unfinished() from error
        raise error

    def given(self, ran: Ran, message: Callable[[str, str], Any]) -> Any:
        """The answer as the gate lets it be read. Where nothing was run now, or it cannot be read, that is a message."""
        if self._unread:
            return message(UNREAD, "error")
        if self._answer is None and self._bubbled is None:
            many = isinstance(ran.value, list) and ran.value and all(isinstance(v, str) for v in ran.value)
            return message("\n".join(ran.value) if many else ran.text, "success")
        clean = self._cleaned(ran)
        if self._bubbled is not None:
            raise self._bubbled if clean is self._answer else type(self._bubbled)(clean)
        return clean

    def _cleaned(self, ran: Ran) -> Any:
        read = [ran.value] if self._alone else ran.value or []
        if read == self._contents:
            return self._answer
        if not isinstance(read, list) or len(read) != len(self._contents):
            read = [ran.text] + [""] * len(self._contents)
        rest = iter(read)

        def write(content: Any, _: bool) -> Any:
            new = next(rest)
            return new if isinstance(new, (str, list)) else ran.text if self._alone else str(new)

        return self._each(self._answer, write)

    def _each(self, answer: Any, change: Change) -> Any:
        """The answer with the content of each message in it changed."""
        if answer is None:
            return None
        if isinstance(answer, self._base):
            return self._message(answer, change)
        if isinstance(answer, list):
            return [self._each(a, change) for a in answer]
        if not named(answer, "Command"):
            raise Unreadable
        return dataclasses.replace(answer, update=self._update(answer.update, change), goto=self._goto(answer.goto, change))

    def _update(self, update: Any, change: Change) -> Any:
        """The forms that LangGraph knows: by name, as pairs, or messages where the state is a list of them."""
        if update is None:
            return None
        if isinstance(update, dict):
            return {name: self._value(name, value, change) for name, value in update.items()}
        if isinstance(update, (list, tuple)) and all(isinstance(p, tuple) and len(p) == 2 and isinstance(p[0], str) for p in update):
            return [(name, self._value(name, value, change)) for name, value in update]
        return self._value("messages", update, change)

    def _value(self, name: str, value: Any, change: Change) -> Any:
        """Messages, wherever they stand. What is to become some must be some: LangGraph makes them of more."""
        if isinstance(value, self._base) or name == "messages" and isinstance(value, dict):
            return self._message(value, change)
        if isinstance(value, (list, tuple)):
            return [self._message(v, change) if name == "messages" or isinstance(v, self._base) else v for v in value]
        if name == "messages" and value is not None:
            raise Unreadable
        return value

    def _message(self, message: Any, change: Change) -> Any:
        if isinstance(message, self._base):
            new = change(message.content, self._failed(vars(message)))  # type: ignore[attr-defined]
            return message if new is message.content else message.model_copy(update={"content": new})  # type: ignore[attr-defined]
        if not isinstance(message, dict) or "content" not in message:
            raise Unreadable
        return {**message, "content": change(message["content"], self._failed(message))}

    def _failed(self, of: Mapping[str, Any]) -> bool:
        """Whether a message says that this call failed. One that hands over may send along all that was said before."""
        return of.get("status") == "error" and (self._alone or self._id is None or of.get("tool_call_id") == self._id)

    def _goto(self, goto: Any, change: Change) -> Any:
        """Where it goes on. What is sent along is read there."""
        if named(goto, "Send"):
            return type(goto)(goto.node, self._update(goto.arg, change))
        if isinstance(goto, (list, tuple)) and any(named(g, "Send") for g in goto):
            return [self._goto(g, change) for g in goto]
        return goto
