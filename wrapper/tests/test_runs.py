from __future__ import annotations

import json
import threading
import uuid

import pytest

from _svc_wrapper.problems import Problem
from _svc_wrapper.runs.known_ids import KnownIds
from _svc_wrapper.runs.runs import End, Run, Runs
from wrapper_process import WrapperProcess


def test_the_caller_may_name_the_run(many_sides: WrapperProcess) -> None:
    run_id = str(uuid.uuid4())
    body = {"input": {"do": "echo", "count": 1}, "metadata": {"who": "ada"}}
    assert many_sides.invoke(body, **{"X-Svc-Run-Id": run_id}).json()["run_id"] == run_id
    run = many_sides.client.get(f"/runs/{run_id}").json()
    assert run["status"] == "completed"
    assert run["output"]["result"] == 1
    assert run["metadata"] == {"who": "ada"}
    assert run["started_at"] <= run["ended_at"]


def test_a_call_writes_one_line_to_the_log(many_sides: WrapperProcess) -> None:
    run_id = many_sides.ask(do="echo", count=1)["run_id"]
    lines = [json.loads(line) for line in many_sides.log().splitlines() if run_id in line]
    assert [(line["event"], line["status"]) for line in lines] == [("run_ended", "completed")]


def test_a_run_id_can_be_used_once(many_sides: WrapperProcess) -> None:
    headers = {"X-Svc-Run-Id": str(uuid.uuid4())}
    assert many_sides.invoke({"input": {"do": "echo"}}, **headers).status_code == 200
    assert many_sides.invoke({"input": {"do": "echo"}}, **headers).json()["code"] == "run_exists"


def test_a_run_id_that_is_not_a_uuid_is_refused(many_sides: WrapperProcess) -> None:
    assert many_sides.invoke({"input": {"do": "echo"}}, **{"X-Svc-Run-Id": "../x"}).status_code == 400


def test_an_unknown_run_is_not_found(many_sides: WrapperProcess) -> None:
    assert many_sides.client.get(f"/runs/{uuid.uuid4()}").json()["code"] == "run_not_found"


def test_another_connection_can_wait_for_a_run(many_sides: WrapperProcess) -> None:
    run_id = start_in_background(many_sides, do="nap")
    run = many_sides.client.get(f"/runs/{run_id}", params={"wait_seconds": 10}).json()
    assert run["status"] == "completed"
    assert run["output"]["result"] == "done"


def test_the_stored_answer_of_a_run_equals_the_answer_of_its_call(many_sides: WrapperProcess) -> None:
    run_id = start_in_background(many_sides, do="nap")
    going_on = many_sides.client.get(f"/runs/{run_id}/answer")
    assert (going_on.status_code, going_on.json()["status"]) == (202, "running")
    answered = many_sides.client.get(f"/runs/{run_id}/answer", params={"wait_seconds": 10})
    assert answered.status_code == 200
    assert answered.json().keys() == {"run_id", "status", "thread_id", "output"}
    failed_id = str(uuid.uuid4())
    failed = many_sides.invoke({"input": {"do": "fail"}}, **{"X-Svc-Run-Id": failed_id})
    again = many_sides.client.get(f"/runs/{failed_id}/answer")
    assert (again.status_code, again.content) == (failed.status_code, failed.content)


@pytest.mark.parametrize("do", ["sleep on the loop", "sleep"])
def test_a_run_can_be_cancelled(many_sides: WrapperProcess, do: str) -> None:
    run_id = start_in_background(many_sides, do=do, count=20)
    cancelled = many_sides.client.post(f"/runs/{run_id}/cancel")
    assert cancelled.status_code == 202
    assert cancelled.json()["status"] == "cancelled"
    assert cancelled.json()["error"]["code"] == "run_cancelled"
    assert many_sides.health()["in_flight"] == 0
    assert many_sides.ask(do="echo", count=2)["output"]["result"] == 2


def test_a_cancel_does_not_change_an_ended_run(many_sides: WrapperProcess) -> None:
    run_id = many_sides.ask(do="echo", count=1)["run_id"]
    assert many_sides.client.post(f"/runs/{run_id}/cancel").json()["status"] == "completed"


