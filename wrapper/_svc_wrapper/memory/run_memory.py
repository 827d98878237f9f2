"""What one run has at the service: its thread, other threads that its code names, and the store."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from typing import Any, Protocol

from .. import log
from ..agent import JsonObject
from ..encode import to_json
from ..problems import Problem
from .door import PATIENCE_SECONDS, Ask, Door, DoorNotReached, DoorRefused
from .frames import CONTENT_TYPE, Frames, MalformedFrames
from .outbox import FLUSH_SECONDS, Outbox, Row, ThreadName

NOTHING = b'{"checkpoints":[],"blobs":[]}\n'
WITH_A_THREAD = "Call it with a thread_id, or `new`: its steps are stored then while it runs."

current: ContextVar[RunMemory | None] = ContextVar("svc_run_memory", default=None)


class NoRun(Exception):
    """Code outside a call has asked for what belongs to a caller."""


def the_run() -> RunMemory:
    run = current.get()
    if run is None:
        raise NoRun("threads and the store belong to the caller of a run, and this code runs outside a call")
    return run


class Held(Protocol):
    """The states of a call without a thread, in the framework's own form."""

    def rows(self) -> tuple[list[Row], list[Row]]:
        """Its puts and its writes in the form of the door. Raises a Problem for a state that has none."""


