"""Calls of a flow in open runs, against a door: `python flow_through_door.py <url> <key> <calls as JSON>`.

A call has the run's token, the name of its thread or null, and an input or the answer of a person. Prints the results
as JSON.
"""

from __future__ import annotations

import json
import sys
import uuid
from pathlib import Path
from typing import Any

from _svc_wrapper.agent import JsonObject
from _svc_wrapper.crewai.kept.defaults import set_defaults
from _svc_wrapper.encode import encode
from _svc_wrapper.memory.door import Door
from _svc_wrapper.problems import Problem
from _svc_wrapper.runs.run_identity import RunIdentity


def answers(url: str, key: str, calls: list[JsonObject]) -> list[JsonObject]:
    # As the wrapper does: before the user's code is imported.
    set_defaults()
    sys.path.insert(0, str(Path(__file__).parent / "agents" / "kept_flow"))
    from agent import Asker

    from _svc_wrapper.crewai.agent import wrap_entrypoint
    from _svc_wrapper.crewai.kept.crew_memory import CrewMemory
    from user_loop_runs import run, user_loop

    flow = wrap_entrypoint("asker", Asker, user_loop.loop, CrewMemory(Door(url, key), None))

    def answer(call: JsonObject) -> JsonObject:
        thread = call["thread"]
        given: dict[str, Any] = {"thread_id": thread or str(uuid.uuid4()), "names_thread": thread is not None}
        given["run"] = RunIdentity(call["token"])
        resumed = {"resume": call["resume"], "resumes": True} if "resume" in call else {"input": call["input"]}
        try:
            told = run(flow, **given, **resumed)
        except Problem as problem:
            return {"code": problem.code, "reason": problem.fields.get("reason")}
        return {"output": encode(told.output), "interrupts": told.interrupts}

    return [answer(call) for call in calls]


if __name__ == "__main__":
    print(json.dumps(answers(sys.argv[1], sys.argv[2], json.loads(sys.argv[3]))))
