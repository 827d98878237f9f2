from __future__ import annotations

import threading
import time
import uuid
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from wrapper_process import WrapperProcess


def test_an_invoke_returns_output_run_and_status(many_sides: WrapperProcess) -> None:
    answer = many_sides.ask(do="echo", count=7)
    assert answer["status"] == "completed"
    assert answer["output"] == {"do": "echo", "count": 7, "result": 7}
    assert uuid.UUID(answer["run_id"])
    # It keeps no threads, so there is nothing to resume.
    assert answer["thread_id"] is None


@pytest.mark.parametrize("path", ["/invoke", "/stream"])
def test_a_thread_is_refused_by_an_agent_without_threads(many_sides: WrapperProcess, path: str) -> None:
    response = many_sides.client.post(path, json={"input": {"do": "echo"}, "thread_id": "holiday"})
    problem = response.json()
    assert (response.status_code, problem["code"]) == (422, "threads_not_kept")
    assert problem["errors"][0]["pointer"] == "/thread_id"
    assert "keeps no threads" in problem["detail"]


def test_every_result_of_a_graph_becomes_json(many_sides: WrapperProcess) -> None:
    result = many_sides.ask(do="odd")["output"]["result"]
    assert result["point"] == {"x": 1}
    assert result["pair"] == {"left": [1, 2, 3], "right": "Ynl0ZXM="}
    assert result["message"] == {"role": "assistant", "content": "hi", "id": "m1"}
    assert result["numbers"][:3] == [None, None, True]
    assert result["function"]["__type__"] == "function"
    assert result["reluctant"]["__type__"] == "Reluctant"


def test_an_exception_of_the_agent_is_reported_with_its_type_and_run(many_sides: WrapperProcess) -> None:
    response = many_sides.invoke({"input": {"do": "fail"}})
    problem = response.json()
    assert response.status_code == 500
    assert response.headers["content-type"] == "application/problem+json"
    assert problem["code"] == "agent_error"
    assert problem["exception"]["type"] == "LookupError"
    assert "no such thing" in problem["exception"]["message"]
    assert "Traceback" not in response.text
    assert many_sides.client.get(f"/runs/{problem['run_id']}").json()["status"] == "failed"


@pytest.mark.parametrize("do", ["spend", "spend at Gemini"])
def test_the_end_of_a_budget_is_no_fault_of_the_agent(many_sides: WrapperProcess, do: str) -> None:
    response = many_sides.invoke({"input": {"do": do}})
    problem = response.json()
    assert (response.status_code, problem["code"]) == (429, "budget_exceeded")
    assert problem["resets_at"] == "2026-11-24T00:00:00.000Z"
    streamed = many_sides.stream({"input": {"do": do}})
    assert (streamed[-1]["type"], streamed[-1]["code"]) == ("RUN_ERROR", "budget_exceeded")
    # The figures belong to those who pay.
    assert "$" not in response.text + str(streamed[-1])


def test_an_exception_without_a_utf8_text_is_an_error_of_the_agent(
    many_sides: WrapperProcess,
) -> None:
    response = many_sides.invoke({"input": {"do": "fail in half a character"}})
    assert (response.status_code, response.json()["code"]) == (500, "agent_error")
    assert response.json()["exception"]["message"] == "\ud800"


def test_a_traceback_cannot_forge_a_log_line(many_sides: WrapperProcess) -> None:
    many_sides.invoke({"input": {"do": "fail"}})
    assert "LookupError" in many_sides.log()
    assert not [line for line in many_sides.log().splitlines() if line.startswith('{"forged"')]


@pytest.mark.parametrize("do", ["exit", "exit on the loop", "cancel itself"])
def test_an_agent_that_exits_ends_only_its_run(many_sides: WrapperProcess, do: str) -> None:
    response = many_sides.invoke({"input": {"do": do}})
    assert response.status_code == 500
    assert response.json()["code"] == "agent_error"
    assert many_sides.ask(do="echo", count=1)["output"]["result"] == 1


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"input": {"do": 3}}, "/input/do"),
        ({"input": {"do": "echo", "count": "three"}}, "/input/count"),
        ({"input": {"unknown": 1}}, "/input"),
        ({"input": []}, "/input"),
        ({}, "/input"),
        ({"input": None}, "/input"),
        ({"input": {"do": "echo"}, "surprise": 1}, "/surprise"),
        ({"input": {"do": "echo"}, "resume": 1}, "/input"),
        ({"resume": 1}, "/thread_id"),
        ({"input": {"do": "echo"}, "thread_id": 5}, "/thread_id"),
    ],
)
def test_invalid_input_is_refused_with_a_pointer(many_sides: WrapperProcess, body: dict, pointer: str) -> None:
    response = many_sides.invoke(body)
    assert response.status_code == 422, response.text
    assert pointer in [error["pointer"] for error in response.json()["errors"]]


