"""Gives a graph the service's threads and store, in place of none or of those that end with the container.

A checkpointer or a store that lasts elsewhere stays, and `checkpointer=False` stays without threads. The graph itself
is changed, because the user's code can name it too (`graph.get_state(...)`).
"""

from __future__ import annotations

import inspect
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ... import log
from ...agent import Answer, Call, JsonObject
from ...memory.door import Door
from ...memory.run_memory import WITH_A_THREAD, RunMemory
from ...memory.run_to_end import run_to_end
from ...memory.unreadable import unreadable
from ...problems import Problem
from ..memory import is_in_container
from .held_thread import HeldThread
from .needs_run import Uses, read_uses
from .saver import ServiceSaver
from .server_runtime import server_runtime
from .state_types import serializer
from .store import ServiceStore
from .store_settings import read_store_settings

# langgraph's name for the saver that a config lends to a graph.
SAVER = "__pregel_checkpointer"
BRANCH = "branch:to:"
TASKS = "__pregel_tasks"
# Between two trials to serialise the state of a call without a thread, because one costs as much as a step.
TRIAL_SECONDS = 300.0

SEEDED = "the items that the code has put into its {store} are not in the store of the service"


@dataclass(frozen=True)
class Kept:
    """What of a graph the service keeps."""

    threads: bool = False
    store: bool = False
    # True when the graph came without a checkpointer.
    is_bare: bool = False
    # For people.
    notices: tuple[str, ...] = ()

    @property
    def anything(self) -> bool:
        return self.threads or self.store


class ServiceMemory:
    """For all graphs of the process."""

    def __init__(self, door: Door, app_folder: Path | None) -> None:
        self.door = door
        self.app_folder = app_folder
        self.serde = serializer()
        settings = read_store_settings(app_folder)
        self.threads_kept_seconds = settings.threads_kept_seconds
        self.store = ServiceStore(settings)
        self.next_trial = 0.0

    def attach(self, graph: Any) -> Kept:
        from langgraph.pregel import Pregel

        if not isinstance(graph, Pregel):
            return Kept()
        checkpointer, store = graph.checkpointer, graph.store
        has_ours = isinstance(checkpointer, ServiceSaver)
        keeps_threads = has_ours or is_replaced(checkpointer)
        keeps_store = store is None or isinstance(store, ServiceStore) or is_in_container(store)
        if keeps_threads and not has_ours:
            graph.checkpointer = self._saver(graph)
        if keeps_store:
            graph.store = self.store
        return Kept(
            keeps_threads,
            keeps_store,
            is_bare=checkpointer is None,
            notices=notices_of(keeps_threads, keeps_store, store),
        )

    def runtime(self, config: JsonObject, *, for_execution: bool) -> Any:
        return server_runtime(self.store, config, for_execution=for_execution)

    def uses(self, graph: Any) -> Uses:
        return read_uses(graph, self.app_folder)

    def told(self, uses: Uses) -> JsonObject:
        """What the service has to know about the memory of the agent."""
        kept = {} if self.threads_kept_seconds is None else {"threads_kept_seconds": self.threads_kept_seconds}
        return {"needs_run": uses.needs_run, **kept}

    def _saver(self, graph: Any) -> Any:
        saver = ServiceSaver(serde=self.serde, visible=visible_channels(graph))
        types = getattr(graph, "_serde_allowlist", None)
        return saver.with_allowlist(types) if types else saver

    async def answer(self, call: Call, kept: Kept, work: Callable[[RunMemory], Any]) -> Answer:
        """The work in the memory of its run. Everything is stored before this returns or raises."""
        held = None if call.names_thread or not kept.threads else HeldThread()
        run = RunMemory(self.door, token=call.run.token or "", thread_id=call.thread_id, held=held)
        answer = await run_to_end(call, run, lambda: work(run))
        if held is not None and not answer.interrupts:
            self._try_state(held)
        return answer

    def _try_state(self, held: HeldThread) -> None:
        """Says when a call with a thread would fail. This call is not concerned."""
        now = time.monotonic()
        write = held.last_state() if now >= self.next_trial else None
        if write is None:
            return
        self.next_trial = now + TRIAL_SECONDS

        def attempt() -> None:
            try:
                write()
            except Problem as problem:
                log.warning("notice", message=f"a call with a thread_id would fail: {problem.detail}")

        threading.Thread(target=attempt, name="svc-state-check", daemon=True).start()


def notices_of(threads: bool, store: bool, replaced: Any) -> tuple[str, ...]:
    what = [name for name, is_kept in (("threads", threads), ("store", store)) if is_kept]
    notices = [f"the service keeps the {' and the '.join(what)} of the agent"] if what else []
    # langgraph's own store in memory has its items there.
    if store and getattr(replaced, "_data", None):
        notices.append(SEEDED.format(store=type(replaced).__name__))
    return tuple(notices)


def is_replaced(checkpointer: Any) -> bool:
    """None and savers of the container. `False` is the user's word for no threads."""
    return checkpointer is None or (not isinstance(checkpointer, bool) and is_in_container(checkpointer))


def visible_channels(graph: Any) -> frozenset[str]:
    """Those that the graph streams or answers with."""
    named: set[str] = set()
    for channels in (getattr(graph, "stream_channels", None), getattr(graph, "output_channels", None)):
        named |= {channels} if isinstance(channels, str) else set(channels or ())
    streamed = named or set(getattr(graph, "channels", {}))
    return frozenset(name for name in streamed if not name.startswith(("__", "branch:")))


def without_saver(config: JsonObject) -> JsonObject:
    """For a call whose checkpoints nobody needs. It then costs what it costs without a checkpointer."""
    return {**config, "configurable": {**config["configurable"], SAVER: None}}


def not_kept(thread_id: str) -> Problem:
    return Problem(
        "thread_not_stored",
        f"run {thread_id} waits for a person, and nothing in the project's code says that it can",
        hint=WITH_A_THREAD,
    )


def durability_arguments(graph: Any, durability: str) -> JsonObject:
    """For astream. With "exit", a run whose steps nobody needs later writes one checkpoint at its end."""
    known = inspect.signature(graph.astream).parameters
    if "durability" in known:
        return {"durability": durability}
    return {"checkpoint_during": durability != "exit"} if "checkpoint_during" in known else {}


async def check_nodes(graph: Any, config: JsonObject, thread_id: str) -> None:
    """langgraph ignores a node that the graph no longer has, and the thread would look as if it had ended."""
    saved = await graph.checkpointer.aget_tuple(config)
    values = saved.checkpoint["channel_values"] if saved else {}
    named = [name.removeprefix(BRANCH) for name in values if name.startswith(BRANCH)]
    named += [str(getattr(send, "node", "")) for send in values.get(TASKS) or ()]
    gone = sorted({name for name in named if name and name not in graph.nodes})
    if gone:
        raise unreadable(thread_id, f"it goes on at node '{gone[0]}', which the graph does not have")
