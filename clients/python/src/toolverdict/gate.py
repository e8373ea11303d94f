# Copyright 2026 The Toolverdict Authors
# SPDX-License-Identifier: Apache-2.0

"""One caller of one gate."""

from __future__ import annotations

import functools
import inspect
import ssl
import threading
import time
from typing import Any, Callable, Dict, List, Mapping, NoReturn, Optional, Sequence, Tuple, TypeVar, Union, cast
from urllib.parse import quote, urlencode

from . import _json
from ._link import Link
from ._waiting import Waiting
from .call import HOLD, Asked, Call, Run, asked, bodies, message_body, write
from .claimed import Claimed, done, following, leave, parts, ran_of, results, text_of, verdict_of, whole
from .errors import AlreadyRan, NotBegun, Ran, Refused, ToolFailed, Unfinished, Untold, lost, may_have_run, unavailable

F = TypeVar("F", bound=Callable[..., Any])
Function = Callable[[Dict[str, Any]], Any]
Carried = Callable[[Claimed], Any]


class Gate:
    """One caller of one gate. It may be used by several threads. Every way in which there is no
    leave is raised as :class:`Refused`, and then no function was entered."""

    def __init__(self, url: str, key: str, *, timeout: float = 10.0, tls: Optional[ssl.SSLContext] = None) -> None:
        self._link = Link(url, key, timeout, tls)
        self._waiting = Waiting()
        self.approvals = Approvals(self._link)

    def decide(self, call: Call) -> Dict[str, Any]:
        """What would be decided about a call. It is no leave to run it."""
        of = asked(call)
        return verdict_of(self._link.post("/v1/decide", of.body), of)[1]

    def decide_all(self, calls: Sequence[Call]) -> List[Dict[str, Any]]:
        """What would be decided about several calls, at most 64, in their order."""
        of = [asked(c) for c in calls]
        answers = results(parts(self._link.post("/v1/decide", bodies(of))), len(of))
        return [verdict_of(text, one)[1] for text, one in zip(answers, of)]

    def claim(self, call: Call, *, wait: float = 0, digest: Optional[str] = None) -> Claimed:
        """Asks for leave to run a call. There is leave where this returns: run claimed.arguments once
        and tell the outcome. Everything else is raised. With wait, seconds are held for a person."""
        return self._claim(call, wait, digest, threading.Event())

    def _claim(self, call: Call, wait: float, digest: Optional[str], gone: threading.Event) -> Claimed:
        named = self._waiting.named(call)
        try:
            claimed = self._ask(named, wait, digest, gone)
        except Refused as refused:
            self._waiting.keep(call, refused)
            if named is call or refused.code != "CONFIRMATION_INVALID":
                raise
            return self._claim(call, wait, digest, gone)  # that question is over: this is another act
        self._waiting.keep(call, None)
        return claimed

    def _ask(self, call: Call, wait: float, digest: Optional[str], gone: threading.Event) -> Claimed:
        until = time.monotonic() + wait
        while True:
            hold = min(max(until - time.monotonic(), 0.0), HOLD)
            of = asked(call, hold)
            answer = self._link.post("/v1/claim", of.body, hold)
            try:
                return self._leave(answer, of, digest)
            except Refused as refused:
                if not refused.waits or time.monotonic() >= until or gone.is_set():
                    raise

    def _leave(self, answer: str, of: Optional[Asked], digest: Optional[str]) -> Claimed:
        """Reads leave. Leave for something else than was asked about is given back."""
        claimed, wrong = leave(answer, of, digest)
        if wrong is None:
            return claimed
        self.give_back(claimed, wrong)
        raise Refused("INVALID_INPUT", wrong + " Nothing was run.")

    def give_back(self, claimed: Claimed, why: str) -> None:
        """Gives leave back that was not used. Where that cannot be told, its outcome ends as unknown."""
        try:
            self.outcome(claimed, "notSent", message=why)
        except Untold:
            pass

    def _give_all_back(self, answers: Sequence[str]) -> None:
        """The same for the answers to a claim of several calls."""
        for text in answers:
            try:
                claimed, _ = leave(text, None, None)
            except Refused:
                continue
            self.give_back(claimed, "the caller went away before the tool was run")

    def outcome(
        self, claimed: Claimed, status: str, *, result: Optional[str] = None, code: Optional[str] = None, message: Optional[str] = None, shape: Optional[str] = None
    ) -> Dict[str, Any]:
        """Tells what came of a claim, once: succeeded, failed, notSent or unknown. The result is JSON, as
        text. The answer holds what the model may be told. Where it cannot be told, Untold is raised."""
        return whole(self._told(claimed, status, result=result, code=code, message=message, shape=shape))

    def _tell(
        self, claimed: Claimed, status: str, result: Optional[str], code: Optional[str], message: Optional[str], shape: Optional[str]
    ) -> Dict[str, str]:
        said = {"claim": claimed.id, "token": claimed._token, "status": status, "code": code, "message": message, "shape": shape}
        body = write({name: value for name, value in said.items() if value is not None})
        if result is not None:
            body = body[:-1] + ',"result":' + ascii_json(result) + "}"
        try:
            answer = self._link.post("/v1/outcome", body)
        except Refused as refused:
            if refused.status == 413 and result is not None:  # that it ran must be told, if not what it said
                return self._tell(claimed, status, None, code, message, shape)
            if refused.status is not None and refused.status < 500:
                raise
            # The same words are taken once however often they come: a lost answer is asked for again.
            answer = self._link.post("/v1/outcome", body)
        told = parts(answer)
        why = told.get("success") == "false" and isinstance(whole(told).get("error"), dict)
        if text_of(told, "claim") != claimed.id or not (told.get("success") == "true" or why):
            raise unavailable("What answered is no gate: it does not say what it was told.")
        return told

    def run(self, call: Call, function: Function, *, wait: float = 0, digest: Optional[str] = None) -> Ran:
        """Claims a call, runs exactly what was claimed, tells what came of it, and returns what the gate
        lets the model read. The function is entered at most once, and only with leave; it gets the
        arguments that were claimed and must use no others."""
        try:
            claimed = self.claim(call, wait=wait, digest=digest)
        except AlreadyRan as already:
            return already.ran
        return self._carry(claimed, lambda claimed: function(claimed.arguments), None)[0]

    def _in_time(self, claimed: Claimed, shape: Optional[str]) -> None:
        """Refuses leave that has ended: another claim may have been told by now that the outcome is unknown."""
        if claimed.over:
            why = "The leave ended before the tool was entered."
            told = self._told(claimed, "notSent", code="TOOL_TIMEOUT", message=why, shape=shape)
            raise Refused("TOOL_TIMEOUT", why + " Nothing was run.", recommended_action="Call it again.", retryable=True, verdict=whole(told))

    def _carry(self, claimed: Claimed, function: Carried, shape: Optional[str]) -> Tuple[Ran, Dict[str, Any]]:
        self._in_time(claimed, shape)
        try:
            result = function(claimed)
            if inspect.isawaitable(result):
                not_run(result, "the function is asynchronous: use AsyncGate")
            refuse_pieces(result)
        except BaseException as error:
            self._failed(claimed, error, shape)
            raise
        return self._succeeded(claimed, result, shape)

    def _succeeded(self, claimed: Claimed, result: Any, shape: Optional[str]) -> Tuple[Ran, Dict[str, Any]]:
        told = self._told(claimed, "succeeded", result=result_text(result), shape=shape)
        if told["success"] != "true":  # the gate could not keep it
            raise ToolFailed(whole(told))
        # Without the gate's words nothing may be shown, since nobody hid the secrets in the tool's.
        if "answer" not in told and ("result" not in told and result is not None or shape):
            raise Untold("it is too large, or was told before", "the tool ran, and its result did not come back from the gate")
        return ran_of(told.get("result"), False, claimed.edited), whole(told)

    def _failed(self, claimed: Claimed, error: BaseException, shape: Optional[str]) -> None:
        """Tells of a function that did not return, and raises what its caller is to see."""
        if isinstance(error, NotBegun):  # the tool itself says so
            self._told(claimed, "notSent", message="the tool did not begin", shape=shape)
            raise error.__cause__ or error
        if isinstance(error, Unfinished):
            self._told(claimed, "unknown", message="the tool cannot say what came of it", shape=shape)
            raise error.__cause__ or error
        if not isinstance(error, Exception):  # an interrupt, in the middle of whatever it did
            try:
                self._told(claimed, "unknown", message="the program was stopped while the tool ran", shape=shape)
            except Untold:
                pass  # it ends as unknown without a word, too
            return
        # A tool that was cut short may have done all of it: told as failed, it could be done again.
        status, code = ("unknown", "TOOL_TIMEOUT") if may_have_run(error) else ("failed", "TOOL_ERROR")
        told = self._told(claimed, status, code=code, message=well_formed(str(error) or type(error).__name__), shape=shape)
        raise ToolFailed(whole(told)) from error

    def _told(
        self, claimed: Claimed, status: str, *, result: Optional[str] = None, code: Optional[str] = None, message: Optional[str] = None, shape: Optional[str] = None
    ) -> Dict[str, str]:
        try:
            return self._tell(claimed, status, result, code, message, shape)
        except Refused as refused:
            raise Untold(refused.reason) from refused

    def call(self, call: Call, *, wait: float = 0) -> Ran:
        """Has the gate run a call through its upstream. Where it may have run it and its answer was lost, that
        is Untold."""
        hold = min(max(wait, 0.0), HOLD)
        return done(self._link.run("/v1/calls", asked(call, hold).body, hold))

    def batch(self, calls: Sequence[Call]) -> List[Union[Ran, Refused, Untold]]:
        """Has the gate run several calls, at most 64. One that was refused, failed, or may have run stands in
        its place. Where the whole answer was lost, that is Untold."""
        of = [asked(c) for c in calls]
        answer = self._link.run("/v1/batch", bodies(of))
        try:
            texts = results(parts(answer), len(of))
        except Refused as e:
            raise lost(e.reason) from e
        out: List[Union[Ran, Refused, Untold]] = []
        for text in texts:
            try:
                out.append(done(text))
            except (Refused, Untold) as no:
                out.append(no)
        return out

    def message(
        self,
        shape: str,
        message: Any,
        tools: Mapping[str, Function],
        *,
        server: Optional[str] = None,
        turn: Optional[str] = None,
        run: Optional[Run] = None,
        session: Optional[str] = None,
        model: Optional[str] = None,
        trace: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> List[Any]:
        """Claims and runs the calls of a model's message, one after the other, and returns what is to be
        appended to the conversation: every call is answered, in the same form (docs/shapes.md). A tool goes by
        its full name; one without a function is not run, nor is one whose leave ended before its turn came."""
        of = {"run": run, "session": session, "model": model, "trace": trace, "idempotency_key": idempotency_key}
        texts = results(parts(self._link.post("/v1/claim", message_body(shape, message, server, turn, of))))
        answers, fault = [], None
        for i, text in enumerate(texts):
            try:
                answers.append(self._one(shape, text, tools))
            except (Refused, Untold, ToolFailed) as e:
                fault = fault or e
            except BaseException:  # the program is stopped, or a tool says that it did not begin
                self._give_all_back(texts[i + 1 :])
                raise
        if fault:
            raise fault
        return following(shape, answers)

    def _one(self, shape: str, text: str, tools: Mapping[str, Function]) -> Any:
        try:
            claimed = self._leave(text, None, None)
            function = tools.get(claimed.tool)
            if function is None:
                return self.outcome(claimed, "notSent", message="There is no function for this tool.", shape=shape).get("answer")
            entered = function
            return self._carry(claimed, lambda claimed: entered(claimed.arguments), shape)[1].get("answer")
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
        """Makes a function one that runs only with leave: its parameters are the arguments of the tool, by
        their names, those with a default too. It returns what the gate lets be read of the result."""

        def decorate(function: F) -> F:
            if inspect.iscoroutinefunction(function):
                raise TypeError("the function is asynchronous: use AsyncGate.guard")
            named = names(function)

            @functools.wraps(function)
            def guarded(*args: Any, **kwargs: Any) -> Any:
                call = Call(tool, named(args, kwargs), run=run, session=session, model=model, trace=trace)
                return self.run(call, lambda arguments: function(**arguments), wait=wait).value

            return cast(F, guarded)

        return decorate

    def tools(self, *, shape: Optional[str] = None, run: Optional[str] = None, read_only: bool = False, all: bool = False) -> Any:
        """The tools that the caller may see, or the tool list that a model's API wants."""
        query = {"shape": shape, "run": run, "readOnly": "true" if read_only else None, "all": "true" if all else None}
        return _json.loose(parts(self._link.get("/v1/tools?" + urlencode({k: v for k, v in query.items() if v}))).get("tools", "null"))

    def start_run(
        self, *, read_only: bool = False, disabled: Sequence[str] = (), environment: Optional[Mapping[str, str]] = None, expires: Optional[str] = None
    ) -> Dict[str, Any]:
        """Starts a run: what is said here holds for every call that names it."""
        said = {"readOnly": read_only or None, "disabled": list(disabled) or None, "environment": environment, "expires": expires}
        return _named(self._link.post("/v1/runs", write({k: v for k, v in said.items() if v is not None})))

    def get_run(self, id: str) -> Dict[str, Any]:
        return _named(self._link.get("/v1/runs/" + quote(id, safe="")))

    def end_run(self, id: str) -> Dict[str, Any]:
        return _named(self._link.post("/v1/runs/" + quote(id, safe="") + "/end", "{}"))

    def redact(self, text: str) -> str:
        """A text with secrets hidden, for prompts and transcripts before they go to a model."""
        out = parts(self._link.post("/v1/redact", write({"text": text})))
        if not isinstance(_json.loose(out.get("text", "null")), str):
            raise unavailable("What answered is no gate: it gives no text back.")  # it must not go on as it is
        return cast(str, _json.loose(out["text"]))


class Approvals:
    """What waits for people, as far as the caller may see it."""

    def __init__(self, link: Link) -> None:
        self._link = link

    def list(self, status: str = "") -> List[Dict[str, Any]]:
        answer = parts(self._link.get("/v1/approvals?" + urlencode({"status": status} if status else {})))
        return cast(List[Dict[str, Any]], _json.loose(answer.get("approvals", "[]")))

    def get(self, id: str) -> Dict[str, Any]:
        return _named(self._link.get("/v1/approvals/" + quote(id, safe="")))

    def wait(self, id: str, *, timeout: float = 3600, every: float = 1.0) -> Dict[str, Any]:
        """Waits until an approval is answered or ends, and returns it. Where an approver changed the call it
        follows to the approval that stands in its place. It is for showing: leave is only what a claim gives."""
        until = time.monotonic() + timeout
        while True:
            a = self.get(id)
            if a.get("replacedBy"):
                id = a["replacedBy"]
            elif a.get("status") != "pending" or time.monotonic() >= until:
                return a
            else:
                time.sleep(every)

    def approve(self, id: str, reason: str = "") -> Dict[str, Any]:
        """Answers of people: with the key of an approver."""
        return self._answer(id, "approve", {"reason": reason})

    def reject(self, id: str, reason: str) -> Dict[str, Any]:
        return self._answer(id, "reject", {"reason": reason})

    def cancel(self, id: str, reason: str = "") -> Dict[str, Any]:
        """Takes the question back."""
        return self._answer(id, "cancel", {"reason": reason})

    def edit(self, id: str, arguments: Mapping[str, Any], reason: str) -> Dict[str, Any]:
        """Changes the call before it is approved. The answer is the approval that stands in its place."""
        return self._answer(id, "edit", {"arguments": arguments, "reason": reason})

    def _answer(self, id: str, verb: str, said: Mapping[str, Any]) -> Dict[str, Any]:
        return _named(self._link.post("/v1/approvals/" + quote(id, safe="") + "/" + verb, write(said)))


def names(function: Callable[..., Any]) -> Callable[[Tuple[Any, ...], Dict[str, Any]], Dict[str, Any]]:
    """How the parameters of a function become arguments by name. A default is one, too: the function would
    run with it. Only None counts as not given."""
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        raise TypeError("the function answers piece by piece: return the whole answer")
    signature = inspect.signature(function)
    for p in signature.parameters.values():
        if p.kind in (p.POSITIONAL_ONLY, p.VAR_POSITIONAL):
            raise TypeError(f"the parameter {p.name} has no name that a call could give: arguments of tools go by name")
    rest = next((p.name for p in signature.parameters.values() if p.kind is p.VAR_KEYWORD), None)

    def named(args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Dict[str, Any]:
        given = dict(signature.bind(*args, **kwargs).arguments)
        more = given.pop(rest, {}) if rest else {}
        defaults = {p.name: p.default for p in signature.parameters.values() if p.default is not p.empty and p.default is not None}
        return {**defaults, **given, **more}

    return named


def result_text(result: Any) -> Optional[str]:
    """What a tool returned, as JSON."""
    if result is None:
        return None
    try:
        return _json.write(result)
    except _json.NotJson:
        return _json.quoted("The tool ran; its result is no JSON.")


def ascii_json(text: str) -> str:
    """JSON that a caller wrote, fit for a request."""
    try:
        _json.loose(text)
    except _json.NotJson as e:
        raise ValueError("result must be JSON, as text") from e
    return "".join(c if c.isascii() else _json.quoted(c)[1:-1] for c in text)


def well_formed(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")


def not_run(awaitable: Any, why: str) -> NoReturn:
    """Refuses what nobody here awaits. Only a coroutine that was not started has surely done nothing."""
    if inspect.iscoroutine(awaitable) and inspect.getcoroutinestate(awaitable) == inspect.CORO_CREATED:
        awaitable.close()
        raise NotBegun() from TypeError(why)
    raise Unfinished() from TypeError(why)


def refuse_pieces(result: Any) -> None:
    """Refuses an answer in pieces: whoever takes the first one would start the tool, after its outcome was told."""
    why = TypeError("the function answers piece by piece: return the whole answer")
    if inspect.isasyncgen(result):
        raise NotBegun() from why
    if inspect.isgenerator(result):
        begun = inspect.getgeneratorstate(result) != inspect.GEN_CREATED
        result.close()
        raise (Unfinished() if begun else NotBegun()) from why


def answer_of(no: Union[ToolFailed, Refused]) -> Any:
    """What is appended to the conversation for a call that was refused, or failed."""
    said = no.told if isinstance(no, ToolFailed) else no.verdict or {}
    if said.get("answer") is None:
        raise no
    return said["answer"]


def _named(text: str) -> Dict[str, Any]:
    answer = whole(parts(text))
    if not isinstance(answer.get("id"), str) or not answer["id"]:
        raise unavailable("What answered is no gate: it names nothing.")
    return answer
