from __future__ import annotations

import json
import signal
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from recording_gateway import ANSWER, RecordingGateway
from wrapper_process import AGENTS, WrapperProcess

TRACE = "a" * 32
INGRESS_SPAN = "00f067aa0ba902b7"
HEADERS = {"X-Svc-Run": "token-of-a", "traceparent": f"00-{TRACE}-{INGRESS_SPAN}-01"}

Span = dict[str, Any]


@pytest.fixture(scope="module")
def serving() -> Iterator[RecordingGateway]:
    with RecordingGateway() as server:
        yield server


@pytest.fixture
def gateway(serving: RecordingGateway) -> RecordingGateway:
    serving.requests.clear()
    serving.exports.clear()
    serving.traces_status = 200
    return serving


def environment(serving: RecordingGateway) -> dict[str, str]:
    return {
        "SVC_SERVICE_URL": serving.url,
        "SVC_GATEWAY_KEY": "key",
        "OPENAI_BASE_URL": f"{serving.url}/v1",
        "OPENAI_API_KEY": "key",
    }


@pytest.fixture(scope="module")
def graph(serving: RecordingGateway) -> Iterator[WrapperProcess]:
    with WrapperProcess(AGENTS / "traced_graph", **environment(serving)) as wrapper:
        yield wrapper.ready()


def resources_of(gateway: RecordingGateway) -> list[dict[str, Any]]:
    return [resource for export in gateway.exports for resource in export["resourceSpans"]]


def spans_of(gateway: RecordingGateway) -> list[Span]:
    return [
        span
        for resource in resources_of(gateway)
        if attributes_of(resource["resource"])["svc.run"] == HEADERS["X-Svc-Run"]
        for scope in resource["scopeSpans"]
        for span in scope["spans"]
    ]


def attributes_of(owner: Span) -> dict[str, Any]:
    return {one["key"]: next(iter(one["value"].values())) for one in owner["attributes"]}


def kinds_of(spans: list[Span]) -> dict[str, str]:
    return {span["spanId"]: attributes_of(span).get("openinference.span.kind", "") for span in spans}


def run_traced(
    wrapper: WrapperProcess,
    gateway: RecordingGateway,
    given: dict[str, Any],
    *,
    stream: bool,
    headers: dict[str, str] | None = None,
) -> list[Span]:
    """The spans of one run, after its root has arrived."""
    path = "/stream" if stream else "/invoke"
    sent = {**HEADERS, **(headers or {})}
    with wrapper.client.stream("POST", path, json={"input": given}, headers=sent) as reply:
        assert reply.status_code == 200, reply.read()
        reply.read()
    wrapper.wait_until(lambda: any(span["parentSpanId"] == INGRESS_SPAN for span in spans_of(gateway)))
    return spans_of(gateway)


def check_trace(spans: list[Span], gateway: RecordingGateway) -> None:
    """One tree below the ingress. Each call of a framework's model is below one span of its own."""
    ids = Counter(span["spanId"] for span in spans)
    assert set(ids.values()) == {1}
    assert {span["traceId"] for span in spans} == {TRACE}
    roots = [span["name"] for span in spans if span["parentSpanId"] == INGRESS_SPAN]
    assert len(roots) == 1, roots
    assert {span["parentSpanId"] for span in spans} <= {*ids, INGRESS_SPAN}
    models = [span_id for span_id, kind in kinds_of(spans).items() if kind == "LLM"]
    callers = Counter((request.traceparent or "").split("-")[2] for request in gateway.requests)
    assert all(callers[model] == 1 for model in models)
    assert set(callers) <= set(ids)


@pytest.mark.parametrize("stream", [False, True])
def test_a_run_of_a_graph_is_one_connected_trace(
    graph: WrapperProcess, gateway: RecordingGateway, stream: bool
) -> None:
    spans = run_traced(graph, gateway, {"messages": []}, stream=stream)
    check_trace(spans, gateway)
    parents = {span["spanId"]: span for span in spans}
    kinds = kinds_of(spans)
    names = Counter(parents[span["parentSpanId"]]["name"] for span in spans if kinds[span["spanId"]] == "LLM")
    assert names == {"sync_branch": 4, "async_branch": 2, "ask": 1, "look_up": 1}
    # The node's own clients have no span, and the gateway's is below the node.
    callers = [(request.traceparent or "").split("-")[2] for request in gateway.requests]
    own = sorted(parents[caller]["name"] for caller in callers if kinds[caller] != "LLM")
    assert own == ["async_branch", "sync_branch"]
    assert Counter(kinds.values())["TOOL"] == 2
    failed = [span for span in spans if span["status"]["code"] == 2]
    assert [(span["name"], attributes_of(span["events"][0])) for span in failed] == [
        ("fail", {"exception.type": "ValueError", "exception.message": "no such thing"})
    ]


