# Copyright 2026 The Toolverdict Authors
# SPDX-License-Identifier: Apache-2.0

"""A real gate for the tests of one module, and one in between that spoils its answers."""

from __future__ import annotations

import http.server
import json
import logging
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import urllib.request
from typing import Any, Callable, Dict, List, Optional, Set

from toolverdict import AsyncGate, Gate

logging.getLogger("asyncio").setLevel(logging.ERROR)  # of tests it says how long they took

ROOT = pathlib.Path(__file__).resolve().parents[3]
PROGRAM = ROOT / "bin" / "toolverdict"


class RealGate:
    """A running gate."""

    def __init__(self) -> None:
        if not PROGRAM.exists():
            raise RuntimeError("bin/toolverdict is missing: run make build")
        self.data = tempfile.mkdtemp(prefix="toolverdict-client-")
        config = pathlib.Path(__file__).parent / "gate" / "toolverdict.yaml"
        self.process = subprocess.Popen(
            [str(PROGRAM), "serve", "--config", str(config), "--data", self.data, "--listen", "127.0.0.1:0"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )
        assert self.process.stdout
        self.url = ""
        for line in self.process.stdout:
            at = re.match(r"listening on (http:\S+)", line)
            if at:
                self.url = at.group(1)
                break
        self.reading = threading.Thread(target=self.process.stdout.read, daemon=True)
        self.reading.start()
        if not self.url:
            raise RuntimeError("the gate ended")

    def key(self, subject: str) -> str:
        return (pathlib.Path(self.data) / "keys" / subject).read_text().strip()

    def as_(self, subject: str, url: str = "", timeout: float = 10) -> Gate:
        return Gate(url or self.url, self.key(subject), timeout=timeout)

    def async_as(self, subject: str, url: str = "", timeout: float = 10) -> AsyncGate:
        return AsyncGate(url or self.url, self.key(subject), timeout=timeout)

    def signal(self, which: int) -> None:
        os.kill(self.process.pid, which)

    def claims(self, state: str = "") -> List[Dict[str, Any]]:
        """What the ledger holds."""
        request = urllib.request.Request(f"{self.url}/v1/ledger?state={state}", headers={"Authorization": "Bearer " + self.key("boss")})
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request) as answer:
            return json.load(answer)["claims"]  # type: ignore[no-any-return]

    def open(self) -> Set[str]:
        """The claims whose outcome is awaited."""
        return {c["key"] for c in self.claims("dispatched")}

    def unknown(self) -> int:
        """How many claims of the subject "other" ended as unknown. Those of others do with time, where a test left them."""
        return len([c for c in self.claims("unknown") if c["subject"] == "other"])

    def remove(self) -> None:
        if self.process.poll() is None:
            self.signal(signal.SIGKILL)
        self.process.wait()
        self.reading.join()
        assert self.process.stdout
        self.process.stdout.close()
        shutil.rmtree(self.data, ignore_errors=True)


Spoil = Callable[[str, "Between"], None]


class Between(http.server.BaseHTTPRequestHandler):
    """Stands between a client and a gate, and spoils the answers to one path."""

    gate: RealGate
    at: str
    spoil: Spoil
    seen: List[str]
    end: threading.Event
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.seen.append(self.path)
        request = urllib.request.Request(
            self.gate.url + self.path, data=body, headers={"Authorization": self.headers["Authorization"], "Content-Type": "application/json"}
        )
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request) as answer:
            text = answer.read().decode()
        self.close_connection = True
        if self.path == self.at:
            type(self).spoil(text, self)
        else:
            self.json(text)

    do_GET = do_POST

    def json(self, text: str, status: int = 200, kind: Optional[str] = "application/json", **headers: str) -> None:
        self.raw(text.encode("utf-8", "surrogateescape"), status, kind, **headers)

    def raw(self, body: bytes, status: int = 200, kind: Optional[str] = "application/json", **headers: str) -> None:
        self.send_response(status)
        if kind:
            self.send_header("Content-Type", kind)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def cut(self) -> None:
        self.wfile.flush()
        self.connection.shutdown(socket.SHUT_RDWR)

    def log_message(self, *_: Any) -> None:
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: Any) -> None:
        """A client that gave up is no error here."""


class Spoiler:
    """Serves a Between."""

    def __init__(self, gate: RealGate, at: str, spoil: Spoil) -> None:
        self.seen: List[str] = []
        self.end = threading.Event()
        handler = type("Handler", (Between,), {"gate": gate, "at": at, "spoil": staticmethod(spoil), "seen": self.seen, "end": self.end})
        self.server = Server(("127.0.0.1", 0), handler)
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()
        self.url = "http://127.0.0.1:%d" % self.server.server_address[1]

    def close(self) -> None:
        self.end.set()
        self.server.shutdown()
        self.server.server_close()


def sub(pattern: str, by: str) -> Spoil:
    def spoil(answer: str, at: Between) -> None:
        changed = re.sub(pattern, lambda _: by, answer, count=1)
        assert changed != answer, (pattern, answer)
        at.json(changed)

    return spoil


