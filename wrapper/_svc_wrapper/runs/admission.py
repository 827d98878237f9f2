"""Decides which calls run, wait or are refused.

One caller has at most half of the places and half of the queue. So other callers always get some. A free place
goes to the caller with the fewest places. Among equals it goes to the call with the longest wait. Without an
ingress secret callers have no names, so there are no shares.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import NoReturn

from ..problems import Problem
from ..settings.bounds import Bounds

RETRY_AFTER_SECONDS = 5


class Turn:
    """One admitted call. It begins when it gets a place, and keeps the place until it leaves."""

    def __init__(self, caller: str | None, begin: Callable[[], None]) -> None:
        self.caller = caller
        self.begin = begin
        self.has_place = False


class Admission:
    """Used only on the main loop. Every change fills the free places, so no call waits beside a free one."""

    def __init__(self, bounds: Bounds) -> None:
        self.bounds = bounds
        # All admitted calls since the start.
        self.calls = 0
        self.running: Counter[str | None] = Counter()
        # In order of arrival.
        self.waiting: list[Turn] = []

    @property
    def admitted(self) -> int:
        return self.running.total() + len(self.waiting)

    def admit(self, caller: str | None, begin: Callable[[], None]) -> Turn:
        """Refuses at once when the queue is full. Each admitted call calls `leave` once."""
        turn = Turn(caller, begin)
        self.waiting.append(turn)
        self._fill()
        if not turn.has_place:
            try:
                self._refuse_beyond_queue(caller)
            except Problem:
                self.waiting.remove(turn)
                raise
        self.calls += 1
        return turn

    def leave(self, turn: Turn) -> None:
        if not turn.has_place:
            self.waiting.remove(turn)
            return
        self.running[turn.caller] -= 1
        if self.running[turn.caller] == 0:
            del self.running[turn.caller]
        self._fill()

    def _fill(self) -> None:
        while self.running.total() < self.bounds.places:
            can_run = [turn for turn in self.waiting if self._has_less_than_its_share(turn.caller)]
            if not can_run:
                return
            turn = min(can_run, key=lambda turn: self.running[turn.caller])
            self.waiting.remove(turn)
            self.running[turn.caller] += 1
            turn.has_place = True
            turn.begin()

    def _has_less_than_its_share(self, caller: str | None) -> bool:
        return self.running[caller] < share(self.bounds.places, of=caller)

    def _refuse_beyond_queue(self, caller: str | None) -> None:
        """The call is already in the queue."""
        queue = self.bounds.queue
        if len(self.waiting) > queue:
            refuse(f"{self.running.total()} calls run and {queue} wait, the most that this container takes")
        most = share(queue, of=caller)
        if sum(turn.caller == caller for turn in self.waiting) > most:
            refuse(f"{most} calls of this caller wait, and one caller has at most half of the queue")


def share(count: int, *, of: str | None) -> int:
    """One caller's limit out of `count`."""
    return count if of is None else (count + 1) // 2


def refuse(reason: str) -> NoReturn:
    raise Problem("too_many_runs", reason, retry_after_seconds=RETRY_AFTER_SECONDS)
