"""Connections that this process opens to the door of the service, for a container that nobody can call.

Each begins as a request that proves this instance by its join token. After `101` the roles are exchanged: the service
sends HTTP/1.1 requests, and uvicorn's own protocol answers them. A few connections without a request are always open.
A broken connection ends no run, because a run belongs to the process.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from .. import log
from .replica_name import replica_name

PROTOCOL = "gantry-instance/1"
JOIN_PATH = "/instances/join"
PROCESS_HEADER = "X-Svc-Process"
# The name that its platform gave it.
REPLICA_HEADER = "X-Svc-Replica"
# It finishes its runs, and becomes no other instance.
DRAINING_HEADER = "X-Svc-Draining"
# Without a request yet. The service takes one for each call, health check or cancel.
SPARES = 4
# For health checks, cancels and readers of events, beside all calls that this process admits.
BESIDE_CALLS = 32
HANDSHAKE_SECONDS = 10
MAX_HEAD_BYTES = 16 * 1024
FIRST_PAUSE_SECONDS = 0.1
LONGEST_PAUSE_SECONDS = 3.0


@dataclass(frozen=True)
class Dial:
    """Where the door is, and what proves this instance there."""

    url: str
    join_token: str
    # The only authority that a certificate of the door may have, as PEM. None: those of the system.
    ca: str | None


class RefusedJoin(Exception):
    """The door has answered with something else than 101."""


class Dialler:
    """Used on the main loop only."""

    def __init__(
        self,
        dial: Dial,
        make_protocol: Callable[[], asyncio.Protocol],
        places: Callable[[], int],
        is_draining: Callable[[], bool],
    ) -> None:
        self.dial = dial
        self.make_protocol = make_protocol
        self.places = places
        self.is_draining = is_draining
        # A second process with the same token has another one, and the door refuses it.
        self.process_id = secrets.token_hex(32)
        self.replica = ""
        self.open: set[Connection] = set()
        self.changed = asyncio.Event()
        self.pause_seconds = FIRST_PAUSE_SECONDS
        self.failed = False
        self.task = asyncio.get_running_loop().create_task(self._keep())

    async def stop(self) -> None:
        """The connections with a request are uvicorn's, which answers and closes them."""
        self.task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self.task
        for connection in [one for one in self.open if not one.is_used]:
            connection.close()

    def used(self) -> None:
        self.pause_seconds = FIRST_PAUSE_SECONDS
        self.changed.set()

    def lost(self, connection: Connection) -> None:
        self.open.discard(connection)
        self.changed.set()

    async def _keep(self) -> None:
        self.replica = await asyncio.to_thread(replica_name, os.environ)
        while True:
            self.changed.clear()
            spares = sum(not one.is_used for one in self.open)
            if spares >= SPARES or len(self.open) >= self.places() + BESIDE_CALLS:
                await self.changed.wait()
                continue
            try:
                await self._dial()
            except (OSError, asyncio.TimeoutError, RefusedJoin) as error:
                if not self.failed:
                    log.warning("door_not_reached", reason=str(error) or type(error).__name__)
                self.failed = True
                await self._wait()
            else:
                self.failed = False

    async def _wait(self) -> None:
        await asyncio.sleep(self.pause_seconds)
        self.pause_seconds = min(self.pause_seconds * 2, LONGEST_PAUSE_SECONDS)

    async def _dial(self) -> None:
        door = urlsplit(self.dial.url)
        is_tls = door.scheme == "https"
        context = ssl.create_default_context(cadata=self.dial.ca) if is_tls else None
        connection = Connection(self)
        opening = asyncio.get_running_loop().create_connection(
            lambda: connection, door.hostname, door.port or (443 if is_tls else 80), ssl=context
        )
        await asyncio.wait_for(opening, HANDSHAKE_SECONDS)
        try:
            connection.ask(self._request(door.netloc, door.path.rstrip("/") + JOIN_PATH))
            await asyncio.wait_for(connection.joined, HANDSHAKE_SECONDS)
        except BaseException:
            connection.close()
            raise

    def _request(self, host: str, path: str) -> bytes:
        lines = [
            f"GET {path} HTTP/1.1",
            f"Host: {host}",
            "Connection: Upgrade",
            f"Upgrade: {PROTOCOL}",
            f"Authorization: Bearer {self.dial.join_token}",
            f"{PROCESS_HEADER}: {self.process_id}",
            f"{REPLICA_HEADER}: {self.replica}",
            *([f"{DRAINING_HEADER}: true"] if self.is_draining() else []),
        ]
        return "\r\n".join([*lines, "", ""]).encode("ascii")


class Connection(asyncio.Protocol):
    """Reads the answer of the door. Everything after it goes to uvicorn's protocol."""

    def __init__(self, dialler: Dialler) -> None:
        self.dialler = dialler
        self.joined: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        # Nobody awaits it when the opening itself has failed.
        self.joined.add_done_callback(lambda future: future.cancelled() or future.exception())
        self.transport: Any = None
        self.head = b""
        self.server: Any = None
        self.is_used = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport

    def ask(self, request: bytes) -> None:
        self.transport.write(request)

    def close(self) -> None:
        if self.transport is not None:
            self.transport.close()

    def data_received(self, data: bytes) -> None:
        if self.server is not None:
            self._give(data)
            return
        self.head += data
        head, end, rest = self.head.partition(b"\r\n\r\n")
        if not end:
            if len(self.head) > MAX_HEAD_BYTES:
                self._refused("the answer of the door is too long")
            return
        status = head.partition(b"\r\n")[0].split(b" ")
        if len(status) < 2 or status[1] != b"101":
            self._refused(f"the door answered {b' '.join(status[1:])[:60].decode('ascii', 'replace')}")
            return
        if self.joined.done():
            return
        self.head = b""
        self.server = self.dialler.make_protocol()
        self.server.connection_made(self.transport)
        self.dialler.open.add(self)
        self.joined.set_result(None)
        if rest:
            self._give(rest)

    def _give(self, data: bytes) -> None:
        if not self.is_used:
            self.is_used = True
            self.dialler.used()
        self.server.data_received(data)

    def _refused(self, why: str) -> None:
        if not self.joined.done():
            self.joined.set_exception(RefusedJoin(why))
        self.close()

    def eof_received(self) -> bool | None:
        return self.server.eof_received() if self.server is not None else None

    def pause_writing(self) -> None:
        if self.server is not None:
            self.server.pause_writing()

    def resume_writing(self) -> None:
        if self.server is not None:
            self.server.resume_writing()

    def connection_lost(self, error: Exception | None) -> None:
        if self.server is not None:
            self.server.connection_lost(error)
        if not self.joined.done():
            self.joined.set_exception(RefusedJoin("the door closed the connection"))
        self.dialler.lost(self)
