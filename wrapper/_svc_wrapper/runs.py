"""The runs of this process, while they go on and for a bounded time after.

Kept in memory only: the ingress owns the lasting record. It reads a run here to pick up a call whose
connection it lost, for which an ended run stays as long as time, count and bytes allow.
"""

from __future__ import annotations

import asyncio
import contextlib
import datetime
import time
from dataclasses import dataclass, field

from .admission import Turn
from .agent import JsonObject
from .problems import Problem
from .run_stream import RunStream
from .user_loop import Work


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
    # Of what the caller sent and the run keeps; outputs come on top.
    metadata_bytes: int = 0
    status: str = "queued"
    created_at: float = field(default_factory=time.time)
    started_at: float | None = None
    ended_at: float | None = None
    end: End | None = None
    ended_monotonic: float = 0.0
    has_ended: asyncio.Event = field(default_factory=asyncio.Event)
    # While it goes on: its place or its wait for one, the user's code once it has begun, its one reader.
    turn: Turn | None = None
    work: Work | None = None
    stream: RunStream | None = None
    telling: asyncio.Task[None] | None = None

    def start(self) -> None:
        self.status = "running"
        self.started_at = time.time()

    def finish(self, end: End) -> None:
        self.status = end.status
        self.end = end
        self.ended_at = time.time()
        self.ended_monotonic = time.monotonic()
        self.has_ended.set()

    async def wait(self, timeout_seconds: float | None = None) -> None:
        """Until it ends or the time is over. Giving up waiting does not end the run."""
        if self.end is None and timeout_seconds != 0:
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self.has_ended.wait(), timeout_seconds)

    def size_bytes(self) -> int:
        outputs = len(self.end.output) + len(self.end.interrupts or b"") if self.end else 0
        return self.metadata_bytes + outputs


class Runs:
    def __init__(self, *, keep_seconds: float, keep_count: int, keep_bytes: int) -> None:
        self.going_on: dict[str, Run] = {}
        # In the order in which they ended.
        self.ended: dict[str, Run] = {}
        self.ended_bytes = 0
        self.keep_seconds = keep_seconds
        self.keep_count = keep_count
        self.keep_bytes = keep_bytes

    def add(self, run: Run) -> None:
        self._forget_old()
        if run.id in self.going_on or run.id in self.ended:
            raise Problem("run_exists", f"run {run.id} exists", run_id=run.id)
        self.going_on[run.id] = run

    def remove(self, run: Run) -> None:
        del self.going_on[run.id]

    def finish(self, run: Run, end: End) -> None:
        run.finish(end)
        self.remove(run)
        self.ended[run.id] = run
        self.ended_bytes += run.size_bytes()

    def find(self, run_id: str) -> Run:
        self._forget_old()
        run = self.going_on.get(run_id) or self.ended.get(run_id)
        if run is None:
            raise Problem("run_not_found", f"no run {run_id} here: it never existed, or it ended too long ago")
        return run

    def _forget_old(self) -> None:
        """The oldest ended runs go until all three bounds hold; running ones always stay."""
        oldest_kept = time.monotonic() - self.keep_seconds
        while self.ended:
            oldest = next(iter(self.ended.values()))
            is_within = len(self.ended) <= self.keep_count and self.ended_bytes <= self.keep_bytes
            if is_within and oldest.ended_monotonic >= oldest_kept:
                return
            del self.ended[oldest.id]
            self.ended_bytes -= oldest.size_bytes()


def time_text(seconds: float | None) -> str | None:
    if seconds is None:
        return None
    moment = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
