# Copyright 2026 The Toolverdict Authors
# SPDX-License-Identifier: Apache-2.0

"""The wrappers, in doubles of their frameworks, against a real gate. For each of them: what is allowed runs
once with the claimed arguments, and whatever else happens, the tool is not entered and the model reads why."""

from __future__ import annotations

import types
import unittest
from typing import Any, Callable, Dict, List

import doubles
from doubles import (
    Command, Crew, CrewTool, FunctionTool, GraphDrained, GraphInterrupt, HumanMessage, Model, ParentCommand, Send, StructuredTool, TextResultContent, ToolCallRequest, ToolMessage,
    ToolResult, run_function_tool,
)
from rig import SPOILED, RealGate, Spoiler
from toolverdict import AsyncGate, autogen, crewai, langchain, openai_agents

gate: RealGate


def setUpModule() -> None:
    global gate
    gate = RealGate()


def tearDownModule() -> None:
    gate.remove()


def seen(value: Any) -> str:
    """All that is in a tool's answer, as text."""
    if isinstance(value, dict):
        return ", ".join(f"{k}={seen(v)}" for k, v in value.items())
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(seen(v) for v in value)}]"
    return f"{type(value).__name__}({seen(vars(value))})" if hasattr(value, "__dict__") else repr(value)


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

        before = gate.unknown()
        async with gate.async_as("other") as other:
            with self.assertRaises(GraphInterrupt):
                await self.make(other, "note", pause)({"text": "pause"})
        self.assertEqual((gate.open() - self.before, gate.unknown()), (set(), before))

    async def wrapped(self, ours: Any, request: ToolCallRequest, handle: Any) -> Any:
        return ours.wrap_tool_call(request, handle)

    async def through(self, of: AsyncGate, given: Any, **session: Any) -> Any:
        """What the middleware makes of a tool's answer, or of what it raises."""

        def handle(request: ToolCallRequest) -> Any:
            self.entered.append(request.tool_call["args"])
            if isinstance(given, BaseException):
                raise given
            return given

        with doubles.langchain():
            ours = langchain.middleware(of, server="app", **session)
            return await self.wrapped(ours, ToolCallRequest({"name": "note", "args": {}, "id": "1"}), handle)

    async def test_what_holds_no_message_goes_on(self) -> None:
        async with gate.async_as("agent") as agent:
            for command in (Command(), Command(goto="next"), Command(update={"count": 1}), Command(update=[("count", 1)])):
                self.assertIs(await self.through(agent, command), command)

    async def test_messages_in_a_command(self) -> None:
        """In every form, its messages are recorded, and go on as the gate lets them be read."""
        def message(content: Any = "secret") -> ToolMessage:
            return ToolMessage(content, "1", "note")

        def hidden(answer: str, at: Any) -> None:
            at.json(answer.replace("secret", "[HIDDEN]"))

        plain = {"role": "tool", "content": "secret", "tool_call_id": "1"}
        forms: Dict[str, Any] = {
            "by name": Command(update={"messages": [message()], "count": 1}), "a tuple": Command(update={"messages": (message(),)}), "a single one": Command(update={"messages": message()}),
            "pairs": Command(update=[("messages", [message()])]), "pairs in a tuple": Command(update=(("messages", message()),)), "a list as the state": Command(update=[message()]),
            "one as the state": Command(update=message()), "under another name": Command(update={"talk": [message()]}), "not of a tool": Command(update={"messages": [HumanMessage("secret")]}),
            "a dict": Command(update={"messages": [plain]}), "a single dict": Command(update={"messages": plain}), "a part": Command(update={"messages": [message([{"type": "text", "text": "secret"}])]}),
            "sent along": Command(goto=Send("next", {"messages": [message()]})), "sent along in a list": Command(goto=["x", Send("next", [message()])]), "in a list": [Command(update={"messages": [message()]}), message()],
        }
        spoiler = Spoiler(gate, "/v1/outcome", hidden)
        async with gate.async_as("agent", spoiler.url) as agent, gate.async_as("agent") as open:
            for name, command in forms.items():
                with self.subTest(name):
                    self.assertEqual(await self.through(open, command), command)
                    got = await self.through(agent, command)
                    self.assertNotIn("secret", seen(got))
                    self.assertEqual(seen(got), seen(command).replace("secret", "[HIDDEN]"))
                    with self.assertRaises(ParentCommand) as raised:
                        await self.through(agent, ParentCommand(command))
                    self.assertEqual(seen(raised.exception.args[0]), seen(command).replace("secret", "[HIDDEN]"))
        spoiler.close()
        self.assertEqual(gate.open() - self.before, set())

    async def test_a_command_that_cannot_be_read(self) -> None:
        class State:
            messages = "classified"

        async with gate.async_as("agent") as agent:
            for update in (State(), "classified", {"messages": "classified"}, {"messages": ["classified"]}, {"messages": [("tool", "classified")]}, [("messages", ["classified"])], ["classified"], {"messages": State()}, {"messages": [{"text": "classified"}]}):
                for given in (Command(update=update), ParentCommand(Command(update=update)), Command(goto=Send("next", update))):
                    with self.subTest(f"{given}"):
                        got = await self.through(agent, given)
                        self.assertEqual(got.status, "error")
                        self.assertIn("kept back", got.content)
                        self.assertNotIn("classified", got.content)
        self.assertEqual(gate.open() - self.before, set())

    async def test_an_error_in_a_command(self) -> None:
        old = ToolMessage("old", "0", "note", "error")
        async with gate.async_as("agent") as agent:
            for update in ({"messages": [ToolMessage("no stock", "1", "note", "error")]}, {"messages": [{"content": "no stock", "tool_call_id": "1", "status": "error"}]}):
                got = await self.through(agent, Command(update=update))
                self.assertEqual(got.status, "error")
                self.assertIn("TOOL_ERROR", got.content)
            handed = Command(update={"messages": [old, ToolMessage("done", "1", "note")]})
            self.assertIs(await self.through(agent, handed), handed)

    async def test_what_is_thrown_through_a_tool(self) -> None:
        """One that hands over has run: it is done once. One that is cut short may have."""
        session = f"handover-{type(self).__name__}"
        over, before = ParentCommand(Command(update={"messages": [ToolMessage("handed", "1", "note")]})), gate.unknown()
        async with gate.async_as("other") as other:
            with self.assertRaises(ParentCommand) as raised:
                await self.through(other, over, session=session)
            self.assertIs(raised.exception, over)
            self.assertEqual((await self.through(other, over, session=session)).content, "handed")
            self.assertEqual((len(self.entered), gate.unknown()), (1, before))
            with self.assertRaises(GraphDrained):
                await self.through(other, GraphDrained())
        self.assertEqual((gate.open() - self.before, gate.unknown()), (set(), before + 1))

    async def test_a_graph_that_is_resumed(self) -> None:
        """The id of a call names the act, in a session or in the thread of the graph."""
        runtime = types.SimpleNamespace(config={"configurable": {"thread_id": f"thread-{type(self).__name__}"}})
        async with gate.async_as("agent") as agent:
            with doubles.langchain():
                for ours, of in ((langchain.middleware(agent, server="app"), runtime), (langchain.middleware(agent, server="app", session="resumed"), None)):
                    request = ToolCallRequest({"name": "note", "args": {"text": "once"}, "id": f"id-{type(self).__name__}"}, runtime=of)
                    got = [(await self.wrapped(ours, request, self.handler("note", self.tool))).content for _ in range(2)]
                    self.assertEqual((got, len(self.entered)), (["done", "done"], 1))
                    self.entered.clear()

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
    async def wrapped(self, ours: Any, request: ToolCallRequest, handle: Any) -> Any:
        async def later(request: ToolCallRequest) -> Any:
            return handle(request)

        return await ours.awrap_tool_call(request, later)

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

        async def door(arguments: Dict[str, Any], config: Any = None) -> Any:
            return await ours.ainvoke(arguments, config) if self.later else ours.invoke(arguments, config)

        return door

    async def test_an_interrupt_gives_the_leave_back(self) -> None:
        def pause(_: Any) -> Any:
            raise GraphInterrupt()

        before = gate.unknown()
        async with gate.async_as("other") as other:
            with self.assertRaises(GraphInterrupt):
                await self.make(other, "note", pause)({"text": "pause"})
        self.assertEqual((gate.open() - self.before, gate.unknown()), (set(), before))

    async def test_a_command(self) -> None:
        def command(content: str, status: str = "success") -> Command:
            return Command(update={"messages": [ToolMessage(content, "1", "note", status)]})

        spoiler = Spoiler(gate, "/v1/outcome", lambda a, r: r.json(a.replace("secret", "[HIDDEN]")))
        async with gate.async_as("agent", spoiler.url) as agent:
            self.assertEqual(seen(await self.make(agent, "note", lambda _: command("secret"))({})), seen(command("[HIDDEN]")))
            self.assertIn("TOOL_ERROR", await self.make(agent, "note", lambda _: command("no stock", "error"))({}))
            self.assertIn("kept back", await self.make(agent, "note", lambda _: Command(update="secret"))({}))
        spoiler.close()

    async def test_a_graph_that_is_resumed(self) -> None:
        call, config = {"name": "note", "args": {"text": "once"}, "id": f"id-{self.later}", "type": "tool_call"}, {"configurable": {"thread_id": "thread-tool"}}
        async with gate.async_as("agent") as agent:
            door = self.make(agent, "note", self.tool)
            self.assertEqual([await door(call, config) for _ in range(2)], ["done", "done"])
            self.assertEqual(len(self.entered), 1)
            await door({**call, "id": "another"} if self.later else {**call, "id": "other"}, config)
            await door({"text": "once"})
            self.assertEqual(len(self.entered), 3)


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
            with doubles.autogen():
                ours = autogen.tool(agent, Inner(Model, Model, "note", "x"), server="app", session="autogen")
            self.entered.clear()
            self.assertEqual([await ours.run_json({"text": "a"}, "token", call_id="tool-1") for _ in range(2)], [{"sum": "done"}] * 2)
            self.assertEqual(len(self.entered), 1)


