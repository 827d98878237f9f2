"""The ids of the calls that this start of the container has taken, kept longer than their answers.

A service that was killed between the storing and the sending of a call asks for it later. Without its id here the call
never began, so it can be sent again. The ids are in two generations. When the young one is full, the old one is
forgotten. So the ids of a time are known in full, and beyond it nothing is claimed.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable

# Two generations of 32,768 ids take about 7 MB. At 100 calls a second they reach five minutes back.
GENERATION = 32_768
BEGUN = 0


class KnownIds:
    """Used only on the main loop, so a call begins either before its id is refused or never."""

    def __init__(self, generation: int = GENERATION, clock: Callable[[], float] = time.monotonic) -> None:
        self.generation = generation
        self.clock = clock
        # BEGUN, or the number of the last sending that is refused.
        self.young: dict[bytes, int] = {}
        self.old: dict[bytes, int] = {}
        self.young_since: float | None = None
        # All ids since then are known; None: since the start.
        self.complete_since: float | None = None

    def begin(self, run_id: str) -> None:
        self._put(run_id, BEGUN)

    def has_begun(self, run_id: str) -> bool:
        return self._find(run_id) == BEGUN

    def is_refused(self, run_id: str, attempt: int) -> bool:
        """The number of a sending counts from 1. A sender that does not count has the number 0."""
        return attempt <= (self._find(run_id) or -1)

    def refuse(self, run_id: str, attempt: int, stored_seconds_ago: float) -> bool:
        """No sending up to this one begins from now on. False: it may have begun before the time of the known ids."""
        since = self.complete_since
        if since is not None and self._find(run_id) is None and self.clock() - stored_seconds_ago <= since:
            return False
        self._put(run_id, max(1, attempt, self._find(run_id) or 0))
        return True

    def _find(self, run_id: str) -> int | None:
        key = uuid.UUID(run_id).bytes
        return self.young.get(key, self.old.get(key))

    def _put(self, run_id: str, value: int) -> None:
        if len(self.young) >= self.generation:
            now = self.clock()
            self.old, self.young = self.young, {}
            self.complete_since, self.young_since = self.young_since, now
        self.young[uuid.UUID(run_id).bytes] = value
