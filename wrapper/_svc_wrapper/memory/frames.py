"""The body of a request about states: one line of JSON, then the bytes of all parts.

The line says the sizes. The parts follow in the order in which it names them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from ..agent import JsonObject

CONTENT_TYPE = "application/vnd.gantry.frames"


class MalformedFrames(Exception):
    """The body is not what its line says."""


def join_frames(head: JsonObject, parts: Iterable[bytes]) -> bytes:
    return b"".join([json.dumps(head, separators=(",", ":")).encode(), b"\n", *parts])


class Frames:
    """A received body. `take` gives its parts one after the other."""

    def __init__(self, body: bytes) -> None:
        line, end, _ = body.partition(b"\n")
        if not end:
            raise MalformedFrames("the body has no line")
        try:
            self.head: Any = json.loads(line)
        except ValueError as error:
            raise MalformedFrames(f"the line is not JSON: {error}") from None
        self.body = memoryview(body)
        self.at = len(line) + 1

    def take(self, size: int) -> bytes:
        if not isinstance(size, int) or size < 0 or self.at + size > len(self.body):
            raise MalformedFrames("a part is longer than the body")
        part = bytes(self.body[self.at : self.at + size])
        self.at += size
        return part

    def end(self) -> None:
        if self.at != len(self.body):
            raise MalformedFrames("the body is longer than its parts")
