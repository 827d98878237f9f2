"""Spans on their way to the service: a bounded queue and one thread that encodes and sends them.

The user's thread only appends. A service that is away costs the agent nothing. Spans without room and refused ones are
counted, and the count goes with the next batch.
"""

from __future__ import annotations

import gzip
import threading
import time
import urllib.error
import urllib.request
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .. import log
from ..agent import JsonObject
from .otlp import export_request
from .span_text import AS_TEXT

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
    # Called once, in the sender's thread.
    encode: Callable[[], JsonObject]


@dataclass(frozen=True)
class EncodedSpan:
    run_token: str
    json: str


class SpanQueue:
    def __init__(self, url: str, key: str, resource: Mapping[str, Any]) -> None:
        self.url = url
        self.key = key
        self.resource = resource
        self.added: deque[QueuedSpan] = deque()
        # Only of the sender's thread, like its size.
        self.encoded: deque[EncodedSpan] = deque()
        self.encoded_bytes = 0
        self.dropped = 0
        self.lock = threading.Lock()
        self.has_work = threading.Event()
        self.is_closing = threading.Event()
        self.thread: threading.Thread | None = None

    def add(self, span: QueuedSpan) -> None:
        if len(self.added) >= MAX_SPANS:
            self._drop(1)
            return
        self.added.append(span)
        if len(self.added) == BATCH_SPANS:
            self.has_work.set()
        if self.thread is None:
            self._start()

    def close(self, timeout_seconds: float) -> None:
        """Sends what waits, within the time."""
        self.is_closing.set()
        self.has_work.set()
        if self.thread is not None:
            self.thread.join(timeout_seconds)

    def _start(self) -> None:
        with self.lock:
            if self.thread is None:
                self.thread = threading.Thread(target=self._send_batches, name="svc-spans", daemon=True)
                self.thread.start()

    def _drop(self, spans: int) -> None:
        with self.lock:
            self.dropped += spans

    def _send_batches(self) -> None:
        while True:
            is_last = self.is_closing.is_set()
            self.has_work.wait(0 if is_last else EVERY_SECONDS)
            self.has_work.clear()
            self._encode()
            while batch := self._take():
                self._send(batch)
                self._encode()
            if is_last:
                return

    def _encode(self) -> None:
        """Soon after their end, because a waiting span keeps its values, and the user's code can change them."""
        while self.added:
            span = self.added.popleft()
            try:
                text = AS_TEXT.encode(span.encode())
            except Exception as error:
                self._drop(1)
                log.warning("spans_dropped", spans=1, reason=f"no JSON: {type(error).__name__}")
                continue
            if len(self.encoded) >= MAX_SPANS or self.encoded_bytes + len(text) > MAX_BYTES:
                self._drop(1)
                continue
            self.encoded.append(EncodedSpan(span.run_token, text))
            self.encoded_bytes += len(text)
            # Gives the user's threads their turn: Python would let them wait for five milliseconds.
            time.sleep(0)

    def _take(self) -> list[EncodedSpan]:
        batch: list[EncodedSpan] = []
        size = 0
        while self.encoded and len(batch) < BATCH_SPANS:
            # The service refuses a batch that is too large. So a large span goes alone.
            if batch and size + len(self.encoded[0].json) > BATCH_BYTES:
                break
            batch.append(self.encoded.popleft())
            size += len(batch[-1].json)
        self.encoded_bytes -= size
        return batch

    def _send(self, batch: Sequence[EncodedSpan]) -> None:
        """Tries again until the service answers; meanwhile the queue fills up to its bound."""
        dropped = self.dropped
        body = self._body(batch, dropped)
        wait_seconds = EVERY_SECONDS
        while True:
            failure = self._post(body)
            if failure is None:
                self._drop(-dropped)
                return
            if not failure.is_passing or self.is_closing.is_set():
                break
            self._wait(failure.retry_after_seconds or wait_seconds)
            wait_seconds = min(wait_seconds * 2, MAX_WAIT_SECONDS)
        self._drop(len(batch))
        log.warning("spans_dropped", spans=len(batch), reason=failure.reason)

    def _wait(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0 and not self.is_closing.wait(min(left, EVERY_SECONDS)):
            self._encode()

    def _body(self, batch: Sequence[EncodedSpan], dropped: int) -> bytes:
        by_run: dict[str, list[str]] = {}
        for span in batch:
            by_run.setdefault(span.run_token, []).append(span.json)
        facts = {**self.resource, "svc.dropped_spans": dropped}
        text = export_request([({**facts, "svc.run": token}, spans) for token, spans in by_run.items()])
        return gzip.compress(text.encode("utf-8", "replace"), 1)

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


@dataclass(frozen=True)
class Failure:
    reason: str
    is_passing: bool
    retry_after_seconds: float = 0
