"""The requests to the door: the connection, what is tried again, and for how long."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from typing import Any

import pytest

from _svc_wrapper.memory import outbox as outbox_module
from _svc_wrapper.memory.door import Ask, Door, DoorNotReached, DoorRefused
from _svc_wrapper.memory.frames import Frames, MalformedFrames, join_frames
from _svc_wrapper.memory.outbox import Outbox, Row
from _svc_wrapper.problems import Problem
from memory_door import KEY, MemoryDoor
from wrapper_process import free_port

READ = Ask("GET", "/memory/state", {"thread": "a/b ☕", "ns": ""})


@pytest.fixture
def server() -> Iterator[MemoryDoor]:
    with MemoryDoor() as door:
        yield door


def test_a_name_is_percent_encoded(server: MemoryDoor) -> None:
    Door(server.url, KEY).ask(READ, token=server.open_run("t"))
    assert server.requests == [("GET", "/memory/state?thread=a%2Fb%20%E2%98%95&ns=")]


def test_a_refusal_has_the_services_code(server: MemoryDoor) -> None:
    with pytest.raises(DoorRefused, match="not open") as refused:
        Door(server.url, KEY).ask(READ, token="unknown")
    assert (refused.value.status, refused.value.code) == (403, "run_refused")
    assert len(server.requests) == 1


@pytest.mark.parametrize("status", [429, 502, 503])
def test_a_service_that_asks_for_a_pause_is_asked_again(server: MemoryDoor, status: int) -> None:
    server.refusals["GET"] = [status, status, 200]
    assert Door(server.url, KEY).ask(READ, token=server.open_run("t"))
    assert len(server.requests) == 3
    server.refusals["GET"] = [status]
    with pytest.raises(DoorRefused):
        Door(server.url, KEY).ask(READ, token=server.open_run("t"), within_seconds=0.3)


def test_a_connection_that_the_service_has_closed_is_opened_again() -> None:
    with MemoryDoor() as first:
        port = first.server_port
        door = Door(first.url, KEY)
        door.ask(READ, token=first.open_run("t"))
        idle = door.idle[0].sock
        assert idle is not None
        idle.shutdown(socket.SHUT_RDWR)
        door.ask(READ, token=first.open_run("t"))
        assert len(first.requests) == 2
    door.idle[0].close()
    with MemoryDoor(port) as again:
        assert door.ask(READ, token=again.open_run("t"))


def test_a_service_that_is_away_is_given_up_in_time() -> None:
    began = time.monotonic()
    with pytest.raises(DoorNotReached):
        Door(f"http://127.0.0.1:{free_port()}", KEY).ask(READ, token="t", within_seconds=0.5)
    assert 0.2 < time.monotonic() - began < 2


def test_frames_that_lie_about_their_sizes_are_refused() -> None:
    frames = Frames(join_frames({"sizes": [2, 0, 1]}, [b"ab", b"", b"c"]))
    assert [frames.take(size) for size in frames.head["sizes"]] == [b"ab", b"", b"c"]
    frames.end()
    for wrong in (3, -1, 2**40):
        with pytest.raises(MalformedFrames):
            Frames(join_frames({}, [b"ab"])).take(wrong)
    with pytest.raises(MalformedFrames):
        Frames(join_frames({}, [b"ab"])).end()
    for body in (b"", b"{}", b"no json\n"):
        with pytest.raises(MalformedFrames):
            Frames(body)


def row(name: str) -> Row:
    return Row({"ns": "", "id": name, "size": 1}, [name.encode()])


class Sent:
    def __init__(self, failure: Exception | None = None) -> None:
        self.bodies: list[Frames] = []
        self.times: list[float] = []
        self.failure = failure

    def __call__(self, thread: str | None, body: bytes) -> None:
        self.times.append(time.monotonic())
        if self.failure:
            raise self.failure
        self.bodies.append(Frames(body))


def ids(frames: Frames, kind: str = "puts") -> list[Any]:
    return [said["id"] for said in frames.head[kind]]


def test_writes_wait_for_their_checkpoint_and_not_longer_than_a_quarter_of_a_second() -> None:
    sent = Sent()
    outbox = Outbox(sent)
    began = time.monotonic()
    outbox.write(None, row("w"))
    time.sleep(0.02)
    outbox.put(None, row("a"))
    outbox.flush()
    assert [(ids(body), ids(body, "writes")) for body in sent.bodies] == [(["a"], ["w"])]
    began = time.monotonic()
    outbox.write(None, row("v"))
    while len(sent.times) < 2:
        assert time.monotonic() - began < 1
        time.sleep(0.01)
    assert 0.1 < sent.times[1] - began <= 0.25 + 0.05
    outbox.close()


def test_the_end_goes_with_the_last_checkpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    # On a busy machine the true pause can end between two of the lines below.
    monkeypatch.setattr(outbox_module, "LINGER_SECONDS", 5.0)
    sent = Sent()
    outbox = Outbox(sent)
    outbox.put(None, row("a"))
    outbox.next(None, {"ns": "", "id": "a", "next": []})
    outbox.end(None, {"next": []}, b"[]")
    outbox.flush()
    assert len(sent.bodies) == 1
    assert sent.bodies[0].head["tail"] == {"next": [], "interrupts_size": 2}
    outbox.close()
    with pytest.raises(Problem, match="has ended"):
        outbox.put(None, row("b"))


def test_a_failure_ends_all_sending() -> None:
    sent = Sent(Problem("thread_not_stored", "refused"))
    outbox = Outbox(sent)
    outbox.put(None, row("a"))
    for use in (outbox.flush, lambda: outbox.put(None, row("b")), outbox.flush):
        with pytest.raises(Problem, match="refused"):
            use()
    assert len(sent.times) == 1
    outbox.close()


def test_a_flush_ends_in_time() -> None:
    outbox = Outbox(lambda thread, body: time.sleep(0.5))
    outbox.put(None, row("a"))
    with pytest.raises(Problem, match="did not take"):
        outbox.flush(within_seconds=0.05)
    outbox.flush()
    outbox.close()
