from __future__ import annotations

import time
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path

import pytest
from crewai import Agent, BaseLLM, Crew, Process, Task
from crewai.mcp import MCPServerHTTP

from _svc_wrapper.crewai.agent import copy_of
from test_runs import start_in_background
from test_stream import check_sequence
from wrapper_process import AGENTS, WrapperProcess


class Silent(BaseLLM):
    def call(self, messages: object, *args: object, **kwargs: object) -> str:
        return "Final Answer: nothing"


@pytest.fixture(scope="module")
def calls_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("crew") / "calls"


@pytest.fixture(scope="module")
def crew(calls_file: Path) -> Iterator[WrapperProcess]:
    with WrapperProcess(AGENTS / "crew_of_two", "crewai", CALLS_FILE=str(calls_file)) as wrapper:
        yield wrapper.ready()


def test_a_crew_returns_the_output_of_all_its_tasks(crew: WrapperProcess) -> None:
    output = crew.ask(topic="tea")["output"]
    assert output["raw"] == "about tea"
    assert [(task["name"], task["raw"]) for task in output["tasks"]] == [("write", "about tea"), ("judge", "about tea")]
    assert output["tool_failures"] == []
    assert "total_tokens" in output["token_usage"]


def test_the_variables_of_a_crew_are_its_schema(crew: WrapperProcess) -> None:
    ready = crew.client.get("/ready").json()
    assert (ready["export"], ready["kind"]) == ("crew", "crew")
    assert (ready["threads"], ready["threads_by"]) == ("none", None)
    assert ready["input_schema"]["required"] == ["topic"]
    assert ready["required_fields"] == ["topic"]
    refused = crew.invoke({"input": {"subject": "tea"}})
    assert refused.status_code == 422
    assert refused.json()["errors"] == [{"pointer": "/input/topic", "detail": "'topic' is required"}]


def test_the_copy_for_a_run_keeps_the_mcp_servers_of_each_agent() -> None:
    server = MCPServerHTTP(url="http://127.0.0.1:1/mcp")

    def agent(role: str) -> Agent:
        return Agent(role=role, goal="Work", backstory="Busy", llm=Silent(model="silent"), mcps=[server])

    writer, boss = agent("Writer"), agent("Boss")
    task = Task(description="Write", expected_output="text", agent=writer)
    copied = copy_of(Crew(agents=[writer], tasks=[task], manager_agent=boss, process=Process.hierarchical))
    assert copied is not None
    assert copied.tasks[0].agent is copied.agents[0]
    assert [one.mcps for one in (*copied.agents, copied.manager_agent, copy_of(writer))] == [[server]] * 3


def test_parallel_runs_do_not_mix(crew: WrapperProcess) -> None:
    topics = {str(uuid.uuid4()): f"topic number {number}" for number in range(4)}

    def call(run_id: str) -> str:
        return crew.invoke({"input": {"topic": topics[run_id]}}, **{"X-Svc-Run-Id": run_id}).json()["output"]["raw"]

    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(call, topics))
    assert answers == [f"about {topic}" for topic in topics.values()]
    runs = sorted((crew.client.get(f"/runs/{run_id}").json() for run_id in topics), key=lambda run: run["started_at"])
    # One after the other, each would begin after the end of the one before.
    assert any(later["started_at"] < earlier["ended_at"] for earlier, later in pairwise(runs))


def test_health_answers_while_a_crew_works(crew: WrapperProcess) -> None:
    run_id = start_in_background(crew, topic="tea")
    began = time.monotonic()
    assert crew.health()["in_flight"] == 1
    assert time.monotonic() - began < 0.5
    assert crew.client.get(f"/runs/{run_id}?wait_seconds=10").json()["status"] == "completed"


def test_a_crew_streams_its_tasks_and_tools(crew: WrapperProcess) -> None:
    events = crew.stream({"input": {"topic": "toolbox"}})
    check_sequence(events)
    assert [event["stepName"] for event in events if event["type"] == "STEP_STARTED"] == ["write", "judge"]
    tools = [event for event in events if event["type"] == "TOOL_CALL_RESULT"]
    assert tools
    assert tools[0]["content"] == "7 letters"
    assert [event["delta"] for event in events if event["type"] == "TEXT_MESSAGE_CONTENT"] == ["about toolbox"] * 2
    assert events[-1]["result"]["raw"] == "about toolbox"


def test_parallel_streams_do_not_mix(crew: WrapperProcess) -> None:
    with ThreadPoolExecutor(2) as pool:
        both = list(pool.map(lambda topic: crew.stream({"input": {"topic": topic}}), ["tea", "coffee"]))
    for topic, events in zip(["tea", "coffee"], both, strict=True):
        check_sequence(events)
        texts = {event["delta"] for event in events if event["type"] == "TEXT_MESSAGE_CONTENT"}
        assert texts == {f"about {topic}"}


def test_a_failing_model_fails_the_run(crew: WrapperProcess) -> None:
    response = crew.invoke({"input": {"topic": "fail"}})
    assert response.status_code == 500
    assert response.json()["code"] == "agent_error"
    assert "the model is down" in response.json()["detail"]


def test_a_cancelled_crew_stops_calling_its_model(crew: WrapperProcess, calls_file: Path) -> None:
    calls_file.write_text("")
    run_id = start_in_background(crew, topic="tea")
    crew.wait_until(lambda: len(calls_file.read_text().splitlines()) == 1, seconds=5)
    assert crew.client.post(f"/runs/{run_id}/cancel").json()["status"] == "cancelled"
    time.sleep(1.5)
    assert len(calls_file.read_text().splitlines()) == 1
    assert crew.ask(topic="tea")["status"] == "completed"


def test_unsupported_features_of_a_crew_are_refused(crew: WrapperProcess) -> None:
    resume = crew.invoke({"resume": 1, "thread_id": str(uuid.uuid4())})
    assert resume.status_code == 422
    assert crew.invoke({"input": {"topic": "x"}, "config": {"tags": []}}).status_code == 422


def test_a_single_agent_answers_messages_and_plain_input() -> None:
    with WrapperProcess(AGENTS / "single_agent", "crewai") as wrapper:
        assert wrapper.ready().client.get("/ready").json()["kind"] == "agent"
        assert wrapper.ask(messages=[{"role": "user", "content": "hello"}])["output"]["raw"] == "you said hello"
        assert wrapper.ask(input="good morning")["output"]["raw"] == "you said good morning"
        events = wrapper.stream({"input": {"input": "hello"}})
        check_sequence(events)
        assert "".join(e["delta"] for e in events if e["type"] == "TEXT_MESSAGE_CONTENT") == "you said hello"
        for given in ({}, {"input": ""}, {"messages": "hello"}, {"messages": [{"content": "x"}]}):
            assert wrapper.invoke({"input": given}).status_code == 422


def test_a_flow_runs_with_its_inputs() -> None:
    with WrapperProcess(AGENTS / "flow", "crewai") as wrapper:
        assert wrapper.ready().client.get("/ready").json()["kind"] == "flow"
        assert wrapper.ask(topic="tea")["output"] == "TEA!"
        assert wrapper.ask(topic="coffee")["output"] == "COFFEE!"
