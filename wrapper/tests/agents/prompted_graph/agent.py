"""A graph that reads its prompts from files, at its import."""

import os
from pathlib import Path

from langgraph.graph import START, StateGraph
from typing_extensions import TypedDict

folder = Path(os.environ["SVC_PROMPTS_DIR"])
files = {path.name: path.read_bytes().decode() for path in folder.iterdir()}


class State(TypedDict, total=False):
    files: dict


builder = StateGraph(State)
builder.add_node("read", lambda state: {"files": files})
builder.add_edge(START, "read")
graph = builder.compile()