class TestAutoGenWorkbench(Doors.Table):
    def make(self, of: AsyncGate, name: str, tool: Any) -> Any:
        class Inner(doubles.Workbench):
            async def call_tool(self, name: str, arguments: Any = None, cancellation_token: Any = None, call_id: Any = None) -> Any:
                try:
                    return ToolResult(name, [TextResultContent(content=tool(arguments))])
                except ValueError as e:
                    return ToolResult(name, [TextResultContent(content=str(e))], True)

        with doubles.autogen():
            ours = autogen.workbench(of, Inner(), server="app", session=self.session)

        async def door(arguments: Dict[str, Any]) -> Any:
            with doubles.autogen():
                result = await ours.call_tool(name, arguments, None, call_id="call_1")
            self.assertEqual(result.is_error, result.to_text() != "done")
            return result.to_text()

        return door

    session = None

    async def test_the_id_of_a_call_names_the_act(self) -> None:
        self.session = "workbench"
        async with gate.async_as("agent") as agent:
            door = self.make(agent, "note", self.tool)
            self.assertEqual([await door({"text": "once"}) for _ in range(2)], ["done", "done"])
        self.assertEqual(len(self.entered), 1)


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

    async def test_what_the_tool_was_and_the_cache(self) -> None:
        class Inner(CrewTool):
            def _run(inner, **arguments: Any) -> Any:
                return self.tool(arguments)

        crew = Crew()
        async with gate.async_as("agent") as agent, AsyncGate("http://127.0.0.1:1", "k") as nobody:
            with crew.modules():
                inner = Inner(name="note", description="x", max_usage_count=3, current_usage_count=1)
                ours, lost = (crewai.tool(of, inner, server="app") for of in (agent, nobody))
            self.assertIn("GATE_UNAVAILABLE", crew.call(lost, {"text": "a"}))
            self.assertEqual([crew.call(ours, {"text": "a"}) for _ in range(3)], ["done", "done", "used up"])
        self.assertEqual((len(self.entered), crew.cache), (2, {}))


