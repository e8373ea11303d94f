# Copyright 2026 The Toolverdict Authors
# SPDX-License-Identifier: Apache-2.0

"""The same for asyncio. Requests are made by threads, so that what counts for leave is read by the same
code, with the TLS and the limits of the standard library's HTTP client; the functions of tools run in
the event loop."""

from __future__ import annotations

import asyncio
import functools
import inspect
import ssl
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Awaitable, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, TypeVar, Union, cast

from .call import Call, message_body
from .claimed import Claimed, following, parts, results
from .errors import AlreadyRan, Ran, Refused, ToolFailed
from .gate import Gate, names

F = TypeVar("F", bound=Callable[..., Awaitable[Any]])
AsyncFunction = Callable[[Dict[str, Any]], Awaitable[Any]]


class AsyncGate:
    """One caller of one gate, for asyncio. `sync` is the same gate for code that may block."""

    def __init__(self, url: str, key: str, *, timeout: float = 10.0, tls: Optional[ssl.SSLContext] = None, threads: int = 32) -> None:
        self.sync = Gate(url, key, timeout=timeout, tls=tls)
        # Its own threads: calls that wait for a person must not keep others from theirs.
        self._pool = ThreadPoolExecutor(threads, "toolverdict")

    async def _do(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        return await asyncio.wrap_future(self._pool.submit(function, *args, **kwargs))

    async def _do_whole(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Does it to its end, whatever becomes of who waits for it."""
        return await asyncio.shield(self._do(function, *args, **kwargs))

    async def decide(self, call: Call) -> Dict[str, Any]:
        return cast(Dict[str, Any], await self._do(self.sync.decide, call))

    async def decide_all(self, calls: Sequence[Call]) -> List[Dict[str, Any]]:
        return cast(List[Dict[str, Any]], await self._do(self.sync.decide_all, calls))

    async def claim(self, call: Call, *, wait: float = 0, digest: Optional[str] = None) -> Claimed:
        """Asks for leave. Leave that comes after its caller went away is given back."""
        asking: "Future[Claimed]" = self._pool.submit(self.sync.claim, call, wait=wait, digest=digest)
        try:
            return await asyncio.shield(asyncio.wrap_future(asking))
        except asyncio.CancelledError:
            asking.add_done_callback(self._give_back)
            raise

    def _give_back(self, asking: "Future[Claimed]") -> None:
        if not asking.cancelled() and asking.exception() is None:
            self.sync.give_back(asking.result(), "the caller went away before the tool was run")

    async def outcome(self, claimed: Claimed, status: str, **said: Optional[str]) -> Dict[str, Any]:
        return cast(Dict[str, Any], await self._do_whole(self.sync.outcome, claimed, status, **said))

    async def run(self, call: Call, function: AsyncFunction, *, wait: float = 0, digest: Optional[str] = None) -> Ran:
        """As :meth:`Gate.run`. A function that is cancelled ends as unknown."""
        try:
            claimed = await self.claim(call, wait=wait, digest=digest)
        except AlreadyRan as already:
            return already.ran
        return (await self._carry(claimed, function, None))[0]

    async def _carry(self, claimed: Claimed, function: AsyncFunction, shape: Optional[str]) -> Tuple[Ran, Dict[str, Any]]:
        try:
            result = function(claimed.arguments)
            if inspect.isawaitable(result):
                result = await result
        except BaseException as error:
            await self._do_whole(self.sync._failed, claimed, error, shape)
            raise
        return cast(Tuple[Ran, Dict[str, Any]], await self._do_whole(self.sync._succeeded, claimed, result, shape))

    async def call(self, call: Call, *, wait: float = 0) -> Ran:
        return cast(Ran, await self._do(self.sync.call, call, wait=wait))

    async def batch(self, calls: Sequence[Call]) -> List[Union[Ran, Refused]]:
        return cast(List[Union[Ran, Refused]], await self._do(self.sync.batch, calls))

    async def message(
        self, shape: str, message: Any, tools: Mapping[str, AsyncFunction], *, server: Optional[str] = None, turn: Optional[str] = None, **context: Any
    ) -> List[Any]:
        """As :meth:`Gate.message`; the calls of one message run beside each other."""
        body = message_body(shape, message, server, turn, context)
        answer = parts(await self._do(self.sync._link.post, "/v1/claim", body))
        answers = await asyncio.gather(*(self._one(shape, text, tools) for text in results(answer)), return_exceptions=True)
        for a in answers:
            if isinstance(a, BaseException):
                raise a
        return following(shape, list(answers))

    async def _one(self, shape: str, text: str, tools: Mapping[str, AsyncFunction]) -> Any:
        try:
            claimed = await self._do(self.sync._leave, text, None, None)
            function = tools.get(claimed.tool)
            if function is None:
                return (await self.outcome(claimed, "notSent", message="There is no function for this tool.", shape=shape)).get("answer")
            return (await self._carry(claimed, function, shape))[1].get("answer")
        except ToolFailed as failed:
            return failed.told.get("answer")
        except Refused as refused:
            if refused.verdict is None or refused.verdict.get("answer") is None:
                raise
            return refused.verdict["answer"]

    def guard(self, tool: str, *, wait: float = 0, **context: Any) -> Callable[[F], F]:
        """As :meth:`Gate.guard`, for functions that are asynchronous."""

        def decorate(function: F) -> F:
            if not inspect.iscoroutinefunction(function):
                raise TypeError("the function is not asynchronous: use Gate.guard")
            named = names(function)

            @functools.wraps(function)
            async def guarded(*args: Any, **kwargs: Any) -> Any:
                return (await self.run(Call(tool, named(args, kwargs), **context), lambda arguments: function(**arguments), wait=wait)).value

            return cast(F, guarded)

        return decorate

    async def redact(self, text: str) -> str:
        return cast(str, await self._do(self.sync.redact, text))

    def close(self) -> None:
        self._pool.shutdown(wait=False)

    async def __aenter__(self) -> "AsyncGate":
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()



