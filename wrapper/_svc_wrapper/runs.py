"""The runs of this process, while they go on and for a bounded time after.

Kept in memory only: the ingress owns the lasting record. It reads a run here to pick up a call whose
connection it lost, for which an ended run stays as long as time, count and bytes allow.
"""

from __future__ import annotations

import asyncio
import datetime
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from .agent import JsonObject
from .problems import Problem


@dataclass
class End:
    """How a run ended. `output` and `interrupts` are JSON already, made off the main loop."""

    status: str
    output: bytes = b"null"
    interrupts: bytes | None = None
    problem: Problem | None = None
    # The last events for the reader of a stream, encoded.
    closing: list[bytes] = field(default_factory=list)


@dataclass
class Run:
    id: str
    # What a caller can go on with; none where the agent forgets its threads.
    thread_id: str | None
    metadata: JsonObject
    status: str = "queued"
    created_at: str = field(default_factory=lambda: now())
    started_at: str | None = None
    ended_at: str | None = None
    end: End | None = None
    # Why the task was cancelled, when it was: "cancelled" by a caller or "interrupted" by a shutdown.
    cut_off_as: str | None = None
    # Of what the caller sent and the run keeps; outputs come on top.
    metadata_bytes: int = 0
    task: asyncio.Task[None] | None = None
    ended_monotonic: float = 0.0

    def start(self) -> None:
        self.status = "running"
        self.started_at = now()

    def finish(self, end: End) -> None:
        self.status = end.status
        self.end = end
        self.ended_at = now()
        self.ended_monotonic = time.monotonic()

    def cut_off(self, status: str) -> None:
        """Ends a run that goes on; one that has ended keeps its end."""
        if self.task and not self.task.done() and self.cut_off_as is None:
            self.cut_off_as = status
            self.task.cancel()

    def leave(self) -> None:
        """Its caller is gone: what has not begun is dropped, what runs goes on."""
        if self.status == "queued":
            self.cut_off("cancelled")

    def size_bytes(self) -> int:
        outputs = len(self.end.output) + len(self.end.interrupts or b"") if self.end else 0
        return self.metadata_bytes + outputs


class Runs:
    def __init__(self, *, keep_seconds: float, keep_count: int, keep_bytes: int) -> None:
        self.by_id: dict[str, Run] = {}
        self.keep_seconds = keep_seconds
        self.keep_count = keep_count
        self.keep_bytes = keep_bytes

    def add(self, run: Run) -> None:
        self.forget_old()
        if run.id in self.by_id:
            raise Problem("run_exists", f"run {run.id} exists", run_id=run.id)
        self.by_id[run.id] = run

    def remove(self, run: Run) -> None:
        self.by_id.pop(run.id, None)

    def find(self, run_id: str) -> Run:
        self.forget_old()
        run = self.by_id.get(run_id)
        if run is None:
            raise Problem("run_not_found", f"no run {run_id} here: it never existed, or it ended too long ago")
        return run

    def going_on(self) -> list[Run]:
        return [run for run in self.by_id.values() if run.end is None]

    def forget_old(self) -> None:
        """Newest ended runs first, until one of the three bounds is met; running ones always stay."""
        oldest_kept = time.monotonic() - self.keep_seconds
        size = 0
        for count, run in enumerate(list(self._ended_newest_first()), start=1):
            size += run.size_bytes()
            if run.ended_monotonic < oldest_kept or count > self.keep_count or size > self.keep_bytes:
                del self.by_id[run.id]

    def _ended_newest_first(self) -> Iterator[Run]:
        ended = [run for run in self.by_id.values() if run.end is not None]
        return iter(sorted(ended, key=lambda run: run.ended_monotonic, reverse=True))


def now() -> str:
    return datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
