"""A run's AG-UI events for one reader, encoded in the thread of their origin."""

from __future__ import annotations

from .agent import Event
from .agui import Transcript
from .channel import Channel
from .encode import to_json


class RunStream:
    def __init__(self, run_id: str, thread_id: str) -> None:
        self.transcript = Transcript(run_id, thread_id)
        self.channel = Channel()

    async def send(self, events: list[Event]) -> None:
        """From the user's loop; waits for a slow reader."""
        for event in events:
            await self.channel.put(to_json(event))

    def send_from_thread(self, events: list[Event]) -> None:
        """From a thread of the user's code; blocks it for a slow reader."""
        for event in events:
            self.channel.put_from_thread(to_json(event))

    def start(self) -> None:
        """From the main loop, like `end`, before every other event."""
        self.channel.put_first(to_json(self.transcript.started()))

    async def end(self, closing: list[bytes]) -> None:
        """Sends the last events, already encoded."""
        for event in closing:
            await self.channel.put_here(event)
        await self.channel.end()
