"""How many runs go on at once, and how many may wait for their turn."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

from .problems import Problem

RETRY_AFTER_SECONDS = 5


class Admission:
    """Used on the main loop only."""

    def __init__(self, max_concurrency: int, max_queue: int) -> None:
        self.slots = asyncio.Semaphore(max_concurrency)
        self.capacity = max_concurrency + max_queue
        self.admitted = 0

    def admit(self) -> None:
        """Refuses at once when the queue is full; each admitted run calls `leave` once."""
        if self.admitted >= self.capacity:
            raise Problem(
                "too_many_runs",
                f"{self.admitted} runs are going on or waiting, which is all this container takes",
                retry_after_seconds=RETRY_AFTER_SECONDS,
            )
        self.admitted += 1

    def leave(self) -> None:
        self.admitted -= 1

    @contextlib.asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        async with self.slots:
            yield
