"""Memories of crews, agents and flows as items of the service, without a call to a model for vectors."""

from __future__ import annotations

import datetime
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from crewai import Agent, BaseLLM, Crew, Task
from crewai.flow import Flow, start
from crewai.memory import unified_memory
from crewai.memory.storage import factory
from crewai.memory.storage.lancedb_storage import LanceDBStorage
from crewai.memory.types import MemoryRecord
from crewai.memory.unified_memory import Memory

from _svc_wrapper.agent import Answer
from _svc_wrapper.crewai.agent import CrewAgent, wrap_entrypoint
from _svc_wrapper.crewai.kept.crew_memory import CrewMemory
from _svc_wrapper.crewai.kept.defaults import records, set_embedder, set_storage
from _svc_wrapper.crewai.kept.words import nearness, vector_of
from _svc_wrapper.memory.door import Door
from _svc_wrapper.memory.run_memory import RunMemory, in_memory_of
from _svc_wrapper.problems import Problem
from _svc_wrapper.runs.run_identity import RunIdentity
from memory_door import KEY, MemoryDoor
from user_loop_runs import run, user_loop


class Parrot(BaseLLM):
    """Says what it was asked, so what a crew remembers is in its answer. It analyses nothing."""

    def call(self, messages: Any, *args: Any, **kwargs: Any) -> str:
        if kwargs.get("response_model") is not None:
            raise NotImplementedError
        asked = messages if isinstance(messages, str) else "\n".join(str(one["content"]) for one in messages)
        return f"Final Answer: {asked}"


model = Parrot(model="parrot")


