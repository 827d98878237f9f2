"""Common layouts of projects: the entry is a file anywhere, imported under its dotted name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from _svc_wrapper.settings.own_secrets import OwnSecrets
from _svc_wrapper.settings.settings import SettingsError, read_settings
from test_loading import failure
from wrapper_process import WRAPPER_FOLDER, WrapperProcess

# Each answer names the modules that served it.
TELL = """
from langgraph.graph import START, StateGraph
from typing_extensions import TypedDict

class State(TypedDict, total=False):
    said: dict

def compiled(tell):
    builder = StateGraph(State)
    builder.add_node("tell", lambda state: {"said": tell()})
    builder.add_edge(START, "tell")
    return builder.compile()
"""


def write(folder: Path, **files: str) -> Path:
    """`src__x__graph="..."` is src/x/graph.py; `__init__` keeps its name."""
    for name, text in files.items():
        path = folder / (
            name.replace("__init__", "//init//").replace("__", "/").replace("//init//", "__init__") + ".py"
        )
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def entry(file: str, name: str, module: str, roots: str = ".") -> dict[str, str]:
    return {"SVC_ENTRY_FILE": file, "SVC_ENTRY_NAME": name, "SVC_ENTRY_MODULE": module, "SVC_SOURCE_ROOTS": roots}


def said(folder: Path, environment: dict[str, str]) -> dict[str, Any]:
    with WrapperProcess(folder, **environment) as wrapper:
        return wrapper.ready().invoke({"input": {"said": {}}}).json()["output"]["said"]


PACKAGE_ENTRY = """
import sys
from .state import compiled
from ..tools import word as relative
from team.tools import word as absolute
import team.react.graph as myself

def tell():
    again = [name for name, module in sys.modules.items() if getattr(module, "__file__", None) == __file__]
    return {"name": __name__, "same": relative is absolute, "once": again, "myself": myself.tell is tell,
            "package": __package__, "main": MAIN}

MAIN = False
if __name__ == "__main__":
    MAIN = True

graph = compiled(tell)
"""


@pytest.mark.parametrize(("root", "has_init"), [("src", True), (".", False)], ids=["packages", "namespace packages"])
def test_a_module_of_a_package_is_loaded_once_under_its_own_name(tmp_path: Path, root: str, has_init: bool) -> None:
    begin = tmp_path / root
    write(begin, team__react__graph=PACKAGE_ENTRY, team__react__state=TELL, team__tools="word = object()")
    if has_init:
        # As in langchain's templates: the package imports the entry before the wrapper does.
        write(begin, team____init__="", team__react____init__="from team.react.graph import graph")
    file = "src/team/react/graph.py" if root == "src" else "team/react/graph.py"
    assert said(tmp_path, entry(file, "graph", "team.react.graph", root)) == {
        "name": "team.react.graph",
        "package": "team.react",
        "same": True,
        "once": ["team.react.graph"],
        "myself": True,
        "main": False,
    }


def test_a_root_module_and_a_package_of_one_name_are_separate(tmp_path: Path) -> None:
    root_agent = """
import sys
from helper import of_package
from state import compiled

def tell():
    return {"name": __name__, "package": of_package, "cwd": open("settings.txt").read()}

graph = compiled(tell)
"""
    write(tmp_path, agent=root_agent, state=TELL, helper="from agent.words import of_package")
    write(tmp_path, agent____init__="", agent__words="of_package = 'agent/words.py'")
    (tmp_path / "settings.txt").write_text("from the app folder")
    assert said(tmp_path, entry("agent.py", "graph", "_svc_entry")) == {
        "name": "_svc_entry",
        "package": "agent/words.py",
        "cwd": "from the app folder",
    }


def test_the_modules_of_a_root_agent_import_the_agent_and_its_folders(tmp_path: Path) -> None:
    """As with `python agent.py`, a module of the project wins over an installed one of its name."""
    agent = """
from state import compiled
import helper

def tell():
    return {"same": helper.agent.tell is tell, "shout": helper.shout("tea"), "mine": helper.mine}

