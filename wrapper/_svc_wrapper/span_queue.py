"""Spans on their way to the service: a bounded queue and one thread that sends batches.

A service that is away costs the agent nothing. Spans without room and refused ones are counted, and the count goes
with the next batch.
"""

from __future__ import annotations

import gzip
import json
import threading
import urllib.error
import urllib.request
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from . import log
from .agent import JsonObject
from .otlp import export_request

MAX_SPANS = 4000
MAX_BYTES = 8 * 1024 * 1024
BATCH_SPANS = 500
BATCH_BYTES = 1024 * 1024
EVERY_SECONDS = 1.0
SEND_SECONDS = 10
MAX_WAIT_SECONDS = 60


@dataclass(frozen=True)
class QueuedSpan:
    run_token: str
    span: JsonObject
    bytes: int


class SpanQueue:
    def __init__(self, url: str, key: str, resource: Mapping[str, Any]) -> None:
        self.url = url
        self.key = key
        self.resource = resource
        self.waiting: deque[QueuedSpan] = deque()
        self.waiting_bytes = 0
        self.dropped = 0
        self.lock = threading.Lock()
        self.has_work = threading.Event()
        self.is_closing = threading.Event()
        self.thread: threading.Thread | None = None

    def add(self, span: QueuedSpan) -> None:
        with self.lock:
            if len(self.waiting) >= MAX_SPANS or self.waiting_bytes + span.bytes > MAX_BYTES:
                self.dropped += 1
                return
            self.waiting.append(span)
            self.waiting_bytes += span.bytes
            is_full_batch = len(self.waiting) >= BATCH_SPANS or self.waiting_bytes >= BATCH_BYTES
            if self.thread is None:
                self.thread = threading.Thread(target=self._send_batches, name="svc-spans", daemon=True)
                self.thread.start()
        if is_full_batch:
            self.has_work.set()

    def close(self, timeout_seconds: float) -> None:
        """Sends what waits, within the time."""
        self.is_closing.set()
        self.has_work.set()
        if self.thread is not None:
            self.thread.join(timeout_seconds)

    def _send_batches(self) -> None:
        while True:
            is_last = self.is_closing.is_set()
            self.has_work.wait(0 if is_last else EVERY_SECONDS)
            self.has_work.clear()
            while batch := self._take():
                self._send(batch)
            if is_last:
                return

    def _take(self) -> list[QueuedSpan]:
        batch: list[QueuedSpan] = []
        size = 0
        with self.lock:
            while self.waiting and len(batch) < BATCH_SPANS:
                # The service refuses a batch that is too large. So a large span goes alone.
                if batch and size + self.waiting[0].bytes > BATCH_BYTES:
                    break
                batch.append(self.waiting.popleft())
                size += batch[-1].bytes
            self.waiting_bytes -= size
        return batch

    def _send(self, batch: list[QueuedSpan]) -> None:
        """Tries again until the service answers; meanwhile the queue fills up to its bound."""
        dropped = self.dropped
        try:
            body = self._body(batch, dropped)
        except (TypeError, ValueError, RecursionError):
            self._send_without_unprintable(batch)
            return
        wait_seconds = EVERY_SECONDS
        while True:
            failure = self._post(body)
            if failure is None:
                with self.lock:
                    self.dropped -= dropped
                return
            if not failure.is_passing or self.is_closing.is_set():
                break
            self.is_closing.wait(failure.retry_after_seconds or wait_seconds)
            wait_seconds = min(wait_seconds * 2, MAX_WAIT_SECONDS)
        with self.lock:
            self.dropped += len(batch)
        log.warning("spans_dropped", spans=len(batch), reason=failure.reason)

    def _send_without_unprintable(self, batch: list[QueuedSpan]) -> None:
        printable = [queued for queued in batch if is_printable(queued.span)]
        with self.lock:
            self.dropped += len(batch) - len(printable)
        log.warning("spans_dropped", spans=len(batch) - len(printable), reason="no JSON")
        if 0 < len(printable) < len(batch):
            self._send(printable)

    def _body(self, batch: list[QueuedSpan], dropped: int) -> bytes:
        by_run: dict[str, list[JsonObject]] = {}
        for queued in batch:
            by_run.setdefault(queued.run_token, []).append(queued.span)
        facts = {**self.resource, "svc.dropped_spans": dropped}
        request = export_request(({**facts, "svc.run": token}, spans) for token, spans in by_run.items())
        return gzip.compress(json.dumps(request, separators=(",", ":")).encode("utf-8", "replace"), 1)

    def _post(self, body: bytes) -> Failure | None:
        headers = {
            "authorization": f"Bearer {self.key}",
            "content-type": "application/json",
            "content-encoding": "gzip",
        }
        request = urllib.request.Request(self.url, body, headers)  # noqa: S310 - the service's own address
        try:
            with urllib.request.urlopen(request, timeout=SEND_SECONDS):  # noqa: S310
                return None
        except urllib.error.HTTPError as error:
            error.close()
            waits = error.headers.get("retry-after", "")
            is_passing = error.code in (408, 429) or error.code >= 500
            return Failure(
                f"HTTP {error.code}", is_passing, min(int(waits), MAX_WAIT_SECONDS) if waits.isdigit() else 0
            )
        except OSError as error:
            return Failure(type(error).__name__, is_passing=True)


def is_printable(span: JsonObject) -> bool:
    try:
        json.dumps(span)
    except (TypeError, ValueError, RecursionError):
        return False
    return True


@dataclass(frozen=True)
class Failure:
    reason: str
    is_passing: bool
    retry_after_seconds: float = 0
