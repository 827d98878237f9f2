"""A queue of at most 100 encoded events, from the user's loop or threads to a reader on the main loop.

A slow reader slows the run instead of filling memory. Once the reader has left, every put returns at once.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

CAPACITY = 100


class Channel:
    """Created on the main loop; `put` and `put_from_thread` are for the user's loop and threads."""

    def __init__(self) -> None:
        self.home = asyncio.get_running_loop()
        self.queue: asyncio.Queue[bytes | None] = asyncio.Queue(CAPACITY)
        self.closed = False

    async def put(self, event: bytes) -> None:
        if not self.closed:
            await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(self._put(event), self.home))

    def put_from_thread(self, event: bytes) -> None:
        if not self.closed:
            asyncio.run_coroutine_threadsafe(self._put(event), self.home).result()

    def put_first(self, event: bytes) -> None:
        """On the main loop, while the channel is empty."""
        if not self.closed:
            self.queue.put_nowait(event)

    async def put_here(self, event: bytes) -> None:
        """As `put`, for callers on the main loop."""
        await self._put(event)

    async def end(self) -> None:
        """Called on the main loop after the last event."""
        if not self.closed:
            await self.queue.put(None)

    async def events(self, *, idle_seconds: float) -> AsyncIterator[bytes | None]:
        """Yields events, and None after each `idle_seconds` without one; ends with the run."""
        while True:
            try:
                event = await asyncio.wait_for(self.queue.get(), idle_seconds)
            except asyncio.TimeoutError:
                yield None
                continue
            if event is None:
                return
            yield event

    def close(self) -> None:
        """The reader has left, so every waiting put returns."""
        self.closed = True
        with contextlib.suppress(asyncio.QueueEmpty):
            while True:
                self.queue.get_nowait()

    async def _put(self, event: bytes) -> None:
        if not self.closed:
            await self.queue.put(event)
