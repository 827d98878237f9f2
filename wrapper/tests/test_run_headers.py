from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from _svc_wrapper.outgoing.run_headers import Origin, Service
from _svc_wrapper.runs.run_identity import RunIdentity, current
from _svc_wrapper.tracing.open_spans import OpenSpan, innermost
from recording_gateway import Recorded, RecordingGateway
from wrapper_process import AGENTS, WrapperProcess


def trace_of(name: str, parent: str = "00f067aa0ba902b7") -> str:
    return f"00-{name * 32}-{parent}-01"


def headers_of(name: str) -> dict[str, str]:
    return {"X-Svc-Run": f"token-of-{name}", "traceparent": trace_of(name)}


@pytest.fixture(scope="module")
def other() -> Iterator[RecordingGateway]:
    with RecordingGateway() as server:
        yield server


@pytest.fixture(scope="module")
def serving() -> Iterator[RecordingGateway]:
    with RecordingGateway() as server:
        yield server


@pytest.fixture
def gateway(serving: RecordingGateway, other: RecordingGateway) -> RecordingGateway:
    serving.requests.clear()
    other.requests.clear()
    return serving


def environment(serving: RecordingGateway, other: RecordingGateway) -> dict[str, str]:
    return {
        "SVC_SERVICE_URL": serving.url,
        "SVC_GATEWAY_KEY": "key",
        "SVC_TRACES": "off",
        "OPENAI_BASE_URL": f"{serving.url}/v1",
        "OPENAI_API_KEY": "key",
        "OTHER_URL": other.url,
    }


@pytest.fixture(scope="module")
def graph(serving: RecordingGateway, other: RecordingGateway) -> Iterator[WrapperProcess]:
    with WrapperProcess(AGENTS / "calling_graph", **environment(serving, other)) as wrapper:
        yield wrapper.ready()


@pytest.fixture(scope="module")
def crew(serving: RecordingGateway, other: RecordingGateway) -> Iterator[WrapperProcess]:
    with WrapperProcess(AGENTS / "calling_crew", "crewai", **environment(serving, other)) as wrapper:
        yield wrapper.ready()


def run(wrapper: WrapperProcess, do: str, name: str = "a") -> None:
    response = wrapper.invoke({"input": {"do": do, "name": name}}, **headers_of(name))
    assert response.status_code == 200, response.text


def in_four_ways(wrapper: WrapperProcess, fields: Callable[[str], dict[str, str]]) -> None:
    """Two runs that are answered and two that are streamed, all at once."""

    def invoke(name: str) -> None:
        response = wrapper.invoke({"input": fields(name)}, **headers_of(name))
        assert response.status_code == 200, response.text

    def stream(name: str) -> None:
        sent = {"input": fields(name)}
        with wrapper.client.stream("POST", "/stream", json=sent, headers=headers_of(name)) as response:
            assert '"RUN_FINISHED"' in response.read().decode()

    ways = {"a": invoke, "b": invoke, "c": stream, "d": stream}
    with ThreadPoolExecutor(4) as pool:
        for ending in [pool.submit(way, name) for name, way in ways.items()]:
            ending.result()


def check_runs(requests: list[Recorded], calls_per_run: int) -> None:
    """Each request names the run that it says it is of."""
    said = [re.findall(r"name=(\w);", request.body) for request in requests]
    assert sorted(names[0] for names in said) == sorted("abcd" * calls_per_run)
    assert [request.run for request in requests] == [f"token-of-{names[0]}" for names in said]
    assert [request.traceparent for request in requests] == [trace_of(names[0]) for names in said]


def test_every_call_of_a_graph_names_its_own_run(graph: WrapperProcess, gateway: RecordingGateway) -> None:
    in_four_ways(graph, lambda name: {"do": "ask", "name": name})
    # Two in the async node, four in the sync one, one after both.
    check_runs(gateway.requests, 7)


def test_every_call_of_a_crew_names_its_own_run(crew: WrapperProcess, gateway: RecordingGateway) -> None:
    in_four_ways(crew, lambda name: {"name": name})
    check_runs(gateway.requests, 3)


