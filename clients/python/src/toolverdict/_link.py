# Copyright 2026 The Toolverdict Authors
# SPDX-License-Identifier: Apache-2.0

"""Requests to one gate. It never retries, follows nowhere and asks no proxy. Only an answer with
status 200 and JSON comes back; everything else is raised."""

from __future__ import annotations

import http.client
import io
import re
import socket
import ssl
import time
from typing import Any, Optional, Union
from urllib.parse import urlsplit

from . import _json
from .errors import Refused, Untold, lost, shown, unavailable

_MAX_ANSWER = 64 << 20
_KEY = re.compile(r"[\x21-\x7e]+")


class _Timed(io.RawIOBase):
    """What comes from a socket until a point in time, however slowly it comes."""

    def __init__(self, sock: socket.socket, until: float) -> None:
        self._sock, self._until = sock, until
        self._raw = sock.makefile("rb", buffering=0)  # which keeps the socket open until it is closed, too

    def close(self) -> None:
        self._raw.close()
        super().close()

    def readable(self) -> bool:
        return True

    def readinto(self, into: Any) -> int:
        left = self._until - time.monotonic()
        if left <= 0:
            raise socket.timeout("timed out")
        self._sock.settimeout(left)
        return self._raw.readinto(into) or 0


class _Files:
    """A socket as http.client reads from it."""

    def __init__(self, sock: socket.socket, until: float) -> None:
        self._sock, self._until = sock, until

    def makefile(self, *_: Any, **__: Any) -> io.BufferedReader:
        return io.BufferedReader(_Timed(self._sock, self._until))


class Link:
    """One caller of one gate. It is safe for use by several threads: each request has a connection of its own."""

    def __init__(self, url: str, key: str, timeout: float, tls: Optional[ssl.SSLContext]) -> None:
        u = urlsplit(url)
        if u.scheme not in ("http", "https") or not u.hostname or u.username or u.password or u.query or u.fragment:
            raise ValueError("the gate's address is none: give one such as http://127.0.0.1:8711")
        # An empty or broken key would be sent as one, and refused where nobody sees why.
        if not isinstance(key, str) or not _KEY.fullmatch(key):
            raise ValueError("the key is empty, or no API key: white space at its ends, as in a file, is to be taken off")
        if not 0 < timeout <= 600:
            raise ValueError("timeout is in seconds, at most 600")
        self._host, self._port, self._base = u.hostname, u.port, u.path.rstrip("/")
        self._tls = (tls or ssl.create_default_context()) if u.scheme == "https" else None
        self._key, self._timeout = key, timeout

    def post(self, path: str, body: str, held: float = 0) -> str:
        return self._send("POST", path, body.encode("ascii"), held)

    def run(self, path: str, body: str, held: float = 0) -> str:
        """As post, for calls that the gate itself runs: once it was sent, only a status 4xx says that nothing
        was run. Where the answer is lost, or is none that a gate gives, Untold is raised."""
        return self._send("POST", path, body.encode("ascii"), held, runs=True)

    def get(self, path: str) -> str:
        return self._send("GET", path, None, 0)

    def _send(self, method: str, path: str, body: Optional[bytes], held: float, runs: bool = False) -> str:
        sent = False

        def fault(reason: str) -> Union[Refused, Untold]:
            return lost(reason) if runs and sent else unavailable(reason)

        until = time.monotonic() + self._timeout + held
        if self._tls:
            conn: http.client.HTTPConnection = http.client.HTTPSConnection(self._host, self._port, timeout=self._timeout, context=self._tls)
        else:
            conn = http.client.HTTPConnection(self._host, self._port, timeout=self._timeout)
        try:
            conn.connect()
            sent = True  # from here on, what was sent may have arrived
            status, kind, text = self._exchange(conn, method, path, body, until)
        except (socket.timeout, TimeoutError) as e:
            raise fault("The gate did not answer in time.") from e
        except ConnectionRefusedError as e:
            raise fault("The gate cannot be reached: is it running?") from e
        except (OSError, http.client.HTTPException, ValueError) as e:
            raise fault("The gate's answer was lost: the connection broke.") from e
        finally:
            conn.close()
        if status != 200:
            problem = _problem(status, text)
            # 408 comes from what stands in between, which does not say what it had passed on.
            raise problem if not runs or 400 <= status < 500 and status != 408 else lost(problem.reason)
        if kind.split(";", 1)[0].strip().lower() != "application/json" or text is None:
            raise fault("What answered is no gate: its answer is no JSON.")
        return text

    def _exchange(self, conn: http.client.HTTPConnection, method: str, path: str, body: Optional[bytes], until: float) -> Any:
        headers = {"Authorization": "Bearer " + self._key, "Accept": "application/json", "Connection": "close"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        conn.response_class = lambda sock, **more: http.client.HTTPResponse(_Files(sock, until), **more)  # type: ignore[assignment,arg-type]
        conn.request(method, self._base + path, body, headers)
        answer = conn.getresponse()
        raw = answer.read(_MAX_ANSWER + 1)
        if answer.length:  # fewer bytes than were said
            raise http.client.IncompleteRead(raw)
        encoded = answer.headers.get("Content-Encoding")
        try:
            text = raw.decode("utf-8") if len(raw) <= _MAX_ANSWER and not encoded else None
        except UnicodeDecodeError:
            text = None
        return answer.status, answer.headers.get("Content-Type", ""), text


def _problem(status: int, text: Optional[str]) -> Refused:
    detail = ""
    try:
        said = _json.loose(text or "")
        if isinstance(said, dict) and isinstance(said.get("detail"), str):
            detail = shown(said["detail"])
    except _json.NotJson:
        pass  # a proxy in between may answer otherwise
    reason = detail or f"What answered gave status {status} and no decision."
    if status == 429:
        return Refused("RATE_LIMITED", reason, status=status, retryable=True)
    return unavailable(reason, status, retryable=status >= 500)
