from __future__ import annotations

import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from ag_ui.core import Event
from pydantic import TypeAdapter

from wrapper_process import AGENTS, EXAMPLES, WrapperProcess, events_of

AGUI_EVENT = TypeAdapter(Event)


def check_sequence(events: list[dict[str, Any]]) -> list[str]:
    """Checks every event against the protocol's models, and that each start has an end. Returns the types."""
    for event in events:
        assert not AGUI_EVENT.validate_python(event).model_extra, f"a member outside of the protocol: {event}"
        opaque = ("snapshot", "value", "result")
        assert all(value is not None for name, value in event.items() if name not in opaque), event
    assert events[0]["protocolVersion"] == "1.0"
    types = [event["type"] for event in events]
    assert types[0] == "RUN_STARTED"
    assert types[-1] in ("RUN_FINISHED", "RUN_ERROR")
    for opening, closing in (
        ("TEXT_MESSAGE_START", "TEXT_MESSAGE_END"),
        ("TOOL_CALL_START", "TOOL_CALL_END"),
        ("STEP_STARTED", "STEP_FINISHED"),
    ):
        assert types.count(opening) == types.count(closing)
    return types


def test_a_graph_streams_its_steps_and_its_text() -> None:
    with WrapperProcess(EXAMPLES / "langgraph-greeter") as wrapper:
        wrapper.ready()
        events = wrapper.stream({"input": {"message": "hi, I am Ada"}})
    check_sequence(events)
    assert [event["stepName"] for event in events if event["type"] == "STEP_STARTED"] == [
        "listen",
        "understand",
        "reply",
    ]
    text = "".join(event["delta"] for event in events if event["type"] == "TEXT_MESSAGE_CONTENT")
    assert text == "Hello Ada, nice to meet you!"
    assert events[-1]["result"]["name"] == "Ada"
    assert events[-1]["outcome"] == {"type": "success"}


def test_custom_events_pass_through(many_sides: WrapperProcess) -> None:
    events = many_sides.stream({"input": {"do": "tell"}})
    check_sequence(events)
    assert [event["value"] for event in events if event["type"] == "CUSTOM"] == [{"part": n} for n in range(3)]


def test_invoke_streams_on_request(many_sides: WrapperProcess) -> None:
    response = many_sides.invoke({"input": {"do": "tell"}, "stream": True})
    assert response.headers["content-type"].startswith("text/event-stream")
    check_sequence(list(events_of(response)))


def test_values_without_a_json_form_stream_too(many_sides: WrapperProcess) -> None:
    events = many_sides.stream({"input": {"do": "odd"}})
    check_sequence(events)
    assert events[-1]["result"]["result"]["point"] == {"x": 1}


def test_a_failure_ends_the_stream_with_an_error(many_sides: WrapperProcess) -> None:
    events = many_sides.stream({"input": {"do": "fail"}})
    assert check_sequence(events)[-1] == "RUN_ERROR"
    assert events[-1]["code"] == "agent_error"


def test_refusals_come_before_the_stream(many_sides: WrapperProcess) -> None:
    response = many_sides.client.post("/stream", json={"input": {"do": 1}})
    assert response.status_code == 422


def test_a_reader_that_disconnects_cancels_the_run(many_sides: WrapperProcess) -> None:
    with many_sides.client.stream("POST", "/stream", json={"input": {"do": "sleep on the loop"}}) as response:
        run_id = response.headers["X-Svc-Run-Id"]
        # Kept: without a reference the iterator would close the connection.
        events = events_of(response)
        next(events)
        assert many_sides.client.get(f"/runs/{run_id}").json()["status"] == "running"
    many_sides.wait_until(lambda: many_sides.health()["in_flight"] == 0, seconds=5)
    assert many_sides.client.get(f"/runs/{run_id}").json()["status"] == "cancelled"


