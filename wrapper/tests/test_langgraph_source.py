"""The accepted kinds of entrypoint for langgraph, and their behaviour at a call."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import sys
import warnings
from collections.abc import AsyncIterator, Iterator
from typing import Any, Optional

import pytest
from langchain_core.language_models import FakeListChatModel
from langchain_core.runnables import RunnableConfig, RunnableLambda
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.func import entrypoint
from langgraph.graph import START, StateGraph
from langgraph.prebuilt import create_react_agent
from langgraph_sdk.runtime import ServerRuntime
from pydantic import BaseModel
from typing_extensions import TypedDict

from _svc_wrapper.entry.exports import WrongExport
from _svc_wrapper.langgraph.agent import GraphAgent, wrap_entrypoint
from user_loop_runs import run, user_loop


class State(TypedDict, total=False):
    topic: str


def builder(suffix: str = "") -> StateGraph:
    graph = StateGraph(State)
    graph.add_node("shout", lambda state: {"topic": state["topic"].upper() + suffix})
    graph.add_edge(START, "shout")
    return graph


def agent_of(exported: Any) -> GraphAgent:
    return wrap_entrypoint("name", exported, user_loop.loop)


def answer(exported: Any, **fields: Any) -> Any:
    return run(agent_of(exported), input={"topic": "tea"}, **fields).output


def asked_for(config: RunnableConfig) -> str:
    return config.get("configurable", {}).get("suffix", "")


def of_nothing() -> Any:
    return builder().compile()


def a_builder_of_nothing() -> Any:
    return builder()


async def async_of_nothing() -> Any:
    await asyncio.sleep(0)
    return builder().compile()


def that_runs_a_loop() -> Any:
    return asyncio.run(async_of_nothing())


def with_a_default(suffix: str = "") -> Any:
    return builder(suffix).compile()


def of_config(config: RunnableConfig) -> Any:
    return builder(asked_for(config)).compile()


def of_config_by_another_name(settings: dict) -> Any:
    return builder(asked_for(settings)).compile()


def of_keyword_config(*, config: Optional[RunnableConfig] = None) -> Any:  # noqa: UP045 - as it is written often
    return builder(asked_for(config or {})).compile()


async def async_of_config(config: RunnableConfig) -> Any:
    return builder(asked_for(config)).compile()


@contextlib.contextmanager
def in_a_context(config: RunnableConfig) -> Iterator[Any]:
    yield builder(asked_for(config)).compile()


@contextlib.asynccontextmanager
async def in_an_async_context(config: RunnableConfig) -> AsyncIterator[Any]:
    yield builder(asked_for(config))


@entrypoint()
def functional(given: dict) -> dict:
    return {"topic": given["topic"].upper()}


@pytest.mark.parametrize(
    "exported",
    [
        builder().compile(),
        builder(),
        of_nothing,
        a_builder_of_nothing,
        async_of_nothing,
        that_runs_a_loop,
        with_a_default,
        functools.partial(with_a_default, ""),
        functional,
    ],
)
def test_a_graph_a_builder_and_their_factories_answer(exported: Any) -> None:
    assert answer(exported) == {"topic": "TEA"}


@pytest.mark.parametrize(
    "factory",
    [of_config, of_config_by_another_name, of_keyword_config, async_of_config, in_a_context, in_an_async_context],
)
def test_a_factory_gets_the_config_of_the_call(factory: Any) -> None:
    agent = agent_of(factory)
    assert agent.input_schema["properties"].keys() == {"topic"}
    for suffix in ("!", "?"):
        config = {"configurable": {"suffix": suffix}}
        assert run(agent, input={"topic": "tea"}, config=config).output == {"topic": f"TEA{suffix}"}
    assert run(agent, input={"topic": "tea"}).output == {"topic": "TEA"}


def test_a_prebuilt_agent_answers() -> None:
    model = FakeListChatModel(responses=["hello Ada"])
    with warnings.catch_warnings():
        # It has moved to another package; projects still import it from here.
        warnings.simplefilter("ignore")
        agent = agent_of(create_react_agent(model, tools=[]))
    given = {"messages": [{"role": "user", "content": "I am Ada"}]}
    assert run(agent, input=given).output["messages"][-1].content == "hello Ada"


def test_a_factory_without_parameters_is_called_once() -> None:
    calls: list[int] = []

    def make() -> Any:
        calls.append(1)
        return builder().compile(checkpointer=InMemorySaver())

    agent = agent_of(make)
    assert run(agent, input={"topic": "tea"}).output == run(agent, input={"topic": "tea"}).output
    assert calls == [1]
    assert agent.threads == "memory"


def test_a_factory_learns_whether_its_graph_will_run() -> None:
    """As with langgraph's server; without this, open-swe returns an agent without tools."""

    def make(config: RunnableConfig) -> Any:
        return builder(f" {config['configurable']['__is_for_execution__']}").compile()

    assert answer(make) == {"topic": "TEA True"}


