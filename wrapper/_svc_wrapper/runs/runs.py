"""The runs of this process, during their work and for a bounded time after.

They are only in memory; the ingress has the lasting record. After a lost connection the ingress reads the run
here. An ended run stays within the limits of time, count and bytes.
"""

from __future__ import annotations

import asyncio
import contextlib
import datetime
import time
from dataclasses import dataclass, field

from ..agent import JsonObject
from ..problems import Problem
from ..stream.run_stream import RunStream, SideStream
from .admission import Turn
from .known_ids import KnownIds
from .run_identity import RunIdentity
from .user_loop import Work


@dataclass
class End:
    """A run's end. `output` and `interrupts` are already JSON, made off the main loop."""

    status: str
    output: bytes = b"null"
    interrupts: bytes | None = None
    problem: Problem | None = None
    continued_at: list[str] = field(default_factory=list)
    # The last events for the reader of a stream, encoded.
    closing: list[bytes] = field(default_factory=list)


@dataclass
class Run:
    id: str
    # The thread for the next call; None for an agent without threads, and after a call that leaves none.
    thread_id: str | None
    metadata: JsonObject
    # The size of the kept request; outputs are added.
    metadata_bytes: int = 0
    # False for a call that leaves a thread only when it waits for a person.
    leaves_thread: bool = True
    status: str = "queued"
    created_at: float = field(default_factory=time.time)
    started_at: float | None = None
    ended_at: float | None = None
    end: End | None = None
    ended_monotonic: float = 0.0
    has_ended: asyncio.Event = field(default_factory=asyncio.Event)
    # During the run: its place or its wait for one, the user's code, its only reader.
    turn: Turn | None = None
    work: Work | None = None
    stream: RunStream | None = None
    telling: asyncio.Task[None] | None = None
    # Until its reader comes.
    side: SideStream | None = None
    identity: RunIdentity | None = None
    # The end of a run that is being cut off, while what it has written is sent.
    cut_off: End | None = None

    def start(self) -> None:
        self.status = "running"
        self.started_at = time.time()

    def finish(self, end: End) -> None:
        self.status = end.status
        self.end = end
        if not self.leaves_thread and end.status != "interrupted":
            self.thread_id = None
        self.ended_at = time.time()
        self.ended_monotonic = time.monotonic()
        self.has_ended.set()

    async def wait(self, timeout_seconds: float | None = None) -> None:
        """Until it ends or the time is over. The end of the wait does not end the run."""
        if self.end is None and timeout_seconds != 0:
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self.has_ended.wait(), timeout_seconds)

    def take_side(self) -> SideStream | None:
        side, self.side = self.side, None
        return side

    def size_bytes(self) -> int:
        outputs = len(self.end.output) + len(self.end.interrupts or b"") if self.end else 0
        return self.metadata_bytes + outputs


class Runs:
    def __init__(self, *, keep_seconds: float, keep_count: int, keep_bytes: int) -> None:
        self.going_on: dict[str, Run] = {}
        # In the order of their ends.
        self.ended: dict[str, Run] = {}
        self.ended_bytes = 0
        self.keep_seconds = keep_seconds
        self.keep_count = keep_count
        self.keep_bytes = keep_bytes
        self.ids = KnownIds()

    def add(self, run: Run, attempt: int) -> None:
        self._forget_old()
        if run.id in self.going_on or self.ids.has_begun(run.id):
            raise run_exists(run.id)
        if self.ids.is_refused(run.id, attempt):
            raise Problem("sending_refused", f"the service refused this sending of run {run.id}", run_id=run.id)
        self.going_on[run.id] = run

    def admitted(self, run: Run) -> None:
        self.ids.begin(run.id)

    def refuse(self, run_id: str, attempt: int, stored_seconds_ago: float) -> None:
        """No sending of the call up to this one begins any more. Raises `run_exists` for a run that came."""
        if self.ids.has_begun(run_id):
            raise run_exists(run_id)
        if not self.ids.refuse(run_id, attempt, stored_seconds_ago):
            raise Problem("run_not_found", f"run {run_id} is not here, and may have ended too long ago")

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
        """Removes the oldest ended runs until all three limits are met; running ones stay."""
        oldest_kept = time.monotonic() - self.keep_seconds
        while self.ended:
            oldest = next(iter(self.ended.values()))
            is_within = len(self.ended) <= self.keep_count and self.ended_bytes <= self.keep_bytes
            if is_within and oldest.ended_monotonic >= oldest_kept:
                return
            del self.ended[oldest.id]
            self.ended_bytes -= oldest.size_bytes()


def run_exists(run_id: str) -> Problem:
    return Problem("run_exists", f"run {run_id} exists", run_id=run_id)


def time_text(seconds: float | None) -> str | None:
    if seconds is None:
        return None
    moment = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
