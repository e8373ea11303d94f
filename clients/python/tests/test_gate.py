# Copyright 2026 The Toolverdict Authors
# SPDX-License-Identifier: Apache-2.0

"""The client against a real gate, and against what is none."""

from __future__ import annotations

import asyncio
import concurrent.futures
import decimal
import json
import os
import signal
import socket
import subprocess
import threading
import time
import unittest
from typing import Any, Dict, List
from unittest import mock

from rig import SPOILED, RealGate, Spoiler, sub
from toolverdict import AlreadyRan, AsyncGate, Call, Gate, NotBegun, Refused, ToolFailed, Unfinished, Untold
from toolverdict.call import act

gate: RealGate


def setUpModule() -> None:
    global gate
    gate = RealGate()


def tearDownModule() -> None:
    gate.remove()


class Entered:
    """A tool's function that remembers what it was entered with."""

    def __init__(self, result: Any = "done") -> None:
        self.result, self.calls = result, []  # type: ignore[var-annotated]

    def __call__(self, arguments: Dict[str, Any]) -> Any:
        self.calls.append(arguments)
        if isinstance(self.result, BaseException):
            raise self.result
        return self.result

    async def later(self, arguments: Dict[str, Any]) -> Any:
        return self(arguments)


NOTE = Call("app/note", {"text": "hello"})
WIPE = Call("app/wipe", {"all": True})


def large(order: str) -> Call:
    return Call("app/refund", {"order": order, "amount": 250.5})


def notes(*texts: str) -> Dict[str, Any]:
    """A model's message with a note for each text."""
    calls = [{"id": text, "type": "function", "function": {"name": "app__note", "arguments": json.dumps({"text": text})}} for text in texts]
    return {"role": "assistant", "tool_calls": calls}


