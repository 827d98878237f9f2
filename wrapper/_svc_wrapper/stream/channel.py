"""Queues of encoded events, from the user's loop or threads to a reader on the main loop.

In a `Channel` a slow reader slows the run instead of filling memory. Once the reader has left, every put returns
at once. In a `SideChannel` no put ever waits.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

CAPACITY = 100
SIDE_BYTES = 1024 * 1024


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


class SideChannel(Channel):
    """Holds at most `SIDE_BYTES`. When an event does not fit, `last` comes instead of it and of all later ones."""

    def __init__(self, last: bytes) -> None:
        super().__init__()
        self.queue = asyncio.Queue()
        self.last = last
        self.held_bytes = 0
        self.full = False

    async def put(self, event: bytes) -> None:
        self.put_from_thread(event)

    def put_from_thread(self, event: bytes) -> None:
        if not self.closed and not self.full:
            self.home.call_soon_threadsafe(self.put_first, event)

    def put_first(self, event: bytes) -> None:
        """On the main loop, at any time."""
        if self.closed or self.full:
            return
        self.full = self.held_bytes + len(event) > SIDE_BYTES
        kept = self.last if self.full else event
        self.held_bytes += len(kept)
        self.queue.put_nowait(kept)

    async def put_here(self, event: bytes) -> None:
        self.put_first(event)

    async def events(self, *, idle_seconds: float) -> AsyncIterator[bytes | None]:
        async for event in super().events(idle_seconds=idle_seconds):
            self.held_bytes -= len(event or b"")
            yield event
