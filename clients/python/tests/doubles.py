# Copyright 2026 The Toolverdict Authors
# SPDX-License-Identifier: Apache-2.0

"""Minimal doubles of the interfaces that the wrappers are written to, as their source and documentation have
them. The frameworks themselves are not installed here."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import json
import sys
import types
from dataclasses import dataclass, field, replace
from typing import Any, Callable, Dict, List, Optional
from unittest import mock


def installed(**modules: Dict[str, Any]) -> Any:
    """Puts modules in place for a test, by their names with __ for a dot."""
    made = {}
    for name, members in modules.items():
        parts = name.split("__")
        for i in range(1, len(parts) + 1):
            made.setdefault(".".join(parts[:i]), types.ModuleType(".".join(parts[:i])))
        vars(made[".".join(parts)]).update(members)
    return mock.patch.dict(sys.modules, made)


class Model:
    """What is used of a pydantic model."""

    def __init__(self, **members: Any) -> None:
        self.__dict__.update(members)

    def model_dump(self, **_: Any) -> Dict[str, Any]:
        return dict(vars(self))

    def model_copy(self, update: Dict[str, Any]) -> Any:
        return type(self)(**{**vars(self), **update})


# ---- LangChain: langchain.agents.middleware, langchain_core.messages, langchain_core.tools --------


class AgentMiddleware:
    pass


class BaseMessage(Model):
    pass


class HumanMessage(BaseMessage):
    def __init__(self, content: Any) -> None:
        super().__init__(content=content)


class ToolMessage(BaseMessage):
    def __init__(self, content: Any, tool_call_id: str, name: Optional[str] = None, status: str = "success") -> None:
        super().__init__(content=content, tool_call_id=tool_call_id, name=name, status=status)


@dataclass(frozen=True)
class Command:
    graph: Optional[str] = None
    update: Any = None
    resume: Any = None
    goto: Any = ()


@dataclass
class Send:
    node: str
    arg: Any


class GraphBubbleUp(Exception):
    pass


class GraphInterrupt(GraphBubbleUp):
    pass


class GraphDrained(GraphBubbleUp):
    pass


class ParentCommand(GraphBubbleUp):
    def __init__(self, command: Command) -> None:
        super().__init__(command)


@dataclass
class ToolCallRequest:
    tool_call: Dict[str, Any]
    tool: Any = None
    runtime: Any = None

    def override(self, **changes: Any) -> "ToolCallRequest":
        return replace(self, **changes)


class ToolException(Exception):
    pass


class StructuredTool:
    """Runs func with the arguments; a ToolException becomes its answer where that is said. Called by a graph it
    gets the call's id and the graph's configuration, which func does not."""

    def __init__(self, *, name: str, description: str, args_schema: Any, func: Callable[..., Any], coroutine: Any, handle_tool_error: bool = False, return_direct: bool = False) -> None:
        self.name, self.description, self.args_schema = name, description, args_schema
        self.func, self.coroutine, self.handle = func, coroutine, handle_tool_error

    def invoke(self, arguments: Dict[str, Any], config: Any = None) -> Any:
        return self.run(arguments.get("args", arguments), config=config, tool_call_id=arguments.get("id"))

    async def ainvoke(self, arguments: Dict[str, Any], config: Any = None) -> Any:
        return await self.arun(arguments.get("args", arguments), config=config, tool_call_id=arguments.get("id"))

    def run(self, arguments: Dict[str, Any], *, config: Any = None, tool_call_id: Optional[str] = None) -> Any:
        try:
            return contextvars.copy_context().run(self.func, **arguments)
        except ToolException as e:
            if not self.handle:
                raise
            return str(e)

    async def arun(self, arguments: Dict[str, Any], *, config: Any = None, tool_call_id: Optional[str] = None) -> Any:
        try:
            return await asyncio.create_task(self.coroutine(**arguments))
        except ToolException as e:
            if not self.handle:
                raise
            return str(e)


def langchain() -> Any:
    return installed(
        langchain__agents__middleware={"AgentMiddleware": AgentMiddleware},
        langchain_core__messages={"BaseMessage": BaseMessage, "ToolMessage": ToolMessage},
        langchain_core__tools={"StructuredTool": StructuredTool, "ToolException": ToolException},
    )


# ---- AutoGen: autogen_core.tools -----------------------------------------------------------------


class BaseTool:
    def __init__(self, args_type: Any, return_type: Any, name: str, description: str) -> None:
        self._args_type, self._return_type, self.name, self.description = args_type, return_type, name, description

    def args_type(self) -> Any:
        return self._args_type

    def return_type(self) -> Any:
        return self._return_type

    @property
    def schema(self) -> Any:
        return {"name": self.name, "description": self.description}

    def return_value_as_string(self, value: Any) -> str:
        return json.dumps(value.model_dump()) if isinstance(value, Model) else str(value)

    async def run_json(self, args: Any, cancellation_token: Any, call_id: Optional[str] = None) -> Any:
        return await self.run(self._args_type(**args), cancellation_token)

    async def run(self, args: Any, cancellation_token: Any) -> Any:
        raise NotImplementedError

    def save_state_json(self) -> Any:
        return {}

    def load_state_json(self, state: Any) -> None:
        pass


class TextResultContent(Model):
    pass


class ToolResult(Model):
    def __init__(self, name: str, result: List[Any], is_error: bool = False) -> None:
        super().__init__(name=name, result=result, is_error=is_error)

    def to_text(self, replace_image: Optional[str] = None) -> str:
        return "\n".join(part.content for part in self.result)


class Workbench:
    pass


def autogen() -> Any:
    return installed(autogen_core__tools={"BaseTool": BaseTool, "Workbench": Workbench, "ToolResult": ToolResult, "TextResultContent": TextResultContent})


# ---- CrewAI: crewai.tools, crewai.hooks ----------------------------------------------------------


class HookAborted(Exception):
    def __init__(self, reason: str, source: Any = None) -> None:
        super().__init__(reason)
        self.reason = reason


class CrewTool:
    """What is used of BaseTool. It writes its description out anew when it is made."""

    def __init__(
        self, *, name: str, description: str, args_schema: Any = None, result_as_answer: bool = False,
        cache_function: Callable[[Any, Any], bool] = lambda _arguments, _result: True, max_usage_count: Optional[int] = None, current_usage_count: int = 0,
    ) -> None:
        self.name, self.args_schema, self.result_as_answer = name, args_schema, result_as_answer
        self.cache_function, self.max_usage_count, self.current_usage_count = cache_function, max_usage_count, current_usage_count
        self.description = "Tool Description: " + description

    def run(self, **arguments: Any) -> Any:
        return self._run(**arguments)  # type: ignore[attr-defined]

    async def arun(self, **arguments: Any) -> Any:
        return await self._arun(**arguments)

    async def _arun(self, **arguments: Any) -> Any:
        raise NotImplementedError


@dataclass
class Crew:
    """Runs a tool as a crew does, with a cache. The answer False of a hook stops it. Where a hook fails, the tool
    runs; of some versions HookAborted is no failure, and of those the newest keep on asking the other hooks."""

    aborts: bool = True
    hooks: List[Callable[[Any], Any]] = field(default_factory=list)
    cache: Dict[str, Any] = field(default_factory=dict)

    def modules(self) -> Any:
        hooks = {"register_before_tool_call_hook": self.hooks.append}
        return installed(crewai__tools={"BaseTool": CrewTool}, crewai__hooks=hooks, crewai__hooks__dispatch={"HookAborted": HookAborted})

    def call(self, tool: Any, arguments: Dict[str, Any]) -> Any:
        context = types.SimpleNamespace(tool_name=tool.name.lower(), tool_input=arguments, tool=tool, agent=None, task=None, crew=None)
        for hook in self.hooks:
            try:
                if hook(context) is False:
                    return "blocked by hook"
            except Exception as e:
                if self.aborts and isinstance(e, HookAborted):
                    return "blocked by hook"
                if not self.aborts:
                    break
        named = f"{tool.name} {arguments}"
        if named in self.cache:
            return self.cache[named]
        if tool.max_usage_count is not None and tool.current_usage_count >= tool.max_usage_count:
            return "used up"
        tool.current_usage_count += 1
        result = tool.run(**arguments)
        if tool.cache_function(arguments, result):
            self.cache[named] = result
        return result


# ---- OpenAI Agents: agents -----------------------------------------------------------------------


@dataclass
class FunctionTool:
    name: str
    on_invoke_tool: Callable[[Any, str], Any]
    tool_input_guardrails: Optional[List[Any]] = None
    needs_approval: Any = False


@dataclass
class ToolGuardrailFunctionOutput:
    behavior: Dict[str, Any]

    @classmethod
    def allow(cls) -> "ToolGuardrailFunctionOutput":
        return cls({"type": "allow"})

    @classmethod
    def reject_content(cls, message: str) -> "ToolGuardrailFunctionOutput":
        return cls({"type": "reject_content", "message": message})


@dataclass
class ToolInputGuardrail:
    guardrail_function: Callable[[Any], Any]


@dataclass
class ToolContext:
    tool_name: str
    tool_call_id: str
    tool_arguments: str


async def run_function_tool(tool: FunctionTool, text: str, id: str = "call_1") -> Any:
    """The order of the runner: approval, guardrails, tool."""
    context = ToolContext(tool.name, id, text)
    if callable(tool.needs_approval) and await tool.needs_approval(context, json.loads(text), id):
        return "paused"
    for guardrail in tool.tool_input_guardrails or []:
        output = guardrail.guardrail_function(types.SimpleNamespace(context=context, agent=types.SimpleNamespace(tools=[tool])))
        output = await output if inspect.isawaitable(output) else output
        if output.behavior["type"] == "reject_content":
            return output.behavior["message"]
        if output.behavior["type"] == "raise_exception":
            raise RuntimeError("tripwire")
    return await tool.on_invoke_tool(context, text)


def openai_agents() -> Any:
    return installed(agents={"ToolGuardrailFunctionOutput": ToolGuardrailFunctionOutput, "tool_input_guardrail": ToolInputGuardrail})


__all__ = [name for name in list(globals()) if not name.startswith("_") and name not in ("Any", "asyncio")]
