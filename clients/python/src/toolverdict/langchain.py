# Copyright 2026 The Toolverdict Authors
# SPDX-License-Identifier: Apache-2.0

"""LangChain: a middleware for create_agent, and a wrapper for a single tool. LangChain is imported when
one of them is made."""

from __future__ import annotations

from typing import Any, Awaitable, Callable, Optional

from .aio import AsyncGate
from .call import Call
from .errors import NotBegun, Ran, Refused, ToolFailed, Untold


class _Answered(Exception):
    """The tool answered with an error of its own."""


def _paused(error: BaseException) -> bool:
    """Whether LangGraph stops the tool to start it again later, as interrupt() does."""
    return any(c.__name__ == "GraphBubbleUp" for c in type(error).__mro__)


def middleware(gate: AsyncGate, *, server: Optional[str] = None, wait: float = 0, session: Optional[str] = None) -> Any:
    """An AgentMiddleware whose tools run only with leave. Give it as the last of the list: what a later one
    changed would run undecided. With server, the tool "refund" is SERVER/refund."""
    from langchain.agents.middleware import AgentMiddleware
    from langchain_core.messages import ToolMessage

    def call_of(request: Any) -> Call:
        asked = request.tool_call
        return Call(f"{server}/{asked['name']}" if server else asked["name"], asked["args"], session=session)

    def with_arguments(request: Any, arguments: Any) -> Any:
        return request.override(tool_call={**request.tool_call, "args": arguments})

    def said(message: Any) -> Any:
        """What the tool answered, for the gate."""
        if not isinstance(message, ToolMessage):
            return None  # a Command: it steers the graph and holds no answer
        if message.status == "error":
            raise _Answered(message.content if isinstance(message.content, str) else "the tool failed")
        return message.content

    def answer(request: Any, text: str, status: str) -> Any:
        return ToolMessage(content=text, tool_call_id=request.tool_call["id"], name=request.tool_call["name"], status=status)

    def clean(request: Any, message: Any, ran: Ran) -> Any:
        """The tool's message, with the content that the gate lets be read."""
        if message is None:
            return answer(request, ran.text, "success")
        if isinstance(message, ToolMessage) and message.content != ran.value:
            return message.model_copy(update={"content": ran.text})
        return message

    class GateMiddleware(AgentMiddleware):  # type: ignore[misc]
        def wrap_tool_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
            kept: Any = None

            def run(arguments: Any) -> Any:
                nonlocal kept
                try:
                    kept = handler(with_arguments(request, arguments))
                except Exception as error:
                    if _paused(error):
                        raise NotBegun() from error
                    raise
                return said(kept)

            try:
                ran = gate.sync.run(call_of(request), run, wait=wait)
            except (Refused, ToolFailed, Untold) as error:
                return answer(request, str(error), "error")
            return clean(request, kept, ran)

        async def awrap_tool_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
            kept: Any = None

            async def run(arguments: Any) -> Any:
                nonlocal kept
                try:
                    kept = await handler(with_arguments(request, arguments))
                except Exception as error:
                    if _paused(error):
                        raise NotBegun() from error
                    raise
                return said(kept)

            try:
                ran = await gate.run(call_of(request), run, wait=wait)
            except (Refused, ToolFailed, Untold) as error:
                return answer(request, str(error), "error")
            return clean(request, kept, ran)

    return GateMiddleware()


def tool(gate: AsyncGate, inner: Any, *, server: Optional[str] = None, wait: float = 0, session: Optional[str] = None) -> Any:
    """A tool that runs only with leave, for agents without middleware. Arguments that LangChain injects
    (state, store, runtime) have no form in a call: use the middleware for such tools."""
    from langchain_core.tools import StructuredTool, ToolException

    name = f"{server}/{inner.name}" if server else inner.name

    def call_of(arguments: Any) -> Call:
        return Call(name, {k: v.model_dump(mode="json") if hasattr(v, "model_dump") else v for k, v in arguments.items()}, session=session)

    def run(**arguments: Any) -> Any:
        try:
            return gate.sync.run(call_of(arguments), inner.invoke, wait=wait).value
        except (Refused, ToolFailed, Untold) as error:
            raise ToolException(str(error)) from error

    async def arun(**arguments: Any) -> Any:
        try:
            return (await gate.run(call_of(arguments), inner.ainvoke, wait=wait)).value
        except (Refused, ToolFailed, Untold) as error:
            raise ToolException(str(error)) from error

    return StructuredTool(
        name=inner.name, description=inner.description, args_schema=inner.args_schema, func=run, coroutine=arun, handle_tool_error=True,
        return_direct=getattr(inner, "return_direct", False),
    )
