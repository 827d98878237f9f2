from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from _svc_wrapper.agent_error import agent_error, hide, masked
from _svc_wrapper.settings.secret_files import load_secret_files
from _svc_wrapper.settings.settings import SettingsError
from signed_caller import SECRET, headers_of
from wrapper_process import AGENTS, WrapperProcess

HEADER = headers_of("ada")


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WrapperProcess]:
    secrets = tmp_path_factory.mktemp("secrets")
    (secrets / "SVC_INGRESS_SECRET").write_text(SECRET)
    (secrets / "WEATHER_API_SECRET").write_bytes(b"line one\r\nline two\n")
    (secrets / "..data").write_text("not a variable")
    with WrapperProcess(AGENTS / "many_sides", SVC_SECRETS_FOLDER=str(secrets), SVC_MAX_BODY_BYTES="1000") as wrapper:
        yield wrapper.ready()


def test_every_route_accepts_the_right_secret(guarded: WrapperProcess) -> None:
    assert guarded.invoke({"input": {"do": "echo", "count": 1}}, **HEADER).status_code == 200


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/invoke"),
        ("POST", "/stream"),
        ("GET", "/runs/x"),
        ("POST", "/drain"),
        ("POST", "/health"),
        ("GET", "/x"),
    ],
)
@pytest.mark.parametrize("headers", [[], [("X-Svc-Ingress-Secret", "wrong")], [("X-Svc-Ingress-Secret", SECRET)] * 2])
def test_a_call_without_the_secret_is_refused(guarded: WrapperProcess, method: str, path: str, headers: list) -> None:
    response = guarded.client.request(method, path, headers=headers)
    assert response.status_code == 401
    assert response.json()["code"] == "ingress_secret_required"


def test_health_and_readiness_are_public_and_the_load_is_the_service_s(guarded: WrapperProcess) -> None:
    assert guarded.client.get("/ready").status_code == 200
    public = guarded.client.get("/health")
    assert (public.status_code, public.json()["status"]) == (200, "ready")
    load = {"in_flight", "calls", "concurrency", "cpu_seconds"}
    assert not load & public.json().keys()
    assert load <= guarded.client.get("/health", headers=HEADER).json().keys()


def test_secret_files_become_variables_and_the_ingress_secret_does_not(guarded: WrapperProcess) -> None:
    response = guarded.invoke({"input": {"do": "environment"}}, **HEADER)
    environment = response.json()["output"]["result"]
    assert environment["WEATHER_API_SECRET"] == "line one\r\nline two\n"
    assert "WEATHER_API_SECRET" in guarded.log()  # it was there while the user's code was imported
    assert SECRET not in response.text
    assert SECRET not in guarded.log()
    assert not [name for name in environment if "INGRESS" in name]


def test_an_error_of_the_agent_shows_no_secret(guarded: WrapperProcess) -> None:
    body = {"input": {"do": "fail with a secret"}}
    for path in ("/invoke", "/stream"):
        text = guarded.client.post(path, json=body, headers=HEADER).text
        assert "failed with ***" in text
        assert "line one" not in text


def test_an_error_of_the_agent_shows_what_is_no_secret(tmp_path: Path) -> None:
    (tmp_path / "WEATHER_API_SECRET").write_text("not told")
    (tmp_path / "SVC_AGENT_NAME").write_text("weather")
    (tmp_path / "SVC_SECRET_NAMES").write_text("WEATHER_API_SECRET SVC_INGRESS_SECRET")
    environment = {"SVC_SECRETS_FOLDER": str(tmp_path)}
    try:
        load_secret_files(environment)
        assert masked("weather fails: not told") == "weather fails: ***"
    finally:
        hide([])
    assert "SVC_SECRET_NAMES" not in environment


def test_secrets_in_one_variable_are_read_and_hidden_as_files_are(tmp_path: Path) -> None:
    given = {
        "WEATHER_API_SECRET": "never\ntold",
        "SVC_AGENT_NAME": "weather",
        "SVC_SECRET_NAMES": "WEATHER_API_SECRET SVC_INGRESS_SECRET",
        "SVC_INGRESS_SECRET": SECRET,
        "SVC_JOIN_TOKEN": "a token",
    }
    environment = {"SVC_SECRETS_FOLDER": str(tmp_path), "SVC_SECRETS": json.dumps(given)}
    try:
        own = load_secret_files(environment)
        assert masked("weather fails: never, told") == "weather fails: ***, ***"
    finally:
        hide([])
    assert (own.ingress_secret, own.join_token) == (SECRET, "a token")
    assert environment == {"WEATHER_API_SECRET": "never\ntold", "SVC_AGENT_NAME": "weather"}