def slowly(answer: str, at: Between) -> None:
    """One byte at a time, for longer than anybody waits."""
    at.send_response(200)
    at.send_header("Content-Type", "application/json")
    at.end_headers()
    while not at.end.wait(0.05):
        at.wfile.write(b" ")
        at.wfile.flush()


def slow_head(answer: str, at: Between) -> None:
    at.wfile.write(b"HTTP/1.1 200 OK\r\n")
    while not at.end.wait(0.05):
        at.wfile.write(b"X: y\r\n")
        at.wfile.flush()


ALLOW = '"verdict":"allow"'

# Every way in which what answers may be no gate. None of them is leave.
SPOILED: Dict[str, Spoil] = {
    "a misspelt verdict": sub(ALLOW, '"verdict":"Allow"'),
    "another word": sub(ALLOW, '"verdict":"approved"'),
    "a verdict that is true": sub(ALLOW, '"verdict":true'),
    "a verdict in a list": sub(ALLOW, '"verdict":["allow"]'),
    "no verdict": sub(ALLOW + ",", ""),
    "a verdict in capitals": sub(ALLOW, '"Verdict":"allow"'),
    "two verdicts": sub(ALLOW, '"verdict":"deny","verdict":"allow"'),
    "two verdicts, one escaped": sub(ALLOW, r'"verdict":"deny","v\u0065rdict":"allow"'),
    "allow without a claim": sub(r'"claim":\{.*?"deadline":"[^"]*"[^}]*\},?', ""),
    "two claims": sub(r'"claim":', '"claim":{},"claim":'),
    "a claim without a token": sub(r'"token":"[^"]*"', '"token":""'),
    "a token that is a number": sub(r'"token":"[^"]*"', '"token":7'),
    "two tokens": sub(r'"token":', '"token":"x","token":'),
    "a claim without an id": sub(r'"claim":\{"id":"[^"]*"', '"claim":{"id":""'),
    "a claim without a digest": sub(r'"digest":"[^"]*",?', ""),
    "a claim without a deadline": sub(r'"deadline":"[^"]*"', '"deadline":"soon"'),
    "arguments that are text": sub(r'"arguments":\{[^}]*\}', '"arguments":"{}"'),
    "arguments with a key twice": sub(r'"arguments":\{', '"arguments":{"id":"B","id":"B",'),
    "other arguments": sub(r'"arguments":\{[^}]*\}', '"arguments":{"id":"somebody else"}'),
    "a number that is true": sub(r'"n":1', '"n":true'),
    "an answer to another call": sub(r'"id":"[^"]*"', '"id":"another"'),
    "another tool": sub(r'"tool":"app/[a-z]*"', '"tool":"app/wipe"'),
    "allow with an error": sub(r'"success":true', '"success":false,"error":{"code":"POLICY_DENIED","message":"no","retryable":false}'),
    "an empty body": lambda a, r: r.json(""),
    "an empty object": lambda a, r: r.json("{}"),
    "null": lambda a, r: r.json("null"),
    "a list": lambda a, r: r.json(f"[{a}]"),
    "a truncated answer": lambda a, r: r.json(a.rstrip()[:-2]),
    "more behind it": lambda a, r: r.json(a + "{}"),
    "a comment in it": lambda a, r: r.json(a.replace("{", "{/* */", 1)),
    "NaN in it": lambda a, r: r.json(a.replace("{", '{"x":NaN,', 1)),
    "a byte order mark": lambda a, r: r.json("\ufeff" + a),
    "bytes that are no text": lambda a, r: r.raw(a.rstrip()[:-1].encode() + b',"x":"\xff"}'),
    "a page": lambda a, r: r.json("<html>allow</html>", kind="text/html"),
    "an answer called a page": lambda a, r: r.json(a, kind="text/html"),
    "an answer without a kind": lambda a, r: r.json(a, kind=None),
    "an answer called compressed": lambda a, r: r.json(a, Content_Encoding="gzip"),
    "status 204": lambda a, r: r.raw(b"", 204),
    "status 201": lambda a, r: r.json(a, 201),
    "status 206": lambda a, r: r.json(a, 206),
    "status 403": lambda a, r: r.json(a, 403),
    "status 500": lambda a, r: r.json(a, 500),
    "a redirect": lambda a, r: r.raw(b"", 307, Location="/v1/claim"),
    "a redirect with an answer": lambda a, r: r.json(a, 302, Location="/v1/claim"),
    "a broken connection": lambda a, r: r.cut(),
    "half an answer": lambda a, r: (r.json(a[:20], Content_Length=str(len(a))), r.cut()),  # type: ignore[func-returns-value]
    "another protocol": lambda a, r: (r.wfile.write(b"SSH-2.0-x\r\n"), r.cut()),  # type: ignore[func-returns-value]
    "no answer": lambda a, r: r.end.wait() and None,  # type: ignore[func-returns-value]
    "an answer that never ends": slowly,
    "a head that never ends": slow_head,
}
