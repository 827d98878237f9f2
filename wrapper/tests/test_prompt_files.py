"""The pinned prompts of an agent, as files that its code reads at its import."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memory_door import KEY, MemoryDoor
from wrapper_process import AGENTS, WrapperProcess


@pytest.fixture
def door() -> Iterator[MemoryDoor]:
    with MemoryDoor() as door:
        yield door


def prompt(key: str, *texts: str, label: str | None = None) -> dict[str, Any]:
    messages = [{"role": "user", "content": text} for text in texts]
    return {"key": key, "ref": f"prompts/{key}@1.0.0", "label": label, "messages": messages, "variables": []}


def prompted(door: MemoryDoor, tmp_path: Path) -> WrapperProcess:
    environment = {
        "SVC_PROMPTS_URL": f"{door.url}/prompts",
        "SVC_SERVICE_URL": door.url,
        "SVC_GATEWAY_KEY": KEY,
        "SVC_TRACES": "off",
        "TMPDIR": str(tmp_path),
    }
    return WrapperProcess(AGENTS / "prompted_graph", **environment)


def test_a_pinned_prompt_is_a_file_and_one_with_a_label_is_none(door: MemoryDoor, tmp_path: Path) -> None:
    talk = prompt("talk", "first", "second")
    door.prompts = [prompt("system", "Höflich\r\n{{who}}"), talk, prompt("moved", "Now", label="production")]
    with prompted(door, tmp_path) as wrapper:
        files = wrapper.ready().ask(files={})["output"]["files"]
    assert sorted(files) == ["system.json", "system.txt", "talk.json"]
    assert files["system.txt"] == "Höflich\r\n{{who}}"
    assert json.loads(files["talk.json"]) == talk


def test_a_text_of_an_earlier_process_that_the_agent_may_no_longer_use_is_gone(
    door: MemoryDoor, tmp_path: Path
) -> None:
    (tmp_path / "svc-prompts").mkdir()
    (tmp_path / "svc-prompts" / "closed.txt").write_text("Secret")
    door.prompts = [prompt("system", "Hello")]
    with prompted(door, tmp_path) as wrapper:
        assert sorted(wrapper.ready().ask(files={})["output"]["files"]) == ["system.json", "system.txt"]


def test_a_service_that_is_away_is_waited_for(door: MemoryDoor, tmp_path: Path) -> None:
    door.prompts = [prompt("system", "Hello")]
    door.refusals["GET /prompts"] = [503, 503, 200]
    with prompted(door, tmp_path) as wrapper:
        assert wrapper.ready().ask(files={})["output"]["files"]["system.txt"] == "Hello"


@pytest.mark.parametrize("key", ["../agent", "a/b", "", "A"])
def test_a_key_that_is_no_name_of_a_file_ends_the_start_and_writes_nothing(
    door: MemoryDoor, tmp_path: Path, key: str
) -> None:
    door.prompts = [prompt(key, "Hello")]
    with prompted(door, tmp_path) as wrapper:
        wrapper.wait_until(lambda: wrapper.health()["status"] == "failed")
    assert list(tmp_path.rglob("*")) == [tmp_path / "svc-prompts"]


def test_an_agent_whose_prompts_are_refused_does_not_start_and_says_why(door: MemoryDoor, tmp_path: Path) -> None:
    door.refusals["GET /prompts"] = [403]
    with prompted(door, tmp_path) as wrapper:
        wrapper.wait_until(lambda: wrapper.health()["status"] == "failed")
        assert wrapper.client.get("/ready").json()["reason"] == {
            "code": "prompts_not_read",
            "message": "its prompts could not be read: refused with 403",
        }
