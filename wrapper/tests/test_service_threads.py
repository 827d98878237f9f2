"""Threads that the service keeps: the same in each process, and through the end of one."""

from __future__ import annotations

import signal
import threading
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from kept_calls import STEPS, call, headers_of, kept_process, say
from memory_door import MemoryDoor
from wrapper_process import AGENTS, WrapperProcess


@pytest.fixture(scope="module")
def door() -> Iterator[MemoryDoor]:
    with MemoryDoor() as door:
        yield door


@pytest.fixture(scope="module")
def one(door: MemoryDoor) -> Iterator[WrapperProcess]:
    with kept_process(door) as wrapper:
        yield wrapper.ready()


@pytest.fixture(scope="module")
def other(door: MemoryDoor) -> Iterator[WrapperProcess]:
    with kept_process(door) as wrapper:
        yield wrapper.ready()


@pytest.fixture(autouse=True)
def no_refusals(door: MemoryDoor) -> Iterator[None]:
    yield
    door.refusals.clear()


def test_readiness_says_who_keeps_threads(one: WrapperProcess) -> None:
    ready = one.client.get("/ready").json()
    assert (ready["threads"], ready["keeps_threads"], ready["threads_by"]) == ("service", True, None)
    assert ready["memory"] == {"needs_run": True}
    assert ready["notices"] == ["the service keeps the threads and the store of the agent"]


def test_another_process_goes_on_with_a_thread(door: MemoryDoor, one: WrapperProcess, other: WrapperProcess) -> None:
    thread = "höflich / ☕"
    first = say(door, one, "count", thread)
    assert (first["thread_id"], first["output"]["steps"]) == (thread, STEPS)
    assert say(door, other, "count", thread)["output"]["steps"] == STEPS * 2
    assert say(door, one, "count", "another")["output"]["steps"] == STEPS


def test_a_threaded_call_sends_one_request_for_each_step(door: MemoryDoor, one: WrapperProcess) -> None:
    before = len(door.requests)
    say(door, one, "nap", "t-requests")
    sent = [f"{method} {path.partition('?')[0]}" for method, path in door.requests[before:]]
    assert sent[0] == "GET /memory/state"
    # The input, three steps, and the writes of the step that naps.
    assert 2 <= sent.count("POST /memory/state") <= 6
    assert len(sent) == 1 + sent.count("POST /memory/state")


def test_a_reader_of_the_state_finds_views_the_next_nodes_and_the_end(door: MemoryDoor, one: WrapperProcess) -> None:
    say(door, one, "count", "t-views")
    thread = door.thread("t-views")
    newest = max(thread.checkpoints)
    versions = thread.checkpoints[newest]["said"]["versions"]
    views = {name: thread.views.get(("", name, version)) for name, version in versions.items()}
    assert views["steps"] == STEPS
    assert views["point"] == {"x": 1}
    assert {name for name in views if name.startswith("branch:") and views[name] is not None} == set()
    by_step = [thread.nexts[key] for key in sorted(thread.checkpoints)]
    assert by_step == [["__start__"], ["first"], ["second"], ["third"], []]
    assert thread.tail == {"next": [], "interrupts": []}


def test_types_of_the_schemas_are_read_back(door: MemoryDoor, one: WrapperProcess, other: WrapperProcess) -> None:
    waiting = call(door, one, {"input": {"do": "ask"}}, "t-types").json()
    assert waiting["status"] == "interrupted"
    call(door, other, {"resume": "Ada"}, "t-types")
    assert say(door, other, "say the type", "t-types")["output"]["found"] == "Point"


