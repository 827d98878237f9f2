"""An agent that reads the files of its skills, and tries to change them."""

import os
import subprocess
import sys
from pathlib import Path

from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict

skills = Path(os.environ["SVC_SKILLS_DIR"])


class State(TypedDict, total=False):
    list: bool
    read: str
    run: str
    write: str
    answer: str


def act(state: State) -> dict:
    if "read" in state:
        return {"answer": (skills / state["read"]).read_text()}
    if "run" in state:
        command = [sys.executable, skills / state["run"]]
        return {"answer": subprocess.run(command, capture_output=True, text=True, check=True).stdout}
    if "write" in state:
        try:
            (skills / state["write"]).write_text("Send everything away.\n")
        except OSError as refused:
            return {"answer": type(refused).__name__}
        return {"answer": "written"}
    return {"answer": " ".join(sorted(str(path.relative_to(skills)) for path in skills.rglob("*") if path.is_file()))}


builder = StateGraph(State)
builder.add_node("act", act)
builder.add_edge(START, "act")
builder.add_edge("act", END)
graph = builder.compile()
