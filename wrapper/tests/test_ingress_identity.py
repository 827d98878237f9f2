from __future__ import annotations

import hashlib
import hmac
import json
import time
from collections.abc import Iterator
from typing import Any

import pytest

from _svc_wrapper.http.ingress_identity import read_caller
from _svc_wrapper.http.request import Headers
from _svc_wrapper.problems import Problem
from signed_caller import SECRET, encoded, headers_of, token_of
from wrapper_process import AGENTS, WrapperProcess


@pytest.fixture(scope="module")
def conversation() -> Iterator[WrapperProcess]:
    with WrapperProcess(AGENTS / "conversation", SVC_INGRESS_SECRET=SECRET) as wrapper:
        yield wrapper.ready()


def say(wrapper: WrapperProcess, text: str, headers: dict[str, str], **fields: Any) -> dict[str, Any]:
    body = {"input": {"messages": [{"role": "user", "content": text}]}, **fields}
    response = wrapper.client.post("/invoke", json=body, headers=headers)
    assert response.status_code == 200, response.text
    return response.json()


def answer_in(reply: dict[str, Any]) -> str:
    return reply["output"]["messages"][-1]["content"]


def test_a_caller_cannot_continue_a_thread_of_another_space(conversation: WrapperProcess) -> None:
    ada = headers_of("ada", **{"X-Svc-Thread-Space": "space-of-ada"})
    bob = headers_of("bob", **{"X-Svc-Thread-Space": "space-of-bob"})
    first = say(conversation, "hi", ada, thread_id="holiday")
    assert answer_in(say(conversation, "hi", ada, thread_id="holiday")) == "you said 3 things"
    assert answer_in(say(conversation, "hi", bob, thread_id="holiday")) == "you said 1 things"
    for reached in ("space-of-ada:holiday", "../space-of-ada:holiday", ":holiday"):
        assert answer_in(say(conversation, "hi", bob, thread_id=reached)) == "you said 1 things"
    assert first["thread_id"] == "holiday"


def test_an_interrupt_waits_in_the_space_of_its_caller(conversation: WrapperProcess) -> None:
    ada = headers_of("ada", **{"X-Svc-Thread-Space": "space-of-ada"})
    bob = headers_of("bob", **{"X-Svc-Thread-Space": "space-of-bob"})
    waiting = say(conversation, "ask me", ada)
    resumption = {"resume": "Ada", "thread_id": waiting["thread_id"]}
    refused = conversation.client.post("/invoke", json=resumption, headers=bob)
    assert (refused.status_code, refused.json()["code"]) == (409, "nothing_to_resume")
    answered = conversation.client.post("/invoke", json=resumption, headers=ada)
    assert answer_in(answered.json()) == "hello Ada"


def test_the_graph_gets_the_caller(conversation: WrapperProcess) -> None:
    told = answer_in(say(conversation, "who am I", headers_of("ada")))
    assert told == str({"sub": "ada", "email": "ada@example.com", "teams": ["ml"]})


def test_a_caller_cannot_set_the_caller(conversation: WrapperProcess) -> None:
    body = {"input": {"messages": []}, "config": {"configurable": {"svc_caller": {"sub": "root"}}}}
    response = conversation.client.post("/invoke", json=body, headers=headers_of("ada"))
    assert response.status_code == 422
    assert "svc_caller" in response.json()["detail"]


@pytest.mark.parametrize("space", ["", "a:b", "a/b", "x" * 65])
def test_an_invalid_space_is_refused(conversation: WrapperProcess, space: str) -> None:
    headers = headers_of("ada", **{"X-Svc-Thread-Space": space})
    response = conversation.client.post("/invoke", json={"input": {"messages": []}}, headers=headers)
    assert response.json()["code"] == "invalid_thread_space"


@pytest.mark.parametrize("path", ["/invoke", "/stream"])
def test_a_request_without_a_caller_is_refused(conversation: WrapperProcess, path: str) -> None:
    headers = {"X-Svc-Ingress-Secret": SECRET}
    response = conversation.client.post(path, json={"input": {"messages": []}}, headers=headers)
    assert (response.status_code, response.json()["code"]) == (401, "caller_refused")


def caller_in(*tokens: str, secret: str | None = SECRET) -> Any:
    raw = [(b"x-svc-caller", token.encode("latin-1")) for token in tokens]
    return read_caller(Headers(raw), secret=secret, agent_name="agent")


def test_a_signed_caller_is_read() -> None:
    assert caller_in(token_of("ada")) == {"sub": "ada", "email": "ada@example.com", "teams": ["ml"]}


def test_without_a_secret_no_caller_is_named() -> None:
    assert caller_in(token_of("ada"), secret=None) is None


def unsigned(token: str) -> str:
    return f"{encoded({'alg': 'none'})}.{token.split('.')[1]}."


VALID = token_of("ada")


@pytest.mark.parametrize(
    ("tokens", "reason"),
    [
        ([], "given once"),
        ([VALID, VALID], "given once"),
        ([token_of("ada", secret="another agent's")], "signature is wrong"),
        ([VALID.replace(VALID.split(".")[1], encoded({"sub": "root"}))], "signature is wrong"),
        ([unsigned(VALID)], "signature is wrong"),
        ([token_of("ada", algorithm="none")], "not signed with HS256"),
        ([token_of("ada", aud="agents/other")], "another agent"),
        ([token_of("ada", aud=["agents/agent"])], "another agent"),
        ([token_of("ada", exp=int(time.time()) - 60)], "expired"),
        ([token_of("ada", exp=None)], "expired"),
        ([""], "signature is wrong"),
        (["..."], "signature is wrong"),
        (["a.b.\xe9"], "cannot be read"),
        ([json.dumps({"sub": "root"})], "cannot be read"),
    ],
)
def test_an_identity_without_the_ingress_signature_for_this_agent_is_refused(tokens: list[str], reason: str) -> None:
    with pytest.raises(Problem, match=reason):
        caller_in(*tokens)


CHALLENGE = "0123456789abcdef" * 4


def test_the_container_proves_the_secret_without_revealing_it(conversation: WrapperProcess) -> None:
    response = conversation.client.get("/identity", headers={"X-Svc-Challenge": CHALLENGE})
    expected = hmac.new(SECRET.encode(), f"svc-identity:{CHALLENGE}".encode(), hashlib.sha256).hexdigest()
    assert (response.status_code, response.headers["X-Svc-Proof"], response.content) == (204, expected, b"")


@pytest.mark.parametrize("challenge", ["", "short", CHALLENGE.upper(), CHALLENGE + "0", "eyJhbGciOiJIUzI1NiJ9.e30"])
def test_only_a_challenge_is_signed(conversation: WrapperProcess, challenge: str) -> None:
    response = conversation.client.get("/identity", headers={"X-Svc-Challenge": challenge})
    assert (response.status_code, response.json()["code"]) == (400, "invalid_challenge")


def test_a_token_that_was_read_before_still_expires(monkeypatch: pytest.MonkeyPatch) -> None:
    token = token_of("ada")
    caller_in(token)["teams"].append("admins")
    assert caller_in(token)["teams"] == ["ml"]
    monkeypatch.setattr(time, "time", lambda: 2**40)
    with pytest.raises(Problem, match="expired"):
        caller_in(token)