class TestRun(unittest.TestCase):
    def setUp(self) -> None:
        self.before = gate.open()

    def test_a_call_that_is_allowed_runs_once(self) -> None:
        tool = Entered({"ok": True})
        ran = gate.as_("agent").run(NOTE, tool)
        self.assertEqual((ran.value, ran.text, ran.replayed, tool.calls), ({"ok": True}, '{"ok":true}', False, [{"text": "hello"}]))

    def test_a_call_that_is_denied_does_not(self) -> None:
        tool = Entered()
        with self.assertRaises(Refused) as raised:
            gate.as_("agent").run(WIPE, tool)
        self.assertEqual((raised.exception.code, tool.calls), ("POLICY_DENIED", []))
        self.assertIn("Nobody wipes", str(raised.exception))

    def test_numbers_are_exact(self) -> None:
        tool = Entered()
        gate.as_("agent").run(Call("app/note", {"number": 2**63 + 1}), tool)
        gate.as_("agent").run(Call("app/note", '{"number": 1.50, "text": "\\u00e9é"}'), tool)
        gate.as_("agent").run(Call("app/note", {"number": decimal.Decimal("0.10")}), tool)
        self.assertEqual(tool.calls, [{"number": 2**63 + 1}, {"number": 1.5, "text": "éé"}, {"number": 0.1}])

    def test_what_has_no_form_is_not_sent(self) -> None:
        tool = Entered()
        loop: List[Any] = []
        loop.append(loop)
        for bad in ({"text": float("nan")}, {"text": float("inf")}, {1: "x"}, {"text": object()}, {"text": b"x"}, {"text": loop}, {"text": {1, 2}}, {None: 1}, {"number": decimal.Decimal("NaN")}, {"number": decimal.Decimal("0.1000000000000000000000000001")}):
            with self.subTest(str(bad)), self.assertRaises(Refused) as raised:
                gate.as_("agent").run(Call("app/note", bad), tool)  # type: ignore[arg-type]
            self.assertEqual(raised.exception.code, "MALFORMED_CALL")
        for text in ('{"text":"a","text":"b"}', '{"text":"\\ud800"}', "{", "[]", '{"text":NaN}', '{"text":"a"},"tool":"app/note"', "\ufeff{}", '{"text":"a","Text":"b"}', ""):
            with self.subTest(text), self.assertRaises(Refused) as raised:
                gate.as_("agent").run(Call("app/note", text), tool)
            self.assertIn(raised.exception.code, ("MALFORMED_CALL", "INVALID_ARGUMENTS"))
        self.assertEqual(tool.calls, [])

    def test_a_person_approves(self) -> None:
        agent, boss, tool = gate.as_("agent"), gate.as_("boss"), Entered("paid")
        with self.assertRaises(Refused) as raised:
            agent.run(large("A1"), tool)
        self.assertTrue(raised.exception.waits)
        id = raised.exception.confirmation["id"]  # type: ignore[index]
        self.assertIn(id, str(raised.exception))
        boss.approvals.approve(id, "fine")
        self.assertEqual(agent.approvals.wait(id)["status"], "approved")
        self.assertEqual(agent.run(Call("app/refund", confirmation=id), tool).text, "paid")
        self.assertEqual(tool.calls, [{"order": "A1", "amount": 250.5}])
        with self.assertRaises(Refused):
            agent.run(Call(confirmation=id), tool)
        self.assertEqual(len(tool.calls), 1)

    def test_a_model_makes_an_approved_call_again_under_another_id(self) -> None:
        agent, boss, tool = gate.as_("agent"), gate.as_("boss"), Entered("paid")

        def made(id: str, session: str = "s-again", order: str = "A8") -> Call:
            return act("app", "refund", {"order": order, "amount": 250.5}, id, session)

        def refused(call: Call) -> str:
            with self.assertRaises(Refused) as raised:
                agent.run(call, tool)
            return str((raised.exception.confirmation or {}).get("id"))

        id = refused(made("call-1"))
        self.assertEqual(refused(made("call-2")), id)  # one question, however often
        for other in (made("call-2", session="s-other"), made("call-2", order="A9")):
            self.assertNotEqual(refused(other), id)
        boss.approvals.approve(id, "fine")
        self.assertEqual(agent.run(made("call-3"), tool).text, "paid")
        self.assertEqual(tool.calls, [{"order": "A8", "amount": 250.5}])
        again = refused(made("call-4"))  # another act: it is asked about anew
        self.assertNotIn(again, ("None", id))
        boss.approvals.reject(again, "enough")
        with self.assertRaises(Refused) as raised:
            agent.run(made("call-5"), tool)
        self.assertFalse(raised.exception.waits)
        self.assertEqual(len(tool.calls), 1)

    def test_leave_for_another_tool_than_was_meant(self) -> None:
        agent, tool = gate.as_("agent"), Entered()
        with self.assertRaises(Refused) as raised:
            agent.run(large("A7"), tool)
        gate.as_("boss").approvals.approve(raised.exception.confirmation["id"], "fine")  # type: ignore[index]
        with self.assertRaises(Refused):
            agent.run(Call("app/note", confirmation=raised.exception.confirmation["id"]), tool)  # type: ignore[index]
        self.assertEqual((tool.calls, gate.open() - self.before), ([], set()))

    def test_waiting_for_a_person_who_changes_the_call(self) -> None:
        agent, boss, tool = gate.as_("agent"), gate.as_("boss"), Entered()
        deputy = gate.as_("deputy")
        got: List[Any] = []
        waiting = threading.Thread(target=lambda: got.append(agent.run(large("A2"), tool, wait=30)))
        waiting.start()
        while not (open := [a for a in boss.approvals.list("pending") if "A2" in str(a)]):
            time.sleep(0.01)
        edited = boss.approvals.edit(open[0]["id"], {"order": "A2", "amount": 120}, "half of it")
        deputy.approvals.approve(edited["id"], "fine")
        waiting.join(30)
        self.assertEqual(tool.calls, [{"order": "A2", "amount": 120}])
        self.assertEqual(got[0].edited["by"], "boss")

    def test_an_act_is_done_once(self) -> None:
        tool = Entered("first")
        call = Call("app/note", {"text": "once"}, idempotency_key="act-1")
        self.assertFalse(gate.as_("agent").run(call, tool).replayed)
        again = gate.as_("agent").run(call, tool)
        self.assertEqual((again.text, again.replayed, len(tool.calls)), ("first", True, 1))
        with self.assertRaises(AlreadyRan):
            gate.as_("agent").claim(call)

    def test_leave_of_another_digest_is_given_back(self) -> None:
        agent, tool = gate.as_("agent"), Entered()
        decided = agent.decide(NOTE)
        self.assertEqual(agent.run(NOTE, tool, digest=decided["digest"]).text, "done")
        with self.assertRaises(Refused):
            agent.run(Call("app/note", {"text": "other"}), tool, digest=decided["digest"])
        self.assertEqual((len(tool.calls), gate.open() - self.before), (1, set()))

    def test_a_tool_that_fails(self) -> None:
        error = ValueError("no stock")
        with self.assertRaises(ToolFailed) as raised:
            gate.as_("agent").run(NOTE, Entered(error))
        self.assertIs(raised.exception.__cause__, error)
        self.assertIn("TOOL_ERROR", str(raised.exception))
        self.assertEqual(gate.open() - self.before, set())

    def test_a_tool_that_was_cut_short_is_not_told_as_failed(self) -> None:
        class ReadTimeout(Exception):
            """As HTTP clients have one."""

        def caught() -> BaseException:
            try:
                try:
                    raise TimeoutError("late")
                except TimeoutError as e:
                    raise ValueError("the bank is slow") from e
            except ValueError as e:
                return e

        cut: Dict[str, BaseException] = {
            "a timeout": TimeoutError("late"), "of asyncio": asyncio.TimeoutError(), "of a socket": socket.timeout("late"), "of futures": concurrent.futures.TimeoutError(),
            "of a process": subprocess.TimeoutExpired("pay", 3), "of a library": ReadTimeout(), "behind another": caught(), "of a gate": Untold("it was lost"),
        }
        for i, (name, error) in enumerate(cut.items()):
            with self.subTest(name):
                call, before = Call("app/note", {"text": name}, idempotency_key=f"cut-{i}"), gate.unknown()
                with self.assertRaises(ToolFailed) as raised:
                    gate.as_("other").run(call, Entered(error))
                self.assertIn("OUTCOME_UNKNOWN", str(raised.exception))
                self.assertEqual(gate.unknown(), before + 1)
                again = Entered()
                with self.assertRaises(Refused):
                    gate.as_("other").run(call, again)
                self.assertEqual(again.calls, [])

    def test_a_tool_that_cannot_say_what_it_did(self) -> None:
        before, cause = gate.unknown(), KeyError("half")
        unfinished = Unfinished()
        unfinished.__cause__ = cause
        with self.assertRaises(KeyError) as raised:
            gate.as_("other").run(NOTE, Entered(unfinished))
        self.assertIs(raised.exception, cause)
        self.assertEqual(gate.unknown(), before + 1)

    def test_a_function_that_nobody_would_enter(self) -> None:
        """A generator runs when somebody takes its first piece, and nobody does."""
        entered: List[Any] = []

        def pieces(arguments: Dict[str, Any]) -> Any:
            entered.append(arguments)
            yield "done"

        async def later_pieces(arguments: Dict[str, Any]) -> Any:
            entered.append(arguments)
            yield "done"

        class Started:
            def __await__(self) -> Any:
                return iter(())

        before = gate.unknown()
        for function in (pieces, later_pieces):
            with self.assertRaises(TypeError):
                gate.as_("other").run(NOTE, function)
            with self.assertRaises(TypeError):
                gate.as_("other").guard("app/note")(function)
        self.assertEqual((entered, gate.open() - self.before, gate.unknown()), ([], set(), before))
        with self.assertRaises(TypeError):
            gate.as_("other").run(NOTE, lambda _: Started())
        begun = pieces({})
        next(begun)
        with self.assertRaises(TypeError):
            gate.as_("other").run(NOTE, lambda _: begun)
        self.assertEqual(gate.unknown(), before + 2)

    def test_leave_that_ended_before_the_tool_was_entered(self) -> None:
        for past in ("2020-01-01T00:00:00Z", "2020-01-01T00:00:00.123456789Z", "2020-01-01T23:59:59.5-11:30"):
            with self.subTest(past):
                spoiler, tool = Spoiler(gate, "/v1/claim", sub(r'"deadline":"[^"]*"', f'"deadline":"{past}"')), Entered()
                with self.assertRaises(Refused) as raised:
                    gate.as_("agent", spoiler.url).run(NOTE, tool)
                spoiler.close()
                self.assertIn("ended before", str(raised.exception))
                self.assertEqual((tool.calls, gate.open() - self.before), ([], set()))

    def test_a_tool_that_did_not_begin(self) -> None:
        pause = KeyError("pause")
        not_begun = NotBegun()
        not_begun.__cause__ = pause
        with self.assertRaises(KeyError) as raised:
            gate.as_("agent").run(NOTE, Entered(not_begun))
        self.assertIs(raised.exception, pause)

    def test_a_program_that_is_stopped(self) -> None:
        before = gate.unknown()
        with self.assertRaises(KeyboardInterrupt):
            gate.as_("other").run(Call("app/note", {"text": "stopped"}), Entered(KeyboardInterrupt()))
        self.assertEqual(gate.unknown(), before + 1)

    def test_the_arguments_are_those_that_were_claimed(self) -> None:
        given = {"text": "before"}
        claimed = gate.as_("agent").claim(Call("app/note", given))
        given["text"] = "after"
        claimed.arguments["text"] = "changed"
        self.assertEqual(claimed.arguments, {"text": "before"})
        self.assertNotIn(claimed._token, repr(claimed) + str(claimed.verdict))
        gate.as_("agent").give_back(claimed, "not needed")

    def test_guarded_functions(self) -> None:
        entered: List[Any] = []
        agent = gate.as_("agent")

        @agent.guard("app/note")
        def note(text: str, number: int = 3) -> str:
            entered.append((text, number))
            return "noted"

        @agent.guard("app/wipe")
        def wipe(all: bool) -> None:
            entered.append("wipe")

        self.assertEqual((note("x"), note(text="y", number=4), note.__name__), ("noted", "noted", "note"))

        @agent.guard("app/refund")
        def refund(order: str, amount: float = 250, note: Any = None) -> None:
            entered.append("refund")

        with self.assertRaises(Refused) as raised:
            refund("A6")  # what it would run with is what is decided about
        self.assertTrue(raised.exception.waits, raised.exception)
        with self.assertRaises(TypeError):
            agent.guard("app/note", sesion="s")  # type: ignore[call-arg]
        with self.assertRaises(Refused):
            wipe(all=True)
        self.assertEqual(entered, [("x", 3), ("y", 4)])
        with self.assertRaises(TypeError):
            agent.guard("app/note")(lambda *args: None)

        async def later() -> None:
            pass

        with self.assertRaises(TypeError):
            agent.guard("app/note")(later)
        with self.assertRaises(TypeError):
            agent.run(NOTE, lambda arguments: later())

    def test_messages(self) -> None:
        tool = Entered({"sum": 1})
        message = {
            "role": "assistant",
            "content": [
                {"type": "tool_use", "id": "t1", "name": "app__note", "input": {"text": "é"}},
                {"type": "tool_use", "id": "t2", "name": "app__wipe", "input": {"all": True}},
                {"type": "tool_use", "id": "t3", "name": "app__lookup", "input": {}},
            ],
        }
        out = gate.as_("agent").message("anthropic", message, {"app/note": tool, "app/wipe": tool})
        self.assertEqual((tool.calls, len(out), out[0]["role"]), ([{"text": "é"}], 1, "user"))
        blocks = out[0]["content"]
        self.assertEqual([(b["tool_use_id"], b.get("is_error", False)) for b in blocks], [("t1", False), ("t2", True), ("t3", True)])
        self.assertIn("POLICY_DENIED", str(blocks[1]))
        self.assertEqual(gate.open() - self.before, set())
        with self.assertRaises(TypeError):
            gate.as_("agent").message("anthropic", message, {}, runn={"id": "r", "readOnly": True})  # type: ignore[call-arg]
        with self.assertRaises(Refused):
            gate.as_("agent").message("anthropic", message, {"app/note": tool}, run="run_none")

    def test_a_call_of_a_message_whose_turn_comes_too_late(self) -> None:
        tool = Entered("done")
        spoiler = Spoiler(gate, "/v1/claim", sub(r'"deadline":"[^"]*"', '"deadline":"2020-01-01T00:00:00Z"'))
        out = gate.as_("agent", spoiler.url).message("openai-chat", notes("a", "b"), {"app/note": tool})
        spoiler.close()
        self.assertEqual(([m["tool_call_id"] for m in out], tool.calls, gate.open() - self.before), (["a", "b"], [{"text": "b"}], set()))
        self.assertIn("ended before", str(out[0]))

    def test_a_message_that_is_broken_off(self) -> None:
        before = gate.unknown()
        with self.assertRaises(KeyboardInterrupt):
            gate.as_("other").message("openai-chat", notes("a", "b", "c"), {"app/note": Entered(KeyboardInterrupt())})
        self.assertEqual((gate.open() - self.before, gate.unknown()), (set(), before + 1))

    def test_the_rest(self) -> None:
        agent = gate.as_("agent")
        self.assertEqual([v["verdict"] for v in agent.decide_all([NOTE, WIPE, large("A3")])], ["allow", "deny", "ask"])
        self.assertIn("app/note", [t["name"] for t in agent.tools()])
        self.assertEqual(agent.tools(shape="openai-chat")[0]["type"], "function")
        run = agent.start_run(read_only=True, expires="1h")
        with self.assertRaises(Refused) as raised:
            agent.run(Call("app/note", {"text": "x"}, run=run["id"]), Entered())
        self.assertEqual(raised.exception.code, "TOOL_NOT_ALLOWED")
        self.assertEqual(agent.get_run(run["id"])["id"], agent.end_run(run["id"])["id"])
        self.assertNotIn("ghp_0123456789", agent.redact("export GITHUB_TOKEN=ghp_0123456789abcdefghijABCDEFGHIJ012345"))
        results = agent.batch([NOTE, WIPE])
        self.assertTrue(all(isinstance(r, Refused) for r in results), results)


