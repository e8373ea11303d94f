# Copyright 2026 The Toolverdict Authors
# SPDX-License-Identifier: Apache-2.0

"""LangChain: a middleware for create_agent, and a wrapper for a single tool. LangChain is imported when
one of them is made.

Without a session, calls are of the thread that the graph runs in. In a session or thread, the id of a call names
the act: a graph that is resumed or replayed gets the stored result, and nothing is run again."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any, Awaitable, Callable, Optional, Tuple

from ._graph import Taken
from .aio import AsyncGate
from .call import Call, act
from .errors import Refused, ToolFailed, Untold

# LangChain tells a tool the id of its call, and not its function.
_CALLED: ContextVar[Tuple[Optional[str], Any]] = ContextVar("toolverdict_called", default=(None, None))


def _thread(config: Any) -> Optional[str]:
    thread = ((config or {}).get("configurable") or {}).get("thread_id")
    return thread if isinstance(thread, str) and thread else None


def middleware(gate: AsyncGate, *, server: Optional[str] = None, wait: float = 0, session: Optional[str] = None) -> Any:
    """An AgentMiddleware whose tools run only with leave. Give it as the last of the list: what a later one
    changed would run undecided. With server, the tool "refund" is SERVER/refund."""
    from langchain.agents.middleware import AgentMiddleware
    from langchain_core.messages import BaseMessage, ToolMessage

    def call_of(request: Any) -> Call:
        asked = request.tool_call
        return act(server, asked["name"], asked["args"], asked.get("id"), session or _thread(getattr(request.runtime, "config", None)))

    def with_arguments(request: Any, arguments: Any) -> Any:
        return request.override(tool_call={**request.tool_call, "args": arguments})

    def answer(request: Any, text: str, status: str) -> Any:
        return ToolMessage(content=text, tool_call_id=request.tool_call["id"], name=request.tool_call["name"], status=status)

    class GateMiddleware(AgentMiddleware):  # type: ignore[misc]
        def wrap_tool_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
            taken = Taken(BaseMessage, request.tool_call.get("id"))

            def run(arguments: Any) -> Any:
                try:
                    given = handler(with_arguments(request, arguments))
                except Exception as error:
                    return taken.stop(error)
                return taken.take(given)

            try:
                ran = gate.sync.run(call_of(request), run, wait=wait)
            except (Refused, ToolFailed, Untold) as error:
                return answer(request, str(error), "error")
            return taken.given(ran, lambda text, status: answer(request, text, status))

        async def awrap_tool_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
            taken = Taken(BaseMessage, request.tool_call.get("id"))

            async def run(arguments: Any) -> Any:
                try:
                    given = await handler(with_arguments(request, arguments))
                except Exception as error:
                    return taken.stop(error)
                return taken.take(given)

            try:
                ran = await gate.run(call_of(request), run, wait=wait)
            except (Refused, ToolFailed, Untold) as error:
                return answer(request, str(error), "error")
            return taken.given(ran, lambda text, status: answer(request, text, status))

    return GateMiddleware()


def tool(gate: AsyncGate, inner: Any, *, server: Optional[str] = None, wait: float = 0, session: Optional[str] = None) -> Any:
    """A tool that runs only with leave, for agents without middleware. Arguments that LangChain injects
    (state, store, runtime) have no form in a call: use the middleware for such tools."""
    from langchain_core.messages import BaseMessage
    from langchain_core.tools import StructuredTool, ToolException

    def call_of(arguments: Any) -> Call:
        plain = {k: v.model_dump(mode="json") if hasattr(v, "model_dump") else v for k, v in arguments.items()}
        id, config = _CALLED.get()
        return act(server, inner.name, plain, id, session or _thread(config))

    class Asking(Taken):
        """A plain answer is a value; others are of the graph."""

        plain = True

        def take(self, answer: Any) -> Any:
            self.plain = not self.holds(answer)
            return answer if self.plain else super().take(answer)

    def message(text: str, status: str) -> Any:
        if status == "error":
            raise ToolException(text)
        return text

    def run(**arguments: Any) -> Any:
        taken = Asking(BaseMessage, _CALLED.get()[0])

        def carried(claimed: Any) -> Any:
            try:
                given = inner.invoke(claimed)
            except Exception as error:
                return taken.stop(error)
            return taken.take(given)

        try:
            ran = gate.sync.run(call_of(arguments), carried, wait=wait)
        except (Refused, ToolFailed, Untold) as error:
            raise ToolException(str(error)) from error
        return ran.value if taken.plain else taken.given(ran, message)

    async def arun(**arguments: Any) -> Any:
        taken = Asking(BaseMessage, _CALLED.get()[0])

        async def carried(claimed: Any) -> Any:
            try:
                given = await inner.ainvoke(claimed)
            except Exception as error:
                return taken.stop(error)
            return taken.take(given)

        try:
            ran = await gate.run(call_of(arguments), carried, wait=wait)
        except (Refused, ToolFailed, Untold) as error:
            raise ToolException(str(error)) from error
        return ran.value if taken.plain else taken.given(ran, message)

    class Guarded(StructuredTool):  # type: ignore[misc]
        def run(self, *args: Any, config: Any = None, tool_call_id: Optional[str] = None, **more: Any) -> Any:
            before = _CALLED.set((tool_call_id, config))
            try:
                return super().run(*args, config=config, tool_call_id=tool_call_id, **more)
            finally:
                _CALLED.reset(before)

        async def arun(self, *args: Any, config: Any = None, tool_call_id: Optional[str] = None, **more: Any) -> Any:
            before = _CALLED.set((tool_call_id, config))
            try:
                return await super().arun(*args, config=config, tool_call_id=tool_call_id, **more)
            finally:
                _CALLED.reset(before)

    return Guarded(
        name=inner.name, description=inner.description, args_schema=inner.args_schema, func=run, coroutine=arun, handle_tool_error=True,
        return_direct=getattr(inner, "return_direct", False),
    )
