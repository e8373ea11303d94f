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
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Awaitable, Callable, Dict, List, Mapping, Optional, Sequence, Set, Tuple, TypeVar, Union, cast

from .call import Call, Run, message_body
from .claimed import Claimed, following, leave, parts, results
from .errors import AlreadyRan, Ran, Refused, ToolFailed, Untold
from .gate import Carried, Gate, answer_of, names, refuse_pieces

F = TypeVar("F", bound=Callable[..., Awaitable[Any]])
AsyncFunction = Callable[[Dict[str, Any]], Awaitable[Any]]


class AsyncGate:
    """One caller of one gate, for asyncio. `sync` is the same gate for code that may block."""

    def __init__(self, url: str, key: str, *, timeout: float = 10.0, tls: Optional[ssl.SSLContext] = None, threads: int = 32) -> None:
        self.sync = Gate(url, key, timeout=timeout, tls=tls)
        self._pool = ThreadPoolExecutor(threads, "toolverdict")
        # Calls that wait for a person must not keep others from telling what came of theirs.
        self._tellers = ThreadPoolExecutor(threads, "toolverdict-told")

    async def _do(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        return await asyncio.wrap_future(self._pool.submit(function, *args, **kwargs))

    async def _tell(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Tells something to its end, whatever becomes of who waits for it."""
        try:
            telling = self._tellers.submit(function, *args, **kwargs)
        except RuntimeError as e:
            raise Untold("the gate's client was closed") from e
        return await asyncio.shield(asyncio.wrap_future(telling))

    async def _asked(self, back: Callable[[Any], None], function: Callable[..., Any], *args: Any) -> Any:
        """Asks for leave. Where its caller goes away, the question is not broken off, which would leave open
        what the gate answered: its answer is awaited, and given back."""
        asking: "Future[Any]" = self._pool.submit(function, *args)

        def give_back(done: "Future[Any]") -> None:
            if done.cancelled() or done.exception() is not None:
                return
            try:
                self._tellers.submit(back, done.result())
            except RuntimeError:  # closed, and so nothing waits for this thread any more
                back(done.result())

        try:
            return await asyncio.wrap_future(asking)  # one that waits in the queue is not asked at all
        except asyncio.CancelledError:
            if not asking.cancel():
                asking.add_done_callback(give_back)
            raise

    async def decide(self, call: Call) -> Dict[str, Any]:
        return cast(Dict[str, Any], await self._do(self.sync.decide, call))

    async def decide_all(self, calls: Sequence[Call]) -> List[Dict[str, Any]]:
        return cast(List[Dict[str, Any]], await self._do(self.sync.decide_all, calls))

    async def claim(self, call: Call, *, wait: float = 0, digest: Optional[str] = None) -> Claimed:
        """Asks for leave. Leave that comes after its caller went away is given back."""
        gone = threading.Event()

        def back(claimed: Claimed) -> None:
            self.sync.give_back(claimed, "the caller went away before the tool was run")

        try:
            return cast(Claimed, await self._asked(back, self.sync._claim, call, wait, digest, gone))
        except asyncio.CancelledError:
            gone.set()
            raise

    async def outcome(
        self, claimed: Claimed, status: str, *, result: Optional[str] = None, code: Optional[str] = None, message: Optional[str] = None, shape: Optional[str] = None
    ) -> Dict[str, Any]:
        return cast(Dict[str, Any], await self._tell(self.sync.outcome, claimed, status, result=result, code=code, message=message, shape=shape))

    async def run(self, call: Call, function: AsyncFunction, *, wait: float = 0, digest: Optional[str] = None) -> Ran:
        """As :meth:`Gate.run`. A function that is cancelled ends as unknown."""
        return await self._run(call, lambda claimed: function(claimed.arguments), wait, digest)

    async def _run(self, call: Call, function: Carried, wait: float, digest: Optional[str] = None) -> Ran:
        """The same for a function that takes the leave itself, with the very text of the arguments."""
        try:
            claimed = await self.claim(call, wait=wait, digest=digest)
        except AlreadyRan as already:
            return already.ran
        return (await self._carry(claimed, function, None))[0]

    async def _carry(self, claimed: Claimed, function: Carried, shape: Optional[str]) -> Tuple[Ran, Dict[str, Any]]:
        if claimed.over:
            await self._tell(self.sync._in_time, claimed, shape)
        try:
            result = function(claimed)
            refuse_pieces(result)
            if inspect.isawaitable(result):
                result = await result
        except BaseException as error:
            await self._tell(self.sync._failed, claimed, error, shape)
            raise
        return cast(Tuple[Ran, Dict[str, Any]], await self._tell(self.sync._succeeded, claimed, result, shape))

    async def call(self, call: Call, *, wait: float = 0) -> Ran:
        return cast(Ran, await self._do(self.sync.call, call, wait=wait))

    async def batch(self, calls: Sequence[Call]) -> List[Union[Ran, Refused, Untold]]:
        return cast(List[Union[Ran, Refused, Untold]], await self._do(self.sync.batch, calls))

    async def message(
        self,
        shape: str,
        message: Any,
        tools: Mapping[str, AsyncFunction],
        *,
        server: Optional[str] = None,
        turn: Optional[str] = None,
        run: Optional[Run] = None,
        session: Optional[str] = None,
        model: Optional[str] = None,
        trace: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> List[Any]:
        """As :meth:`Gate.message`; the calls of one message run beside each other."""
        of = {"run": run, "session": session, "model": model, "trace": trace, "idempotency_key": idempotency_key}
        body = message_body(shape, message, server, turn, of)

        def back(answer: str) -> None:
            self.sync._give_all_back(results(parts(answer)))

        texts = results(parts(await self._asked(back, self.sync._link.post, "/v1/claim", body)))
        waiting = set(texts)
        try:
            answers = await asyncio.gather(*(self._one(shape, text, tools, waiting) for text in texts), return_exceptions=True)
        except asyncio.CancelledError:
            if waiting:  # those that were not entered yet
                await self._tell(self.sync._give_all_back, list(waiting))
            raise
        for a in answers:
            if isinstance(a, BaseException):
                raise a
        return following(shape, list(answers))

    async def _one(self, shape: str, text: str, tools: Mapping[str, AsyncFunction], waiting: Set[str]) -> Any:
        waiting.discard(text)
        try:
            claimed, _ = leave(text, None, None)
            function = tools.get(claimed.tool)
            if function is None:
                return (await self.outcome(claimed, "notSent", message="There is no function for this tool.", shape=shape)).get("answer")
            entered = function
            return (await self._carry(claimed, lambda claimed: entered(claimed.arguments), shape))[1].get("answer")
        except (ToolFailed, Refused) as no:
            return answer_of(no)

    def guard(
        self,
        tool: str,
        *,
        wait: float = 0,
        run: Optional[Run] = None,
        session: Optional[str] = None,
        model: Optional[str] = None,
        trace: Optional[str] = None,
    ) -> Callable[[F], F]:
        """As :meth:`Gate.guard`, for functions that are asynchronous."""

        def decorate(function: F) -> F:
            named = names(function)
            if not inspect.iscoroutinefunction(function):
                raise TypeError("the function is not asynchronous: use Gate.guard")

            @functools.wraps(function)
            async def guarded(*args: Any, **kwargs: Any) -> Any:
                call = Call(tool, named(args, kwargs), run=run, session=session, model=model, trace=trace)
                return (await self.run(call, lambda arguments: function(**arguments), wait=wait)).value

            return cast(F, guarded)

        return decorate

    async def redact(self, text: str) -> str:
        return cast(str, await self._do(self.sync.redact, text))

    def close(self) -> None:
        self._pool.shutdown(wait=False)
        self._tellers.shutdown(wait=False)

    async def __aenter__(self) -> "AsyncGate":
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()



