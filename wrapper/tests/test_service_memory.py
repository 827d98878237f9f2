"""Which graphs get the service's threads and store, and what a call without a thread costs them."""

from __future__ import annotations

import contextlib
import json
import operator
import threading
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.config import get_store
from langgraph.graph import START, StateGraph
from langgraph.store.base import BaseStore
from langgraph.store.memory import InMemoryStore
from langgraph.types import interrupt
from langgraph_sdk.runtime import ServerRuntime
from typing_extensions import TypedDict

from _svc_wrapper.agent import Answer
from _svc_wrapper.langgraph.agent import GraphAgent, wrap_entrypoint
from _svc_wrapper.langgraph.kept.needs_run import read_uses
from _svc_wrapper.langgraph.kept.saver import ServiceSaver
from _svc_wrapper.langgraph.kept.service_memory import ServiceMemory
from _svc_wrapper.langgraph.kept.store import ServiceStore
from _svc_wrapper.langgraph.kept.store_settings import StoreSettings, read_store_settings
from _svc_wrapper.memory.door import Door
from _svc_wrapper.memory.run_memory import NoRun
from _svc_wrapper.problems import Problem
from _svc_wrapper.runs.run_identity import RunIdentity
from memory_door import KEY, MemoryDoor
from user_loop_runs import run, user_loop


class State(TypedDict, total=False):
    said: Any
    steps: Annotated[list[str], operator.add]


class Elsewhere(BaseCheckpointSaver):
    """Replaces a saver with a database: only its type is read."""


class StoreElsewhere(BaseStore):
    def batch(self, ops: Any) -> list[Any]:
        return [None for _ in ops]

    async def abatch(self, ops: Any) -> list[Any]:
        return [None for _ in ops]


def quiet(state: State) -> dict:
    return {"steps": ["quiet"]}


def asks(state: State) -> dict:
    return {"said": interrupt("name?")}


def graph_of(node: Any = quiet, **options: Any) -> Any:
    builder = StateGraph(State)
    builder.add_node("node", node)
    builder.add_edge(START, "node")
    return builder.compile(**options)


@pytest.fixture
def door() -> Iterator[MemoryDoor]:
    with MemoryDoor() as door:
        yield door


@pytest.fixture
def memory(door: MemoryDoor) -> ServiceMemory:
    return ServiceMemory(Door(door.url, KEY), None)


def say(agent: GraphAgent, door: MemoryDoor, thread: str | None = None, **fields: Any) -> Answer:
    token = door.open_run(thread)
    named = {"thread_id": thread or str(uuid.uuid4()), "names_thread": thread is not None}
    return run(agent, **{"run": RunIdentity(token), "input": {"said": "x"}, **named, **fields})


@pytest.mark.parametrize("made", [lambda: None, InMemorySaver])
def test_a_graph_without_a_lasting_checkpointer_gets_the_services(
    door: MemoryDoor, memory: ServiceMemory, made: Any
) -> None:
    agent = GraphAgent("graph", graph_of(checkpointer=made()), None, memory)
    assert (agent.threads, agent.threads_by, agent.keeps_threads) == ("service", None, True)
    assert agent.notices == ["the service keeps the threads and the store of the agent"]
    say(agent, door, "t")
    assert say(agent, door, "t").output["steps"] == ["quiet", "quiet"]


def test_a_checkpointer_in_a_file_of_the_container_is_replaced(memory: ServiceMemory, tmp_path: Path) -> None:
    from langgraph.checkpoint.sqlite import SqliteSaver

    with SqliteSaver.from_conn_string(str(tmp_path / "threads.sqlite")) as saver:
        assert GraphAgent("graph", graph_of(checkpointer=saver), None, memory).threads == "service"


def test_what_lasts_elsewhere_stays(memory: ServiceMemory) -> None:
    saver, store = Elsewhere(), StoreElsewhere()
    graph = graph_of(checkpointer=saver, store=store)
    agent = GraphAgent("graph", graph, None, memory)
    assert (graph.checkpointer, graph.store) == (saver, store)
    assert (agent.threads, agent.threads_by) == ("external", "checkpointer=Elsewhere")
    assert (agent.memory, agent.notices) == (None, [])