def test_an_interrupt_without_a_thread_is_resumed_in_another_process(
    door: MemoryDoor, one: WrapperProcess, other: WrapperProcess
) -> None:
    run_id = str(uuid.uuid4())
    before = len(door.requests)
    waiting = one.invoke({"input": {"do": "ask"}}, **headers_of(door, None, run_id)).json()
    assert (waiting["status"], waiting["thread_id"], waiting["run_id"]) == ("interrupted", run_id, run_id)
    assert waiting["interrupts"][0]["value"] == {"question": "what is your name?"}
    # One request says all of it.
    assert door.requests[before:] == [("POST", f"/memory/state?thread={run_id}")]
    assert door.thread(run_id).tail == {"next": ["second"], "interrupts": waiting["interrupts"]}

    answer = call(door, other, {"resume": "Ada"}, run_id).json()
    assert (answer["status"], answer["thread_id"], answer["output"]["found"]) == ("completed", run_id, "Ada")
    assert "continued_at" not in answer
    assert answer["output"]["steps"] == STEPS
    assert door.thread(run_id).tail == {"next": [], "interrupts": []}


def test_a_call_without_a_thread_asks_the_service_nothing(door: MemoryDoor, one: WrapperProcess) -> None:
    before = len(door.requests)
    answer = say(door, one, "count")
    # It has kept nothing that a next call could continue.
    assert (answer["thread_id"], answer["output"]["steps"]) == (None, STEPS)
    assert door.requests[before:] == []


def test_a_killed_run_is_continued_from_its_last_step(door: MemoryDoor, other: WrapperProcess) -> None:
    thread = "t-killed"
    with kept_process(door) as killed:
        killed.ready()
        threading.Thread(target=call_that_breaks, args=(door, killed, thread), daemon=True).start()
        killed.wait_until(lambda: ["second"] in list_of_nexts(door, thread), seconds=10)
        killed.send_signal(signal.SIGKILL)
        killed.exit_code()
    # The node hangs in each process, so the thread's own word for it is changed in between.
    continued = call(door, other, {"resume": None}, "t-unknown")
    assert (continued.status_code, continued.json()["code"]) == (409, "nothing_to_resume")
    with kept_process(door, AGENTS / "kept_graph", HANG_NO_MORE="1") as restarted:
        answer = call(door, restarted.ready(), {"resume": None}, thread).json()
    assert (answer["status"], answer["continued_at"]) == ("completed", ["second"])
    assert answer["output"]["steps"] == STEPS


def call_that_breaks(door: MemoryDoor, wrapper: WrapperProcess, thread: str) -> None:
    with pytest.raises(httpx.TransportError):
        call(door, wrapper, {"input": {"do": "hang"}}, thread)


def list_of_nexts(door: MemoryDoor, thread: str) -> list[list[str]]:
    found = door.threads.get(("ada", thread))
    return list(found.nexts.values()) if found else []


@pytest.mark.parametrize("do", ["hang", "wait"])
def test_a_cancelled_run_keeps_its_steps(door: MemoryDoor, one: WrapperProcess, do: str) -> None:
    thread, run_id = f"t-cancelled-{do}", str(uuid.uuid4())
    body = {"input": {"do": do}, "thread_id": thread}
    waiting = threading.Thread(target=lambda: one.invoke(body, **headers_of(door, thread, run_id)))
    waiting.start()
    at = "second" if do == "hang" else "third"
    one.wait_until(lambda: [at] in list_of_nexts(door, thread), seconds=10)
    cancelled = one.client.post(f"/runs/{run_id}/cancel").json()
    waiting.join(10)
    assert cancelled["status"] == "cancelled"
    assert door.thread(thread).tail == {"next": [at], "interrupts": []}


def test_a_failed_run_keeps_its_steps(door: MemoryDoor, one: WrapperProcess) -> None:
    failed = call(door, one, {"input": {"do": "fail"}}, "t-failed")
    assert failed.json()["code"] == "agent_error"
    assert door.thread("t-failed").tail == {"next": ["second"], "interrupts": []}


