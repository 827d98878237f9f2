"""Gives flows and crews the service's threads and memories, in place of files of the container.

A persistence or a storage that lasts elsewhere stays.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...agent import Answer, Call
from ...memory.door import Door
from ...memory.run_memory import RunMemory
from ...memory.run_to_end import run_to_end
from ...memory.sources import sources
from ..console import is_console
from ..memory import (
    PERSISTENCE,
    defined,
    feedback_of,
    is_in_container,
    is_in_service,
    marked,
    memories,
    persisted_states,
)
from ..source import is_flow_class
from .defaults import persistence, records
from .flow_thread import HeldStates

# In the project's code: the memory of a crew, an agent or a flow.
REMEMBERS = re.compile(r"memory|remember|recall", re.IGNORECASE)


Work = Callable[[RunMemory], Awaitable[tuple[Answer, "list[str] | None"]]]


@dataclass(frozen=True)
class Kept:
    """What of a crew or flow the service keeps."""

    # Steps of a flow whose states are kept.
    persists: bool = False
    # A step can wait for a person.
    waits: bool = False
    memories: bool = False

    @property
    def threads(self) -> bool:
        return self.persists or self.waits

    @property
    def needs_run(self) -> bool:
        return self.waits or self.memories

    @property
    def anything(self) -> bool:
        return self.threads or self.memories

    def notices(self) -> list[str]:
        what = [name for name, is_kept in (("threads", self.threads), ("memories", self.memories)) if is_kept]
        return [f"the service keeps the {' and the '.join(what)} of the agent"] if what else []


class CrewMemory:
    """For the crew or flow of the process."""

    def __init__(self, door: Door, app_folder: Path | None) -> None:
        self.door = door
        self.app_folder = app_folder

    def attach(self, exported: Any) -> Kept:
        remembers = replace_storages(exported) or self._names_memory()
        if not is_flow_class(type(exported)):
            return Kept(memories=remembers)
        states = [storage for _, storage in persisted_states(exported)]
        if any(not is_in_container(storage) and not is_in_service(storage) for storage in states):
            return Kept(memories=remembers)
        replace_persistence(exported)
        return Kept(persists=bool(states), waits=bool(feedback_of(exported)), memories=remembers)

    async def answer(self, call: Call, kept: Kept, work: Work) -> Answer:
        """The work in the memory of its run. Everything is stored before this returns or raises."""
        held = None if call.names_thread or not kept.threads else HeldStates()
        run = RunMemory(self.door, token=call.run.token or "", thread_id=call.thread_id, held=held)
        return await run_to_end(call, run, lambda: work(run))

    def _names_memory(self) -> bool:
        return any(REMEMBERS.search(text) for text in sources(self.app_folder)) if self.app_folder else False


def replace_storages(exported: Any) -> bool:
    """True when the exported crew, agent or flow has a memory that the service keeps.

    crewai makes a memory for each flow, used or not, so that says nothing.
    """
    found = [memory for _, memory in memories(exported) if hasattr(memory, "_storage")]
    for memory in found:
        if is_in_container(memory._storage):
            memory._storage = records
    return not is_flow_class(type(exported)) and any(is_in_service(memory._storage) for memory in found)


def replace_persistence(flow: Any) -> None:
    """Of the flow's class too: each call makes a flow of it."""
    for config in (*marked(flow, PERSISTENCE), *defined(flow, "persist")):
        if not is_in_service(config.persistence):
            config.persistence = persistence()
    if getattr(flow, "persistence", None) is not None and is_in_container(flow.persistence):
        flow.persistence = persistence()
        # What it has made from the definition before.
        getattr(flow, "_persist_backends", {}).clear()
    for feedback in feedback_of(flow):
        # A container has no console. Without a provider the service asks.
        if is_console(feedback.provider):
            feedback.provider = None
