"""Decides if each call of an agent needs its row in the service before it begins.

Without a row the run's token opens nothing at the service. A call without a thread needs it to use the store, and to
be kept when it waits for a person. The question is generous: a needless row costs little, and a missing one fails.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...memory.sources import sources

STORES = re.compile(r"store", re.IGNORECASE)
WAITS = re.compile(r"interrupt|humanintheloop", re.IGNORECASE)
# langgraph's own nodes pass a store on in any case.
LIBRARIES = ("langgraph.", "langchain")


@dataclass(frozen=True)
class Uses:
    """What a graph may do beside its steps."""

    store: bool
    # For a person.
    waiting: bool

    @property
    def needs_run(self) -> bool:
        return self.store or self.waiting


def read_uses(graph: Any, app_folder: Path | None) -> Uses:
    texts = [*names_in(graph), *(sources(app_folder) if app_folder else ())]
    has_breakpoints = getattr(graph, "interrupt_before_nodes", None) or getattr(graph, "interrupt_after_nodes", None)
    return Uses(
        store=any(STORES.search(text) for text in texts),
        waiting=bool(has_breakpoints) or any(WAITS.search(text) for text in texts),
    )


def names_in(graph: Any) -> Iterator[str]:
    """The names in the code of its nodes, also of those of a package."""
    for node in getattr(graph, "nodes", {}).values():
        bound = getattr(node, "bound", None)
        yield from names_in(bound)
        functions = (getattr(bound, "func", None), getattr(bound, "afunc", None))
        own = [one for one in functions if not str(getattr(one, "__module__", "")).startswith(LIBRARIES)]
        for code in (code for one in own if (code := getattr(one, "__code__", None))):
            yield " ".join((*code.co_names, *code.co_varnames, *code.co_freevars))
