"""The parts of a graph's stream, as clients of langgraph's own API get them through the service."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

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