class RunMemory:
    """For any thread of the run."""

    def __init__(self, door: Door, *, token: str, thread_id: str, held: Any = None) -> None:
        """`held` is a Held for a call without a thread."""
        self.door = door
        self.token = token
        # The name of the call's thread; without one the id of the run.
        self.thread_id = thread_id
        self.outbox = Outbox(self._send)
        self.held = held
        # The nodes that come next, and the interrupts that wait: of the thread of the call.
        self.next_nodes: list[str] = []
        self.has_put = False
        # The newest checkpoints as they were read, until the run writes. Its writes are counted, because a read and a
        # write can be under way at once.
        self.read: dict[str, bytes] = {}
        self.written = 0
        # A thread without a checkpoint of the graph itself has none of its subgraphs either, except those of this run.
        self.was_empty = False
        self.spaces: set[str] = set()
        self.closing = threading.Lock()
        self.is_closed = False
        # Each state is stored before the run goes on.
        self.flushes_steps = False
        # A state without a stored form.
        self.unstored: Problem | None = None

    def name_of(self, thread_id: str) -> ThreadName:
        return None if thread_id == self.thread_id else thread_id

    def holds(self, thread_id: str) -> Any:
        """The thread of a call without a thread, which is in memory."""
        return self.held if thread_id == self.thread_id else None

    def put(self, thread_id: str, make: Callable[[], Row]) -> None:
        self.outbox.put(self.name_of(thread_id), self._made(thread_id, make))

    def write(self, thread_id: str, make: Callable[[], Row]) -> None:
        self.outbox.write(self.name_of(thread_id), self._made(thread_id, make))

    def comes_next(self, ns: str, checkpoint_id: str, nodes: list[str]) -> None:
        """From the agent itself, not a part of it."""
        if not ns:
            self.next_nodes = nodes
        if self.held is None:
            self.outbox.next(None, {"ns": ns, "id": checkpoint_id, "next": nodes})

    def newest(self, thread_id: str, ns: str) -> Frames:
        """A run reads its own thread twice at the start: to see what waits, and to go on."""
        is_own = self.name_of(thread_id) is None
        if is_own and self.was_empty and ns not in self.spaces:
            return Frames(NOTHING)
        body = self.read.get(ns) if is_own else None
        if body is None:
            written = self.written
            body = self.states(thread_id, {"ns": ns, "limit": "1"}, ns)
            if is_own and written == self.written:
                self.read[ns] = body
        frames = frames_of(body)
        if is_own and not ns and not self.written:
            self.was_empty = not frames.head["checkpoints"]
        return frames

    def states(self, thread_id: str, query: Mapping[str, str], ns: str | None) -> bytes:
        """The states of a thread, after what this run has written of them."""
        name = self.name_of(thread_id)
        if self.outbox.holds(name, ns):
            self.outbox.flush()
        return self._ask(Ask("GET", "/memory/state", self._query(name, query)), "thread_not_read")

    def change(self, ask: Ask) -> None:
        """A change of whole threads, after what this run has written."""
        self.outbox.flush()
        self._ask(ask, "thread_not_stored")
        self.written += 1
        self.was_empty = False
        self.read.clear()

    def delete(self, thread_id: str) -> None:
        self.change(Ask("DELETE", "/memory/state", self._query(self.name_of(thread_id), {})))

    def store(self, body: bytes) -> bytes:
        """Raises the door's own refusal: the code that uses the store can handle it."""
        return self.door.ask(Ask("POST", "/memory/store", body=body), token=self.token)

    def close(
        self, interrupts: list[JsonObject], next_nodes: list[str] | None = None, within_seconds: float = FLUSH_SECONDS
    ) -> None:
        """At the run's end, before its answer goes out. Raises `thread_not_stored`. A second call waits for the first.

        A run that ends from outside and one that ends by itself can both come here.
        """
        with self.closing:
            if self.is_closed:
                return
            self.is_closed = True
            try:
                tail = {"next": self.next_nodes if next_nodes is None else next_nodes}
                if self.held is not None and interrupts:
                    self.outbox.end(self.thread_id, tail, to_json(interrupts), rows=self.held.rows())
                elif self.has_put:
                    self.outbox.end(None, tail, to_json(interrupts))
                self.outbox.flush(within_seconds)
                if self.unstored is not None:
                    raise self.unstored
            finally:
                self.outbox.close()

    @property
    def has_written(self) -> bool:
        """Or has tried to; also to another thread that its code names."""
        return self.outbox.thread is not None or self.unstored is not None

    def close_at_cut_off(self, within_seconds: float) -> None:
        """For an end that the agent's code does not make."""
        if self.has_written:
            self.close([], within_seconds=within_seconds)

    def _made(self, thread_id: str, make: Callable[[], Row]) -> Row:
        try:
            row = make()
        except Problem as problem:
            # The graph's code can catch it, and the call still has no stored state.
            self.unstored = problem
            raise
        if self.name_of(thread_id) is None:
            self.spaces.add(row.said["ns"])
            self.has_put = True
            self.written += 1
            self.read.clear()
        return row

    def _send(self, name: ThreadName, body: bytes) -> None:
        query = self._query(name, {})
        self._ask(Ask("POST", "/memory/state", query, body, CONTENT_TYPE), "thread_not_stored")

    def _query(self, name: ThreadName, query: Mapping[str, str]) -> Mapping[str, str]:
        return query if name is None else {**query, "thread": name}

    def _ask(self, ask: Ask, code: str) -> bytes:
        hint = {"hint": WITH_A_THREAD} if self.held is not None and code == "thread_not_stored" else {}
        try:
            return self.door.ask(ask, token=self.token)
        except DoorRefused as refusal:
            log.warning(code, status=refusal.status, code=refusal.code, detail=str(refusal))
            raise Problem(code, f"the service refused {what(ask)}: {refusal}", reason=refusal.code, **hint) from refusal
        except DoorNotReached as error:
            log.warning(code, reason=str(error))
            sentence = f"the service could not be reached for {what(ask)} within {PATIENCE_SECONDS:g} s"
            raise Problem(code, sentence, **hint) from error


def what(ask: Ask) -> str:
    named = f"thread {ask.query['thread']}" if "thread" in ask.query else "the thread of the call"
    return f"to read {named}" if ask.method == "GET" else f"the state of {named}"


def frames_of(body: bytes) -> Frames:
    try:
        return Frames(body)
    except MalformedFrames as error:
        raise Problem("thread_not_read", f"the service's answer cannot be read: {error}") from error


@contextlib.contextmanager
def in_memory_of(run: RunMemory | None) -> Iterator[Any]:
    token = current.set(run)
    try:
        yield
    finally:
        current.reset(token)