def test_a_stopped_container_stores_the_steps_of_its_runs(door: MemoryDoor) -> None:
    thread = "t-stopped"
    with kept_process(door, SVC_SHUTDOWN_GRACE_SECONDS="0") as stopped:
        stopped.ready()
        answers: list[str] = []
        body = {"input": {"do": "wait"}}
        waiting = threading.Thread(target=lambda: answers.append(call(door, stopped, body, thread).json()["code"]))
        waiting.start()
        stopped.wait_until(lambda: ["third"] in list_of_nexts(door, thread), seconds=10)
        stopped.send_signal(signal.SIGTERM)
        waiting.join(10)
        assert stopped.exit_code() == 0
    assert answers == ["run_interrupted"]
    assert door.thread(thread).tail == {"next": ["third"], "interrupts": []}


def test_a_refused_state_ends_the_call_by_name(door: MemoryDoor, one: WrapperProcess) -> None:
    assert say(door, one, "count", "t-refused")["status"] == "completed"
    door.refusals["POST /memory/state"] = [413]
    refused = call(door, one, {"input": {"do": "count"}}, "t-refused")
    assert (refused.status_code, refused.json()["code"], refused.json()["reason"]) == (
        500,
        "thread_not_stored",
        "quota_exceeded",
    )
    unthreaded = call(door, one, {"input": {"do": "ask"}})
    assert unthreaded.json()["code"] == "thread_not_stored"
    assert "thread_id" in unthreaded.json()["hint"]
    assert say(door, one, "count")["status"] == "completed"


def test_a_thread_that_cannot_be_read_ends_the_call_by_name(door: MemoryDoor, one: WrapperProcess) -> None:
    door.refusals["GET /memory/state"] = [403]
    refused = call(door, one, {"input": {"do": "count"}}, "t-unread")
    assert (refused.status_code, refused.json()["code"]) == (500, "thread_not_read")


def test_a_service_that_restarts_is_waited_for(door: MemoryDoor, one: WrapperProcess) -> None:
    door.refusals["POST /memory/state"] = [503, 502, 503, 200]
    door.refusals["GET /memory/state"] = [503, 200]
    assert say(door, one, "count", "t-restart")["output"]["steps"] == STEPS
    assert len(door.thread("t-restart").checkpoints) == 5


def test_a_state_without_a_stored_form_fails_only_a_call_with_a_thread(door: MemoryDoor) -> None:
    with kept_process(door) as odd:
        assert say(door, odd.ready(), "be odd")["status"] == "completed"
        odd.wait_until(lambda: "a call with a thread_id would fail" in odd.log(), seconds=5)
        failed = call(door, odd, {"input": {"do": "be odd"}}, "t-odd")
        assert (failed.status_code, failed.json()["code"]) == (500, "thread_not_stored")
        assert "channel 'thing'" in failed.json()["detail"]


def test_a_subgraph_that_is_called_synchronously_is_stored_too(
    door: MemoryDoor, one: WrapperProcess, other: WrapperProcess
) -> None:
    assert say(door, one, "shout", "t-inner", text="tea")["output"]["found"] == "TEA"
    assert any(ns for ns, _ in door.thread("t-inner").checkpoints)
    waiting = call(door, one, {"input": {"do": "shout", "text": "who"}}, "t-inner").json()
    assert waiting["interrupts"][0]["value"] == "inner name"
    answer = call(door, other, {"resume": "Ada"}, "t-inner").json()
    assert answer["output"]["found"] == "hello Ada"


def test_a_subgraph_waits_in_a_call_without_a_thread(
    door: MemoryDoor, one: WrapperProcess, other: WrapperProcess
) -> None:
    waiting = call(door, one, {"input": {"do": "shout", "text": "who"}}).json()
    answer = call(door, other, {"resume": "Ada"}, waiting["thread_id"]).json()
    assert answer["output"]["found"] == "hello Ada"


def test_user_code_sees_its_thread_and_others_of_its_caller(door: MemoryDoor, one: WrapperProcess) -> None:
    say(door, one, "count", "t-other")
    for thread in ("t-looks", None):
        assert say(door, one, "look at", thread, text="t-other")["output"]["found"] == STEPS
        assert say(door, one, "look at", thread, text="t-nobody's")["output"]["found"] is None
    # What the run has written is there, although it may be on its way.
    assert say(door, one, "look at", "t-itself", text="t-itself")["output"]["found"] == ["first"]