@pytest.mark.parametrize(
    "config",
    [
        {"configurable": {"thread_id": "somebody-else"}},
        {"configurable": {"checkpoint_id": "x"}},
        {"configurable": {"__pregel_resuming": True}},
        {"callbacks": []},
        {"recursion_limit": 0},
        {"tags": "x"},
    ],
)
def test_config_cannot_reach_other_threads_or_the_engine(many_sides: WrapperProcess, config: dict) -> None:
    allowed = {"configurable": {"language": "en"}, "recursion_limit": 10, "tags": ["a"], "metadata": {"a": 1}}
    assert many_sides.invoke({"input": {"do": "echo"}, "config": allowed}).status_code == 200
    assert many_sides.invoke({"input": {"do": "echo"}, "config": config}).status_code == 422


@pytest.mark.parametrize(
    ("content", "content_type", "status"),
    [
        (b"{", "application/json", 400),
        (b'{"input": {"do": NaN}}', "application/json", 400),
        (b'{"input": "\xff"}', "application/json", 400),
        (b'{"input":' + b"[" * 100_000, "application/json", 400),
        (b"[]", "application/json", 422),
        (b'{"input": {"do": "echo"}}', "text/plain", 415),
        (b'{"input": {"do": "echo"}}', "application/json;\tx", 200),
        (b'{"input": {"do": "echo"}}', "Application/JSON; charset=utf-8", 200),
    ],
)
def test_only_json_is_accepted(many_sides: WrapperProcess, content: bytes, content_type: str, status: int) -> None:
    response = many_sides.client.post("/invoke", content=content, headers={"Content-Type": content_type})
    assert response.status_code == status, response.text


def test_only_the_routes_of_the_contract_are_served(many_sides: WrapperProcess) -> None:
    for path in ("/docs", "/redoc", "/openapi.json", "/", "/load"):
        response = many_sides.client.get(path)
        assert response.status_code == 404
        assert response.json()["code"] == "not_found"
    assert many_sides.client.request("TRACE", "/health").status_code == 405
    refused = many_sides.client.get("/invoke")
    assert (refused.status_code, refused.headers["Allow"]) == (405, "POST")


@pytest.mark.parametrize("do", ["block the loop", "sleep"])
def test_health_answers_while_the_agent_blocks(many_sides: WrapperProcess, do: str) -> None:
    blocked = threading.Thread(target=many_sides.ask, kwargs={"do": do, "count": 3})
    blocked.start()
    many_sides.wait_until(lambda: many_sides.health()["in_flight"] == 1, seconds=2)
    slowest = 0.0
    while blocked.is_alive():
        began = time.monotonic()
        assert many_sides.health()["status"] == "ready"
        slowest = max(slowest, time.monotonic() - began)
        time.sleep(0.05)
    assert slowest < 1


def test_synchronous_runs_run_in_parallel(many_sides: WrapperProcess) -> None:
    began = time.monotonic()
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: many_sides.ask(do="sleep", count=2), range(4)))
    # One after the other they take eight seconds. A busy machine adds some.
    assert time.monotonic() - began < 7


def test_a_run_over_the_limit_gets_retry_after(many_sides: WrapperProcess) -> None:
    """Four run, four wait, the ninth is refused; no admitted call is lost."""

    # So long that all of them arrive meanwhile, also on a busy machine.
    def sleep(_: int) -> httpx.Response:
        with httpx.Client(base_url=many_sides.client.base_url, timeout=60) as client:
            return client.post("/invoke", json={"input": {"do": "sleep", "count": 4}})

    with ThreadPoolExecutor(12) as pool:
        responses = list(pool.map(sleep, range(12)))
    refused = [response for response in responses if response.status_code == 429]
    assert len(refused) == 4
    assert all(response.headers["Retry-After"] for response in refused)
    assert sum(response.status_code == 200 for response in responses) == 8
    assert many_sides.health()["in_flight"] == 0


def test_prints_of_the_user_pass_through(many_sides: WrapperProcess) -> None:
    assert "imported with" in many_sides.log()
