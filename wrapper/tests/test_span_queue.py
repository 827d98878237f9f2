"""The queue at a service that refuses, that is away, and that is slow."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from _svc_wrapper.tracing import span_queue
from _svc_wrapper.tracing.span_queue import Failure, QueuedSpan, SpanQueue
from recording_gateway import RecordingGateway
from wrapper_process import free_port

WAIT_SECONDS = 20


class WatchedQueue(SpanQueue):
    """Keeps the failures of its requests."""

    failures: list[Failure]

    def __init__(self, port: int) -> None:
        super().__init__(f"http://127.0.0.1:{port}/v1/traces", "key", {"service.name": "agent"})
        self.failures = []

    def _post(self, body: bytes) -> Failure | None:
        failure = super()._post(body)
        if failure is not None:
            self.failures.append(failure)
        return failure


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(span_queue, "EVERY_SECONDS", 0.02)
    monkeypatch.setattr(span_queue, "MAX_WAIT_SECONDS", 0.1)


@pytest.fixture
def port() -> int:
    return free_port()


@pytest.fixture
def queue(port: int) -> Iterator[WatchedQueue]:
    queue = WatchedQueue(port)
    yield queue
    queue.close(WAIT_SECONDS)


def span(name: str, size: int = 0) -> QueuedSpan:
    return QueuedSpan("token", lambda: {"name": name, "text": "x" * size})


def wait_until(holds: Callable[[], Any]) -> None:
    deadline = time.monotonic() + WAIT_SECONDS
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def names_in(gateway: RecordingGateway) -> list[str]:
    return [
        sent["name"]
        for export in gateway.exports
        for resource in export["resourceSpans"]
        for scope in resource["scopeSpans"]
        for sent in scope["spans"]
    ]


def dropped_in(gateway: RecordingGateway) -> list[int]:
    attributes = [export["resourceSpans"][0]["resource"]["attributes"] for export in gateway.exports]
    return [int(one["value"]["intValue"]) for all_ in attributes for one in all_ if one["key"] == "svc.dropped_spans"]


@pytest.mark.parametrize("status", [500, 503, 429])
def test_spans_that_a_service_cannot_take_are_sent_again_and_arrive_once(
    queue: WatchedQueue, port: int, status: int
) -> None:
    with RecordingGateway(port) as gateway:
        gateway.traces_status = status
        queue.add(span("a"))
        wait_until(lambda: len(queue.failures) >= 3)
        gateway.traces_status = 200
        wait_until(lambda: gateway.exports)
        queue.add(span("b"))
        wait_until(lambda: len(gateway.exports) == 2)
    assert {failure.reason for failure in queue.failures} == {f"HTTP {status}"}
    assert names_in(gateway) == ["a", "b"]
    assert dropped_in(gateway) == [0, 0]


def test_spans_arrive_after_a_service_has_refused_connections(queue: WatchedQueue, port: int) -> None:
    queue.add(span("a"))
    wait_until(lambda: len(queue.failures) >= 3)
    assert {failure.reason for failure in queue.failures} == {"URLError"}
    with RecordingGateway(port) as gateway:
        wait_until(lambda: gateway.exports)
    assert names_in(gateway) == ["a"]
    assert dropped_in(gateway) == [0]


def test_a_span_that_a_service_refuses_or_that_no_json_holds_takes_no_other_with_it(
    queue: WatchedQueue, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(span_queue, "BATCH_BYTES", 150)
    with RecordingGateway(port) as gateway:
        gateway.traces_status = 503
        queue.add(span("sending"))
        wait_until(lambda: queue.failures)
        for one in (span("a"), QueuedSpan("token", lambda: {"name": {1, 2}}), span("b")):
            queue.add(one)
        queue.add(span("large", 151))
        queue.add(span("c"))
        gateway.traces_status = 200
        wait_until(lambda: len(names_in(gateway)) == 5)
        assert [len(export["resourceSpans"]) for export in gateway.exports] == [1, 1, 1, 1]
        queue.add(span("later"))
        wait_until(lambda: len(gateway.exports) == 5)
    assert names_in(gateway) == ["sending", "a", "b", "large", "c", "later"]
    assert sum(dropped_in(gateway)) == 1


@pytest.mark.parametrize(("limit", "value"), [("MAX_SPANS", 3), ("MAX_BYTES", 80)])
def test_a_full_queue_drops_and_tells_the_count_once(
    queue: WatchedQueue, port: int, monkeypatch: pytest.MonkeyPatch, limit: str, value: int
) -> None:
    with RecordingGateway(port) as gateway:
        gateway.traces_status = 503
        queue.add(span("sending"))
        wait_until(lambda: queue.failures)
        monkeypatch.setattr(span_queue, limit, value)
        for number in range(10):
            queue.add(span(str(number)))
        gateway.traces_status = 200
        wait_until(lambda: len(gateway.exports) == 2)
        queue.add(span("later"))
        wait_until(lambda: len(gateway.exports) == 3)
    assert names_in(gateway) == ["sending", "0", "1", "2", "later"]
    assert dropped_in(gateway) == [0, 7, 0]
