"""The memory of a crew, an agent or a flow between runs, and its place.

crewai writes memories and persisted states of flows into files of the container, unless the user gives another
storage. Where the service keeps them, the wrapper has given its own (kept/).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..agent import Threads
from .source import is_flow_class

IN_CONTAINER = ("crewai.memory.storage.lancedb", "crewai.memory.storage.qdrant_edge", "crewai.flow.persistence.sqlite")
FEEDBACK = "__human_feedback_config__"
PERSISTENCE = "__flow_persistence_config__"
IN_SERVICE = f"{__package__}.kept."


def kept_threads_of(exported: Any) -> tuple[Threads, str | None]:
    """Where something is kept that the service does not keep, and the user's setting for it."""
    found = [place for place in places_of(exported) if not is_in_service(place[1])]
    for setting, storage in found:
        if is_in_container(storage):
            return "memory", setting
    return ("external", found[0][0]) if found else ("none", None)


def places_of(exported: Any) -> list[tuple[str, Any]]:
    if is_flow_class(type(exported)):
        return list(persisted_states(exported))
    return [(setting, storage_of(memory)) for setting, memory in memories(exported)]


def memories(exported: Any) -> Iterator[tuple[str, Any]]:
    """Each with the user's setting for it. None for one that crewai makes later."""
    agents = getattr(exported, "agents", None) or ()
    for owner, name in [(exported, type(exported).__name__), *((agent, "Agent") for agent in agents)]:
        memory = getattr(owner, "memory", None)
        if memory is not None and memory is not False:
            value = "True" if memory is True else type(memory).__name__
            made = getattr(owner, "_memory", None) if memory is True else memory
            # A scope or a slice is a view of another memory.
            yield f"{name}(memory={value})", getattr(made, "_memory", None) or made


def storage_of(memory: Any) -> Any:
    return getattr(memory, "_storage", None)


def persisted_states(flow: Any) -> Iterator[tuple[str, Any]]:
    for config in (*marked(flow, PERSISTENCE), *defined(flow, "persist")):
        yield f"@persist of {type(flow).__name__}", getattr(config, "persistence", None)


def feedback_of(flow: Any) -> list[Any]:
    """The questions of its steps to a person."""
    return [*marked(flow, FEEDBACK), *defined(flow, "human_feedback")]


def marked(flow: Any, mark: str) -> Iterator[Any]:
    """What a decorator of crewai has left at the class of a flow, and at its steps."""
    kind = type(flow)
    for owner in (kind, *(getattr(kind, name, None) for name in dir(kind))):
        config = getattr(owner, mark, None)
        if config is not None:
            yield config


def defined(flow: Any, name: str) -> list[Any]:
    """What the definition of a flow has, and its steps. crewai makes it from the marks since 1.14, or reads it."""
    definition = getattr(flow, "_definition", None)
    steps = getattr(definition, "methods", {}).values()
    found = (getattr(of, name, None) for of in (definition, *steps))
    return [one for one in found if one is not None and getattr(one, "enabled", True)]


def is_in_container(storage: Any) -> bool:
    """Also without a storage: crewai then makes its own."""
    if isinstance(storage, dict):
        # As a definition names it.
        return storage.get("persistence_type") == "SQLiteFlowPersistence"
    return storage is None or any(base.__module__.startswith(IN_CONTAINER) for base in type(storage).__mro__)


def is_in_service(storage: Any) -> bool:
    return type(storage).__module__.startswith(IN_SERVICE)