@pytest.fixture(autouse=True)
def as_in_a_container(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("CREWAI_STORAGE_DIR", str(tmp_path))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    embedder = unified_memory.Memory._embedder
    set_storage(factory)
    set_embedder(unified_memory)
    yield
    factory.set_memory_storage_factory(None)
    unified_memory.Memory._embedder = embedder


@pytest.fixture
def door() -> Iterator[MemoryDoor]:
    with MemoryDoor() as door:
        yield door


@pytest.fixture
def run_of(door: MemoryDoor) -> Callable[[str], RunMemory]:
    return lambda caller: RunMemory(Door(door.url, KEY), token=door.open_run(caller=caller), thread_id="t")


def agent_of(**settings: Any) -> Agent:
    return Agent(role="Writer", goal="Write", backstory="Long", llm=model, **settings)


def crew_of(agent: Agent, **settings: Any) -> Crew:
    task = Task(description="Tell about {topic}", expected_output="y", agent=agent)
    return Crew(agents=[agent], tasks=[task], **settings)


def kept(door: MemoryDoor, exported: Any, folder: Path | None = None) -> CrewAgent:
    return wrap_entrypoint("crew", exported, user_loop.loop, CrewMemory(Door(door.url, KEY), folder))


def say(door: MemoryDoor, agent: CrewAgent, caller: str = "ada", **given: Any) -> Answer:
    return run(agent, thread_id=str(uuid.uuid4()), run=RunIdentity(door.open_run(caller=caller)), input=given)


def remembered(door: MemoryDoor, caller: str = "ada") -> list[str]:
    return [item["value"]["content"] for (of, _, _), item in door.items.items() if of == caller]


@pytest.mark.parametrize(
    "made",
    [
        lambda: crew_of(agent_of(), memory=True),
        lambda: crew_of(agent_of(memory=True)),
        lambda: crew_of(agent_of(), memory=Memory(llm=model)),
        lambda: crew_of(agent_of(), memory=Memory(llm=model, storage="./memories")),
    ],
    ids=["crew", "agent", "memory", "path"],
)
def test_a_crew_remembers_for_its_caller_what_an_earlier_run_has_told(door: MemoryDoor, made: Any) -> None:
    agent = kept(door, made())
    assert (agent.threads, agent.threads_by, agent.keeps_threads) == ("none", None, False)
    assert agent.memory == {"needs_run": True}
    assert agent.notices == ["the service keeps the memories of the agent"]
    say(door, agent, topic="green teapots")
    assert any("green teapots" in text for text in remembered(door))
    assert remembered(door, "bob") == []
    later = kept(door, made())
    assert "green" in str(say(door, later, topic="teapots").output)
    assert "green" not in str(say(door, later, "bob", topic="teapots").output)


def test_a_storage_in_a_file_is_replaced_and_one_elsewhere_stays(door: MemoryDoor, tmp_path: Path) -> None:
    class Elsewhere:
        """Replaces a storage outside the container: only its type is read."""

    local = Memory(llm=model, storage=LanceDBStorage(path=str(tmp_path / "lance")))
    assert kept(door, crew_of(agent_of(), memory=local)).threads == "none"
    assert local._storage is records
    outside = Memory(llm=model, storage=Elsewhere(), embedder=lambda texts: [[1.0] for _ in texts])
    agent = kept(door, crew_of(agent_of(), memory=outside))
    assert (agent.threads, agent.threads_by, agent.memory) == ("external", "Crew(memory=Memory)", None)
    assert outside._embedder(["a"]) == [[1.0]]


def test_a_crew_without_memory_stays_as_it_is(door: MemoryDoor, tmp_path: Path) -> None:
    agent = kept(door, crew_of(agent_of()), tmp_path)
    assert (agent.threads, agent.memory, agent.notices) == ("none", None, [])
    say(door, agent, topic="x")
    assert door.requests == []


def test_a_flow_that_names_a_memory_is_on_record(door: MemoryDoor, tmp_path: Path) -> None:
    class Noting(Flow):
        @start()
        def note(self) -> str:
            return "x"

    # crewai makes a memory for each flow, used or not.
    assert kept(door, Noting, tmp_path).memory is None
    (tmp_path / "agent.py").write_text("flow.remember('x')")
    agent = kept(door, Noting, tmp_path)
    assert agent.memory == {"needs_run": True}


def test_a_refused_memory_fails_the_call(door: MemoryDoor) -> None:
    agent = kept(door, crew_of(agent_of(), memory=True))
    door.refusals["POST /memory/store"] = [422]
    with pytest.raises(Problem) as refused:
        say(door, agent, topic="x")
    assert (refused.value.code, refused.value.fields["reason"]) == ("memories_not_kept", "quota_exceeded")


def record(content: str, scope: str = "/a", **fields: Any) -> MemoryRecord:
    return MemoryRecord(content=content, scope=scope, **fields)


def test_a_search_finds_the_words_and_the_filters_hold(run_of: Callable[[str], RunMemory]) -> None:
    old = datetime.datetime(2020, 1, 1)
    with in_memory_of(run_of("ada")):
        records.save(
            [
                record("She eats no mushrooms", "/crew/food", categories=["taste"], metadata={"n": 1}),
                record("The train leaves at noon", "/crew/travel", created_at=old),
                record("mushrooms grow in autumn", "/crews"),
            ]
        )
        found = records.search(vector_of("what about mushroom soup?"), scope_prefix="/crew")
        assert [(one.content, score > 0.2) for one, score in found] == [
            ("She eats no mushrooms", True),
            ("The train leaves at noon", False),
        ]
        assert records.search(vector_of("mushrooms"), categories=["taste"], metadata_filter={"n": 2}) == []
        assert records.list_scopes("/") == ["/crew", "/crews"]
        assert records.list_scopes("/crew") == ["/crew/food", "/crew/travel"]
        info = records.get_scope_info("/crew")
        assert (info.record_count, info.oldest_record, info.categories) == (2, old, ["taste"])
        assert records.list_categories() == {"taste": 1}
        assert [one.content for one in records.list_records("/crew", limit=1, offset=1)] == ["The train leaves at noon"]
        assert records.delete(older_than=datetime.datetime(2021, 1, 1)) == 1
        assert records.count() == 2
    with in_memory_of(run_of("bob")):
        assert (records.count(), records.list_records()) == (0, [])
    with in_memory_of(run_of("ada")):
        records.reset("/crew")
        assert [one.scope for one in records.list_records()] == ["/crews"]


def test_a_vector_of_the_users_embedder_is_kept_and_one_of_words_is_not(
    door: MemoryDoor, run_of: Callable[[str], RunMemory]
) -> None:
    with in_memory_of(run_of("ada")):
        of_words, of_model = record("tea"), record("tea", embedding=[0.5, -0.25, 0.125])
        of_words.embedding = vector_of("tea")
        records.save([of_words, of_model])
        assert records.get_record(of_model.id).embedding == [0.5, -0.25, 0.125]
        assert [one.id for one, score in records.search([0.5, -0.25, 0.125]) if score > 0.9] == [of_model.id]
    stored = {key: item["value"] for (_, _, key), item in door.items.items()}
    assert ("embedding" in stored[of_words.id], "embedding" in stored[of_model.id]) == (False, True)
    assert nearness([1.0], [1.0, 0.0]) == 0.0
