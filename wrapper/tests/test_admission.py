from __future__ import annotations

import contextlib
import threading
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from langchain_core.runnables import RunnableLambda
from langgraph.graph import START, StateGraph
from langgraph.prebuilt import ToolNode
from typing_extensions import TypedDict

from _svc_wrapper.langgraph.sync_nodes import has_sync_nodes
from _svc_wrapper.problems import Problem
from _svc_wrapper.runs.admission import Admission, Turn
from _svc_wrapper.settings.bounds import MEGABYTE, Bounds, default_bounds
from signed_caller import SECRET, headers_of
from wrapper_process import AGENTS, WrapperProcess


@pytest.fixture
def start() -> Iterator[Callable[..., WrapperProcess]]:
    """Starts wrappers that identify callers, and stops them."""
    started: list[WrapperProcess] = []

    def start(agent: str, **environment: str) -> WrapperProcess:
        wrapper = WrapperProcess(AGENTS / agent, SVC_INGRESS_SECRET=SECRET, **environment)
        started.append(wrapper)
        return wrapper.__enter__().ready()

    yield start
    for wrapper in started:
        wrapper.__exit__()


class Crowd:
    """Concurrent calls of several callers, each in its own thread."""

    def __init__(self, wrapper: WrapperProcess) -> None:
        self.wrapper = wrapper
        no_limits = httpx.Limits(max_connections=None)
        self.client = httpx.Client(base_url=wrapper.client.base_url, timeout=60, limits=no_limits)
        self.threads: list[threading.Thread] = []
        self.responses: list[httpx.Response] = []

    def call(self, name: str, times: int, **fields: Any) -> list[str]:
        ids = [str(uuid.uuid4()) for _ in range(times)]
        for run_id in ids:
            thread = threading.Thread(target=self._send, args=(name, run_id, fields), daemon=True)
            thread.start()
            self.threads.append(thread)
        return ids

    def _send(self, name: str, run_id: str, fields: dict[str, Any]) -> None:
        headers = headers_of(name, **{"X-Svc-Run-Id": run_id})
        # A test may end the wrapper while calls of it wait.
        with contextlib.suppress(httpx.TransportError):
            self.responses.append(self.client.post("/invoke", json={"input": fields}, headers=headers))

    def has(self, count: int) -> None:
        """Waits until this number of calls runs or waits."""
        self.wrapper.wait_until(lambda: self.wrapper.health()["in_flight"] == count, seconds=20)

    def ended(self) -> list[httpx.Response]:
        for thread in self.threads:
            thread.join(30)
        return self.responses


def run_of(wrapper: WrapperProcess, run_id: str) -> dict[str, Any]:
    return wrapper.client.get(f"/runs/{run_id}", headers=headers_of("ada")).json()


def test_64_calls_of_an_async_graph_run_at_once(start: Callable[..., WrapperProcess]) -> None:
    wrapper = start("waiter")
    crowd = Crowd(wrapper)
    runs = crowd.call("ada", 32, do="wait") + crowd.call("bob", 32, do="wait")
    crowd.has(64)
    assert {run_of(wrapper, run_id)["status"] for run_id in runs} == {"running"}
    waiting = crowd.call("ada", 10, do="wait") + crowd.call("bob", 10, do="wait")
    crowd.has(84)
    assert {run_of(wrapper, run_id)["status"] for run_id in waiting} == {"queued"}
    # The next place goes to a caller without one.
    crowd.call("eve", 1, do="open")
    crowd.has(85)
    wrapper.client.post(f"/runs/{runs[0]}/cancel", headers=headers_of("ada"))
    answered = crowd.ended()
    assert sorted(response.status_code for response in answered) == [*[200] * 84, 409]
    assert max(response.json()["output"]["most"] for response in answered if response.status_code == 200) == 64
    assert wrapper.health()["in_flight"] == 0


def test_one_caller_leaves_half_of_the_places_and_of_the_queue_to_others(start: Callable[..., WrapperProcess]) -> None:
    wrapper = start("waiter", SVC_MAX_CONCURRENCY="4", SVC_MAX_QUEUE="4")
    crowd = Crowd(wrapper)
    crowd.call("ada", 2, do="wait")
    crowd.has(2)
    waiting = crowd.call("ada", 2, do="wait")
    crowd.has(4)
    assert [run_of(wrapper, run_id)["status"] for run_id in waiting] == ["queued"] * 2
    refused = wrapper.invoke({"input": {"do": "wait"}}, **headers_of("ada"))
    assert (refused.status_code, refused.json()["code"]) == (429, "too_many_runs")
    assert (refused.headers["Retry-After"], refused.headers["X-Svc-Not-Begun"]) == ("5", "full")
    assert wrapper.invoke({"input": {"do": "open"}}, **headers_of("bob")).status_code == 200
    assert [response.status_code for response in crowd.ended()] == [200] * 4
    assert wrapper.health()["calls"] == 5


def test_a_full_queue_refuses_every_caller(start: Callable[..., WrapperProcess]) -> None:
    wrapper = start("waiter", SVC_MAX_CONCURRENCY="2", SVC_MAX_QUEUE="2")
    assert wrapper.health()["concurrency"] == 2
    crowd = Crowd(wrapper)
    for name in ("ada", "bob"):
        crowd.call(name, 2, do="wait")
    crowd.has(4)
    refused = wrapper.invoke({"input": {"do": "wait"}}, **headers_of("eve"))
    assert (refused.status_code, refused.headers["X-Svc-Not-Begun"]) == (429, "full")
    assert "2 calls run and 2 wait" in refused.json()["detail"]


