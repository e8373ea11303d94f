# Copyright 2026 The Toolverdict Authors
# SPDX-License-Identifier: Apache-2.0

"""The wrappers, in doubles of their frameworks, against a real gate. For each of them: what is allowed runs
once with the claimed arguments, and whatever else happens, the tool is not entered and the model reads why."""

from __future__ import annotations

import unittest
from typing import Any, Callable, Dict, List

import doubles
from doubles import Command, Crew, CrewTool, FunctionTool, GraphInterrupt, Model, StructuredTool, TextResultContent, ToolCallRequest, ToolMessage, ToolResult, run_function_tool
from rig import SPOILED, RealGate, Spoiler
from toolverdict import AsyncGate, autogen, crewai, langchain, openai_agents

gate: RealGate


def setUpModule() -> None:
    global gate
    gate = RealGate()


def tearDownModule() -> None:
    gate.remove()


class Framework(unittest.IsolatedAsyncioTestCase):
    """One table for all doors."""

    table = False

    def setUp(self) -> None:
        self.entered: List[Any] = []
        self.before = gate.open()

    def make(self, of: AsyncGate, name: str, tool: Callable[[Dict[str, Any]], Any]) -> Callable[[Dict[str, Any]], Any]:
        """A door: it calls one tool in the framework and returns what the model reads."""
        raise NotImplementedError

    def tool(self, arguments: Dict[str, Any]) -> str:
        self.entered.append(arguments)
        if arguments.get("text") == "fail":
            raise ValueError("no stock")
        return "done"

    async def ask(self, of: AsyncGate, name: str, arguments: Dict[str, Any]) -> str:
        return str(await self.make(of, name, self.tool)(arguments))


class Doors:
    """The table. It is a class inside so that it is not run by itself."""

    class Table(Framework):
        async def test_allowed(self) -> None:
            async with gate.async_as("agent") as agent:
                self.assertEqual(await self.ask(agent, "note", {"text": "a", "number": 2**60}), "done")
            self.assertEqual(self.entered, [{"text": "a", "number": 2**60}])
            self.assertEqual(gate.open() - self.before, set())

        async def test_denied(self) -> None:
            async with gate.async_as("agent") as agent:
                self.assertRegex(await self.ask(agent, "wipe", {"all": True}), self.denied)
            self.assertEqual(self.entered, [])

        denied = "POLICY_DENIED"

        async def test_asked_and_approved(self) -> None:
            order = type(self).__name__
            async with gate.async_as("agent") as agent:
                call = ("refund", {"order": order, "amount": 200})
                self.assertRegex(await self.ask(agent, *call), self.asked)
                self.assertEqual(self.entered, [])
                boss = gate.as_("boss")
                for a in boss.approvals.list("pending"):
                    if order in str(a):
                        boss.approvals.approve(a["id"], "fine")
                self.assertEqual(await self.ask(agent, *call), "done")
                self.assertEqual(self.entered, [call[1]])
                self.assertRegex(await self.ask(agent, *call), self.asked + "|done")
                self.assertEqual(len(self.entered), 1)

        asked = "CONFIRMATION_REQUIRED"

        async def test_a_tool_that_fails(self) -> None:
            async with gate.async_as("agent") as agent:
                try:
                    said = await self.ask(agent, "note", {"text": "fail"})
                except Exception as e:
                    said = str(e)
                self.assertRegex(said, "TOOL_ERROR|no stock")
            self.assertEqual((len(self.entered), gate.open() - self.before), (1, set()))

        async def test_no_leave(self) -> None:
            for name in ("a misspelt verdict", "another word", "status 204", "an empty object", "a page", "a redirect", "a truncated answer", "other arguments", "a broken connection", "no answer"):
                with self.subTest(name):
                    # Both questions are spoiled: what would be decided, and the claim.
                    spoil = SPOILED[name]
                    spoiler = Spoiler(gate, "/v1/claim", spoil)
                    async with gate.async_as("agent", spoiler.url, timeout=0.5) as agent:
                        try:
                            said = str(await self.make(agent, "note", self.tool)({"text": "a", "number": 1}))
                        except Exception as e:
                            said = str(e)
                    spoiler.close()
                    self.assertEqual(self.entered, [])
                    self.assertRegex(said, "GATE_UNAVAILABLE|INVALID_INPUT|POLICY_DENIED")

        async def test_no_gate(self) -> None:
            async with AsyncGate("http://127.0.0.1:1", "k") as nobody:
                try:
                    said = await self.ask(nobody, "note", {"text": "a"})
                except Exception as e:
                    said = str(e)
            self.assertEqual(self.entered, [])
            self.assertRegex(said, self.gone)

        gone = "GATE_UNAVAILABLE"