def test_an_external_checkpointer_and_the_services_store_go_together(memory: ServiceMemory) -> None:
    graph = graph_of(checkpointer=Elsewhere(), store=InMemoryStore())
    agent = GraphAgent("graph", graph, None, memory)
    assert isinstance(graph.store, ServiceStore)
    assert (agent.threads, agent.memory) == ("external", {"needs_run": False})
    assert agent.notices == ["the service keeps the store of the agent"]


def test_no_threads_stay_none(door: MemoryDoor, memory: ServiceMemory) -> None:
    graph = graph_of(checkpointer=False)
    agent = GraphAgent("graph", graph, None, memory)
    assert (graph.checkpointer, agent.threads, agent.keeps_threads) == (False, "none", False)
    assert say(agent, door).output["steps"] == ["quiet"]


def test_items_that_the_code_has_put_at_its_import_are_named(memory: ServiceMemory) -> None:
    store = InMemoryStore()
    store.put(("notes",), "1", {"text": "tea"})
    agent = GraphAgent("graph", graph_of(store=store), None, memory)
    assert "has put into its InMemoryStore" in agent.notices[1]


def test_each_graph_of_a_factory_gets_the_services_threads(door: MemoryDoor, memory: ServiceMemory) -> None:
    def make(config: dict) -> Any:
        return graph_of(checkpointer=InMemorySaver())

    agent = wrap_entrypoint("make", make, user_loop.loop, memory)
    assert (agent.threads, agent.notices) == (
        "service",
        ["the service keeps the threads and the store of the agent"],
    )
    say(agent, door, "t")
    assert say(agent, door, "t").output["steps"] == ["quiet", "quiet"]


def test_a_factory_gets_the_store_and_the_caller_as_on_langgraphs_server(
    door: MemoryDoor, memory: ServiceMemory
) -> None:
    seen: list[Any] = []

    async def make(runtime: ServerRuntime) -> Any:
        executing = runtime.execution_runtime
        seen.append((runtime.access_context, runtime.user and runtime.user.identity))

        async def notes(state: State) -> dict:
            await runtime.store.aput(("notes",), "1", {"text": "tea"})
            return {"said": [item.key for item in await runtime.store.asearch(("notes",))]}

        return graph_of(notes if executing else quiet)

    agent = wrap_entrypoint("make", make, user_loop.loop, memory)
    answer = say(agent, door, caller={"sub": "ada", "email": None, "teams": []})
    assert answer.output["said"] == ["1"]
    assert seen == [("assistants.read", None), ("threads.create_run", "ada")]


def test_a_breakpoint_waits_and_goes_on(door: MemoryDoor, memory: ServiceMemory) -> None:
    agent = GraphAgent("graph", graph_of(interrupt_before=["node"]), None, memory)
    assert agent.memory == {"needs_run": True}
    for thread in ("t", None):
        name = thread or str(uuid.uuid4())
        waiting = say(agent, door, thread, thread_id=name)
        assert waiting.interrupts == [{"id": "node", "value": None, "next": "node"}]
        assert door.thread(name).tail == {"next": ["node"], "interrupts": waiting.interrupts}
        answer = say(agent, door, name, input=None, resumes=True, resume=None)
        assert (answer.output["steps"], answer.continued_at) == (["quiet"], ["node"])
        assert door.thread(name).tail == {"next": [], "interrupts": []}


def test_a_breakpoint_after_a_step_says_what_comes_next(door: MemoryDoor, memory: ServiceMemory) -> None:
    builder = StateGraph(State)
    builder.add_node("one", quiet)
    builder.add_node("two", quiet)
    builder.add_edge(START, "one")
    builder.add_edge("one", "two")
    agent = GraphAgent("graph", builder.compile(interrupt_after=["one"]), None, memory)
    assert [waits["next"] for waits in say(agent, door, "t").interrupts] == ["two"]
    assert door.thread("t").tail["next"] == ["two"]