class TestAsync(unittest.IsolatedAsyncioTestCase):
    def setUp(self) -> None:
        self.before = gate.open()

    async def test_it_runs_and_refuses(self) -> None:
        async with gate.async_as("agent") as agent:
            tool = Entered("done")
            self.assertEqual((await agent.run(NOTE, tool.later)).text, "done")
            with self.assertRaises(Refused):
                await agent.run(WIPE, tool.later)
            with self.assertRaises(ToolFailed):
                await agent.run(NOTE, Entered(ValueError("x")).later)
            self.assertEqual(len(tool.calls), 1)
            out = await agent.message("openai-chat", {"role": "assistant", "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "app__note", "arguments": '{"text":"a"}'}},
                {"id": "c2", "type": "function", "function": {"name": "app__wipe", "arguments": "{}"}},
            ]}, {"app/note": tool.later})
            self.assertEqual([m["tool_call_id"] for m in out], ["c1", "c2"])

            @agent.guard("app/note")
            async def note(text: str) -> str:
                return text

            self.assertEqual(await note("x"), "x")
            with self.assertRaises(TypeError):
                await agent.message("openai-chat", {}, {}, runn="r")  # type: ignore[call-arg]
            with self.assertRaises(TypeError):
                agent.guard("app/note", sesion="s")  # type: ignore[call-arg]

            async def pieces(arguments: Dict[str, Any]) -> Any:
                yield tool(arguments)

            with self.assertRaises(TypeError):
                await agent.run(NOTE, pieces)  # type: ignore[arg-type]
            with self.assertRaises(TypeError):
                agent.guard("app/note")(pieces)  # type: ignore[type-var]
            self.assertEqual((len(tool.calls), gate.open() - self.before), (2, set()))

    async def test_leave_that_ended(self) -> None:
        spoiler, tool = Spoiler(gate, "/v1/claim", sub(r'"deadline":"[^"]*"', '"deadline":"2020-01-01T00:00:00Z"')), Entered()
        async with gate.async_as("agent", spoiler.url) as agent:
            with self.assertRaises(Refused):
                await agent.run(NOTE, tool.later)
        spoiler.close()
        self.assertEqual((tool.calls, gate.open() - self.before), ([], set()))

    async def test_calls_that_wait_do_not_keep_others_from_telling(self) -> None:
        go = threading.Event()
        async with AsyncGate(gate.url, gate.key("agent"), threads=1) as agent:
            claimed = await agent.claim(NOTE)
            waiting = agent._pool.submit(go.wait, 60)
            try:
                self.assertTrue((await asyncio.wait_for(agent.outcome(claimed, "succeeded", result='"x"'), 30))["success"])
            finally:
                go.set()
            self.assertTrue(waiting.result())

    async def test_a_question_whose_caller_went_away_is_not_asked_again(self) -> None:
        asked, go = threading.Event(), threading.Event()
        waits = gate.as_("agent")._link.post("/v1/claim", '{"tool":"app/refund","arguments":{"order":"A8","amount":900}}')
        posts: List[str] = []

        def post(path: str, body: str, held: float = 0) -> str:
            posts.append(path)
            if len(posts) > 3:
                raise Refused("ENOUGH", "it is asked on and on")
            asked.set()
            go.wait(60)
            return waits

        async with gate.async_as("agent") as agent:
            agent.sync._link.post = post  # type: ignore[method-assign]
            task = asyncio.create_task(agent.claim(large("A8"), wait=600))
            await asyncio.to_thread(asked.wait, 20)
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task
            go.set()
            await asyncio.to_thread(agent._pool.shutdown, True)
        self.assertEqual(posts, ["/v1/claim"])

    async def test_a_message_whose_caller_went_away(self) -> None:
        """Before its answer came, and after, when only one of its tools was entered."""
        asked, go, tool = threading.Event(), threading.Event(), Entered()

        def held(answer: str, at: Any) -> None:
            asked.set()
            go.wait(20)
            at.json(answer)

        spoiler = Spoiler(gate, "/v1/claim", held)
        async with gate.async_as("agent", spoiler.url) as agent:
            task = asyncio.create_task(agent.message("openai-chat", notes("a", "b"), {"app/note": tool.later}))
            await asyncio.to_thread(asked.wait, 20)
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task
            go.set()
            await asyncio.to_thread(agent._pool.shutdown, True)
            await asyncio.to_thread(agent._tellers.shutdown, True)
        spoiler.close()
        self.assertEqual((tool.calls, gate.open() - self.before), ([], set()))

        before = gate.unknown()

        async def first(arguments: Dict[str, Any]) -> None:
            if arguments["text"] == "a":
                task.cancel()  # before the other one had its turn
            await asyncio.sleep(60)

        async with gate.async_as("other") as other:
            task = asyncio.create_task(other.message("openai-chat", notes("a", "b"), {"app/note": first}))
            with self.assertRaises(asyncio.CancelledError):
                await task
        self.assertEqual((gate.open() - self.before, gate.unknown()), (set(), before + 1))

    async def test_a_call_that_is_cancelled_ends_as_unknown(self) -> None:
        async with gate.async_as("other") as other:
            entered, before = asyncio.Event(), gate.unknown()

            async def long(_: Dict[str, Any]) -> None:
                entered.set()
                await asyncio.sleep(60)

            task = asyncio.create_task(other.run(Call("app/note", {"text": "cancelled"}), long))
            await entered.wait()
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task
            self.assertEqual(gate.unknown(), before + 1)

    async def test_leave_that_comes_too_late_is_given_back(self) -> None:
        asked, go = threading.Event(), threading.Event()

        def held(answer: str, at: Any) -> None:
            asked.set()
            go.wait(20)
            at.json(answer)

        spoiler = Spoiler(gate, "/v1/claim", held)
        async with gate.async_as("agent", spoiler.url) as agent:
            tool = Entered()
            task = asyncio.create_task(agent.run(NOTE, tool.later))
            await asyncio.to_thread(asked.wait, 20)
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task
            go.set()
            await asyncio.to_thread(agent._pool.shutdown, True)
            await asyncio.to_thread(agent._tellers.shutdown, True)
        self.assertEqual((tool.calls, gate.open() - self.before, spoiler.seen), ([], set(), ["/v1/claim", "/v1/outcome"]))
        spoiler.close()


