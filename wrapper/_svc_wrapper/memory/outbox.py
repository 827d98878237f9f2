"""What a run writes to its threads, on its way to the service.

The agent only appends. One thread of the run sends the rows, one request after the other. So the service gets the
steps in their order. A checkpoint goes out at once, with the writes of the step before it. A failure ends all
sending: later steps without an earlier one would be no history.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from .. import log
from ..agent import JsonObject
from ..problems import Problem
from .frames import join_frames

# What follows a checkpoint at once goes with it: the nodes that come next, and the end of the run.
LINGER_SECONDS = 0.004
# Writes of a step that goes on, for a run that is killed in it.
WRITES_SECONDS = 0.2
# Above the time for which one request is tried.
FLUSH_SECONDS = 30.0

# A thread of this caller by its name. None: the thread of the run's call.
ThreadName = str | None
Send = Callable[[ThreadName, bytes], None]


@dataclass(frozen=True)
class Row:
    """A part of a request: what the line says about it, and its bytes."""

    said: JsonObject
    parts: list[bytes]


@dataclass
class Batch:
    puts: list[Row] = field(default_factory=list)
    writes: list[Row] = field(default_factory=list)
    nexts: list[JsonObject] = field(default_factory=list)
    # Where the thread stands at the end of the run, and its interrupts as JSON.
    tail: tuple[JsonObject, bytes] | None = None

    def body(self) -> bytes:
        rows = [*self.puts, *self.writes]
        tail, interrupts = self.tail or (None, b"")
        head = {
            "puts": [row.said for row in self.puts],
            "writes": [row.said for row in self.writes],
            "nexts": self.nexts,
            "tail": tail,
        }
        return join_frames(head, [*(part for row in rows for part in row.parts), interrupts])

    def names(self, ns: str | None) -> bool:
        rows = [*self.puts, *self.writes]
        return bool(rows) if ns is None else any(row.said["ns"] == ns for row in rows)


class Outbox:
    """For any thread. `send` is called in the outbox's own thread."""

    def __init__(self, send: Send) -> None:
        self.send = send
        self.changed = threading.Condition()
        self.batches: dict[ThreadName, Batch] = {}
        self.sending: tuple[ThreadName, Batch] | None = None
        self.due_at = 0.0
        self.flushes = 0
        self.failure: BaseException | None = None
        self.is_closed = False
        self.thread: threading.Thread | None = None

    def put(self, thread: ThreadName, row: Row) -> None:
        self._add(thread, lambda batch: batch.puts.append(row), LINGER_SECONDS)

    def write(self, thread: ThreadName, row: Row) -> None:
        self._add(thread, lambda batch: batch.writes.append(row), WRITES_SECONDS)

    def next(self, thread: ThreadName, next_nodes: JsonObject) -> None:
        self._add(thread, lambda batch: batch.nexts.append(next_nodes), WRITES_SECONDS)

    def end(
        self,
        thread: ThreadName,
        tail: JsonObject,
        interrupts: bytes,
        *,
        rows: tuple[list[Row], list[Row]] = ([], []),
    ) -> None:
        """The last rows and where the thread stands then, in one request."""

        def add(batch: Batch) -> None:
            batch.puts += rows[0]
            batch.writes += rows[1]
            batch.tail = ({**tail, "interrupts_size": len(interrupts)}, interrupts)

        self._add(thread, add, LINGER_SECONDS)

    def holds(self, thread: ThreadName, ns: str | None) -> bool:
        """True when a reader would miss what is not sent yet."""
        with self.changed:
            waiting = self.batches.get(thread)
            under_way = self.sending[1] if self.sending and self.sending[0] == thread else None
            return any(batch.names(ns) for batch in (waiting, under_way) if batch)

    def flush(self, within_seconds: float = FLUSH_SECONDS) -> None:
        """Returns when the service has everything. Raises the failure, and `thread_not_stored` after the time."""
        with self.changed:
            self.flushes += 1
            self.changed.notify_all()
            try:
                done = self.changed.wait_for(lambda: not self.batches and not self.sending, within_seconds)
            finally:
                self.flushes -= 1
            self._raise_failure()
            if not done:
                raise Problem("thread_not_stored", f"the service did not take the thread's state in {within_seconds} s")

    def close(self) -> None:
        """The sender ends after what is there. Nothing can be added any more."""
        with self.changed:
            self.is_closed = True
            self.changed.notify_all()

    def _add(self, thread: ThreadName, add: Callable[[Batch], None], due_in: float) -> None:
        with self.changed:
            self._raise_failure()
            if self.is_closed:
                raise Problem("thread_not_stored", "the run has ended, so nothing more of it is stored")
            due_at = time.monotonic() + due_in
            self.due_at = min(self.due_at, due_at) if self.batches else due_at
            add(self.batches.setdefault(thread, Batch()))
            if self.thread is None:
                self.thread = threading.Thread(target=self._work, name="svc-thread-writer", daemon=True)
                self.thread.start()
            self.changed.notify_all()

    def _raise_failure(self) -> None:
        if self.failure is not None:
            raise self.failure

    def _work(self) -> None:
        while (job := self._taken()) is not None:
            failure: BaseException | None = None
            try:
                self.send(job[0], job[1].body())
            except Problem as problem:
                failure = problem
            except Exception as error:
                log.error("internal", error)
                failure = Problem("thread_not_stored", "the wrapper itself failed; its log has the reason")
            with self.changed:
                self.sending = None
                if failure is not None:
                    self.failure = failure
                    self.batches.clear()
                self.changed.notify_all()

    def _taken(self) -> tuple[ThreadName, Batch] | None:
        with self.changed:
            while True:
                left = self.due_at - time.monotonic()
                if self.batches and (left <= 0 or self.flushes or self.is_closed):
                    thread = next(iter(self.batches))
                    self.sending = (thread, self.batches.pop(thread))
                    return self.sending
                if self.is_closed:
                    return None
                self.changed.wait(left if self.batches else None)