def test_a_model_span_has_the_facts_of_its_call_and_says_that_the_gateway_counts_it(
    graph: WrapperProcess, gateway: RecordingGateway
) -> None:
    spans = run_traced(graph, gateway, {"messages": []}, stream=False)
    facts = [attributes_of(span) for span in spans if span["name"] == "ChatOpenAI"]
    assert len(facts) == 8
    for one in facts:
        assert one["gen_ai.operation.name"] == "chat"
        assert (one["gen_ai.provider.name"], one["gen_ai.request.model"]) == ("openai", "m")
        assert one["svc.metered"] is True
        assert json.loads(one["output.value"])["content"] == ANSWER
    assert [one.get("gen_ai.usage.input_tokens") for one in facts].count("1") == 6
    assert all(one["gen_ai.response.finish_reasons"]["values"] == [{"stringValue": "stop"}] for one in facts)


def test_a_run_of_a_crew_is_one_connected_trace(serving: RecordingGateway, gateway: RecordingGateway) -> None:
    with WrapperProcess(AGENTS / "traced_crew", "crewai", **environment(serving)) as crew:
        spans = run_traced(crew.ready(), gateway, {"topic": "t"}, stream=False)
    check_trace(spans, gateway)
    assert Counter(kinds_of(spans).values()) == {"LLM": 4, "TOOL": 2, "AGENT": 2, "CHAIN": 1}


@pytest.mark.parametrize(
    ("when", "own"),
    [
        ("at import", ["own step"]),
        ("in a run", ["own step"]),
        # The step's tracer is of the global provider, and there is none.
        ("not global", ["ChatOpenAI", "LangGraph", "ask"]),
    ],
)
def test_a_provider_of_the_users_code_keeps_its_spans_and_the_service_gets_each_once(
    serving: RecordingGateway, gateway: RecordingGateway, tmp_path: Path, when: str, own: list[str]
) -> None:
    file = tmp_path / "spans"
    with WrapperProcess(AGENTS / "self_traced", OWN_SPANS=str(file), WHEN=when, **environment(serving)) as wrapper:
        spans = run_traced(wrapper.ready(), gateway, {"messages": []}, stream=False)
    check_trace(spans, gateway)
    steps = ["own step"] if "own step" in own else []
    assert sorted(span["name"] for span in spans) == ["ChatOpenAI", "LangGraph", "ask", *steps]
    assert sorted(json.loads(line) for line in file.read_text().splitlines()) == own


def test_hidden_content_does_not_leave_the_container(graph: WrapperProcess, gateway: RecordingGateway) -> None:
    run_traced(graph, gateway, {"messages": ["secret"]}, stream=False, headers={"X-Svc-Hidden": "inputs,outputs"})
    sent = json.dumps(gateway.exports)
    assert "ChatOpenAI" in sent
    assert "gen_ai.usage.input_tokens" in sent
    for content in ("secret", "look up", ANSWER):
        assert content not in sent


def test_a_service_that_is_away_costs_no_call_and_what_is_dropped_is_counted(
    graph: WrapperProcess, gateway: RecordingGateway
) -> None:
    gateway.traces_status = 400
    response = graph.client.post("/invoke", json={"input": {"messages": []}}, headers=HEADERS)
    assert response.status_code == 200
    graph.wait_until(lambda: '"spans_dropped"' in graph.log())
    gateway.traces_status = 200
    run_traced(graph, gateway, {"messages": []}, stream=False)
    dropped = [attributes_of(one["resource"])["svc.dropped_spans"] for one in resources_of(gateway)]
    assert int(dropped[0]) > 0


SHOWS_TRACING = """
from langchain_core.runnables import RunnableConfig
from langgraph.graph import START, StateGraph
from opentelemetry import trace


def look(_: dict, config: RunnableConfig) -> dict:
    handlers = [type(handler).__name__ for handler in config["callbacks"].handlers]
    return {"provider": type(trace.get_tracer_provider()).__name__, "handlers": handlers}


graph = StateGraph(dict).add_node(look).add_edge(START, "look").compile()
"""


@pytest.mark.parametrize(("traces", "handlers"), [("on", ["LangchainSpans"]), ("off", [])])
def test_a_graph_gets_no_provider_and_its_handler_only_without_an_opt_out(
    serving: RecordingGateway, project: Callable[[str], Path], traces: str, handlers: list[str]
) -> None:
    with WrapperProcess(project(SHOWS_TRACING), SVC_TRACES=traces, **environment(serving)) as wrapper:
        output = wrapper.ready().ask()["output"]
    assert output == {"provider": "ProxyTracerProvider", "handlers": handlers}


def test_an_agent_that_opts_out_sends_no_spans(serving: RecordingGateway, gateway: RecordingGateway) -> None:
    with WrapperProcess(AGENTS / "traced_graph", SVC_TRACES="off", **environment(serving)) as wrapper:
        wrapper.ready()
        assert wrapper.client.post("/invoke", json={"input": {"messages": []}}, headers=HEADERS).status_code == 200
        wrapper.send_signal(signal.SIGTERM)
        assert wrapper.exit_code() == 0
    assert gateway.requests
    assert gateway.exports == []


def test_spans_that_wait_are_sent_before_the_process_ends(serving: RecordingGateway, gateway: RecordingGateway) -> None:
    with WrapperProcess(AGENTS / "traced_graph", **environment(serving)) as wrapper:
        wrapper.ready()
        assert wrapper.client.post("/invoke", json={"input": {"messages": []}}, headers=HEADERS).status_code == 200
        wrapper.send_signal(signal.SIGTERM)
        assert wrapper.exit_code() == 0
    check_trace(spans_of(gateway), gateway)
