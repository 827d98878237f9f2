from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from wrapper_process import AGENTS, WrapperProcess, events_of


class Background:
    """A call whose answer is read later."""

    def __init__(self, wrapper: WrapperProcess, **fields: Any) -> None:
        self.response: Any = None
        before = wrapper.health()["in_flight"]
        self.thread = threading.Thread(target=self._ask, args=(wrapper, fields), daemon=True)
        self.thread.start()
        wrapper.wait_until(lambda: wrapper.health()["in_flight"] == before + 1, seconds=5)

    def _ask(self, wrapper: WrapperProcess, fields: dict[str, Any]) -> None:
        self.response = wrapper.invoke({"input": fields})

    def answer(self) -> Any:
        self.thread.join(15)
        return self.response


def test_draining_refuses_new_runs_and_lets_old_ones_end() -> None:
    with WrapperProcess(AGENTS / "many_sides") as wrapper:
        wrapper.ready()
        background = Background(wrapper, do="sleep", count=2)
        drained = wrapper.client.post("/drain")
        assert (drained.status_code, drained.json()) == (202, {"status": "draining"})
        refused = wrapper.invoke({"input": {"do": "echo"}})
        assert (refused.status_code, refused.json()["code"]) == (503, "draining")
        assert refused.headers["Retry-After"]
        assert refused.headers["X-Svc-Not-Begun"] == "draining"
        assert wrapper.client.get("/ready").status_code == 503
        assert background.answer().json()["status"] == "completed"
        health = wrapper.health()
        assert (health["status"], health["in_flight"]) == ("draining", 0)


def test_a_drain_during_the_import_does_not_end_the_process() -> None:
    with WrapperProcess(AGENTS / "many_sides") as wrapper:
        wrapper.send_signal(signal.SIGUSR1)
        wrapper.wait_until(lambda: wrapper.health()["status"] == "draining", seconds=2)


def test_a_stop_waits_for_runs_and_answers_meanwhile() -> None:
    with WrapperProcess(AGENTS / "many_sides") as wrapper:
        wrapper.ready()
        background = Background(wrapper, do="sleep", count=2)
        wrapper.process.terminate()
        wrapper.wait_until(lambda: wrapper.health()["status"] == "draining", seconds=2)
        assert wrapper.invoke({"input": {"do": "echo"}}).status_code == 503
        assert background.answer().json()["status"] == "completed"
        assert wrapper.exit_code() == 0


def test_a_run_longer_than_the_grace_ends_as_interrupted() -> None:
    with WrapperProcess(AGENTS / "many_sides", SVC_SHUTDOWN_GRACE_SECONDS="1") as wrapper:
        wrapper.ready()
        background = Background(wrapper, do="sleep", count=600)
        began = time.monotonic()
        wrapper.process.terminate()
        response = background.answer()
        assert response.status_code == 503
        assert response.json()["code"] == "run_interrupted"
        assert response.json()["run_status"] == "interrupted"
        assert "X-Svc-Not-Begun" not in response.headers
        # Also with a thread of the user's code that will not end.
        assert wrapper.exit_code() == 0
        assert time.monotonic() - began < 8


def test_a_run_that_still_waits_at_the_stop_has_not_begun() -> None:
    with WrapperProcess(AGENTS / "waiter", SVC_MAX_CONCURRENCY="1", SVC_SHUTDOWN_GRACE_SECONDS="0") as wrapper:
        wrapper.ready()
        running = Background(wrapper, do="wait")
        waiting = Background(wrapper, do="wait")
        wrapper.process.terminate()
        refused = waiting.answer()
        assert (refused.status_code, refused.json()["code"]) == (503, "draining")
        assert refused.headers["X-Svc-Not-Begun"] == "draining"
        assert running.answer().json()["code"] == "run_interrupted"


def test_user_code_cannot_claim_that_it_has_not_begun(project: Callable[[str], Path]) -> None:
    agent_py = graph_whose_node("raise Problem(state['code'], 'not me')")
    with WrapperProcess(project(agent_py)) as wrapper:
        wrapper.ready()
        for code, status in (("draining", 503), ("too_many_runs", 429)):
            answer = wrapper.invoke({"input": {"code": code}})
            assert (answer.status_code, answer.json()["code"]) == (status, code)
            assert "X-Svc-Not-Begun" not in answer.headers
            again = wrapper.client.get(f"/runs/{answer.json()['run_id']}/answer")
            assert (again.status_code, "X-Svc-Not-Begun" in again.headers) == (status, False)


def graph_whose_node(does: str) -> str:
    return f"""
from langgraph.graph import START, StateGraph
from typing_extensions import TypedDict

from _svc_wrapper.problems import Problem

class State(TypedDict):
    code: str

def node(state):
    {does}

builder = StateGraph(State)
builder.add_node(node)
builder.add_edge(START, "node")
graph = builder.compile()
"""


def test_an_open_stream_gets_an_event_at_the_stop() -> None:
    with WrapperProcess(AGENTS / "many_sides", SVC_SHUTDOWN_GRACE_SECONDS="1") as wrapper:
        wrapper.ready()
        body = {"input": {"do": "sleep on the loop"}}
        with wrapper.client.stream("POST", "/stream", json=body) as response:
            events = events_of(response)
            assert next(events)["type"] == "RUN_STARTED"
            wrapper.process.terminate()
            last = list(events)[-1]
        assert (last["type"], last["code"]) == ("RUN_ERROR", "run_interrupted")
        assert wrapper.exit_code() == 0


def test_crewai_does_not_capture_the_signal() -> None:
    with WrapperProcess(AGENTS / "single_agent", "crewai") as wrapper:
        wrapper.ready()
        background = Background(wrapper, input="sleep 2")
        wrapper.process.terminate()
        assert background.answer().json()["status"] == "completed"
        assert wrapper.exit_code() == 0