def test_an_abandoned_call_is_dropped_from_the_queue_but_finishes_once_it_runs(
    start: Callable[..., WrapperProcess],
) -> None:
    wrapper = start("waiter", SVC_MAX_CONCURRENCY="1")
    crowd = Crowd(wrapper)
    [running] = crowd.call("ada", 1, do="wait")
    crowd.has(1)
    [waiting] = crowd.call("ada", 1, do="wait")
    crowd.has(2)
    for run_id in (running, waiting):
        left = wrapper.client.post(f"/runs/{run_id}/leave", headers=headers_of("ada"))
        assert left.status_code == 202
    crowd.has(1)
    assert [run_of(wrapper, run_id)["status"] for run_id in (running, waiting)] == ["running", "cancelled"]


def test_an_abandoned_stream_leaves_the_queue(start: Callable[..., WrapperProcess]) -> None:
    wrapper = start("waiter", SVC_MAX_CONCURRENCY="1")
    crowd = Crowd(wrapper)
    crowd.call("ada", 1, do="wait")
    crowd.has(1)
    with wrapper.client.stream("POST", "/stream", json={"input": {"do": "wait"}}, headers=headers_of("bob")):
        crowd.has(2)
    crowd.has(1)


def test_sync_nodes_have_32_threads(start: Callable[..., WrapperProcess]) -> None:
    wrapper = start("many_sides")
    crowd = Crowd(wrapper)
    runs = [run_id for name in ("ada", "bob", "eve") for run_id in crowd.call(name, 16, do="sleep", count=2)]
    crowd.has(48)
    statuses = [run_of(wrapper, run_id)["status"] for run_id in runs]
    assert (statuses.count("running"), statuses.count("queued")) == (32, 16)
    assert {response.status_code for response in crowd.ended()} == {200}


def test_a_place_goes_to_the_caller_with_the_fewest_then_to_the_longest_wait() -> None:
    admission = Admission(Bounds(places=4, queue=20))
    ada = [admission.admit("ada", nothing) for _ in range(5)]
    bob = [admission.admit("bob", nothing) for _ in range(4)]
    assert has_place(ada) == [True, True, False, False, False]
    assert has_place(bob) == [True, True, False, False]
    begun: list[str] = []
    eve = admission.admit("eve", lambda: begun.append("eve"))
    assert begun == []
    admission.leave(ada[0])
    assert begun == ["eve"]
    admission.leave(bob[0])
    # Ada and Bob have one place each now, and Ada's call came first.
    assert (has_place(ada)[2], has_place(bob)[2]) == (True, False)
    admission.leave(ada[3])  # one that waits
    admission.leave(eve)
    assert (has_place(ada)[4], has_place(bob)[2]) == (False, True)
    assert admission.admitted == 6


def has_place(turns: list[Turn]) -> list[bool]:
    return [turn.has_place for turn in turns]


def nothing() -> None:
    """Replaces the start of a call."""


def test_without_named_callers_places_are_not_shared_out() -> None:
    admission = Admission(Bounds(places=2, queue=2))
    turns = [admission.admit(None, nothing) for _ in range(4)]
    assert has_place(turns) == [True, True, False, False]
    with pytest.raises(Problem):
        admission.admit(None, nothing)


@pytest.mark.parametrize(
    ("mebibytes", "an_async_graph", "a_sync_one"),
    [
        (None, Bounds(64, 256), Bounds(32, 256)),
        (4096, Bounds(64, 256), Bounds(32, 256)),
        (1024, Bounds(64, 256), Bounds(32, 256)),
        (256, Bounds(16, 64), Bounds(8, 64)),
        (64, Bounds(4, 16), Bounds(2, 16)),
        (1, Bounds(1, 1), Bounds(1, 1)),
    ],
)
def test_little_memory_allows_fewer_calls(mebibytes: int | None, an_async_graph: Bounds, a_sync_one: Bounds) -> None:
    memory_bytes = None if mebibytes is None else mebibytes * MEGABYTE
    assert default_bounds(is_async=True, memory_bytes=memory_bytes) == an_async_graph
    assert default_bounds(is_async=False, memory_bytes=memory_bytes) == a_sync_one


class State(TypedDict, total=False):
    topic: str


async def on_the_loop(state: State) -> State:
    return state


def in_a_thread(state: State) -> State:
    return state


def graph_of(node: Any) -> Any:
    builder = StateGraph(State)
    builder.add_node("first", on_the_loop)
    builder.add_node("second", node)
    builder.add_edge(START, "first")
    builder.add_conditional_edges("first", lambda _: "second", ["second"])
    return builder.compile()


@pytest.mark.parametrize(
    ("node", "is_sync"),
    [
        (on_the_loop, False),
        (in_a_thread, True),
        (RunnableLambda(on_the_loop), False),
        (RunnableLambda(in_a_thread), True),
        (RunnableLambda(on_the_loop) | RunnableLambda(in_a_thread), True),
        (RunnableLambda(in_a_thread, afunc=on_the_loop), False),
        (graph_of(on_the_loop), False),
        (graph_of(in_a_thread), True),
        (ToolNode([]), False),
    ],
)
def test_a_graph_is_sync_when_a_node_needs_a_thread(node: Any, is_sync: bool) -> None:
    assert has_sync_nodes(graph_of(node)) is is_sync
