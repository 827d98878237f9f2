"""The parts of a graph's stream, as clients of langgraph's own API get them through the service."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from kept_calls import STEPS, headers_of, kept_process
from memory_door import MemoryDoor
from wrapper_process import WrapperProcess, events_of

CHAT = """
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langgraph.graph import START, MessagesState, StateGraph


async def reply(state: MessagesState) -> dict:
    model = GenericFakeChatModel(messages=iter([AIMessage("good day to you")]))
    return {"messages": [await model.ainvoke(state["messages"])]}


graph = StateGraph(MessagesState).add_node(reply).add_edge(START, "reply").compile()
"""


@pytest.fixture(scope="module")
def door() -> Iterator[MemoryDoor]:
    with MemoryDoor() as door:
        yield door


@pytest.fixture(scope="module")
def kept(door: MemoryDoor) -> Iterator[WrapperProcess]:
    with kept_process(door) as wrapper:
        yield wrapper.ready()


@pytest.fixture(scope="module")
def chat(door: MemoryDoor, tmp_path_factory: pytest.TempPathFactory) -> Iterator[WrapperProcess]:
    folder: Path = tmp_path_factory.mktemp("chat")
    (folder / "agent.py").write_text(CHAT)
    with kept_process(door, folder) as wrapper:
        yield wrapper.ready()


def graph_headers(door: MemoryDoor, thread: str, **options: Any) -> dict[str, str]:
    return {**headers_of(door, thread, str(uuid.uuid4())), "X-Svc-Graph": quote(json.dumps(options), safe="")}


def parts_of(
    door: MemoryDoor, wrapper: WrapperProcess, body: dict[str, Any], thread: str, **options: Any
) -> list[tuple[str, Any]]:
    """The mode and the data of each part. A part of a nested graph has its namespace in the mode."""
    headers = graph_headers(door, thread, **options)
    response = wrapper.client.post("/stream", json={**body, "thread_id": thread}, headers=headers)
    assert response.status_code == 200, response.text
    events = list(events_of(response))
    assert [event["type"] for event in events if event["type"] not in ("RUN_STARTED", "CUSTOM")] == ["RUN_FINISHED"]
    parts = [event["value"] for event in events if event["type"] == "CUSTOM"]
    return [("|".join([part["mode"], *(["nested"] if part["ns"] else [])]), part["data"]) for part in parts]


def test_only_the_modes_that_are_asked_for_come(door: MemoryDoor, kept: WrapperProcess) -> None:
    parts = parts_of(door, kept, {"input": {"do": "count"}}, "t-modes", modes=["updates", "values"])
    assert {mode for mode, _ in parts} == {"updates", "values"}
    assert [list(data) for mode, data in parts if mode == "updates"] == [["first"], ["second"], ["third"]]
    assert parts[-1][1]["steps"] == STEPS
    only = parts_of(door, kept, {"input": {"do": "count"}}, "t-modes", modes=["updates"])
    assert {mode for mode, _ in only} == {"updates"}


def test_messages_come_in_pieces_and_in_langchains_form(door: MemoryDoor, chat: WrapperProcess) -> None:
    given = {"input": {"messages": [{"type": "human", "content": "hello"}]}}
    parts = parts_of(door, chat, given, "t-chat", modes=["messages", "values"])
    pieces = [data for mode, data in parts if mode == "messages"]
    assert "".join(message["content"] for message, _ in pieces) == "good day to you"
    assert {message["type"] for message, _ in pieces} == {"AIMessageChunk"}
    assert pieces[0][1]["langgraph_node"] == "reply"
    assert not [name for name in pieces[0][1] if name.startswith("svc_")]
    last = parts[-1][1]["messages"]
    assert [(message["type"], message["content"]) for message in last] == [
        ("human", "hello"),
        ("ai", "good day to you"),
    ]


def test_the_events_of_langchain_come_beside_the_parts(door: MemoryDoor, chat: WrapperProcess) -> None:
    given = {"input": {"messages": [{"type": "human", "content": "hello"}]}}
    parts = parts_of(door, chat, given, "t-events", modes=["events", "messages", "values"])
    events = [data for mode, data in parts if mode == "events"]
    pieces = [event for event in events if event["event"] == "on_chat_model_stream"]
    assert "".join(event["data"]["chunk"]["content"] for event in pieces) == "good day to you"
    assert {event["metadata"]["langgraph_node"] for event in pieces} == {"reply"}
    assert not [name for event in events for name in event["metadata"] if name.startswith("svc_")]
    # The pieces of chains repeat the other parts.
    assert not [event for event in events if event["event"] == "on_chain_stream"]
    ended = [event for event in events if event["event"] == "on_chain_end"]
    assert ended[-1]["data"]["output"]["messages"][-1]["content"] == "good day to you"
    messages = [message["content"] for message, _ in (data for mode, data in parts if mode == "messages")]
    assert "".join(messages) == "good day to you"
    assert [data["messages"][-1]["content"] for mode, data in parts if mode == "values"][-1] == "good day to you"


def test_an_interrupt_is_in_the_parts_and_a_command_resumes_it(door: MemoryDoor, kept: WrapperProcess) -> None:
    parts = parts_of(door, kept, {"input": {"do": "ask"}}, "t-ask", modes=["updates", "values"])
    asked = [data["__interrupt__"] for mode, data in parts if mode == "updates" and "__interrupt__" in data]
    assert asked[0][0]["value"] == {"question": "what is your name?"}
    resumed = parts_of(door, kept, {"resume": {"resume": "Ada"}}, "t-ask", modes=["values"], is_command=True)
    assert resumed[-1][1]["found"] == "Ada"


def test_a_run_stops_before_a_node_and_goes_on_without_a_value(door: MemoryDoor, kept: WrapperProcess) -> None:
    thread = "t-before"
    stopped = parts_of(door, kept, {"input": {"do": "count"}}, thread, modes=["updates"], before=["third"])
    assert [list(data) for _, data in stopped][:2] == [["first"], ["second"]]
    assert "third" not in [name for _, data in stopped for name in data]
    rest = parts_of(door, kept, {"resume": None}, thread, modes=["updates"], goes_on=True)
    assert [list(data) for _, data in rest] == [["third"]]


def test_a_run_starts_at_an_earlier_state(door: MemoryDoor, kept: WrapperProcess) -> None:
    thread = "t-earlier"
    told = parts_of(door, kept, {"input": {"do": "count"}}, thread, modes=["checkpoints"])
    after_first = next(data for _, data in told if data["next"] == ["second"])
    at = after_first["config"]["configurable"]
    assert set(at) <= {"thread_id", "checkpoint_ns", "checkpoint_id"}
    again = parts_of(
        door, kept, {"resume": None}, thread, modes=["values"], goes_on=True, checkpoint_id=at["checkpoint_id"]
    )
    assert again[-1][1]["steps"] == STEPS


def updated(
    door: MemoryDoor, wrapper: WrapperProcess, thread: str, update: dict[str, Any], **options: Any
) -> httpx.Response:
    headers = graph_headers(door, thread, modes=[], is_update=True, **options)
    return wrapper.invoke({"resume": update, "thread_id": thread}, **headers)


def test_a_state_is_changed_as_by_a_node_and_goes_on_from_there(door: MemoryDoor, kept: WrapperProcess) -> None:
    thread = "t-update"
    parts_of(door, kept, {"input": {"do": "count"}}, thread, modes=["values"], before=["second"])
    answer = updated(door, kept, thread, {"values": {"steps": ["by hand"]}, "as_node": "second"}).json()
    assert [one["next"] for one in answer["interrupts"]] == ["third"]
    assert answer["output"]["checkpoint_id"] == max(door.thread(thread).checkpoints)[1]
    assert door.thread(thread).tail["next"] == ["third"]
    rest = parts_of(door, kept, {"resume": None}, thread, modes=["values"], goes_on=True)
    assert rest[-1][1]["steps"] == ["first", "by hand", "third"]


def test_an_update_can_fork_an_earlier_state(door: MemoryDoor, kept: WrapperProcess) -> None:
    thread = "t-fork"
    told = parts_of(door, kept, {"input": {"do": "count"}}, thread, modes=["checkpoints"])
    after_first = next(data for _, data in told if data["next"] == ["second"])
    at = after_first["config"]["configurable"]["checkpoint_id"]
    update = {"values": {"steps": ["again"]}, "as_node": "first"}
    assert updated(door, kept, thread, update, checkpoint_id=at).status_code == 200
    rest = parts_of(door, kept, {"resume": None}, thread, modes=["values"], goes_on=True)
    assert rest[-1][1]["steps"] == ["first", "again", "second", "third"]


def test_an_update_that_no_graph_takes_is_refused(door: MemoryDoor, kept: WrapperProcess) -> None:
    parts_of(door, kept, {"input": {"do": "count"}}, "t-odd-update", modes=["values"])
    for update in ({"values": {"steps": []}, "as_node": "nobody"}, {"values": {}, "as_node": 1}, {"other": 1}):
        response = updated(door, kept, "t-odd-update", update)
        assert (response.status_code, response.json()["code"]) == (422, "invalid_request")


def test_with_durability_sync_each_step_is_stored_before_the_next(door: MemoryDoor, kept: WrapperProcess) -> None:
    before = len(door.requests)
    parts_of(door, kept, {"input": {"do": "count"}}, "t-sync", modes=["values"], durability="sync")
    sent = [method for method, path in door.requests[before:] if path.startswith("/memory/state")]
    # The input and three steps, each by itself.
    assert sent.count("POST") >= 4


def test_a_graph_shows_its_nodes_and_its_nested_graphs(kept: WrapperProcess) -> None:
    picture = kept.client.get("/graph").json()
    assert {"first", "second", "third"} <= {node["id"] for node in picture["nodes"]}
    assert {"source": "first", "target": "second"}.items() <= next(
        edge for edge in picture["edges"] if edge["source"] == "first"
    ).items()
    assert kept.client.get("/graph?xray=all").status_code == 200
    assert list(kept.client.get("/subgraphs?recurse=1").json()) == ["second"]


def test_nested_graphs_are_told_when_asked_for(door: MemoryDoor, kept: WrapperProcess) -> None:
    given = {"input": {"do": "shout", "text": "hello"}}
    parts = parts_of(door, kept, given, "t-nested", modes=["updates"], subgraphs=True)
    assert ("updates|nested", {"shout": {"text": "HELLO"}}) in parts
    assert all(mode == "updates" for mode, _ in parts_of(door, kept, given, "t-nested-2", modes=["updates"]))


def test_options_that_are_none_are_refused(door: MemoryDoor, kept: WrapperProcess) -> None:
    for options in ({"modes": ["thoughts"]}, {"modes": [], "shell": True}, {"modes": 1}):
        headers = graph_headers(door, "t-odd", **options)
        response = kept.client.post("/stream", json={"input": {"do": "count"}, "thread_id": "t-odd"}, headers=headers)
        assert (response.status_code, response.json()["code"]) == (422, "invalid_request")