def test_each_client_names_the_run_to_the_gateway_and_to_no_other_host(
    graph: WrapperProcess, gateway: RecordingGateway, other: RecordingGateway
) -> None:
    run(graph, "use every client")
    # Seven clients: directly, with a redirect to the gateway itself, and with one to the other host.
    assert len(gateway.requests) == 7 + 2 * 7 + 7
    assert {(request.run, request.traceparent) for request in gateway.requests} == {("token-of-a", trace_of("a"))}
    assert len(other.requests) == 7 + 7
    assert {(request.run, request.traceparent) for request in other.requests} == {(None, None)}


def test_a_client_without_a_credential_has_that_of_the_agent_at_the_gateway_and_at_no_other_host(
    graph: WrapperProcess, gateway: RecordingGateway, other: RecordingGateway
) -> None:
    run(graph, "use every client")
    assert {request.authorization for request in gateway.requests} == {"Bearer key"}
    assert len(other.requests) == 7 + 7
    assert {request.authorization for request in other.requests} == {None}


def test_a_call_of_a_subagent_has_the_run_and_the_credential_of_the_agent(
    graph: WrapperProcess, gateway: RecordingGateway, other: RecordingGateway
) -> None:
    run(graph, "call a subagent")
    assert len(gateway.requests) == 7 + 7
    assert {(request.run, request.authorization) for request in gateway.requests} == {("token-of-a", "Bearer key")}
    assert len(other.requests) == 7
    assert {(request.run, request.authorization) for request in other.requests} == {(None, None)}


def test_a_credential_of_the_users_code_stays(graph: WrapperProcess, gateway: RecordingGateway) -> None:
    run(graph, "bring a credential")
    assert [(request.run, request.authorization) for request in gateway.requests] == [("token-of-a", "Bearer own")]


def test_a_header_of_the_users_code_is_replaced(graph: WrapperProcess, gateway: RecordingGateway) -> None:
    run(graph, "forge")
    assert [request.run for request in gateway.requests] == ["token-of-a"] * 6


def test_a_span_of_the_users_code_in_the_same_trace_stays(graph: WrapperProcess, gateway: RecordingGateway) -> None:
    for name in ("a" * 32, "f" * 32):
        response = graph.invoke({"input": {"do": "trace", "name": name}}, **headers_of("a"))
        assert response.status_code == 200, response.text
    own = trace_of("a", "1111111111111111")
    assert [request.traceparent for request in gateway.requests] == [own] * 3 + [trace_of("a")] * 3


def test_threads_that_the_users_code_starts_have_no_run(graph: WrapperProcess, gateway: RecordingGateway) -> None:
    # The threads of the pool are started in the first run.
    for name in ("a", "b"):
        run(graph, "use threads", name)
    assert sorted((request.path, request.run) for request in gateway.requests) == [
        ("/pool", None),
        ("/pool", None),
        ("/thread", None),
        ("/thread", None),
    ]


def test_a_task_that_outlives_its_run_has_no_run(graph: WrapperProcess, gateway: RecordingGateway) -> None:
    run(graph, "leave a task", "a")
    run(graph, "let it go on", "b")
    assert [(request.path, request.run) for request in gateway.requests] == [("/left-behind", None)]


def test_a_call_without_a_run_names_none(graph: WrapperProcess, gateway: RecordingGateway) -> None:
    response = graph.invoke({"input": {"do": "forge", "name": "a"}})
    assert response.status_code == 200, response.text
    assert {request.run for request in gateway.requests} == {None}


@pytest.mark.parametrize(
    ("path", "is_metered"), [("/v1/chat/completions", True), ("/api/chat", True), ("/agents/clerk/a2a", False)]
)
def test_only_a_call_of_a_model_is_counted_by_the_gateway(path: str, is_metered: bool) -> None:
    identity = RunIdentity(token="t", traceparent=trace_of("a"))
    span = OpenSpan(identity, None)
    as_current, as_innermost = current.set(identity), innermost.set(span)
    try:
        to = Origin.of_url("http://10.0.0.1:4490")
        assert Service(to, "key").headers(to, path, {}) is not None
    finally:
        current.reset(as_current)
        innermost.reset(as_innermost)
    assert span.is_metered is is_metered