class TestLangChainMiddleware(Doors.Table):
    def handler(self, name: str, tool: Any) -> Any:
        def handle(request: ToolCallRequest) -> Any:
            return ToolMessage(tool(request.tool_call["args"]), request.tool_call["id"], name)

        return handle

    def make(self, of: AsyncGate, name: str, tool: Any) -> Any:
        with doubles.langchain():
            ours = langchain.middleware(of, server="app")

        async def door(arguments: Dict[str, Any]) -> Any:
            request = ToolCallRequest({"name": name, "args": arguments, "id": "call_1"})
            with doubles.langchain():
                message = ours.wrap_tool_call(request, self.handler(name, tool))
            self.assertEqual((message.tool_call_id, message.name), ("call_1", name))
            return message.content

        return door

    async def test_an_interrupt_gives_the_leave_back(self) -> None:
        def pause(_: Any) -> Any:
            raise GraphInterrupt()

        async with gate.async_as("agent") as agent:
            with self.assertRaises(GraphInterrupt):
                await self.make(agent, "note", pause)({"text": "pause"})
        self.assertEqual((gate.open() - self.before, [c for c in gate.claims("unknown") if "pause" in str(c)]), (set(), []))

    async def test_what_is_no_message_goes_on(self) -> None:
        command = Command()
        async with gate.async_as("agent") as agent:
            with doubles.langchain():
                ours = langchain.middleware(agent, server="app")
                self.assertIs(ours.wrap_tool_call(ToolCallRequest({"name": "note", "args": {}, "id": "1"}), lambda _: command), command)

    async def test_an_error_of_the_tool_is_told_as_one(self) -> None:
        async with gate.async_as("agent") as agent:
            with doubles.langchain():
                ours = langchain.middleware(agent, server="app")
                got = ours.wrap_tool_call(ToolCallRequest({"name": "note", "args": {}, "id": "1"}), lambda _: ToolMessage("no stock", "1", "note", "error"))
        self.assertEqual(got.status, "error")
        self.assertIn("TOOL_ERROR", got.content)

    async def test_the_model_reads_what_the_gate_lets_it(self) -> None:
        spoiler = Spoiler(gate, "/v1/outcome", lambda a, r: r.json(a.replace('"result":"done"', '"result":"[HIDDEN]"')))
        async with gate.async_as("agent", spoiler.url) as agent:
            self.assertEqual(await self.ask(agent, "note", {"text": "a"}), "[HIDDEN]")
        spoiler.close()


class TestLangChainMiddlewareAsync(TestLangChainMiddleware):
    def make(self, of: AsyncGate, name: str, tool: Any) -> Any:
        async def handle(request: ToolCallRequest) -> Any:
            return self.handler(name, tool)(request)

        async def door(arguments: Dict[str, Any]) -> Any:
            with doubles.langchain():
                ours = langchain.middleware(of, server="app")
                return (await ours.awrap_tool_call(ToolCallRequest({"name": name, "args": arguments, "id": "call_1"}), handle)).content

        return door


