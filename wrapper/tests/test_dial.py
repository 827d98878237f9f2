"""A container that nobody can call dials the door. The tests are the door."""

from __future__ import annotations

import contextlib
import http.client
import json
import queue
import signal
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from wrapper_process import AGENTS, WrapperProcess

TOKEN = "the token of this start"


class Door:
    """Takes joins. `answer` is what it says to each."""

    def __init__(self, answer: bytes = b"HTTP/1.1 101 Switching Protocols\r\n\r\n") -> None:
        self.answer = answer
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        self.heads: list[str] = []
        self.free: queue.Queue[socket.socket] = queue.Queue()
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self.listener.accept()
                head = b""
                while not head.endswith(b"\r\n\r\n"):
                    head += connection.recv(4096)
                self.heads.append(head.decode())
                connection.sendall(self.answer)
                self.free.put(connection)

    def take(self) -> socket.socket:
        return self.free.get(timeout=30)

    def ask(self, method: str, path: str, body: Any = None, on: socket.socket | None = None) -> tuple[int, Any]:
        """On one connection, which stays open."""
        connection = on or self.take()
        text = b"" if body is None else json.dumps(body).encode()
        lines = [
            f"{method} {path} HTTP/1.1",
            "Host: instance",
            "Content-Type: application/json",
            f"Content-Length: {len(text)}",
        ]
        connection.sendall("\r\n".join([*lines, "", ""]).encode() + text)
        response = http.client.HTTPResponse(connection)
        response.begin()
        return response.status, json.loads(response.read())

    def wait_until_ready(self) -> None:
        deadline = time.monotonic() + 60
        while self.ask("GET", "/ready")[0] != 200:
            assert time.monotonic() < deadline
            time.sleep(0.05)


@contextlib.contextmanager
def dialling(door: Door, **more: str) -> Iterator[WrapperProcess]:
    wrapper = WrapperProcess(AGENTS / "many_sides", SVC_DIAL_URL=door.url, SVC_JOIN_TOKEN=TOKEN, **more)
    try:
        yield wrapper
    finally:
        wrapper.__exit__()


@pytest.fixture(scope="module")
def door() -> Iterator[Door]:
    door = Door()
    with dialling(door, SVC_MAX_CONCURRENCY="4", SVC_MAX_QUEUE="4") as wrapper:
        door.wait_until_ready()
        door.wrapper = wrapper  # type: ignore[attr-defined]
        yield door


def test_a_process_that_dials_opens_no_port_and_proves_itself_by_its_token(door: Door) -> None:
    assert door.ask("GET", "/health")[1]["status"] == "ready"
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", door.wrapper.port))  # type: ignore[attr-defined]
    assert {line for head in door.heads for line in head.split("\r\n") if line.startswith("Authorization")} == {
        f"Authorization: Bearer {TOKEN}"
    }
    # All connections of one process have one id.
    ids = {line for head in door.heads for line in head.split("\r\n") if line.startswith("X-Svc-Process")}
    assert len(ids) == 1
    assert head_of(door.heads[0]) == "GET /instances/join HTTP/1.1"


def head_of(head: str) -> str:
    return head.partition("\r\n")[0]


def settled(door: Door) -> int:
    """The number of joins, once those for connections of earlier tests have come."""
    deadline = time.monotonic() + 20
    count = -1
    while count != len(door.heads):
        assert time.monotonic() < deadline
        count = len(door.heads)
        time.sleep(0.5)
    return count


def test_one_connection_serves_several_requests_and_a_used_one_is_replaced(door: Door) -> None:
    before = settled(door)
    connection = door.take()
    for _ in range(5):
        assert door.ask("GET", "/health", on=connection)[0] == 200
    deadline = time.monotonic() + 10
    while len(door.heads) == before:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert len(door.heads) == before + 1


def test_more_calls_than_spare_connections_are_answered_side_by_side(door: Door) -> None:
    connections = [door.take() for _ in range(4)]
    answers: list[int] = []

    def call(connection: socket.socket) -> None:
        answers.append(door.ask("POST", "/invoke", {"input": {"do": "echo"}}, on=connection)[0])

    threads = [threading.Thread(target=call, args=[one]) for one in connections]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert answers == [200] * 4


def test_a_refused_join_is_tried_again_with_growing_pauses_and_a_broken_connection_is_replaced() -> None:
    door = Door(b"HTTP/1.1 403 Forbidden\r\n\r\n")
    with dialling(door) as wrapper:
        wrapper.wait_until(lambda: len(door.heads) >= 3)
        assert "the door answered 403 Forbidden" in wrapper.log()
        assert wrapper.log().count("door_not_reached") == 1
        door.answer = b"HTTP/1.1 101 Switching Protocols\r\n\r\n"
        while door.heads and not door.free.empty():
            door.free.get().close()
        door.wait_until_ready()
        door.take().close()
        assert door.ask("GET", "/health")[0] == 200


