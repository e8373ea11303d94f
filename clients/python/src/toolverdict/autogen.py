# Copyright 2026 The Toolverdict Authors
# SPDX-License-Identifier: Apache-2.0

"""AutoGen: wrappers for a tool and for a workbench. AutoGen is imported when one of them is made."""

from __future__ import annotations

from typing import Any, Mapping, Optional

from .aio import AsyncGate
from .call import act
from .errors import Refused, ToolFailed, Untold


def tool(gate: AsyncGate, inner: Any, *, server: Optional[str] = None, wait: float = 0, session: Optional[str] = None) -> Any:
    """A BaseTool that runs only with leave. What it raises is the model's to read."""
    from autogen_core.tools import BaseTool

    class Guarded(BaseTool):  # type: ignore[misc,type-arg]
        def __init__(self) -> None:
            super().__init__(inner.args_type(), inner.return_type(), inner.name, inner.description)

        @property
        def schema(self) -> Any:
            return inner.schema

        async def run_json(self, args: Mapping[str, Any], cancellation_token: Any, **more: Any) -> Any:
            async def run(arguments: Any) -> Any:
                return _plain(await inner.run_json(arguments, cancellation_token, **more))

            return (await gate.run(act(server, inner.name, args, more.get("call_id"), session), run, wait=wait)).value

        async def run(self, args: Any, cancellation_token: Any) -> Any:
            return await self.run_json(args.model_dump(mode="json"), cancellation_token)

        def return_value_as_string(self, value: Any) -> str:
            return value if isinstance(value, str) else str(inner.return_value_as_string(value))

        # What the tool's own are, these are: plain in some versions, asynchronous in others.
        def save_state_json(self) -> Any:
            return inner.save_state_json()

        def load_state_json(self, state: Any) -> Any:
            return inner.load_state_json(state)

    return Guarded()


def _plain(value: Any) -> Any:
    """A result as JSON has it, as its tool would write it for the model."""
    return value.model_dump(mode="json") if hasattr(value, "model_dump") else value


def workbench(gate: AsyncGate, inner: Any, *, server: Optional[str] = None, wait: float = 0, session: Optional[str] = None) -> Any:
    """A Workbench whose tools run only with leave. It offers no streaming of calls, which would pass by."""
    from autogen_core.tools import TextResultContent, ToolResult, Workbench

    class Guarded(Workbench):  # type: ignore[misc]
        async def call_tool(self, name: str, arguments: Optional[Mapping[str, Any]] = None, cancellation_token: Any = None, **more: Any) -> Any:
            kept: Any = None

            async def run(claimed: Any) -> Any:
                nonlocal kept
                kept = await inner.call_tool(name, claimed, cancellation_token, **more)
                if kept.is_error:
                    raise RuntimeError(kept.to_text("[image]"))
                return kept.to_text("[image]")

            try:
                ran = await gate.run(act(server, name, arguments or {}, more.get("call_id"), session), run, wait=wait)
            except (Refused, ToolFailed, Untold) as error:
                return ToolResult(name=name, result=[TextResultContent(content=str(error))], is_error=True)
            if kept is not None and kept.to_text("[image]") == ran.text:
                return kept
            return ToolResult(name=name, result=[TextResultContent(content=ran.text)], is_error=False)

        async def list_tools(self) -> Any:
            return await inner.list_tools()

        async def start(self) -> None:
            await inner.start()

        async def stop(self) -> None:
            await inner.stop()

        async def reset(self) -> None:
            await inner.reset()

        async def save_state(self) -> Any:
            return await inner.save_state()

        async def load_state(self, state: Any) -> None:
            await inner.load_state(state)

    return Guarded()
