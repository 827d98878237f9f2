from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from wrapper_process import AGENTS, WrapperProcess

# Unit tests load crewai in this process; it must not send telemetry from here either.
os.environ["CREWAI_DISABLE_TELEMETRY"] = "true"
os.environ["CREWAI_TRACING_ENABLED"] = "false"


@pytest.fixture(scope="session", autouse=True)
def wrapper_logs(tmp_path_factory: pytest.TempPathFactory) -> None:
    os.environ["WRAPPER_LOGS"] = str(tmp_path_factory.mktemp("wrapper-logs"))


@pytest.fixture(scope="module")
def many_sides() -> Iterator[WrapperProcess]:
    """One graph whose input selects its action; shared, because the import of langgraph takes a second."""
    with WrapperProcess(AGENTS / "many_sides", SVC_MAX_CONCURRENCY="4", SVC_MAX_QUEUE="4") as wrapper:
        yield wrapper.ready()


@pytest.fixture
def project(tmp_path: Path) -> Callable[[str], Path]:
    """A project folder with this text as its agent.py."""

    def write(agent_py: str) -> Path:
        (tmp_path / "agent.py").write_text(agent_py)
        return tmp_path

    return write
