"""A run's AG-UI events for one reader, encoded in the thread of their origin.

The reader of a `RunStream` is the run's caller. The reader of a `SideStream` listens to a run whose caller waits for
its answer. It may come late, be slow or leave, and the run notices nothing.
"""

from __future__ import annotations

from ..agent import Answer, Event
from ..encode import to_json
from .agui import Transcript
from .channel import Channel, SideChannel

CUT_OFF = "The agent said more than its reader took in time. The rest is only in its answer."


class RunStream:
    def __init__(self, run_id: str, thread_id: str) -> None:
        self.transcript = Transcript(run_id, thread_id)
        self.channel = self.open_channel()

    def open_channel(self) -> Channel:
        return Channel()

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

    def finished(self, answer: Answer) -> list[Event]:
        return self.transcript.finished(answer.output, answer.interrupts)

    async def end(self, closing: list[bytes]) -> None:
        """Sends the last events, already encoded."""
        for event in closing:
            await self.channel.put_here(event)
        await self.channel.end()


class SideStream(RunStream):
    """Without the states and the result, which can be large and are in the answer."""

    def open_channel(self) -> Channel:
        return SideChannel(to_json(self.transcript.custom("notice", CUT_OFF)[0]))

    async def send(self, events: list[Event]) -> None:
        await super().send([event for event in events if event["type"] != "STATE_SNAPSHOT"])

    def finished(self, answer: Answer) -> list[Event]:
        return self.transcript.close_all()
