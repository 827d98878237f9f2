"""The packages that the wrapper needs: uvicorn and its own. All others are the user's."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from wrapper_process import AGENTS, WRAPPER_FOLDER, WrapperProcess, events_of


def at_start(folder: Path, code: str) -> str:
    """A PYTHONPATH with which each Python begins with this code."""
    (folder / "sitecustomize.py").write_text(code)
    return f"{folder}:{WRAPPER_FOLDER}"


def test_the_server_needs_no_package_but_uvicorn(tmp_path: Path) -> None:
    packages = tmp_path / "packages"
    packages.mkdir()
    for name in ("uvicorn", "h11", "click", "typing_extensions"):
        spec = find_spec(name)
        assert spec
        assert spec.origin
        origin = Path(spec.origin)
        found = origin.parent if origin.name == "__init__.py" else origin
        (packages / found.name).symlink_to(found)
    only = f"import sys\nsys.path[:] = [p for p in sys.path if 'site-packages' not in p] + [{str(packages)!r}]\n"
    with WrapperProcess(AGENTS / "many_sides", PYTHONPATH=at_start(tmp_path, only)) as wrapper:
        wrapper.wait_until(lambda: wrapper.health()["status"] != "starting")
        reason = wrapper.client.get("/ready").json()["reason"]
        assert (reason["code"], "No module named" in reason["message"]) == ("import_error", True)
        assert wrapper.invoke({"input": {"do": "echo"}}).json()["code"] == "agent_not_loaded"


@pytest.fixture
def without_extras(tmp_path: Path) -> Any:
    """A graph in an environment where uvicorn has neither httptools nor uvloop."""
    hidden = ("httptools", "uvloop", "starlette", "fastapi")
    code = f"import sys\nsys.modules.update(dict.fromkeys({hidden!r}))\n"
    with WrapperProcess(AGENTS / "many_sides", PYTHONPATH=at_start(tmp_path, code)) as wrapper:
        yield wrapper.ready()


def test_a_graph_answers_and_streams_without_the_extras_of_uvicorn(without_extras: WrapperProcess) -> None:
    assert without_extras.ask(do="echo", count=7)["output"]["result"] == 7
    assert without_extras.stream({"input": {"do": "echo"}})[-1]["type"] == "RUN_FINISHED"
    with without_extras.client.stream("POST", "/stream", json={"input": {"do": "sleep", "count": 600}}) as response:
        assert next(events_of(response))["type"] == "RUN_STARTED"
    without_extras.wait_until(lambda: without_extras.health()["in_flight"] == 0)


def test_a_request_for_a_websocket_is_refused_as_any_other(without_extras: WrapperProcess) -> None:
    headers = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Key": "x", "Sec-WebSocket-Version": "13"}
    response = without_extras.client.get("/invoke", headers=headers)
    assert (response.status_code, response.headers["Allow"]) == (405, "POST")