graph = compiled(tell)
"""
    write(tmp_path, agent=agent, state=TELL, tools__shout="def shout(text): return text.upper()")
    helper = "import agent\nfrom tools.shout import shout\nfrom yaml import mine"
    write(tmp_path, helper=helper, yaml____init__="mine = 'yaml/__init__.py'")
    assert said(tmp_path, {}) == {"same": True, "shout": "TEA", "mine": "yaml/__init__.py"}


def test_a_folder_without_init_wins_over_an_installed_package_of_its_name(tmp_path: Path) -> None:
    graph = "from .state import compiled\ngraph = compiled(lambda: {'name': __name__, 'file': __file__})"
    write(tmp_path, tools__graph=graph, tools__state=TELL)
    installed = tmp_path / "installed"
    write(installed, tools____init__="raise RuntimeError('the installed one')")
    environment = {**entry("tools/graph.py", "graph", "tools.graph"), "PYTHONPATH": f"{WRAPPER_FOLDER}:{installed}"}
    assert said(tmp_path, environment) == {"name": "tools.graph", "file": str(tmp_path / "tools" / "graph.py")}


def test_the_traceback_of_a_fault_in_a_package_starts_in_the_users_code(tmp_path: Path) -> None:
    write(tmp_path, src__team____init__="", src__team__state="import no_such_package")
    write(tmp_path, src__team__graph="from .state import State")
    reason = failure(tmp_path, environment=entry("src/team/graph.py", "graph", "team.graph", "src:."))
    assert reason["code"] == "import_error"
    assert reason["message"].startswith("src/team/graph.py could not be imported: ModuleNotFoundError")
    assert reason["traceback"].splitlines()[1].endswith('src/team/graph.py", line 1, in <module>')


def test_a_missing_name_is_reported_with_the_existing_ones(tmp_path: Path) -> None:
    write(tmp_path, flows__graph=TELL + "chatbot = compiled(dict)")
    reason = failure(tmp_path, environment=entry("flows/graph.py", "graph", "flows.graph"))
    assert reason == {"code": "missing_export", "message": "No 'graph' found in flows/graph.py; it has 'chatbot'"}


def test_a_failing_factory_is_reported_with_its_traceback_and_the_missing_variable(tmp_path: Path) -> None:
    write(tmp_path, graph="import os\n\nasync def make_graph(config):\n    return os.environ['WEATHER_API_KEY']\n")
    reason = failure(tmp_path, environment=entry("graph.py", "make_graph", "graph"))
    assert reason["code"] == "entrypoint_error"
    assert reason["message"].startswith("'make_graph' of graph.py could not be made: KeyError")
    assert reason["missing_env"] == ["WEATHER_API_KEY"]
    assert reason["traceback"].splitlines()[1].endswith('graph.py", line 4, in make_graph')


def test_a_missing_entry_is_named(tmp_path: Path) -> None:
    reason = failure(tmp_path, environment=entry("src/graph.py", "graph", "graph", "src"))
    assert reason == {"code": "missing_file", "message": "src/graph.py is not in the project"}


def test_a_factory_and_a_context_work_over_http(tmp_path: Path) -> None:
    """The names in agent.py accept only a compiled graph; an entrypoint also accepts a factory."""
    agent = (
        TELL.replace("StateGraph(State)", "StateGraph(State, context_schema=Context)")
        + """
from dataclasses import dataclass
from langgraph.runtime import get_runtime

@dataclass
class Context:
    user_id: str
    model: str = "small"

async def make_graph(config):
    return compiled(lambda: vars(get_runtime(Context).context))
"""
    )
    write(tmp_path, agent=agent)
    with WrapperProcess(tmp_path, **entry("agent.py", "make_graph", "agent")) as wrapper:
        ready = wrapper.ready().client.get("/ready").json()
        assert (ready["export"], ready["threads"], ready["notices"]) == ("make_graph", "none", [])
        assert ready["context_schema"]["required"] == ["user_id"]
        answer = wrapper.invoke({"input": {"said": {}}, "context": {"user_id": "ada"}})
        assert answer.json()["output"]["said"] == {"user_id": "ada", "model": "small"}
        refused = wrapper.invoke({"input": {"said": {}}})
        assert (refused.status_code, refused.json()["code"]) == (422, "invalid_input")
        assert refused.json()["errors"] == [{"pointer": "/context/user_id", "detail": "'user_id' is required"}]


@pytest.mark.parametrize(
    ("environment", "says"),
    [
        ({"SVC_ENTRY_FILE": "../agent.py"}, "SVC_ENTRY_FILE must be a path inside the app folder"),
        ({"SVC_SOURCE_ROOTS": "src::."}, "SVC_SOURCE_ROOTS must be a path inside the app folder"),
        ({"SVC_ENTRY_MODULE": "a..b"}, "SVC_ENTRY_MODULE must be a module's dotted name"),
    ],
)
def test_settings_outside_the_project_are_refused(environment: dict[str, str], says: str) -> None:
    with pytest.raises(SettingsError, match=says):
        read_settings(
            {"SVC_FRAMEWORK": "langgraph", **environment}, own=OwnSecrets(None, None), app_folder=Path("/app")
        )
