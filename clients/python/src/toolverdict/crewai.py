# Copyright 2026 The Toolverdict Authors
# SPDX-License-Identifier: Apache-2.0

"""CrewAI: a wrapper for a tool, which is where leave is asked for, and a hook that stops calls before. CrewAI
is imported when one of them is made.

CrewAI runs a tool although a hook failed: it swallows what a hook raises (some versions let HookAborted
through, others know no exception that stops a call), and where another hook failed before it, ours may not
be asked at all. So it raises nothing and answers False, which stops a call in all of them, and a hook alone
is no gate: wrap the tools."""

from __future__ import annotations

import asyncio
from typing import Any, Callable, ClassVar, Optional

from .aio import AsyncGate
from .call import Call
from .errors import Refused, ToolFailed, Untold


def tool(gate: AsyncGate, inner: Any, *, server: Optional[str] = None, wait: float = 0, session: Optional[str] = None) -> Any:
    """A BaseTool that runs only with leave. A refusal is its answer, so that the model reads why: CrewAI tries
    a tool that raises again. Nothing of it is cached: a crew's cache would give a refusal for good, and an
    answer to whoever asks next, undecided. How often it may be used is what it was. CrewAI hands no id of a
    call on, so that nothing tells a repeat from a new call."""
    from crewai.tools import BaseTool

    name = f"{server}/{inner.name}" if server else inner.name

    def call_of(arguments: Any) -> Call:
        return Call(name, arguments, session=session)

    class Guarded(BaseTool):  # type: ignore[misc]
        claims_leave: ClassVar[bool] = True

        def _run(self, **arguments: Any) -> Any:
            try:
                return gate.sync.run(call_of(arguments), lambda claimed: inner.run(**claimed), wait=wait).value
            except (Refused, ToolFailed, Untold) as error:
                return str(error)

        async def _arun(self, **arguments: Any) -> Any:
            try:
                return (await gate.run(call_of(arguments), lambda claimed: _arun(inner, claimed), wait=wait)).value
            except (Refused, ToolFailed, Untold) as error:
                return str(error)

    kept = {name: getattr(inner, name) for name in ("result_as_answer", "max_usage_count", "current_usage_count") if hasattr(inner, name)}
    guarded = Guarded(name=inner.name, description=inner.description, args_schema=inner.args_schema, cache_function=not_cached, **kept)
    guarded.description = inner.description  # which has been written out before
    return guarded


def not_cached(_arguments: Any = None, _result: Any = None) -> bool:
    """For BaseTool.cache_function."""
    return False


async def _arun(inner: Any, claimed: Any) -> Any:
    try:
        return await inner.arun(**claimed)
    except NotImplementedError:  # it can only be run, and was not entered
        return await asyncio.to_thread(lambda: inner.run(**claimed))


def before_tool_call(gate: AsyncGate, *, server: Optional[str] = None, session: Optional[str] = None) -> Callable[[Any], Optional[bool]]:
    """A hook for register_before_tool_call_hook: it stops whatever would not be allowed now, a call that waits
    for a person, too. It claims nothing. A wrapped tool asks by itself, and is let through to it."""
    def hook(context: Any) -> Optional[bool]:
        try:
            if _claims(context.tool):
                return None
            # The tool knows its own name; the context has it as the model writes it.
            name = getattr(context.tool, "name", None) or context.tool_name
            verdict = gate.sync.decide(Call(f"{server}/{name}" if server else name, context.tool_input, session=session))
            return None if verdict["verdict"] == "allow" else False
        except Exception:  # whatever it is: raised, it would run the tool
            return False

    return hook


def _claims(tool: Any) -> bool:
    """Whether a tool is wrapped: it, or the one that CrewAI made a form of its own of."""
    return any(getattr(type(t), "claims_leave", False) is True for t in (tool, getattr(tool, "_original_tool", None)))


def install(gate: AsyncGate, *, server: Optional[str] = None, session: Optional[str] = None) -> Callable[[Any], Optional[bool]]:
    """Registers the hook for every tool of every crew. It returns it, to unregister it."""
    from crewai.hooks import register_before_tool_call_hook

    hook = before_tool_call(gate, server=server, session=session)
    register_before_tool_call_hook(hook)
    return hook
