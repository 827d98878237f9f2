"""Flows of crewai: classes, functions, instances, and a project as `crewai create flow` makes it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from crewai.flow import Flow, start
from pydantic import BaseModel

from _svc_wrapper.crewai.agent import CrewAgent, wrap, wrap_entrypoint
from user_loop_runs import run, user_loop
from wrapper_process import AGENTS, WrapperProcess


class Seen(BaseModel):
    topic: str = "nothing"
    seen: list[str] = []


class Modelled(Flow[Seen]):
    @start()
    def add(self) -> None:
        self.state.seen.append(self.state.topic)


class Plain(Flow):
    @start()
    def add(self) -> None:
        self.state["seen"] = [*self.state.get("seen", []), self.state.get("topic", "nothing")]


def made() -> Flow:
    return Modelled()


the_same = Modelled()


def always_the_same() -> Flow:
    return the_same


def entrypoint(exported: Any) -> CrewAgent:
    return wrap_entrypoint("name", exported, user_loop.loop)


@pytest.mark.parametrize(
    "agent",
    [
        entrypoint(Modelled),
        entrypoint(made),
        entrypoint(always_the_same),
        entrypoint(Modelled()),
        wrap("crew", Modelled()),
        wrap("crew", Plain()),
    ],
    ids=["class", "function", "function with one flow", "instance", "agent.py", "state without a model"],
)
def test_a_run_of_a_flow_sees_no_state_of_another_run(agent: CrewAgent) -> None:
    states = [run(agent, input=given).output for given in ({"topic": "tea"}, {"topic": "milk"}, {})]
    seen = [state["seen"] if isinstance(state, dict) else state.seen for state in states]
    assert seen == [["tea"], ["milk"], ["nothing"]]
    assert len({state["id"] if isinstance(state, dict) else state.id for state in states}) == 3


@pytest.fixture(scope="module")
def created() -> Iterator[WrapperProcess]:
    environment = {
        "SVC_ENTRY_FILE": "src/verses/main.py",
        "SVC_ENTRY_NAME": "PoemFlow",
        "SVC_ENTRY_MODULE": "verses.main",
        "SVC_SOURCE_ROOTS": "src:.",
    }
    with WrapperProcess(AGENTS / "created_flow", "crewai", **environment) as wrapper:
        yield wrapper.ready()


def test_a_flow_without_a_result_answers_with_its_state(created: WrapperProcess) -> None:
    output = created.ask(topic="tea")["output"]
    assert (output["topic"], output["lines"]) == ("tea", ["An ode to tea", "The poem is 1 line long"])


def test_the_state_of_a_flow_is_its_schema(created: WrapperProcess) -> None:
    ready = created.client.get("/ready").json()
    assert (ready["export"], ready["kind"], ready["required_fields"]) == ("PoemFlow", "flow", [])
    assert list(ready["input_schema"]["properties"]) == ["topic", "lines"]
    refused = created.invoke({"input": {"topic": ["tea"]}})
    assert refused.status_code == 422
    assert refused.json()["errors"] == [{"pointer": "/input/topic", "detail": "'topic' must be of type string"}]