def test_a_context_manager_is_open_for_the_whole_call_and_closed_after_it() -> None:
    seen: list[str] = []

    @contextlib.asynccontextmanager
    async def make() -> AsyncIterator[Any]:
        seen.append("open")
        graph = StateGraph(State)
        graph.add_node("work", lambda state: seen.append("work"))
        graph.add_edge(START, "work")
        yield graph.compile()
        seen.append("closed")

    agent = agent_of(make)
    assert seen == ["open", "closed"]
    run(agent, input={"topic": "tea"})
    assert seen == ["open", "closed", "open", "work", "closed"]


def test_a_context_manager_is_closed_when_the_call_fails() -> None:
    seen: list[str] = []

    @contextlib.contextmanager
    def make() -> Iterator[Any]:
        graph = StateGraph(State)
        graph.add_node("fail", lambda state: 1 / 0)
        graph.add_edge(START, "fail")
        try:
            yield graph.compile()
        except ZeroDivisionError:
            seen.append("told why")
            raise

    with pytest.raises(ZeroDivisionError):
        run(agent_of(make), input={"topic": "tea"})
    assert seen == ["told why"]


@pytest.mark.parametrize("is_async", [True, False])
def test_a_factory_that_exits_fails_only_its_call(is_async: bool) -> None:
    async def async_exit() -> None:
        sys.exit(2)

    def plain_exit() -> None:
        sys.exit(2)

    with pytest.raises(SystemExit):
        agent_of(async_exit if is_async else plain_exit)
    assert answer(of_nothing) == {"topic": "TEA"}


@tool
def a_tool(word: str) -> str:
    """Says a word."""
    return word


def of_a_server_runtime(runtime: ServerRuntime) -> Any: ...


def of_two(model: str, tools: list) -> Any: ...


def of_a_list() -> Any:
    return [1]


def that_forgets_to_return() -> Any:
    builder().compile()


async def that_yields() -> Any:
    yield builder().compile()


@pytest.mark.parametrize(
    ("exported", "says"),
    [
        (3, "'name' is an int; an entrypoint may be a compiled graph or a StateGraph, or a function"),
        (a_tool, "'name' is a StructuredTool; an entrypoint may be"),
        (RunnableLambda(len), "'name' is a RunnableLambda; an entrypoint may be"),
        (State, "'name' is the class State; an entrypoint may be"),
        (of_a_server_runtime, "takes 'runtime', a ServerRuntime, which only langgraph's own server has"),
        (of_two, "'name' takes 'model', 'tools'; a factory takes no parameter or the config"),
        (of_a_list, "'name' returned a list; it may return a compiled graph or a StateGraph"),
        (that_forgets_to_return, "'name' returned nothing; it may return"),
        (that_yields, "put @contextlib.asynccontextmanager above it"),
    ],
)
def test_another_kind_of_object_is_refused_with_the_accepted_ones(exported: Any, says: str) -> None:
    with pytest.raises(WrongExport) as refused:
        agent_of(exported)
    assert says in str(refused.value)


class Whole(State, total=False):
    notes: str
    title: str


class Given(TypedDict):
    title: str


def test_the_output_is_that_of_the_graph_and_has_no_inner_state() -> None:
    graph = StateGraph(Whole, input_schema=State, output_schema=Given)
    graph.add_node("write", lambda state: {"notes": "a draft", "title": state["topic"].upper()})
    graph.add_edge(START, "write")
    compiled = graph.compile()
    assert answer(compiled) == compiled.invoke({"topic": "tea"}) == {"title": "TEA"}
    assert answer(builder()) == builder().compile().invoke({"topic": "tea"}) == {"topic": "TEA"}


class Filled(BaseModel):
    topic: str
    title: str = ""


def test_a_whole_state_requires_no_field_of_a_call_and_an_input_model_its_own() -> None:
    def required_by(**schemas: Any) -> list[str]:
        graph = StateGraph(Whole, **schemas)
        graph.add_node("write", lambda state: state)
        graph.add_edge(START, "write")
        return agent_of(graph.compile()).required_fields

    assert required_by() == []
    assert required_by(input_schema=Filled) == ["topic"]
