"""A request, as the server hands it over by ASGI."""

from __future__ import annotations

import urllib.parse
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]


class Headers:
    """By any case of their names. One that is repeated has several values."""

    def __init__(self, raw: Iterable[tuple[bytes, bytes]]) -> None:
        self.by_name: dict[str, list[str]] = {}
        # The server has the names in lower case.
        for name, value in raw:
            self.by_name.setdefault(name.decode("latin-1"), []).append(value.decode("latin-1"))

    def all(self, name: str) -> list[str]:
        return self.by_name.get(name.lower(), [])

    def find(self, name: str) -> str | None:
        """The first one."""
        values = self.by_name.get(name.lower())
        return values[0] if values else None

    def first(self, name: str, default: str) -> str:
        found = self.find(name)
        return default if found is None else found


class Request:
    def __init__(self, scope: Message, receive: Receive) -> None:
        self.method: str = scope["method"]
        self.path: str = scope["path"]
        self.query: bytes = scope["query_string"]
        self.headers = Headers(scope["headers"])
        self.receive = receive

    def query_value(self, name: str, default: str) -> str:
        """The last one, when it is repeated."""
        return dict(urllib.parse.parse_qsl(self.query.decode("latin-1"), keep_blank_values=True)).get(name, default)