def test_a_reader_that_does_not_read_pauses_the_run(many_sides: WrapperProcess) -> None:
    """100,000 events of a kilobyte: unread, they must neither fill memory nor stop other calls."""
    before = memory_kilobytes(many_sides)
    with many_sides.client.stream("POST", "/stream", json={"input": {"do": "tell a lot"}}) as response:
        events = events_of(response)
        next(events)
        time.sleep(2)
        assert many_sides.ask(do="echo", count=1)["output"]["result"] == 1
        assert memory_kilobytes(many_sides) - before < 40_000
    many_sides.wait_until(lambda: many_sides.health()["in_flight"] == 0, seconds=5)


def side_events(wrapper: WrapperProcess, run_id: str) -> list[dict[str, Any]]:
    with wrapper.client.stream("GET", f"/runs/{run_id}/events") as response:
        assert response.status_code == 200
        return list(events_of(response))


def listened(wrapper: WrapperProcess, do: str) -> tuple[str, dict[str, Any]]:
    """A call whose events are read too: its run id and its answer."""
    run_id = str(uuid.uuid4())
    headers = {"X-Svc-Run-Id": run_id, "X-Svc-Side-Stream": "1"}
    return run_id, wrapper.invoke({"input": {"do": do}}, **headers).json()


def test_the_events_of_a_call_are_read_beside_its_answer_by_one_reader(many_sides: WrapperProcess) -> None:
    run_id, answer = listened(many_sides, "tell")
    assert answer["output"]["result"] == "done"
    events = side_events(many_sides, run_id)
    assert [event["value"] for event in events if event["type"] == "CUSTOM"] == [{"part": n} for n in range(3)]
    assert not {event["type"] for event in events} & {"STATE_SNAPSHOT", "RUN_FINISHED"}
    assert many_sides.client.get(f"/runs/{run_id}/events").status_code == 404


def test_events_that_nobody_reads_neither_slow_a_call_nor_fill_memory(many_sides: WrapperProcess) -> None:
    before = memory_kilobytes(many_sides)
    run_id, answer = listened(many_sides, "tell a lot")
    assert answer["output"]["result"] == "done"
    assert memory_kilobytes(many_sides) - before < 40_000
    last = side_events(many_sides, run_id)[-1]
    assert (last["type"], last["name"]) == ("CUSTOM", "notice")


def test_a_reader_that_leaves_the_events_of_a_call_does_not_end_it(many_sides: WrapperProcess) -> None:
    run_id = str(uuid.uuid4())
    headers = {"X-Svc-Run-Id": run_id, "X-Svc-Side-Stream": "1"}
    with ThreadPoolExecutor() as threads:
        answering = threads.submit(many_sides.invoke, {"input": {"do": "nap"}}, **headers)
        many_sides.wait_until(lambda: many_sides.client.get(f"/runs/{run_id}").status_code == 200)
        with many_sides.client.stream("GET", f"/runs/{run_id}/events") as response:
            assert next(iter(events_of(response)))["type"] == "RUN_STARTED"
        assert answering.result().json()["output"]["result"] == "done"


def memory_kilobytes(wrapper: WrapperProcess) -> int:
    with open(f"/proc/{wrapper.process.pid}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))


def test_an_interrupt_is_the_outcome_of_the_stream() -> None:
    with WrapperProcess(AGENTS / "conversation") as wrapper:
        wrapper.ready()
        body = {"input": {"messages": [{"role": "user", "content": "ask me"}]}, "thread_id": "one"}
        events = wrapper.stream(body)
        check_sequence(events)
        outcome = events[-1]["outcome"]
        assert outcome["type"] == "interrupt"
        assert outcome["interrupts"][0]["metadata"]["value"] == {"question": "what is your name?"}
        resumed = wrapper.stream({"resume": "Ada", "thread_id": "one"})
        check_sequence(resumed)
        assert resumed[-1]["result"]["messages"][-1]["content"] == "hello Ada"