class TestNoLeave(unittest.TestCase):
    """Whatever answers, if it is no gate that allows this call, the function is not entered."""

    CALL = Call("app/refund", {"order": "A9", "amount": 1})

    def test_spoiled_answers(self) -> None:
        for name, spoil in SPOILED.items():
            with self.subTest(name):
                call = Call("app/lookup", {"id": {"n": 1}}) if name == "a number that is true" else NOTE
                spoiler = Spoiler(gate, "/v1/claim", spoil)
                tool = Entered()
                start = time.monotonic()
                try:
                    with self.assertRaises(Refused) as raised:
                        gate.as_("agent", spoiler.url, timeout=1).run(call, tool)
                finally:
                    spoiler.close()
                self.assertEqual(tool.calls, [])
                self.assertNotIn("tv_", str(raised.exception))
                self.assertGreater(len(raised.exception.reason), 10)
                self.assertIn(raised.exception.code, ("GATE_UNAVAILABLE", "INVALID_INPUT", "POLICY_DENIED"))
                self.assertLess(time.monotonic() - start, 60)
                self.assertEqual(spoiler.seen.count("/v1/claim"), 1)

    def test_the_good_answer_is_leave(self) -> None:
        """Without which the table above would mean nothing."""
        spoiler, tool = Spoiler(gate, "/v1/claim", lambda a, r: r.json(a)), Entered()
        self.assertEqual(gate.as_("agent", spoiler.url).run(NOTE, tool).text, "done")
        spoiler.close()

    def test_an_outcome_that_is_not_taken(self) -> None:
        for name, spoil in {"no answer": SPOILED["no answer"], "garbage": SPOILED["a page"], "another claim": lambda a, r: r.json('{"claim":"x","success":true}')}.items():
            with self.subTest(name):
                spoiler, tool = Spoiler(gate, "/v1/outcome", spoil), Entered("ghp_secret")
                with self.assertRaises(Untold) as raised:
                    gate.as_("agent", spoiler.url, timeout=3).run(NOTE, tool)
                spoiler.close()
                self.assertEqual(len(tool.calls), 1)
                self.assertNotIn("ghp_secret", str(raised.exception))

    def test_a_lost_answer_to_an_outcome_is_asked_for_again(self) -> None:
        first, without = threading.Event(), [""]

        def once(answer: str, at: Any) -> None:
            if first.is_set():
                at.json(json.dumps({name: value for name, value in json.loads(answer).items() if name != without[0]}))
            first.set()
            at.cut()

        spoiler, tool = Spoiler(gate, "/v1/outcome", once), Entered("done")
        ran = gate.as_("agent", spoiler.url).run(NOTE, tool)
        self.assertEqual((ran.text, ran.replayed, len(tool.calls)), ("done", False, 1))
        self.assertEqual(spoiler.seen, ["/v1/claim", "/v1/outcome", "/v1/outcome"])
        for strip, run in (("result", lambda: gate.as_("agent", spoiler.url).run(NOTE, tool)), ("answer", lambda: gate.as_("agent", spoiler.url).message("openai-chat", notes("a"), {"app/note": tool}))):
            without[0] = strip  # as a gate that gives no result twice: an empty one would be none
            first.clear()
            with self.assertRaises(Untold) as raised:
                run()
            self.assertIn("did not come back", str(raised.exception))
        without[0] = ""
        first.clear()
        self.assertEqual(gate.as_("agent", spoiler.url).run(NOTE, Entered(None)).text, "")
        first.clear()
        with self.assertRaises(ToolFailed) as failed:
            gate.as_("agent", spoiler.url).run(NOTE, Entered(ValueError("no stock")))
        self.assertIn("TOOL_ERROR", str(failed.exception))
        spoiler.close()

    def test_an_outcome_that_the_gate_cannot_keep(self) -> None:
        """What it answers then is what the model reads, and not the result."""
        refused = sub('"success":true', '"success":false,"error":{"code":"OUTCOME_UNKNOWN","message":"the disk is full","retryable":false}')
        spoiler = Spoiler(gate, "/v1/outcome", refused)
        with self.assertRaises(ToolFailed) as raised:
            gate.as_("agent", spoiler.url).run(NOTE, Entered("secret"))
        self.assertEqual(str(raised.exception), "OUTCOME_UNKNOWN: the disk is full")
        spoiler.close()
        spoiler = Spoiler(gate, "/v1/outcome", sub('"success":true', '"success":false'))
        with self.assertRaises(Untold):
            gate.as_("agent", spoiler.url).run(NOTE, Entered("secret"))
        spoiler.close()

    def test_a_result_that_is_too_large(self) -> None:
        before = gate.unknown()
        with self.assertRaises(Untold):
            gate.as_("other").run(NOTE, Entered("x" * (17 << 20)))
        self.assertEqual(gate.unknown(), before)  # that it succeeded is told
        self.assertEqual(len(gate.as_("other").run(NOTE, Entered("x" * (2 << 20))).text), 2 << 20)

    def test_what_the_gate_may_have_run(self) -> None:
        """Whatever becomes of the answer to a call that the gate itself runs, the model is told to retry only
        where nothing was run."""
        good = '{"success":true,"callId":"c","result":"ran","stateChanged":true,"securityBlocked":false}'
        for path, answer in (("/v1/calls", good), ("/v1/batch", '{"results":[' + good + "]}")):
            def ask(of: Gate) -> Any:
                return of.call(NOTE) if path == "/v1/calls" else of.batch([NOTE])[0]

            def spoiled(spoil: Any, timeout: float = 10) -> Any:
                spoiler = Spoiler(gate, path, lambda a, r: spoil(answer, r))
                try:
                    return ask(gate.as_("agent", spoiler.url, timeout))
                finally:
                    spoiler.close()
                    self.assertEqual(spoiler.seen, [path])

            self.assertEqual(spoiled(lambda a, r: r.json(a)).text, "ran")
            for status in (400, 401, 403, 404, 413, 429):
                with self.subTest(f"{path} {status}"), self.assertRaises(Refused):
                    spoiled(lambda a, r: r.json(a, status))
            with self.subTest(path + " is not reached"), self.assertRaises(Refused):
                ask(Gate("http://127.0.0.1:1", "k"))
            lost = {name: SPOILED[name] for name in (
                "an empty body", "an empty object", "null", "a list", "a truncated answer", "more behind it", "NaN in it", "bytes that are no text", "a page",
                "an answer called a page", "an answer called compressed", "status 204", "status 201", "status 206", "status 500", "a redirect", "a broken connection",
                "half an answer", "another protocol", "no answer", "an answer that never ends", "a head that never ends")}
            lost.update({f"status {s}": lambda a, r, s=s: r.json(a, s) for s in (408, 502, 503, 504)})
            lost["success that is none"] = lambda a, r: r.json(a.replace('"success":true', '"success":1'))
            lost["both at once"] = lambda a, r: r.json(a.replace('"success":true', '"success":true,"error":{"code":"POLICY_DENIED","message":"no"}'))
            lost["nothing that is said"] = lambda a, r: r.json(a.replace('"success":true', '"success":false'))
            lost["its own word"] = lambda a, r: r.json(a.replace('"success":true', '"success":false,"error":{"code":"OUTCOME_UNKNOWN","message":"lost"}'))
            for name, spoil in lost.items():
                with self.subTest(path + " " + name):
                    try:
                        got = spoiled(spoil, 0.5)
                    except Untold as e:
                        got = e
                    self.assertIsInstance(got, Untold)
                    self.assertIn("Do not retry", str(got))
                    self.assertNotIn("Nothing was run", str(got))

    def test_an_outcome_that_cannot_be_told(self) -> None:
        """Told in steps, too: nothing says that nothing was run."""
        for spoil in (SPOILED["status 500"], SPOILED["status 403"], SPOILED["a page"]):
            spoiler = Spoiler(gate, "/v1/outcome", spoil)
            agent = gate.as_("agent", spoiler.url)
            with self.assertRaises(Untold):
                agent.outcome(agent.claim(NOTE), "succeeded", result='"x"')
            agent.give_back(agent.claim(NOTE), "as far as it goes")
            spoiler.close()

    def test_no_gate(self) -> None:
        tool = Entered()
        with self.assertRaises(Refused) as raised:
            Gate("http://127.0.0.1:1", "k").run(NOTE, tool)
        self.assertIn("is it running?", str(raised.exception))
        with self.assertRaises(Refused) as raised:
            Gate(gate.url, "wrong-key").run(NOTE, tool)
        self.assertEqual((raised.exception.status, tool.calls), (401, []))
        for url, key in (("ftp://x", "k"), ("127.0.0.1:80", "k"), ("http://u:p@x", "k"), ("http://x?q", "k"), (gate.url, ""), (gate.url, "a\nb"), (gate.url, "ä")):
            with self.subTest(url + key), self.assertRaises(ValueError):
                Gate(url, key)

    def test_no_proxy_is_asked(self) -> None:
        with mock.patch.dict(os.environ, {"http_proxy": "http://127.0.0.1:1", "HTTP_PROXY": "http://127.0.0.1:1", "ALL_PROXY": "http://127.0.0.1:1"}):
            self.assertEqual(gate.as_("agent").run(NOTE, Entered()).text, "done")


