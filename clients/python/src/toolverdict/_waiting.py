# Copyright 2026 The Toolverdict Authors
# SPDX-License-Identifier: Apache-2.0

"""Questions to people that acts of frameworks wait on."""

from __future__ import annotations

import dataclasses
import threading
from collections import OrderedDict
from typing import Optional

from . import _json
from .call import Call
from .errors import Refused

MOST = 4096


class Waiting:
    """Which question waits for an exact call. A framework's id names the act, and a model that makes a call again
    once somebody approved it does so under another id: without this it would be asked about anew, for ever. It
    may be used by several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._ids: "OrderedDict[str, str]" = OrderedDict()

    def named(self, call: Call) -> Call:
        """The call with the question that waits for it, or as it is."""
        of = _exact(call)
        with self._lock:
            id = self._ids.get(of) if of else None
        return dataclasses.replace(call, confirmation=id) if id else call

    def keep(self, call: Call, refused: Optional[Refused]) -> None:
        """Remembers the question that a refusal names, and forgets the one there was."""
        of = _exact(call)
        if not of:
            return
        id = (refused.confirmation or {}).get("id") if refused is not None and refused.waits else None
        with self._lock:
            self._ids.pop(of, None)
            if isinstance(id, str):
                self._ids[of] = id
                if len(self._ids) > MOST:
                    self._ids.popitem(last=False)


def _exact(call: Call) -> Optional[str]:
    if not (call.session and call.id and call.idempotency_key) or call.confirmation:
        return None
    try:
        given = call.arguments if isinstance(call.arguments, str) else _json.write(call.arguments)
        return _json.write([call.tool, call.session, repr(call.run), given])
    except _json.NotJson:
        return None  # the claim says what is wrong with it
