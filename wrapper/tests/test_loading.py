from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from wrapper_process import WRAPPER_FOLDER, WrapperProcess

Project = Callable[[str], Path]

GRAPH = """
from langgraph.graph import START, StateGraph
from typing_extensions import TypedDict

class State(TypedDict):
    topic: str

def node(state): return {"topic": state["topic"].upper()}

def build():
    builder = StateGraph(State)
    builder.add_node(node)
    builder.add_edge(START, "node")
    return builder
"""


def failure(folder: Path, framework: str = "langgraph", environment: dict[str, str] | None = None) -> dict[str, Any]:
    """Starts in this folder and returns the reason in /ready."""
    with WrapperProcess(folder, framework, **(environment or {})) as wrapper:
        wrapper.wait_until(lambda: wrapper.health()["status"] == "failed")
        ready = wrapper.client.get("/ready")
        assert ready.status_code == 503
        invoke = wrapper.invoke({"input": {}})
        assert (invoke.status_code, invoke.json()["code"]) == (503, "agent_not_loaded")
        assert int(invoke.headers["retry-after"]) > 0
        return ready.json()["reason"]


def test_a_ready_agent_describes_itself(project: Project) -> None:
    with WrapperProcess(project(GRAPH + "graph = build().compile()"), SVC_AGENT_NAME="shout", SVC_REVISION="r1") as it:
        ready = it.ready().client.get("/ready").json()
        assert {key: ready[key] for key in ("status", "framework", "export", "kind")} == {
            "status": "ready",
            "framework": "langgraph",
            "export": "graph",
            "kind": "graph",
        }
        assert ready["input_schema"]["properties"] == {"topic": {"title": "Topic", "type": "string"}}
        health = it.health()
        assert (health["agent"], health["version"], health["revision"]) == ("shout", "0.0.0", "r1")
        assert health["uptime_seconds"] > 0
        assert it.ask(topic="tea")["output"] == {"topic": "TEA"}


def test_the_second_name_serves_when_the_first_has_another_type(project: Project) -> None:
    with WrapperProcess(project(GRAPH + "graph = build()\napp = build().compile()")) as wrapper:
        assert wrapper.ready().client.get("/ready").json()["export"] == "app"


def test_typing_typed_dicts_work_on_every_python(project: Project) -> None:
    agent_py = GRAPH.replace("typing_extensions", "typing") + "graph = build().compile()"
    with WrapperProcess(project(agent_py)) as wrapper:
        schema = wrapper.ready().client.get("/ready").json()["input_schema"]
        assert schema["properties"]["topic"]["type"] == "string"
        assert wrapper.ask(topic="tea")["output"] == {"topic": "TEA"}


def test_module_level_code_may_use_an_event_loop(project: Project) -> None:
    prepare = (
        "import asyncio\nasyncio.get_event_loop().run_until_complete(asyncio.sleep(0))\nasyncio.run(asyncio.sleep(0))"
    )
    with WrapperProcess(project(GRAPH + prepare + "\ngraph = build().compile()")) as wrapper:
        assert wrapper.ready().ask(topic="tea")["output"] == {"topic": "TEA"}


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    assert failure(tmp_path)["code"] == "missing_file"


@pytest.mark.parametrize(
    ("framework", "sentence"),
    [
        ("langgraph", "No 'graph' or 'app' variable found"),
        ("crewai", "No 'crew' or 'agent' variable found"),
    ],
)
def test_a_missing_export_gets_the_sentence_of_the_spec(project: Project, framework: str, sentence: str) -> None:
    folder = project("def build():\n    graph = crew = 1\n")
    assert failure(folder, framework) == {"code": "missing_export", "message": sentence}


@pytest.mark.parametrize(
    ("framework", "agent_py", "says"),
    [
        ("langgraph", GRAPH + "graph = build()", "is a StateGraph that is not compiled"),
        ("langgraph", "graph = 3", "is an int, not a compiled graph"),
        ("crewai", "class crew:\n    def kickoff(self): pass", "is the class crew, not an instance"),
    ],
)
def test_a_wrong_export_is_reported_with_its_type(project: Project, framework: str, agent_py: str, says: str) -> None:
    reason = failure(project(agent_py), framework)
    assert reason["code"] == "wrong_export"
    assert says in reason["message"]


def test_an_import_error_has_the_users_traceback(project: Project) -> None:
    folder = project("def go():\n    import no_such_package\n\ngo()\n")
    reason = failure(folder)
    assert reason["code"] == "import_error"
    assert "No module named 'no_such_package'" in reason["message"]
    assert reason["traceback"].splitlines()[1].endswith('agent.py", line 4, in <module>')