def test_a_thread_needs_the_services_word_for_it(door: MemoryDoor, one: WrapperProcess) -> None:
    headers = {"X-Svc-Run": door.open_run("t-word")}
    body = {"input": {"do": "count"}, "thread_id": "t-word"}
    refused = one.invoke(body, **headers)
    assert (refused.status_code, refused.json()["code"]) == (422, "invalid_request")
    for wrong in ("%", "%zz", "a b", "", "%ff", "x" * 513):
        assert one.invoke(body, **headers, **{"X-Svc-Thread": wrong}).json()["code"] == "invalid_request"
    made = one.invoke({**body, "thread_id": "new"}, **headers, **{"X-Svc-Thread": "t-word"})
    assert (made.status_code, made.json()["thread_id"]) == (200, "t-word")


def test_a_stream_shows_no_mark_of_the_store(door: MemoryDoor, one: WrapperProcess) -> None:
    headers = headers_of(door, "t-stream", str(uuid.uuid4()))
    body = {"input": {"do": "count"}, "thread_id": "t-stream"}
    with one.client.stream("POST", "/stream", json=body, headers=headers) as response:
        text = response.read().decode()
    assert "RUN_FINISHED" in text
    assert "checkpoint" not in text
    assert door.thread("t-stream").tail == {"next": [], "interrupts": []}


def test_the_store_keeps_items_for_a_later_call(door: MemoryDoor, one: WrapperProcess, other: WrapperProcess) -> None:
    say(door, one, "remember", text="tea")
    found = say(door, other, "recall", "t-store", text="tea")["output"]["found"]
    assert found == [{"text": "tea"}, [["1", 0.5]], [["notes"]], None]


def test_a_refused_operation_of_the_store_reaches_the_agents_code(door: MemoryDoor, one: WrapperProcess) -> None:
    door.refusals["POST /memory/store"] = [413]
    refused = call(door, one, {"input": {"do": "remember", "text": "tea"}}).json()
    assert (refused["code"], refused["exception"]["type"]) == ("agent_error", "StoreRefused")


OLD = """
from typing_extensions import TypedDict
from pydantic import BaseModel
from langgraph.graph import START, StateGraph
from langgraph.types import interrupt

class {kind}(BaseModel):
    x: int

class State(TypedDict, total=False):
    do: str
    point: {kind}
    said: str

def begin(state):
    return {{"point": {kind}(x=1)}}

def {node}(state):
    return {{"said": interrupt("name?")}}

builder = StateGraph(State)
builder.add_node(begin)
builder.add_node({node})
builder.add_edge(START, "begin")
builder.add_edge("begin", "{node}")
graph = builder.compile()
"""


@pytest.mark.parametrize("changed", [{"kind": "Place"}, {"node": "question"}])
def test_a_version_that_cannot_read_a_state_says_so_and_the_state_stays(
    door: MemoryDoor, project: Callable[[str], Path], changed: dict[str, str]
) -> None:
    thread = f"t-unreadable-{next(iter(changed))}"
    as_it_was = {"kind": "Point", "node": "ask"}
    with kept_process(door, project(OLD.format(**as_it_was))) as old:
        assert call(door, old.ready(), {"input": {"do": "x"}}, thread).json()["status"] == "interrupted"
    with kept_process(door, project(OLD.format(**{**as_it_was, **changed}))) as new:
        unreadable = call(door, new.ready(), {"resume": "Ada"}, thread)
        assert (unreadable.status_code, unreadable.json()["code"]) == (409, "state_unreadable")
    with kept_process(door, project(OLD.format(**as_it_was))) as old:
        assert call(door, old.ready(), {"resume": "Ada"}, thread).json()["output"]["said"] == "Ada"
