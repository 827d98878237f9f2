"""The two kinds of replies: bytes in one piece, and a stream of server-sent events."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping

from .request import Message, Receive

Send = Callable[[Message], Awaitable[None]]


class Reply:
    def __init__(self, status: int, headers: Mapping[str, str], body: bytes | None = None) -> None:
        """Without a body for 204, which has no length either (RFC 9110, 8.6)."""
        self.status = status
        self.body = body or b""
        length = {} if body is None else {"Content-Length": str(len(body))}
        self.headers = raw_headers({**headers, **length})

    async def send(self, _: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status, "headers": self.headers})
        await send({"type": "http.response.body", "body": self.body})


class EventReply:
    """Sends each event as it comes. `leave` is called once, after the last one or when the reader disconnects."""

    def __init__(self, events: AsyncIterator[bytes], headers: Mapping[str, str], leave: Callable[[], None]) -> None:
        self.events = events
        self.leave = leave
        self.headers = raw_headers({"Content-Type": "text/event-stream; charset=utf-8", **headers})

    async def send(self, receive: Receive, send: Send) -> None:
        sending = asyncio.ensure_future(self._send_events(send))
        leaving = asyncio.ensure_future(disconnected(receive))
        try:
            await asyncio.wait((sending, leaving), return_when=asyncio.FIRST_COMPLETED)
        finally:
            leaving.cancel()
            sending.cancel()
            # Also while the server ends, which cancels this.
            self.leave()
        # A server may report its reader's leave here.
        with contextlib.suppress(asyncio.CancelledError, OSError):
            await sending

    async def _send_events(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": self.headers})
        async for event in self.events:
            await send({"type": "http.response.body", "body": event, "more_body": True})
        await send({"type": "http.response.body", "body": b""})


async def disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def raw_headers(headers: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
    """In lower case, as ASGI takes them."""
    return [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()]
