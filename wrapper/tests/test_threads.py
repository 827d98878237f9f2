from __future__ import annotations

import asyncio
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph
from pydantic import BaseModel
from typing_extensions import TypedDict

from _svc_wrapper.agent import Answer, Call
from _svc_wrapper.langgraph.agent import GraphAgent
from _svc_wrapper.problems import Problem
from wrapper_process import AGENTS, WrapperProcess


@pytest.fixture(scope="module")
def conversation() -> Iterator[WrapperProcess]:
    with WrapperProcess(AGENTS / "conversation") as wrapper:
        yield wrapper.ready()


def say(wrapper: WrapperProcess, text: str, **fields: Any) -> dict[str, Any]:
    body = {"input": {"messages": [{"role": "user", "content": text}]}, **fields}
    response = wrapper.invoke(body)
    assert response.status_code == 200, response.text
    return response.json()


def test_a_thread_is_remembered_and_separate_from_others(conversation: WrapperProcess) -> None:
    first = say(conversation, "hi")
    again = say(conversation, "hi", thread_id=first["thread_id"])
    other = say(conversation, "hi")
    assert again["thread_id"] == first["thread_id"] != other["thread_id"]
    assert again["output"]["messages"][-1]["content"] == "you said 3 things"
    assert other["output"]["messages"][-1]["content"] == "you said 1 things"


def test_readiness_names_the_setting_that_keeps_threads_in_the_container(conversation: WrapperProcess) -> None:
    ready = conversation.client.get("/ready").json()
    assert (ready["threads"], ready["threads_by"]) == ("memory", "checkpointer=InMemorySaver in agent.py")


def test_an_interrupt_waits_and_is_resumed(conversation: WrapperProcess) -> None:
    waiting = say(conversation, "ask me")
    assert waiting["status"] == "interrupted"
    assert waiting["interrupts"][0]["value"] == {"question": "what is your name?"}
    assert "__interrupt__" not in waiting["output"]
    answer = conversation.invoke({"resume": "Ada", "thread_id": waiting["thread_id"]}).json()
    assert answer["status"] == "completed"
    assert answer["output"]["messages"][-1]["content"] == "hello Ada"


def test_a_thread_without_an_interrupt_cannot_be_resumed(conversation: WrapperProcess) -> None:
    thread_id = say(conversation, "hi")["thread_id"]
    for thread in (thread_id, "unknown"):
        response = conversation.invoke({"resume": 1, "thread_id": thread})
        assert (response.status_code, response.json()["code"]) == (409, "nothing_to_resume")


def test_invalid_messages_are_refused(conversation: WrapperProcess) -> None:
    for messages in ([{"content": "no role"}], [3], {"role": "user"}):
        response = conversation.invoke({"input": {"messages": messages}})
        assert response.status_code == 422
        assert response.json()["errors"][0]["pointer"] == "/input/messages"


class State(TypedDict, total=False):
    topic: str
    joke: str


def joke(state: State) -> dict[str, str]:
    return {"joke": f"about {state['topic']}"}


def graph_of(state_type: type = State, **compile_options: Any) -> Any:
    builder = StateGraph(state_type)
    builder.add_node("joke", joke)
    builder.add_edge(START, "joke")
    return builder.compile(**compile_options)


def run(agent: GraphAgent, **fields: Any) -> Answer:
    call = Call(**{"run_id": str(uuid.uuid4()), "thread_id": "t", "input": None, **fields})
    agent.check(call)
    return asyncio.run(agent.run(call, None))


def test_a_graph_without_memory_cannot_be_resumed() -> None:
    agent = GraphAgent("graph", graph_of())
    assert run(agent, input={"topic": "tea"}).output == {"topic": "tea", "joke": "about tea"}
    with pytest.raises(Problem, match="no checkpointer"):
        run(agent, resumes=True, resume=1)


def test_a_breakpoint_of_compile_interrupts_and_resumes() -> None:
    agent = GraphAgent("graph", graph_of(checkpointer=InMemorySaver(), interrupt_before=["joke"]))
    waiting = run(agent, input={"topic": "tea"})
    assert [interrupt["next"] for interrupt in waiting.interrupts] == ["joke"]
    assert run(agent, resumes=True, resume=None).output["joke"] == "about tea"


class Whole(TypedDict):
    """A common form of state: its type requires `joke`, and a node writes it."""

    topic: str
    joke: str


class Strict(BaseModel):
    topic: str
    joke: str = ""


def test_fields_written_by_nodes_are_optional() -> None:
    assert run(GraphAgent("graph", graph_of(Whole)), input={"topic": "tea"}).output["joke"] == "about tea"


def test_required_fields_of_a_model_must_be_given() -> None:
    builder = StateGraph(Strict)
    builder.add_node("joke", lambda state: {"joke": state.topic})
    builder.add_edge(START, "joke")
    agent = GraphAgent("graph", builder.compile())
    assert run(agent, input={"topic": "tea"}).output["joke"] == "tea"
    with pytest.raises(Problem, match="'topic' is required"):
        run(agent, input={"joke": "x"})
