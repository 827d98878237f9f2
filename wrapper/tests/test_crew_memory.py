"""The place of what a crew, an agent or a flow keeps between runs. Models and embedders are never called."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from crewai import Agent, BaseLLM, Crew, Task
from crewai.flow.flow import Flow, start
from crewai.flow.persistence import FlowPersistence, SQLiteFlowPersistence, persist
from crewai.memory.memory_scope import MemoryScope
from crewai.memory.unified_memory import Memory

from _svc_wrapper.crewai.agent import CrewAgent


class Silent(BaseLLM):
    def call(self, *args: Any, **kwargs: Any) -> str:
        raise NotImplementedError


class Elsewhere:
    """Replaces a storage outside the container: only its type is read."""


model = Silent(model="silent")


@pytest.fixture(autouse=True)
def storage_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CREWAI_STORAGE_DIR", str(tmp_path))


def agent_of(**settings: Any) -> Agent:
    return Agent(role="Writer", goal="Write", backstory="Long", llm=model, **settings)


def crew_of(agent: Agent, **settings: Any) -> Crew:
    return Crew(agents=[agent], tasks=[Task(description="x", expected_output="y", agent=agent)], **settings)


def threads(exported: Any) -> tuple[str, str | None]:
    agent = CrewAgent("crew", exported)
    # A caller cannot name the memory of a crew as a thread.
    assert not agent.keeps_threads
    return agent.threads, agent.threads_by


def test_a_crew_without_memory_keeps_nothing() -> None:
    assert threads(crew_of(agent_of())) == ("none", None)
    assert threads(agent_of()) == ("none", None)


def test_the_memory_of_a_crew_or_of_its_agent_is_in_the_container() -> None:
    assert threads(crew_of(agent_of(), memory=True)) == ("memory", "Crew(memory=True)")
    assert threads(crew_of(agent_of(memory=True))) == ("memory", "Agent(memory=Memory)")
    assert threads(agent_of(memory=True)) == ("memory", "Agent(memory=Memory)")


def test_a_storage_of_the_user_is_outside_the_container() -> None:
    memory = Memory(llm=model, storage=Elsewhere())
    assert threads(crew_of(agent_of(), memory=memory)) == ("external", "Crew(memory=Memory)")
    scope = MemoryScope(memory=memory, root_path="/crew")
    assert threads(crew_of(agent_of(), memory=scope)) == ("external", "Crew(memory=MemoryScope)")
    mixed = crew_of(agent_of(memory=True), memory=memory)
    assert threads(mixed) == ("memory", "Agent(memory=Memory)")


def test_a_persisted_flow_keeps_its_states_where_its_persistence_writes(tmp_path: Path) -> None:
    class Plain(Flow):
        @start()
        def take(self) -> str:
            return "x"

    @persist(SQLiteFlowPersistence(str(tmp_path / "flows.db")))
    class Kept(Plain):
        pass

    class KeptStep(Flow):
        @start()
        @persist(SQLiteFlowPersistence(str(tmp_path / "steps.db")))
        def take(self) -> str:
            return "x"

    class Remote(FlowPersistence):
        persistence_type: str = "remote"

        def init_db(self) -> None: ...

        def save_state(self, *args: Any, **kwargs: Any) -> None: ...

        def load_state(self, *args: Any, **kwargs: Any) -> None: ...

    @persist(Remote())
    class KeptElsewhere(Plain):
        pass

    assert threads(Plain()) == ("none", None)
    assert threads(Kept()) == ("memory", "@persist of Kept")
    assert threads(KeptStep()) == ("memory", "@persist of KeptStep")
    assert threads(KeptElsewhere()) == ("external", "@persist of KeptElsewhere")