def test_a_call_without_a_thread_writes_nothing_until_it_waits(door: MemoryDoor, memory: ServiceMemory) -> None:
    agent = GraphAgent("graph", graph_of(asks, checkpointer=InMemorySaver()), None, memory)
    other = GraphAgent("graph", graph_of(quiet, checkpointer=InMemorySaver()), None, memory)
    say(other, door)
    assert door.requests == []
    name = str(uuid.uuid4())
    say(agent, door, thread_id=name)
    assert door.requests == [("POST", f"/memory/state?thread={name}")]


def test_a_wait_that_no_code_names_is_refused_by_name(door: MemoryDoor, memory: ServiceMemory) -> None:
    hidden = vars(__import__("langgraph.types", fromlist=["x"]))["inter" + "rupt"]
    agent = GraphAgent("graph", graph_of(lambda state: {"said": hidden("name?")}), None, memory)
    assert agent.memory == {"needs_run": False}
    with pytest.raises(Problem, match="waits for a person") as refused:
        say(agent, door)
    assert refused.value.code == "thread_not_stored"
    # With a thread it is stored in any case.
    assert say(agent, door, "t").interrupts[0]["value"] == "name?"


def test_a_state_without_a_stored_form_fails_the_call_although_its_code_goes_on(
    door: MemoryDoor, memory: ServiceMemory
) -> None:
    inner = graph_of(lambda state: {"said": threading.Lock()})

    def careless(state: State, config: RunnableConfig) -> dict:
        with contextlib.suppress(Exception):
            inner.invoke({"said": 1}, config)
        return {"steps": ["went on"]}

    agent = GraphAgent("graph", graph_of(careless, checkpointer=InMemorySaver()), None, memory)
    assert say(agent, door).output["steps"] == ["went on"]
    with pytest.raises(Problem, match="channel 'said'") as unstored:
        say(agent, door, "t")
    assert unstored.value.code == "thread_not_stored"


def test_code_outside_a_call_has_no_threads(memory: ServiceMemory) -> None:
    graph = graph_of()
    GraphAgent("graph", graph, None, memory)
    with pytest.raises(NoRun, match="outside a call"):
        graph.get_state({"configurable": {"thread_id": "t"}})
    with pytest.raises(NoRun, match="outside a call"):
        graph.store.get(("notes",), "1")


def test_a_run_without_a_token_is_refused_by_the_service(door: MemoryDoor, memory: ServiceMemory) -> None:
    agent = GraphAgent("graph", graph_of(), None, memory)
    assert say(agent, door, "t").output["steps"] == ["quiet"]
    for identity in (RunIdentity(), RunIdentity("of-another-run")):
        with pytest.raises(Problem) as refused:
            say(agent, door, "t", run=identity)
        assert (refused.value.code, refused.value.fields["reason"]) == ("thread_not_read", "run_refused")


def test_a_corrupt_answer_of_the_service_ends_the_call_by_name(
    door: MemoryDoor, memory: ServiceMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = GraphAgent("graph", graph_of(), None, memory)
    say(agent, door, "t")
    thread = door.thread("t")
    for blob, (kind, body) in thread.blobs.items():
        thread.blobs[blob] = (kind, b"\xc1" * len(body))
    with pytest.raises(Problem) as unreadable:
        say(agent, door, "t")
    assert unreadable.value.code == "state_unreadable"
    monkeypatch.setattr("memory_door.states", lambda thread, query: b"no line")
    with pytest.raises(Problem) as unread:
        say(agent, door, "t")
    assert unread.value.code == "thread_not_read"


def test_versions_sort_as_texts_and_differ_between_branches() -> None:
    saver = ServiceSaver(serde=None, visible=frozenset())
    first, again = saver.get_next_version(None), saver.get_next_version(None)
    assert first != again
    version = first
    for _ in range(20):
        later = saver.get_next_version(version)
        assert later > version
        version = later
    # A state of another saver can have numbers.
    assert saver.get_next_version(7).startswith("000000000008.")


def keeps(state: State) -> dict:
    return {"said": get_store()}


@pytest.mark.parametrize(
    ("text", "store", "waiting"),
    [
        ("x = 1", False, False),
        ("def node(state, *, store): ...", True, False),
        ("from langgraph.prebuilt import InjectedStore", True, False),
        ("value = interrupt('name?')", False, True),
        ("graph = b.compile(interrupt_before=['a'])", False, True),
        ("from langchain.agents.middleware import HumanInTheLoopMiddleware", False, True),
    ],
)
def test_the_words_of_a_project_say_if_its_calls_need_their_row(
    tmp_path: Path, text: str, store: bool, waiting: bool
) -> None:
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "nodes.py").write_text(text)
    left_out = tmp_path / ".venv" / "lib" / "site-packages"
    left_out.mkdir(parents=True)
    (left_out / "library.py").write_text("store interrupt")
    uses = read_uses(graph_of(), tmp_path)
    assert (uses.store, uses.waiting, uses.needs_run) == (store, waiting, store or waiting)


