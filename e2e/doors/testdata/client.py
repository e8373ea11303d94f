# Copyright 2026 The Toolverdict Authors
# SPDX-License-Identifier: Apache-2.0

"""Takes calls from standard input, a line each, to a gate, and prints what it was told of each."""

import json
import os
import sys
from typing import Any, Dict

from toolverdict import Call, Gate, Refused

gate = Gate(os.environ["GATE"], os.environ["KEY"])


def ask(asked: Dict[str, str]) -> Dict[str, Any]:
    call = Call(tool=asked["tool"], arguments=asked["arguments"], id=asked["label"])
    try:
        if asked["how"] == "decide":
            said = gate.decide(call)
            return {"verdict": said["verdict"], "code": said.get("error", {}).get("code", "")}
        claimed = gate.claim(call)
    except Refused as e:
        return {"verdict": "ask" if e.waits else "deny", "code": e.code, "text": str(e)}
    gate.give_back(claimed, "this program only asks")
    return {"verdict": "allow", "leave": claimed.text}


for line in sys.stdin:
    print(json.dumps(ask(json.loads(line))), flush=True)
