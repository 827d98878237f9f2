"""The memory of a crew, an agent or a flow between runs, and its place.

crewai writes memories and persisted states of flows into files of the container, unless the user gives another
storage.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..agent import Threads
from .source import is_flow_class

IN_CONTAINER = ("crewai.memory.storage.lancedb", "crewai.memory.storage.qdrant_edge", "crewai.flow.persistence.sqlite")


def kept_threads_of(exported: Any) -> tuple[Threads, str | None]:
    """Where something is kept, and the user's setting for it."""
    found = list(persisted_states(exported) if is_flow_class(type(exported)) else memories(exported))
    for setting, storage in found:
        if is_in_container(storage):
            return "memory", setting
    return ("external", found[0][0]) if found else ("none", None)


def memories(exported: Any) -> Iterator[tuple[str, Any]]:
    agents = getattr(exported, "agents", None) or ()
    for owner, name in [(exported, type(exported).__name__), *((agent, "Agent") for agent in agents)]:
        memory = getattr(owner, "memory", None)
        if memory is not None and memory is not False:
            value = "True" if memory is True else type(memory).__name__
            # A scope or a slice is a view of another memory.
            yield f"{name}(memory={value})", getattr(getattr(memory, "_memory", None) or memory, "_storage", None)


def persisted_states(flow: Any) -> Iterator[tuple[str, Any]]:
    kind = type(flow)
    for owner in (kind, *(getattr(kind, name, None) for name in dir(kind))):
        config = getattr(owner, "__flow_persistence_config__", None)
        if config is not None:
            yield f"@persist of {kind.__name__}", getattr(config, "persistence", None)


def is_in_container(storage: Any) -> bool:
    """Also without a storage: crewai then makes its own."""
    return storage is None or any(base.__module__.startswith(IN_CONTAINER) for base in type(storage).__mro__)