class TestGateThatEnds(unittest.TestCase):
    def setUp(self) -> None:
        self.gate = RealGate()
        self.addCleanup(self.gate.remove)

    def test_killed_while_a_tool_runs(self) -> None:
        def kill(_: Dict[str, Any]) -> str:
            self.gate.signal(signal.SIGKILL)
            self.gate.process.wait()
            return "a secret"

        agent = self.gate.as_("agent")
        with self.assertRaises(Untold) as raised:
            agent.run(NOTE, kill)
        self.assertIn("Do not retry", str(raised.exception))
        self.assertNotIn("a secret", str(raised.exception))
        tool = Entered()
        with self.assertRaises(Refused):
            agent.run(NOTE, tool)
        self.assertEqual(tool.calls, [])

    def test_killed_while_a_program_is_stopped(self) -> None:
        def kill(_: Dict[str, Any]) -> None:
            self.gate.signal(signal.SIGKILL)
            self.gate.process.wait()
            raise KeyboardInterrupt

        with self.assertRaises(KeyboardInterrupt):
            self.gate.as_("agent").run(NOTE, kill)

    def test_it_hangs(self) -> None:
        agent, tool = self.gate.as_("agent", timeout=0.5), Entered()
        self.gate.signal(signal.SIGSTOP)
        os.waitpid(self.gate.process.pid, os.WUNTRACED)  # until all of it stands still
        with self.assertRaises(Refused) as raised:
            agent.run(NOTE, tool)
        self.gate.signal(signal.SIGCONT)
        self.assertIn("did not answer in time", str(raised.exception))
        self.assertEqual(tool.calls, [])


if __name__ == "__main__":
    unittest.main()
