# Copyright 2026 The Toolverdict Authors
# SPDX-License-Identifier: Apache-2.0

"""OpenAI Agents: a wrapper for a function tool, a guardrail and an approval question. The package is imported
when one of them is made. Hosted tools and handoffs do not pass here."""

from __future__ import annotations

import copy
from typing import Any, Awaitable, Callable, Mapping, Optional

from .aio import AsyncGate
from .call import Call, act
from .claimed import Claimed
from .errors import Refused, ToolFailed, Untold


def _call(server: Optional[str], name: str, context: Any, text: Optional[str], session: Optional[str]) -> Call:
    return act(server, name, text or "{}", getattr(context, "tool_call_id", None), session)


def tool(gate: AsyncGate, inner: Any, *, server: Optional[str] = None, wait: float = 0, session: Optional[str] = None) -> Any:
    """A FunctionTool that runs only with leave. The gate reads the very text that the model wrote, and the tool
    gets the text that was claimed: of a key that is given twice no two readers see different values. A
    refusal is the tool's answer. A failure that the framework's own error function turned into text reads
    as a result: make the tool with failure_error_function=None to have it told as one."""
    invoke = inner.on_invoke_tool

    async def on_invoke_tool(context: Any, text: str) -> Any:
        async def run(claimed: Claimed) -> Any:
            result = await invoke(context, claimed.text)
            return result.model_dump(mode="json") if hasattr(result, "model_dump") else result

        try:
            return (await gate._run(_call(server, inner.name, context, text, session), run, wait)).value
        except (Refused, ToolFailed, Untold) as error:
            return str(error)

    on_invoke_tool.claims_leave = True  # type: ignore[attr-defined]
    guarded = copy.copy(inner)
    guarded.on_invoke_tool = on_invoke_tool
    return guarded


def guardrail(gate: AsyncGate, *, server: Optional[str] = None, session: Optional[str] = None) -> Any:
    """A tool input guardrail that rejects what would not be allowed now. It claims nothing, and is no gate by
    itself: wrap the tool (:func:`tool`). What waits for a person, or ran before, it leaves to a wrapped tool."""
    from agents import ToolGuardrailFunctionOutput, tool_input_guardrail

    async def toolverdict(data: Any) -> Any:
        context = data.context
        try:
            verdict = await gate.decide(_call(server, context.tool_name, context, context.tool_arguments, session))
        except Refused as refused:
            return ToolGuardrailFunctionOutput.reject_content(str(refused))
        claims = any(t.name == context.tool_name and getattr(getattr(t, "on_invoke_tool", None), "claims_leave", False) for t in data.agent.tools)
        if verdict["verdict"] == "allow" or claims and (verdict["verdict"] == "ask" or verdict.get("replayed") is True):
            return ToolGuardrailFunctionOutput.allow()
        error = verdict.get("error") or {}
        return ToolGuardrailFunctionOutput.reject_content(f"{error.get('code')}: {error.get('message')}")

    return tool_input_guardrail(toolverdict)


def needs_approval(gate: AsyncGate, name: str, *, server: Optional[str] = None, session: Optional[str] = None) -> Callable[[Any, Mapping[str, Any], str], Awaitable[bool]]:
    """For FunctionTool.needs_approval: the run pauses where a person must approve the call. Approving it in
    the framework runs nothing: the gate wants its own approval, and the tool claims it."""

    async def ask(_: Any, parameters: Mapping[str, Any], call_id: str) -> bool:
        try:
            return bool((await gate.decide(act(server, name, parameters, call_id, session)))["verdict"] == "ask")
        except Refused:
            return False  # the tool will be refused, and says why

    return ask
