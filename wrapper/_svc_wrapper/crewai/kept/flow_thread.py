"""The thread of one call of a flow, as crewai's persistence sees it.

crewai names a state by the flow's id. The state of the exported flow is that of the thread. A flow that its code starts
has its state beside it, in the thread too.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Any

from ... import log
from ...agent import JsonObject
from ...agent_error import masked_start
from ...memory.outbox import Row
from ...memory.run_memory import NoRun, RunMemory
from ...memory.unreadable import unreadable
from ...problems import Problem
from .state_form import MAX_REASON, StoredState, next_state, read_newest, row_of

current: ContextVar[FlowThread | None] = ContextVar("svc_flow_thread", default=None)


def the_thread() -> FlowThread:
    thread = current.get()
    if thread is None:
        raise NoRun("states of flows belong to the caller of a run, and this code runs outside a call")
    return thread


class HeldStates:
    """The last states of a call without a thread. They are sent only when the call waits for a person."""

    def __init__(self) -> None:
        # By namespace: the state and its step, or the reason why it has no stored form.
        self.by_ns: dict[str, tuple[StoredState, str] | Problem] = {}

    def rows(self) -> tuple[list[Row], list[Row]]:
        rows: list[Row] = []
        for ns, kept in self.by_ns.items():
            if isinstance(kept, Problem):
                raise kept
            rows.append(row_of(ns, kept[0], None, kept[1]))
        return rows, []


class FlowThread:
    """For any thread of the process: crewai saves from several."""

    def __init__(self, run: RunMemory, flow_id: str, *, persists: bool) -> None:
        """`flow_id` is the id of the state when the thread has none."""
        self.run = run
        self.persists = persists
        self.lock = threading.Lock()
        self.newest: dict[str, StoredState | None] = {}
        # The exported flow's own state.
        self.flow_id = ""
        stored = self._read("")
        self.flow_id = stored.flow_id if stored and (persists or stored.pending) else flow_id

    @property
    def waiting(self) -> StoredState | None:
        stored = self._read("")
        return stored if stored is not None and stored.pending is not None else None

    def load(self, flow_id: str) -> JsonObject | None:
        with self.lock:
            stored = self._read(self._ns(flow_id))
        return stored.state() if stored is not None and stored.flow_id == flow_id else None

    def pending(self, flow_id: str) -> tuple[JsonObject, JsonObject] | None:
        with self.lock:
            stored = self._read(self._ns(flow_id))
        return None if stored is None or stored.pending is None else (stored.state(), stored.pending)

    def save(self, flow_id: str, method: str, state: JsonObject, pending: JsonObject | None = None) -> None:
        ns = self._ns(flow_id)
        with self.lock:
            before = self._read(ns)
            if self.run.held is not None:
                self._hold(ns, method, lambda: next_state(before, flow_id, state, pending))
                return
            made: list[StoredState] = []

            def make() -> Row:
                made.append(next_state(before, flow_id, state, pending))
                return row_of(ns, made[0], before, method)

            self.run.put(self.run.thread_id, make)
            self.newest[ns] = made[0]

    def stop_waiting(self, flow_id: str) -> None:
        """The question has its answer, or a new call begins. The state stays as it is."""
        with self.lock:
            stored = self._read(self._ns(flow_id))
        if stored is not None and stored.pending is not None:
            self.save(flow_id, str(stored.pending.get("method_name", "")), stored.state())

    def ends(self, next_steps: list[str]) -> None:
        """What comes next, of the newest state that this run has made."""
        stored = self.newest.get("")
        if self.run.has_put and stored is not None:
            self.run.comes_next("", stored.id, next_steps)

    def check(self, flow: Any) -> None:
        """Raises `state_unreadable` when this version of the flow cannot take the stored state."""
        stored = self._read("")
        if stored is None:
            return
        if stored.pending is not None and not callable(getattr(flow, str(stored.pending.get("method_name")), None)):
            reason = f"it waits in step '{stored.pending.get('method_name')}', which the flow does not have"
            raise unreadable(self.run.thread_id, reason)
        model = type(flow._state)
        if not hasattr(model, "model_validate"):
            return
        try:
            model.model_validate(stored.state())
        except ValueError as error:
            reason = masked_start(f"{type(error).__name__}: {error}", MAX_REASON)
            raise unreadable(self.run.thread_id, reason) from error

    def _ns(self, flow_id: str) -> str:
        return "" if flow_id == self.flow_id else flow_id

    def _hold(self, ns: str, method: str, make: Callable[[], StoredState]) -> None:
        """A state without a stored form concerns this call only when it waits for a person."""
        try:
            state = make()
        except Problem as problem:
            if ns not in self.run.held.by_ns:
                log.warning("notice", message=f"a call with a thread_id would fail: {problem.detail}")
            self.run.held.by_ns[ns] = problem
            return
        self.newest[ns] = state
        self.run.held.by_ns[ns] = (state, method)

    def _read(self, ns: str) -> StoredState | None:
        if ns not in self.newest:
            thread_id = self.run.thread_id
            held = self.run.held is not None
            self.newest[ns] = None if held else read_newest(self.run.newest(thread_id, ns), thread_id)
        return self.newest[ns]


@contextlib.contextmanager
def in_thread_of(thread: FlowThread | None) -> Iterator[None]:
    token = current.set(thread)
    try:
        yield
    finally:
        current.reset(token)