def start_in_background(wrapper: WrapperProcess, **fields: object) -> str:
    run_id = str(uuid.uuid4())
    arguments = ({"input": fields},)
    threading.Thread(target=wrapper.invoke, args=arguments, kwargs={"X-Svc-Run-Id": run_id}, daemon=True).start()
    wrapper.wait_until(lambda: wrapper.client.get(f"/runs/{run_id}").json().get("status") == "running", seconds=5)
    return run_id


@pytest.mark.parametrize(
    ("bounds", "kept"),
    [
        ({"keep_count": 2}, ["c", "d"]),
        ({"keep_bytes": 10}, ["d"]),
        ({"keep_seconds": -1}, []),
    ],
)
def test_ended_runs_are_kept_within_bounds(bounds: dict, kept: list[str]) -> None:
    runs = Runs(**{"keep_seconds": 60, "keep_count": 100, "keep_bytes": 10_000, **bounds})
    ids = {name: str(uuid.uuid4()) for name in "abcd"}
    going_on = Run(id=str(uuid.uuid4()), thread_id="t", metadata={})
    runs.add(going_on, 1)
    for run_id in ids.values():
        run = Run(id=run_id, thread_id="t", metadata={})
        runs.add(run, 1)
        runs.admitted(run)
        runs.finish(run, End("completed", b"x" * 6))
    assert runs.find(going_on.id) is going_on
    assert list(runs.ended) == [ids[name] for name in kept]
    with pytest.raises(Problem):
        runs.find(ids["a"])
    # Its answer is forgotten, its id is not.
    with pytest.raises(Problem, match="exists"):
        runs.add(Run(id=ids["a"], thread_id="t", metadata={}), 2)
    with pytest.raises(Problem, match="exists"):
        runs.refuse(ids["a"], 1, 0)


def test_a_call_that_never_came_can_be_refused_up_to_one_sending(many_sides: WrapperProcess) -> None:
    run_id = str(uuid.uuid4())
    refusal = {"attempt": 2, "stored_seconds_ago": 1}
    assert many_sides.client.get(f"/runs/{run_id}/answer").status_code == 404
    assert many_sides.client.post(f"/runs/{run_id}/refuse", params=refusal).status_code == 200

    def send(attempt: int) -> tuple[int, str | None]:
        headers = {"X-Svc-Run-Id": run_id, "X-Svc-Attempt": str(attempt)}
        sent = many_sides.invoke({"input": {"do": "echo", "count": 1}}, **headers)
        return sent.status_code, sent.headers.get("X-Svc-Not-Begun")

    # Those that were on their way, then the next one, and that one again.
    assert [send(1), send(2), send(3), send(3)] == [(409, "refused"), (409, "refused"), (200, None), (409, None)]
    refused = many_sides.client.post(f"/runs/{run_id}/refuse", params={**refusal, "attempt": 3})
    assert (refused.status_code, refused.json()["code"]) == (409, "run_exists")


def test_a_call_for_another_start_of_the_container_does_not_begin(many_sides: WrapperProcess) -> None:
    start = many_sides.client.get("/health").headers["X-Svc-Start"]
    body = {"input": {"do": "echo", "count": 1}}
    assert many_sides.invoke(body, **{"X-Svc-Start": start}).status_code == 200
    refused = many_sides.invoke(body, **{"X-Svc-Start": str(uuid.uuid4())})
    assert (refused.status_code, refused.headers["X-Svc-Not-Begun"]) == (503, "other-start")
    assert refused.headers["X-Svc-Start"] == start


def test_forgotten_ids_prove_nothing() -> None:
    now = 1000.0
    ids = KnownIds(generation=2, clock=lambda: now)
    names = [str(uuid.uuid4()) for _ in range(5)]
    for name in names:
        ids.begin(name)
        now += 10
    assert [ids.has_begun(name) for name in names] == [False, False, True, True, True]
    # All ids of the last 30 s are known, and earlier ones may be forgotten.
    assert ids.refuse(str(uuid.uuid4()), 1, stored_seconds_ago=29)
    assert not ids.refuse(names[0], 1, stored_seconds_ago=50)
    assert not ids.refuse(str(uuid.uuid4()), 1, stored_seconds_ago=31)