class TestCrewAIToolAsync(TestCrewAITool):
    later = True


class TestCrewAIHook(unittest.IsolatedAsyncioTestCase):
    """The hook alone: what it raises would run the tool, in some versions HookAborted, too."""

    async def test_it_stops_whatever_is_not_allowed(self) -> None:
        for aborts in (True, False):
            for name, arguments, want in (("note", {"text": "a"}, "ran"), ("wipe", {}, "blocked by hook"), ("refund", {"order": "H", "amount": 500}, "blocked by hook"), ("note", {"text": object()}, "blocked by hook")):
                with self.subTest(f"{aborts} {name} {arguments}"):
                    self.assertEqual(self.call(gate.async_as("agent"), aborts, name, arguments), want)
            with self.subTest("no gate"):
                self.assertEqual(self.call(AsyncGate("http://127.0.0.1:1", "k"), aborts, "note", {}), "blocked by hook")
            for spoiled in ("a misspelt verdict", "no verdict", "an empty object", "a page", "status 204", "a redirect", "another word", "a broken connection"):
                with self.subTest(spoiled):
                    spoiler = Spoiler(gate, "/v1/decide", SPOILED[spoiled])
                    self.assertEqual(self.call(gate.async_as("agent", spoiler.url, timeout=1), aborts, "note", {}), "blocked by hook")
                    spoiler.close()
            with self.subTest("a broken client"):
                self.assertEqual(self.call(None, aborts, "note", {}), "blocked by hook")

    async def test_a_wrapped_tool_asks_by_itself(self) -> None:
        crew, of = Crew(), gate.async_as("agent")
        with crew.modules():
            crewai.install(of, server="app")
            inner = CrewTool(name="refund", description="x")
            self.assertIn("CONFIRMATION_REQUIRED", crew.call(crewai.tool(of, inner, server="app"), {"order": "W", "amount": 500}))

    def call(self, of: Any, aborts: bool, name: str, arguments: Dict[str, Any]) -> Any:
        class Inner(CrewTool):
            def _run(self, **_: Any) -> Any:
                return "ran"

        crew = Crew(aborts)
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

    async def test_the_tool_gets_the_text_that_was_claimed(self) -> None:
        texts: List[str] = []

        async def invoke(_: Any, text: str) -> str:
            texts.append(text)
            return "done"

        async with gate.async_as("agent") as agent:
            with doubles.openai_agents():
                ours = openai_agents.tool(agent, FunctionTool("note", invoke), server="app", session="openai")
                ours.tool_input_guardrails = [openai_agents.guardrail(agent, server="app", session="openai")] if self.layers else None
                for _ in range(2):
                    self.assertEqual(await run_function_tool(ours, '{ "number" : 1.50, "text":"\\u00e9" }', f"id-{self.layers}"), "done")
        self.assertEqual(texts, ['{ "number" : 1.50, "text":"\\u00e9" }'])  # and once: the id names the act

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
