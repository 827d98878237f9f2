"""The accepted kinds of entrypoint for crewai."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import pytest
from crewai import Agent, BaseLLM, Crew, Task
from crewai.flow.flow import Flow, start

from _svc_wrapper.crewai.agent import CrewAgent, wrap_entrypoint
from _svc_wrapper.entry.exports import WrongExport
from _svc_wrapper.problems import Problem
from user_loop_runs import run, user_loop
from wrapper_process import AGENTS, WrapperProcess


@pytest.fixture(scope="module", autouse=True)
def newsroom() -> Iterator[Any]:
    sys.path.insert(0, str(AGENTS / "created_crew" / "src"))
    import newsroom.main

    yield newsroom.main
    sys.path.remove(str(AGENTS / "created_crew" / "src"))


class Fixed(BaseLLM):
    def call(self, *args: Any, **kwargs: Any) -> str:
        return "Thought: I know.\nFinal Answer: done"


def writer() -> Agent:
    return Agent(role="Writer", goal="Write", backstory="Long", llm=Fixed(model="fixed"))


def crew() -> Crew:
    agent = writer()
    return Crew(agents=[agent], tasks=[Task(description="On {topic}", expected_output="text", agent=agent)])


async def async_crew() -> Crew:
    return crew()


class Count(Flow):
    @start()
    def add(self) -> Any:
        self.state["seen"] = [*self.state.get("seen", []), self.state["topic"]]
        return self.state["seen"]


def agent_of(exported: Any) -> CrewAgent:
    return wrap_entrypoint("name", exported, user_loop.loop)


@pytest.mark.parametrize("exported", [crew(), crew, async_crew, writer])
def test_a_crew_an_agent_and_their_factories_answer(exported: Any) -> None:
    agent = agent_of(exported)
    given = {"topic": "tea"} if agent.kind == "crew" else {"input": "go"}
    assert run(agent, input=given).output.raw == "done"


def test_a_crew_base_class_runs_with_its_yaml_and_its_hooks(newsroom: Any) -> None:
    for exported in (newsroom.Newsroom, newsroom.Newsroom(), newsroom.build):
        agent = agent_of(exported)
        assert agent.kind == "crew"
        output = run(agent, input={"topic": "tea", "current_year": "2026"}).output
        assert output.raw == "About tea in 2026, asked by the desk"


def test_a_flow_class_has_a_new_state_in_each_run() -> None:
    agent = agent_of(Count)
    assert run(agent, input={"topic": "tea"}).output == ["tea"]
    assert run(agent, input={"topic": "milk"}).output == ["milk"]


def test_context_is_refused() -> None:
    with pytest.raises(Problem, match="'context' is for langgraph"):
        run(agent_of(crew), input={"topic": "tea"}, context={})


def of_two(topic: str, tone: str) -> Any: ...


def of_a_list() -> Any:
    return [1]


class Plain: ...


@pytest.mark.parametrize(
    ("exported", "says"),
    [
        (3, "'name' is an int; an entrypoint may be a Crew, an Agent or a Flow"),
        (Plain, "'name' is the class Plain; an entrypoint may be"),
        (of_two, "'name' takes 'topic', 'tone'; a function that returns a crew or a flow takes no parameters"),
        (of_a_list, "'name' returned a list; it may return a Crew, an Agent or a Flow"),
        ("run", "'name' starts the crew itself"),
        ("train", "'name' starts the crew itself"),
    ],
)
def test_another_kind_of_object_is_refused_with_the_accepted_ones(newsroom: Any, exported: Any, says: str) -> None:
    with pytest.raises(WrongExport) as refused:
        agent_of(getattr(newsroom, exported) if isinstance(exported, str) else exported)
    assert says in str(refused.value)


def test_a_project_of_crewai_create_answers_and_writes_no_file_beside_the_code() -> None:
    folder = AGENTS / "created_crew"
    before = sorted(folder.rglob("*"))
    environment = {
        "SVC_ENTRY_FILE": "src/newsroom/crew.py",
        "SVC_ENTRY_NAME": "Newsroom",
        "SVC_ENTRY_MODULE": "newsroom.crew",
        "SVC_SOURCE_ROOTS": "src:.",
    }
    with WrapperProcess(folder, "crewai", **environment) as wrapper:
        ready = wrapper.ready().client.get("/ready").json()
        assert (ready["export"], ready["kind"], ready["threads"]) == ("Newsroom", "crew", "none")
        output = wrapper.ask(topic="tea", current_year="2026")["output"]
    assert output["tasks"][0]["raw"] == "About tea in 2026, asked by the desk"
    assert sorted(folder.rglob("*")) == before