@pytest.mark.parametrize(
    "text", ["not told", '["not told"]', '{"A B": "not told"}', '{"A": 1}', '{"A": "not told\\u0000"}']
)
def test_one_variable_with_something_else_than_secrets_prevents_the_start_and_is_not_shown(text: str) -> None:
    with pytest.raises(SettingsError, match="SVC_SECRETS") as raised:
        load_secret_files({"SVC_SECRETS": text})
    assert "not told" not in str(raised.value)


# As the service seals it (targets/sealed.ts), with the key `a key`.
SEALED = (
    "Z/QgJTh5uf4/U4kfuwiu4XsgJbqmRKgTD8ydPlyn702/eFp+aSDkkA9vH0nk2LiwLNNoF3apAyIumN17Uo3DkLzW4pPd9/tTKY6g"
    "Drs0diTwpSgJlFtVPQrlPhnWwCdBPmu4SGQBLE0O5jI0rDbQMqsSLHBPHB1rZ2n/xGGYlw=="
)


def test_secrets_that_are_sealed_for_one_revision_are_read_with_its_key_and_with_no_other(tmp_path: Path) -> None:
    given = {"SVC_SECRETS_FOLDER": str(tmp_path), "SVC_SECRETS": SEALED}
    environment = {**given, "SVC_SECRETS_KEY": "a key"}
    try:
        assert load_secret_files(environment).join_token == "a token"
    finally:
        hide([])
    assert environment == {"WEATHER_API_SECRET": "nevér told"}
    changed = SEALED[:-8] + "AAAA" + SEALED[-4:]
    for key, text in (("another key", SEALED), ("a key", changed), ("a key", ""), ("a key", "{}")):
        with pytest.raises(SettingsError, match="was not sealed for this revision") as raised:
            load_secret_files({**given, "SVC_SECRETS": text, "SVC_SECRETS_KEY": key})
        assert "told" not in str(raised.value)


def test_an_error_by_a_call_to_localhost_explains_it() -> None:
    def hint_of(cause: str, error: str) -> object:
        raised = RuntimeError(error)
        raised.__cause__ = ConnectionRefusedError(cause)
        return agent_error("run", raised).body().get("hint")

    for refused in ("[Errno 99] Cannot assign requested address", "connect to localhost:11434"):
        assert "`localhost` is the agent's container itself" in str(hint_of(refused, "Connection error."))
    assert hint_of("connect to 10.1.2.3:5432", "Connection error.") is None


def test_a_secret_is_removed_from_the_environment(tmp_path: Path) -> None:
    secret_file = tmp_path / "secret"
    secret_file.write_text(SECRET)
    for variables in ({"SVC_INGRESS_SECRET": SECRET}, {"SVC_INGRESS_SECRET_FILE": str(secret_file)}):
        with WrapperProcess(AGENTS / "many_sides", **variables) as wrapper:
            response = wrapper.ready().invoke({"input": {"do": "environment"}}, **HEADER)
            assert "INGRESS" not in response.text
            assert wrapper.invoke({"input": {"do": "echo"}}).status_code == 401


def test_a_body_over_the_limit_is_refused(guarded: WrapperProcess) -> None:
    fits = {"input": {"do": "echo", "result": "x" * 500}}
    large = {"input": {"do": "echo", "result": "x" * 1000}}
    assert guarded.invoke(fits, **HEADER).status_code == 200
    assert guarded.invoke(large, **HEADER).status_code == 413


def test_the_limit_holds_for_a_body_in_chunks_too(guarded: WrapperProcess) -> None:
    chunks = iter([b'{"input": {"do": "', b"x" * 600, b"x" * 600, b'"}}'])
    response = guarded.client.post("/invoke", content=chunks, headers={**HEADER, "Content-Type": "application/json"})
    assert response.status_code == 413
    assert response.json()["code"] == "body_too_large"
