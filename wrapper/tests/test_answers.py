"""Answers of people that the code would fail on: they are refused, and the thread goes on waiting."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import Any

import pytest

from kept_calls import call, kept_process
from memory_door import MemoryDoor
from wrapper_process import AGENTS, WrapperProcess

APPROVE = {"type": "approve"}
EDIT = {"type": "edit", "edited_action": {"name": "refund", "args": {"amount": 5}}}
RESPOND = {"type": "respond", "message": "it is told"}


@pytest.fixture(scope="module")
def door() -> Iterator[MemoryDoor]:
    with MemoryDoor() as door:
        yield door


@pytest.fixture(scope="module")
def asking(door: MemoryDoor) -> Iterator[WrapperProcess]:
    with kept_process(door, AGENTS / "asking_graph") as wrapper:
        yield wrapper.ready()


def ask(door: MemoryDoor, asking: WrapperProcess, mode: str) -> tuple[str, dict[str, Any]]:
    thread = str(uuid.uuid4())
    said = call(door, asking, {"input": {"mode": mode}}, thread).json()
    assert said["status"] == "interrupted", said
    return thread, said["interrupts"][0]


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        ("approve", "the answer needs `decisions`"),
        ({"decisions": [APPROVE]}, "2 actions wait in this order: refund, tell; the answer has 1"),
        ({"decisions": [RESPOND, APPROVE]}, "refund takes approve, edit, reject, not respond"),
        ({"decisions": [APPROVE, {"type": "reject"}]}, "tell takes approve, respond, not reject"),
        ({"decisions": [APPROVE, "approve"]}, "tell takes approve, respond, not None"),
        ({"decisions": [{"type": "edit"}, APPROVE]}, "an edit keeps the tool"),
        ({"decisions": [{"type": "edit", "edited_action": {"name": "tell", "args": {}}}, APPROVE]}, "keeps the tool"),
        ({"decisions": [{"type": "edit", "edited_action": {"name": "refund"}}, APPROVE]}, "an edit has all arguments"),
        ({"decisions": [APPROVE, {"type": "respond"}]}, "a response has its text"),
        ({"decisions": [{"type": "reject", "message": 5}, APPROVE]}, "the `message` is a text"),
    ],
)
def test_decisions_that_the_middleware_would_fail_on_are_refused(
    door: MemoryDoor, asking: WrapperProcess, answer: Any, sentence: str
) -> None:
    thread, asked = ask(door, asking, "batched")
    for given in (answer, {asked["id"]: answer}):
        refused = call(door, asking, {"resume": given}, thread)
        assert (refused.status_code, refused.json()["code"]) == (422, "answer_refused")
        assert sentence in refused.json()["detail"]
    assert door.thread(thread).tail == {"next": ["ask"], "interrupts": [asked]}
    # langgraph has stored none of them.
    good = {"decisions": [EDIT, RESPOND]}
    answered = call(door, asking, {"resume": {asked["id"]: good}}, thread).json()
    assert answered["output"]["heard"] == [good]


def test_an_answer_against_the_schema_of_a_question_is_refused_and_the_question_waits(
    door: MemoryDoor, asking: WrapperProcess
) -> None:
    thread, asked = ask(door, asking, "typed")
    assert asked["response_schema"]["required"] == ["amount"]
    refused = call(door, asking, {"resume": {"amount": "many"}}, thread)
    assert (refused.status_code, refused.json()["code"]) == (422, "answer_refused")
    assert refused.json()["detail"].startswith("amount: Input should be a valid integer")
    assert "many" not in refused.text.replace("parse string", "")
    assert door.thread(thread).tail == {"next": ["ask"], "interrupts": [asked]}
    assert call(door, asking, {"resume": {"amount": 5}}, thread).json()["output"]["heard"] == [5]