class TestLangChainTool(Doors.Table):
    later = False

    def make(self, of: AsyncGate, name: str, tool: Any) -> Any:
        async def coroutine(**arguments: Any) -> Any:
            return tool(arguments)

        with doubles.langchain():
            inner = StructuredTool(name=name, description="x", args_schema=None, func=lambda **arguments: tool(arguments), coroutine=coroutine)
            ours = langchain.tool(of, inner, server="app")

        async def door(arguments: Dict[str, Any]) -> Any:
            return await ours.ainvoke(arguments) if self.later else ours.invoke(arguments)

        return door


class TestLangChainToolAsync(TestLangChainTool):
    later = True


class TestAutoGenTool(Doors.Table):
    def make(self, of: AsyncGate, name: str, tool: Any) -> Any:
        class Inner(doubles.BaseTool):
            async def run(self, args: Model, cancellation_token: Any) -> Any:
                assert cancellation_token == "token"
                return tool(args.model_dump())

        with doubles.autogen():
            ours = autogen.tool(of, Inner(Model, str, name, "x"), server="app")

        async def door(arguments: Dict[str, Any]) -> Any:
            try:
                return ours.return_value_as_string(await ours.run_json(arguments, "token"))
            except Exception as e:  # as the agent does
                return str(e)

        return door

    async def test_the_other_way_in(self) -> None:
        with doubles.autogen():
            ours = self.make
        async with gate.async_as("agent") as agent:

            class Inner(doubles.BaseTool):
                async def run(inner, args: Model, cancellation_token: Any) -> Any:
                    return Model(sum=self.tool(args.model_dump()))

            with doubles.autogen():
                ours = autogen.tool(agent, Inner(Model, Model, "note", "x"), server="app")
            self.assertEqual(await ours.run(Model(text="a"), "token"), {"sum": "done"})
            self.assertEqual(ours.schema, {"name": "note", "description": "x"})


class TestAutoGenWorkbench(Doors.Table):
    def make(self, of: AsyncGate, name: str, tool: Any) -> Any:
        class Inner(doubles.Workbench):
            async def call_tool(self, name: str, arguments: Any = None, cancellation_token: Any = None, call_id: Any = None) -> Any:
                try:
                    return ToolResult(name, [TextResultContent(content=tool(arguments))])
                except ValueError as e:
                    return ToolResult(name, [TextResultContent(content=str(e))], True)

        with doubles.autogen():
            ours = autogen.workbench(of, Inner(), server="app")

        async def door(arguments: Dict[str, Any]) -> Any:
            with doubles.autogen():
                result = await ours.call_tool(name, arguments, None, call_id="call_1")
            self.assertEqual(result.is_error, result.to_text() != "done")
            return result.to_text()

        return door


class TestCrewAITool(Doors.Table):
    later = False

    def make(self, of: AsyncGate, name: str, tool: Any) -> Any:
        class Inner(CrewTool):
            def _run(self, **arguments: Any) -> Any:
                return tool(arguments)

        with Crew().modules():
            ours = crewai.tool(of, Inner(name=name, description="x"), server="app")
        self.assertEqual(ours.description, "Tool Description: x")

        async def door(arguments: Dict[str, Any]) -> Any:
            return await ours.arun(**arguments) if self.later else Crew().call(ours, arguments)

        return door


class TestCrewAIToolAsync(TestCrewAITool):
    later = True