def test_a_door_that_answers_without_end_is_left() -> None:
    door = Door(b"HTTP/1.1 101 " + b"x" * 100_000)
    with dialling(door) as wrapper:
        wrapper.wait_until(lambda: "the answer of the door is too long" in wrapper.log())


def test_a_url_of_the_door_without_a_token_prevents_the_start() -> None:
    wrapper = WrapperProcess(AGENTS / "many_sides", SVC_DIAL_URL="http://127.0.0.1:9")
    assert wrapper.exit_code() == 1
    assert "SVC_DIAL_URL needs a join token" in wrapper.log()
    wrapper.client.close()


class Metadata:
    """Of ECS, for one task."""

    def __init__(self, answer: bytes) -> None:
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}/v4/a-token"
        self.asked = ""
        self.answer = answer
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self) -> None:
        with contextlib.suppress(OSError):
            connection, _ = self.listener.accept()
            self.asked = head_of(connection.recv(4096).decode())
            connection.sendall(b"HTTP/1.1 " + self.answer)
            connection.close()


@pytest.mark.parametrize(
    ("answer", "name"),
    [
        (b'200 OK\r\n\r\n{"TaskARN": "arn:aws:ecs:eu-west-1:1:task/agents/0123456789abcdef"}', "0123456789abcdef"),
        (b"500 Failed\r\n\r\n", socket.gethostname()),
        (b"200 OK\r\n\r\n[]", socket.gethostname()),
    ],
)
def test_a_replica_on_ecs_says_the_id_of_its_task_and_otherwise_its_host_name(answer: bytes, name: str) -> None:
    door = Door()
    metadata = Metadata(answer)
    with dialling(door, ECS_CONTAINER_METADATA_URI_V4=metadata.url) as wrapper:
        door.wait_until_ready()
        assert metadata.asked == "GET /v4/a-token/task HTTP/1.1"
        assert {line for head in door.heads for line in head.split("\r\n") if line.startswith("X-Svc-Replica")} == {
            f"X-Svc-Replica: {name}"
        }
        assert ("replica_not_named" in wrapper.log()) is not answer.startswith(b"200 OK\r\n\r\n{")


def test_a_replica_on_cloud_run_says_the_name_of_its_worker_pool() -> None:
    door = Door()
    with dialling(door, CLOUD_RUN_WORKER_POOL="svc-parrot-a1b2c3d4-r1"):
        door.wait_until_ready()
        assert "X-Svc-Replica: svc-parrot-a1b2c3d4-r1" in door.heads[0]


def test_a_replica_on_container_apps_says_the_name_of_its_app() -> None:
    door = Door()
    with dialling(door, CONTAINER_APP_NAME="svc-parrot-a1b2c3d4-r1"):
        door.wait_until_ready()
        assert "X-Svc-Replica: svc-parrot-a1b2c3d4-r1" in door.heads[0]


def test_a_process_that_dials_ends_in_time() -> None:
    door = Door()
    with dialling(door) as wrapper:
        door.wait_until_ready()
        wrapper.process.terminate()
        assert wrapper.exit_code() == 0


def test_a_replica_that_its_platform_ends_says_so_for_a_time_before_it_leaves() -> None:
    door = Door()
    with dialling(door, SVC_LEAVE_NOTICE_SECONDS="3") as wrapper:
        door.wait_until_ready()
        before = settled(door)
        wrapper.process.terminate()
        wrapper.wait_until(lambda: "draining" in wrapper.log())
        # It still answers, on a connection that it opens now.
        door.take().close()
        wrapper.wait_until(lambda: len(door.heads) > before)
        assert "X-Svc-Draining: true" in door.heads[-1]
        assert door.ask("GET", "/health")[1]["status"] == "draining"
        assert wrapper.exit_code() == 0
    assert not any("X-Svc-Draining" in head for head in door.heads[:before])
    assert f"X-Svc-Replica: {socket.gethostname()}" in door.heads[0]


def test_a_replica_that_the_service_has_drained_leaves_at_once() -> None:
    door = Door()
    with dialling(door, SVC_LEAVE_NOTICE_SECONDS="60") as wrapper:
        door.wait_until_ready()
        wrapper.send_signal(signal.SIGUSR1)
        wrapper.wait_until(lambda: "draining" in wrapper.log())
        wrapper.process.terminate()
        assert wrapper.exit_code() == 0
