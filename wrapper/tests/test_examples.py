"""The examples behave as their first lines describe, in the wrapper of containers."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from test_stream import check_sequence
from wrapper_process import EXAMPLES, WrapperProcess, free_port

# fakellm replaces a provider: a third-party server with the OpenAI protocol, over HTTP.
MODEL_RULES = """
version: 1
rules:
  - name: the tool has answered
    when: {previous_message_role: assistant, tool_result_contains: "UTC"}
    respond: {content: "It is noon, said the clock."}
  - name: the time is asked for
    when: {tools_include: current_time, messages_contain: "time"}
    respond: {tool_calls: [{name: current_time, arguments: {}}]}
  - name: the model is down
    when: {messages_contain: "break"}
    respond: {status: 400, error: "this model is down"}
  - name: anything else
    respond: {content: "Ask me for the time."}
"""


@pytest.fixture(scope="module")
def model_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder: Path = tmp_path_factory.mktemp("model")
    (folder / "fakellm.yaml").write_text(MODEL_RULES)
    port = free_port()
    command = [str(Path(sys.executable).parent / "fakellm"), "serve", "--port", str(port)]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, cwd=folder, stdout=log, stderr=log)
    url = f"http://127.0.0.1:{port}"
    for _ in range(100):
        try:
            httpx.get(f"{url}/_fakellm/stats")
            break
        except httpx.TransportError:
            assert process.poll() is None, (folder / "log").read_text()
    yield url
    process.kill()
    process.wait()


@pytest.fixture(scope="module")
def clock(model_server: str) -> Iterator[WrapperProcess]:
    variables = {"OPENAI_BASE_URL": f"{model_server}/v1", "OPENAI_API_KEY": "any"}
    with WrapperProcess(EXAMPLES / "langgraph-openai", **variables) as wrapper:
        yield wrapper.ready()


def question(text: str) -> dict:
    return {"input": {"messages": [{"role": "user", "content": text}]}}


def test_the_langgraph_greeter_greets() -> None:
    with WrapperProcess(EXAMPLES / "langgraph-greeter") as wrapper:
        wrapper.ready()
        assert (
            wrapper.ask(message="hi, I am Ada")["output"]["messages"][-1]["content"] == "Hello Ada, nice to meet you!"
        )
        conversation = [{"role": "user", "content": "my name is Grace"}]
        assert "Hello Grace" in wrapper.ask(messages=conversation)["output"]["messages"][-1]["content"]


def test_the_crewai_greeter_greets() -> None:
    with WrapperProcess(EXAMPLES / "crewai-greeter", "crewai") as wrapper:
        output = wrapper.ready().ask(topic="tea")["output"]
    assert output["raw"].startswith("Hello! Let us talk about tea.")
    assert [task["name"] for task in output["tasks"]] == ["research", "welcome"]


def test_an_agent_calls_a_model_and_a_tool_over_http(clock: WrapperProcess, model_server: str) -> None:
    answer = clock.invoke(question("what time is it?")).json()
    roles = [message["role"] for message in answer["output"]["messages"]]
    assert roles == ["user", "assistant", "tool", "assistant"]
    assert answer["output"]["messages"][1]["tool_calls"][0]["name"] == "current_time"
    assert answer["output"]["messages"][-1]["content"] == "It is noon, said the clock."
    assert answer["output"]["messages"][-1]["usage"]["total_tokens"] > 0
    assert httpx.get(f"{model_server}/_fakellm/stats").json()["total_requests"] >= 2


def test_tokens_of_a_model_stream_one_by_one(clock: WrapperProcess) -> None:
    events = clock.stream(question("what is the TIME now?"))
    types = check_sequence(events)
    assert "TOOL_CALL_ARGS" in types
    assert "TOOL_CALL_RESULT" in types
    deltas = [event["delta"] for event in events if event["type"] == "TEXT_MESSAGE_CONTENT"]
    assert "".join(deltas) == "It is noon, said the clock."
    assert len(deltas) > 1


def test_a_model_that_is_down_is_an_error_of_the_agent(clock: WrapperProcess) -> None:
    response = clock.invoke(question("break"))
    assert response.status_code == 500
    assert "this model is down" in response.json()["detail"]
