"""The limits of a container: running calls and waiting calls.

`deploy.concurrency` of agent.yaml sets the number of places. Without it memory decides: half of the container's
memory is for running calls, a quarter for waiting calls. The default of 1 GiB is enough for the full limits.
"""

from __future__ import annotations

from dataclasses import dataclass

MEGABYTE = 1024 * 1024

# An async call mostly waits for a model and costs its own state. A sync one also has a thread.
ASYNC_PLACES, ASYNC_BYTES = 64, 8 * MEGABYTE
SYNC_PLACES, SYNC_BYTES = 32, 16 * MEGABYTE
# A waiting call costs its input.
QUEUE_LENGTH, WAITING_BYTES = 256, MEGABYTE


@dataclass(frozen=True)
class Bounds:
    places: int
    queue: int


def default_bounds(*, is_async: bool, memory_bytes: int | None) -> Bounds:
    places, call_bytes = (ASYNC_PLACES, ASYNC_BYTES) if is_async else (SYNC_PLACES, SYNC_BYTES)
    if memory_bytes is None:
        return Bounds(places, QUEUE_LENGTH)
    return Bounds(
        max(1, min(places, memory_bytes // 2 // call_bytes)),
        max(1, min(QUEUE_LENGTH, memory_bytes // 4 // WAITING_BYTES)),
    )