class TestCrewAIHook(unittest.IsolatedAsyncioTestCase):
    """The hook alone: any exception but HookAborted would run the tool."""

    async def test_it_stops_whatever_is_not_allowed(self) -> None:
        for newer in (True, False):
            for name, arguments, want in (("note", {"text": "a"}, "ran"), ("wipe", {}, "blocked by hook"), ("refund", {"order": "H", "amount": 500}, "blocked by hook"), ("note", {"text": object()}, "blocked by hook")):
                with self.subTest(f"{newer} {name} {arguments}"):
                    self.assertEqual(self.call(gate.async_as("agent"), newer, name, arguments), want)
            with self.subTest("no gate"):
                self.assertEqual(self.call(AsyncGate("http://127.0.0.1:1", "k"), newer, "note", {}), "blocked by hook")
            for spoiled in ("a misspelt verdict", "no verdict", "an empty object", "a page", "status 204", "a redirect", "another word", "a broken connection"):
                with self.subTest(spoiled):
                    spoiler = Spoiler(gate, "/v1/decide", SPOILED[spoiled])
                    self.assertEqual(self.call(gate.async_as("agent", spoiler.url, timeout=1), newer, "note", {}), "blocked by hook")
                    spoiler.close()
            with self.subTest("a broken client"):
                self.assertEqual(self.call(None, newer, "note", {}), "blocked by hook")

    async def test_a_wrapped_tool_asks_by_itself(self) -> None:
        crew, of = Crew(), gate.async_as("agent")
        with crew.modules():
            crewai.install(of, server="app")
            inner = CrewTool(name="refund", description="x")
            self.assertIn("CONFIRMATION_REQUIRED", crew.call(crewai.tool(of, inner, server="app"), {"order": "W", "amount": 500}))

    def call(self, of: Any, newer: bool, name: str, arguments: Dict[str, Any]) -> Any:
        class Inner(CrewTool):
            def _run(self, **_: Any) -> Any:
                return "ran"

        crew = Crew(newer)
        with crew.modules():
            crewai.install(of, server="app")
            return crew.call(Inner(name=name, description="x"), arguments)


class TestOpenAIAgents(Doors.Table):
    layers = False

    def make(self, of: AsyncGate, name: str, tool: Any) -> Any:
        import json

        async def invoke(context: Any, text: str) -> Any:
            return tool(json.loads(text))

        inner = FunctionTool(name, invoke)
        with doubles.openai_agents():
            ours = openai_agents.tool(of, inner, server="app")
            if self.layers:
                ours.tool_input_guardrails = [openai_agents.guardrail(of, server="app")]
        self.assertIs(inner.on_invoke_tool, invoke)

        async def door(arguments: Any) -> Any:
            with doubles.openai_agents():
                return await run_function_tool(ours, arguments if isinstance(arguments, str) else json.dumps(arguments))

        return door

    async def test_a_key_that_is_given_twice(self) -> None:
        async with gate.async_as("agent") as agent:
            said = await self.make(agent, "refund", self.tool)('{"order":"D","amount":1,"amount":1000}')
        self.assertEqual(self.entered, [])
        self.assertIn("MALFORMED_CALL", said)

    async def test_a_person_is_asked_in_the_framework(self) -> None:
        async with gate.async_as("agent") as agent:
            inner = FunctionTool("refund", lambda *_: None, needs_approval=openai_agents.needs_approval(agent, "refund", server="app"))
            self.assertEqual(await run_function_tool(inner, '{"order":"P","amount":1000}'), "paused")
            self.assertFalse(await inner.needs_approval(None, {"order": "P", "amount": 1}, "c"))
            wipe = openai_agents.needs_approval(agent, "wipe", server="app")
            self.assertFalse(await wipe(None, {}, "c"))


class TestOpenAIAgentsWithGuardrail(TestOpenAIAgents):
    layers = True

    async def test_a_guardrail_without_a_wrapped_tool_stops_what_waits(self) -> None:
        async def invoke(*_: Any) -> Any:
            self.entered.append(1)
            return "ran"

        async with gate.async_as("agent") as agent:
            with doubles.openai_agents():
                for name, text, want in (("refund", '{"order":"G","amount":1000}', "CONFIRMATION_REQUIRED"), ("wipe", "{}", "POLICY_DENIED"), ("note", "{}", "ran")):
                    bare = FunctionTool(name, invoke, [openai_agents.guardrail(agent, server="app")])
                    self.assertIn(want, await run_function_tool(bare, text))
        self.assertEqual(len(self.entered), 1)


if __name__ == "__main__":
    unittest.main()
