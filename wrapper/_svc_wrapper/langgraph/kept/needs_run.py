"""Decides if each call of an agent needs its row in the service before it begins.

Without a row the run's token opens nothing at the service. A call without a thread needs it to use the store, and to
be kept when it waits for a person. The question is generous: a needless row costs little, and a missing one fails.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

WORDS = re.compile(r"store|interrupt|humanintheloop", re.IGNORECASE)
# Packages, and what no import reads.
LEFT_OUT = {"site-packages", "dist-packages", "node_modules", "__pycache__"}
# langgraph's own nodes pass a store on in any case.
LIBRARIES = ("langgraph.", "langchain")


def needs_run(graph: Any, app_folder: Path | None) -> bool:
    """Also true for a graph with breakpoints, because each of its calls can wait."""
    if getattr(graph, "interrupt_before_nodes", None) or getattr(graph, "interrupt_after_nodes", None):
        return True
    if any(names_it(node) for node in getattr(graph, "nodes", {}).values()):
        return True
    return app_folder is not None and any(WORDS.search(text) for text in sources(app_folder))


def names_it(node: Any) -> bool:
    bound = getattr(node, "bound", None)
    if any(names_it(inner) for inner in getattr(bound, "nodes", {}).values()):
        return True
    functions = (getattr(bound, "func", None), getattr(bound, "afunc", None))
    own = [function for function in functions if not str(getattr(function, "__module__", "")).startswith(LIBRARIES)]
    codes = [code for function in own if (code := getattr(function, "__code__", None))]
    return any(WORDS.search(" ".join((*code.co_names, *code.co_varnames, *code.co_freevars))) for code in codes)


def sources(folder: Path) -> Iterator[str]:
    for at, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name not in LEFT_OUT and not is_environment(Path(at) / name)]
        for name in files:
            if name.endswith(".py"):
                yield (Path(at) / name).read_text(encoding="utf-8", errors="replace")


def is_environment(folder: Path) -> bool:
    return (folder / "pyvenv.cfg").is_file()
