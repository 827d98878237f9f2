"""The notices of /ready about threads and the store, and the error of a call that needs a store."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.config import get_store
from langgraph.graph import START, StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.runtime import Runtime
from langgraph.store.base import BaseStore
from langgraph.store.memory import InMemoryStore
from typing_extensions import TypedDict

from _svc_wrapper.langgraph.agent import GraphAgent, wrap_entrypoint
from user_loop_runs import run, user_loop


class State(TypedDict, total=False):
    said: object


class Elsewhere(BaseCheckpointSaver):
    """Replaces a saver with a database: only its type is read."""


def graph_of(node: Any, **options: Any) -> Any:
    builder = StateGraph(State)
    builder.add_node("node", node)
    builder.add_edge(START, "node")
    return builder.compile(**options)


def quiet(state: State) -> dict:
    return {"said": "nothing"}


async def search_of_runtime(state: State, runtime: Runtime) -> dict:
    """As in langchain's memory-agent."""
    return {"said": [item.value for item in await runtime.store.asearch(("memories", "ada"))]}


def search_of_function(state: State) -> dict:
    return {"said": [item.value for item in get_store().search(("memories", "ada"))]}


def search_of_parameter(state: State, *, store: BaseStore) -> dict:
    return {"said": [item.value for item in store.search(("memories", "ada"))]}


def test_a_graph_without_checkpointer_keeps_no_threads_and_gives_no_notice() -> None:
    agent = GraphAgent("graph", graph_of(quiet))
    assert (agent.threads, agent.threads_by, agent.keeps_threads, agent.notices) == ("none", None, False, [])


def test_a_notice_says_that_threads_in_memory_end_with_the_container() -> None:
    agent = GraphAgent("graph", graph_of(quiet, checkpointer=InMemorySaver()))
    assert (agent.threads, agent.threads_by, agent.keeps_threads) == ("memory", "checkpointer=InMemorySaver", True)
    assert agent.notices == ["threads end with the container: the graph's checkpointer is an InMemorySaver"]


def test_a_notice_says_that_threads_in_a_container_file_end_with_it(tmp_path: Path) -> None:
    from langgraph.checkpoint.sqlite import SqliteSaver

    with SqliteSaver.from_conn_string(str(tmp_path / "threads.sqlite")) as saver:
        agent = GraphAgent("graph", graph_of(quiet, checkpointer=saver))
    assert (agent.threads, agent.threads_by) == ("memory", "checkpointer=SqliteSaver")


def test_an_external_checkpointer_outlives_the_container() -> None:
    agent = GraphAgent("graph", graph_of(quiet, checkpointer=Elsewhere()))
    assert (agent.threads, agent.threads_by) == ("external", "checkpointer=Elsewhere")
    assert (agent.keeps_threads, agent.notices) == (True, [])


def test_a_notice_says_that_a_saver_per_call_forgets() -> None:
    def make(config: dict) -> Any:
        return graph_of(quiet, checkpointer=InMemorySaver())

    agent = wrap_entrypoint("make", make, user_loop.loop)
    assert "an InMemorySaver made with it forgets its threads at once" in agent.notices[0]


@pytest.mark.parametrize("node", [search_of_runtime, search_of_function, search_of_parameter])
def test_a_missing_store_is_reported_at_readiness_and_at_the_failure(node: Any) -> None:
    kept = InMemoryStore()
    kept.put(("memories", "ada"), "1", {"likes": "tea"})
    with_store = GraphAgent("graph", graph_of(node, store=kept))
    assert with_store.notices == []
    assert run(with_store, input={"said": 1}).output == {"said": [{"likes": "tea"}]}

    without = GraphAgent("graph", graph_of(node))
    assert "compile it with a store that lasts" in without.notices[0]
    with pytest.raises(Exception, match="compile it with a store that lasts"):
        run(without, input={"said": 1})


def test_the_tools_node_of_langgraph_does_not_count_as_a_use_of_a_store() -> None:
    def look_up(word: str) -> str:
        """Looks a word up."""
        return word

    assert GraphAgent("graph", graph_of(ToolNode([look_up]))).notices == []