def test_an_import_error_without_a_utf8_text_is_still_the_reason(project: Project) -> None:
    reason = failure(project("raise ValueError('half a character: \\ud800')"))
    assert reason["code"] == "import_error"
    assert reason["message"].endswith("half a character: \ud800")


def test_an_agent_is_ready_although_its_schema_has_no_json_form(project: Project) -> None:
    field = "topic: Annotated[float, Field(json_schema_extra={'example': float('nan'), 'half': '\\ud800'})]"
    agent_py = "from typing import Annotated\nfrom pydantic import Field\n" + GRAPH.replace("topic: str", field)
    with WrapperProcess(project(agent_py + "graph = build().compile()")) as wrapper:
        ready = wrapper.ready().client.get("/ready")
        assert ready.status_code == 200
        assert ready.json()["input_schema"]["properties"]["topic"]["half"] == "\ud800"


@pytest.mark.parametrize("agent_py", ["graph = (", "import sys\nsys.exit(2)", "raise KeyboardInterrupt"])
def test_code_that_cannot_be_imported_fails_only_the_start(project: Project, agent_py: str) -> None:
    assert failure(project(agent_py))["code"] == "import_error"


@pytest.mark.parametrize(
    "agent_py",
    [
        "import os\nkey = os.environ['WEATHER_API_KEY']",
        "raise ValueError('set the WEATHER_API_KEY environment variable')",
    ],
)
def test_missing_environment_is_named(project: Project, agent_py: str) -> None:
    assert failure(project(agent_py))["missing_env"] == ["WEATHER_API_KEY"]


def test_the_missing_key_of_a_model_client_is_named(project: Project) -> None:
    folder = project("from langchain_openai import ChatOpenAI\nmodel = ChatOpenAI(model='gpt-4o-mini')")
    assert "OPENAI_API_KEY" in failure(folder)["missing_env"]


def test_a_hanging_import_stays_in_starting_and_can_be_stopped(project: Project) -> None:
    with WrapperProcess(project("import time\ntime.sleep(600)")) as wrapper:
        assert wrapper.health()["status"] == "starting"
        assert wrapper.client.get("/ready").status_code == 503
        assert wrapper.invoke({"input": {}}).headers["Retry-After"]
        wrapper.process.terminate()
        assert wrapper.exit_code() == 0


def test_the_users_files_do_not_replace_the_wrappers_own(project: Project) -> None:
    """The server imports these names as well; the user's import still finds the user's files."""
    folder = project(GRAPH + "import server, encode\nassert server.mine and encode.mine\ngraph = build().compile()")
    for name in ("server", "encode", "fastapi", "uvicorn", "logging", "json"):
        (folder / f"{name}.py").write_text("mine = True")
    with WrapperProcess(folder) as wrapper:
        assert wrapper.ready().ask(topic="tea")["output"] == {"topic": "TEA"}


def test_the_servers_own_packages_come_after_the_users(project: Project, tmp_path: Path) -> None:
    own = tmp_path / "opt" / "svc-packages"
    own.mkdir(parents=True)
    (own / "only_here.py").write_text("")
    (own / "typing_extensions.py").write_text("raise ImportError('not the version of the user')")
    shutil.copytree(WRAPPER_FOLDER / "_svc_wrapper", tmp_path / "opt" / "svc" / "_svc_wrapper")
    folder = project(GRAPH + "import only_here\ngraph = build().compile()")
    with WrapperProcess(folder, PYTHONPATH=str(tmp_path / "opt" / "svc")) as wrapper:
        assert wrapper.ready().ask(topic="tea")["output"] == {"topic": "TEA"}


def test_no_file_is_written_beside_the_users_code(project: Project) -> None:
    folder = project(GRAPH + "import side\ngraph = build().compile()")
    (folder / "side.py").write_text("")
    with WrapperProcess(folder) as wrapper:
        wrapper.ready().ask(topic="tea")
    assert sorted(path.name for path in folder.iterdir()) == ["agent.py", "side.py"]


@pytest.mark.parametrize(
    ("environment", "says"),
    [
        ({"SVC_FRAMEWORK": "autogen", "SVC_MAX_QUEUE": "-1"}, ["SVC_FRAMEWORK", "SVC_MAX_QUEUE"]),
        ({"SVC_INGRESS_SECRET_FILE": "/nowhere"}, ["the secret file"]),
        ({"SVC_INGRESS_SECRET": " "}, ["secret is empty"]),
    ],
)
def test_a_server_that_cannot_start_reports_every_fault(
    project: Project, environment: dict[str, str], says: list[str]
) -> None:
    wrapper = WrapperProcess(project(""), **environment)
    assert wrapper.exit_code() == 1
    assert all(text in wrapper.log() for text in says), wrapper.log()