@pytest.mark.parametrize(
    ("node", "store", "waiting"), [(quiet, False, False), (keeps, True, False), (asks, False, True)]
)
def test_the_code_of_a_node_says_it_too(node: Any, store: bool, waiting: bool) -> None:
    uses = read_uses(graph_of(node), None)
    assert (uses.store, uses.waiting) == (store, waiting)
    builder = StateGraph(State)
    builder.add_node("inner", graph_of(node))
    builder.add_edge(START, "inner")
    assert read_uses(builder.compile(), None) == uses


def test_the_store_section_of_langgraph_json_is_in_effect(door: MemoryDoor, tmp_path: Path) -> None:
    def put(state: State) -> dict:
        get_store().put(("facts",), "plain", {"text": "tea"})
        get_store().put(("facts",), "timed", {"text": "tea"}, index=False, ttl=5)
        return {}

    written = {"store": {"ttl": {"default_ttl": 60}, "index": {"fields": ["text"]}}}
    (tmp_path / "langgraph.json").write_text(json.dumps(written))
    for folder, times in ((tmp_path, [60, 5]), (tmp_path / "none", [None, 5])):
        say(GraphAgent("graph", graph_of(put), None, ServiceMemory(Door(door.url, KEY), folder)), door)
        assert [item["ttl_minutes"] for item in door.items.values()] == times
        assert read_store_settings(folder).fields == (["text"] if folder == tmp_path else None)


def test_threads_end_as_langgraph_json_says_and_otherwise_nothing_is_said(door: MemoryDoor, tmp_path: Path) -> None:
    (tmp_path / "langgraph.json").write_text(json.dumps({"checkpointer": {"ttl": {"default_ttl": 2.5}}}))
    for folder, told in ((tmp_path, {"threads_kept_seconds": 150}), (tmp_path / "none", {})):
        agent = GraphAgent("graph", graph_of(), None, ServiceMemory(Door(door.url, KEY), folder))
        assert agent.memory == {"needs_run": False, **told}


@pytest.mark.parametrize("written", ["[]", "{", '{"store": 1}', '{"store": {"ttl": {"default_ttl": -1}, "index": []}}'])
def test_a_store_section_of_another_form_sets_nothing(tmp_path: Path, written: str) -> None:
    (tmp_path / "langgraph.json").write_text(written)
    assert read_store_settings(tmp_path) == StoreSettings()


def test_what_the_service_did_by_words_only_is_said_once(door: MemoryDoor, capfd: pytest.CaptureFixture[str]) -> None:
    def finds(state: State) -> dict:
        get_store().search(("notes",), query="tea")
        get_store().search(("notes",), query="tea")
        return {}

    door.notices = ["searched words only: the budget is spent"]
    agent = GraphAgent("graph", graph_of(finds), None, ServiceMemory(Door(door.url, KEY), None))
    say(agent, door)
    assert capfd.readouterr().out.count("searched words only: the budget is spent") == 1
