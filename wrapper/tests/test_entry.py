"""Projects as people lay them out: the entry is a file anywhere, imported under its own dotted name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from wrapper_process import WrapperProcess

# Says in each answer what the modules are that served it.
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
        # As langchain's templates do it: the package imports the entry before the wrapper asks for it.
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
