"""Flows whose states the service keeps: for each caller, in each process, and while a person thinks."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from crewai.flow import Flow, listen, start
from crewai.flow.async_feedback.providers import ConsoleProvider
from crewai.flow.flow_config import flow_config
from crewai.flow.human_feedback import human_feedback
from crewai.flow.persistence import FlowPersistence, SQLiteFlowPersistence, factory, persist
from pydantic import BaseModel

from _svc_wrapper.agent import Answer
from _svc_wrapper.crewai.agent import CrewAgent, wrap, wrap_entrypoint
from _svc_wrapper.crewai.kept.crew_memory import CrewMemory
from _svc_wrapper.crewai.kept.defaults import LateFeedback, persistence
from _svc_wrapper.memory.door import Door
from _svc_wrapper.problems import Problem
from _svc_wrapper.runs.run_identity import RunIdentity
from kept_calls import call, kept_process
from memory_door import KEY, MemoryDoor
from user_loop_runs import run, user_loop
from wrapper_process import AGENTS, WrapperProcess

FOLDER = AGENTS / "kept_flow"


class Count(BaseModel):
    add: Any = ""
    seen: list[Any] = []


class Remote(FlowPersistence):
    """Replaces a persistence in a database: only its type is read."""

    persistence_type: str = "remote"

    def init_db(self) -> None: ...

    def save_state(self, *args: Any, **kwargs: Any) -> None: ...

    def load_state(self, *args: Any, **kwargs: Any) -> None: ...


def counter_of(at_class: Any = None, at_step: Any = None) -> type[Flow]:
    """A flow that persists by one of crewai's two decorators."""

    class Counter(Flow[Count]):
        @start()
        def see(self) -> list[Any]:
            if self.state.add == "fail":
                raise ValueError("told to")
            self.state.seen.append(self.state.add)
            return self.state.seen

        if at_step:
            see = at_step(see)

    return at_class(Counter) if at_class else Counter


class Asker(Flow):
    """Its state has no model, and nothing persists it."""

    @start()
    @human_feedback(message="Refund this?", provider=ConsoleProvider())
    def ask(self) -> str:
        return f"refund of {self.state['amount']}"

    @listen(ask)
    def hear(self, result: Any) -> str:
        return f"{result.output}: {result.feedback}"


@pytest.fixture(autouse=True)
def as_in_a_container(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CREWAI_STORAGE_DIR", str(tmp_path))
    monkeypatch.setattr(flow_config, "_hitl_provider", LateFeedback())
    monkeypatch.setattr(factory, "_factory", persistence)


@pytest.fixture(scope="module")
def door() -> Iterator[MemoryDoor]:
    with MemoryDoor() as door:
        yield door


def kept(door: MemoryDoor, exported: Any) -> CrewAgent:
    return wrap_entrypoint("flow", exported, user_loop.loop, CrewMemory(Door(door.url, KEY), None))


def say(
    door: MemoryDoor, agent: CrewAgent, thread: str | None = None, *, caller: str = "ada", **fields: Any
) -> tuple[Answer, str]:
    """The answer, and the name of the thread."""
    token = door.open_run(thread, caller=caller)
    name = thread or str(uuid.uuid4())
    given = {"thread_id": name, "names_thread": thread is not None, "run": RunIdentity(token), **fields}
    return run(agent, **given), name


def add(door: MemoryDoor, agent: CrewAgent, word: Any, thread: str | None = None, **fields: Any) -> Any:
    return list(say(door, agent, thread, input={"add": word}, **fields)[0].output)


@pytest.mark.parametrize(
    "made",
    [
        lambda: counter_of(at_class=persist()),
        lambda: counter_of(at_step=persist()),
        lambda: counter_of(at_class=persist())(),
        lambda: counter_of(at_class=persist(SQLiteFlowPersistence())),
    ],
    ids=["class", "step", "instance", "in a file of the container"],
)
def test_a_persisted_flow_goes_on_with_its_thread(door: MemoryDoor, made: Any) -> None:
    flow = made()
    one = kept(door, flow)
    assert (one.threads, one.threads_by, one.keeps_threads, one.memory) == ("service", None, True, {"needs_run": False})
    thread = str(uuid.uuid4())
    assert add(door, one, "tea", thread) == ["tea"]
    assert add(door, one, "toast", thread) == ["tea", "toast"]
    assert add(door, kept(door, flow), "jam", thread) == ["tea", "toast", "jam"]
    assert add(door, one, "milk", f"not {thread}") == ["milk"]
    assert add(door, one, "of bob", thread, caller="bob") == ["of bob"]


def test_a_call_without_a_thread_asks_the_service_nothing(door: MemoryDoor) -> None:
    agent = kept(door, counter_of(at_class=persist()))
    before = len(door.requests)
    assert [add(door, agent, word) for word in ("a", "b")] == [["a"], ["b"]]
    assert door.requests[before:] == []


def test_what_lasts_elsewhere_stays_and_a_flow_without_persistence_too(door: MemoryDoor) -> None:
    elsewhere = kept(door, counter_of(at_class=persist(Remote())))
    assert (elsewhere.threads, elsewhere.threads_by, elsewhere.memory) == ("external", "@persist of Counter", None)
    plain = kept(door, counter_of())
    assert (plain.threads, plain.keeps_threads, plain.memory, plain.notices) == ("none", False, None, [])
    assert add(door, plain, "x") == ["x"]


def test_a_reader_finds_the_fields_of_the_state(door: MemoryDoor) -> None:
    agent = kept(door, counter_of(at_class=persist()))
    add(door, agent, "tea", "t-views")
    add(door, agent, "tea", "t-views")
    thread = door.thread("t-views")
    newest = max(thread.checkpoints)
    versions = thread.checkpoints[newest]["said"]["versions"]
    views = {name: thread.views["", name, version] for name, version in versions.items()}
    assert views == {"id": views["id"], "add": "tea", "seen": ["tea", "tea"]}
    assert (thread.nexts[newest], thread.tail) == ([], {"next": [], "interrupts": []})
    # The second call has changed one field of three.
    assert len(thread.blobs) == 4


def test_a_failed_step_leaves_the_state_before_it(door: MemoryDoor) -> None:
    agent = kept(door, counter_of(at_class=persist()))
    add(door, agent, "one", "t-failed")
    with pytest.raises(ValueError, match="told to"):
        add(door, agent, "fail", "t-failed")
    assert add(door, agent, "two", "t-failed") == ["one", "two"]


def test_a_thread_names_the_state_and_the_input_does_not(door: MemoryDoor) -> None:
    agent = kept(door, counter_of(at_class=persist()))
    with pytest.raises(Problem, match="leave out 'id'"):
        say(door, agent, "t-id", input={"add": "x", "id": "another"})
    assert say(door, agent, input={"add": "x", "id": "another"})[0].output == ["x"]


def test_a_state_that_is_not_stored_fails_the_call(door: MemoryDoor) -> None:
    agent = kept(door, counter_of(at_class=persist()))
    door.refusals["POST /memory/state"] = [422]
    try:
        with pytest.raises(Problem) as refused:
            add(door, agent, "x", "t-refused")
    finally:
        door.refusals.clear()
    assert refused.value.code == "thread_not_stored"
    assert add(door, agent, "y", "t-refused") == ["y"]


def test_a_value_without_a_stored_form_is_named(door: MemoryDoor) -> None:
    @persist()
    class Odd(Flow):
        @start()
        def put(self) -> str:
            self.state["lock"] = object()
            return "put"

    agent = kept(door, Odd)
    assert say(door, agent, input={})[0].output == "put"
    with pytest.raises(Problem, match="field 'lock' has no stored form") as refused:
        say(door, agent, "t-odd", input={})
    assert refused.value.code == "thread_not_stored"


def test_a_version_that_cannot_read_a_state_says_so_and_the_state_stays(door: MemoryDoor) -> None:
    class Numbers(BaseModel):
        seen: list[int] = []

    @persist()
    class Newer(Flow[Numbers]):
        @start()
        def see(self) -> list[int]:
            return self.state.seen

    agent = kept(door, counter_of(at_class=persist()))
    add(door, agent, "tea", "t-old")
    with pytest.raises(Problem) as refused:
        say(door, kept(door, Newer), "t-old", input={})
    assert refused.value.code == "state_unreadable"
    assert add(door, agent, "toast", "t-old") == ["tea", "toast"]


@pytest.mark.parametrize("exported", [Asker, Asker()], ids=["class", "instance"])
@pytest.mark.parametrize("thread", ["t-asked", None])
def test_a_person_is_asked_and_answers_later(door: MemoryDoor, exported: Any, thread: str | None) -> None:
    own = thread and f"{thread}-{uuid.uuid4()}"
    agent = kept(door, exported)
    assert (agent.threads, agent.memory) == ("service", {"needs_run": True})
    before = len(door.requests)
    waiting, name = say(door, agent, own, input={"amount": 7})
    asked = [{"id": "ask", "value": {"question": "Refund this?", "output": "refund of 7"}}]
    assert waiting.interrupts == asked
    assert waiting.output["amount"] == 7
    assert door.thread(name).tail == {"next": ["ask"], "interrupts": asked}
    if own is None:
        # One request says all of it.
        assert door.requests[before:] == [("POST", f"/memory/state?thread={name}")]
    later = kept(door, Asker)
    assert say(door, later, name, resume="yes", resumes=True)[0].output == "refund of 7: yes"
    assert door.thread(name).tail == {"next": [], "interrupts": []}
    with pytest.raises(Problem) as refused:
        say(door, agent, name, resume="yes", resumes=True)
    assert refused.value.code == "nothing_to_resume"


def test_a_new_call_is_no_answer(door: MemoryDoor) -> None:
    agent = kept(door, Asker())
    for amount in (1, 2):
        assert say(door, agent, "t-anew", input={"amount": amount})[0].interrupts
    assert say(door, agent, "t-anew", resume=None, resumes=True)[0].output == "refund of 2: "
    with pytest.raises(Problem, match="does not wait"):
        say(door, agent, "t-anew", resume="no", resumes=True)


def test_a_question_of_an_inner_flow_fails_instead_of_becoming_its_result(door: MemoryDoor) -> None:
    @persist()
    class Outer(Flow):
        @start()
        def inner(self) -> str:
            return str(Asker().kickoff(inputs={"amount": 1}))

    with pytest.raises(Exception, match="only the flow that the agent exports can"):
        say(door, kept(door, Outer), "t-inner", input={})


def test_an_inner_flow_has_a_state_beside_that_of_the_thread(door: MemoryDoor) -> None:
    counter = counter_of(at_class=persist())

    @persist()
    class Outer(Flow):
        @start()
        def inner(self) -> list[Any]:
            return list(counter().kickoff(inputs={"id": "inner-1", "add": self.state["add"]}))

    agent = kept(door, Outer)
    assert [say(door, agent, "t-two", input={"add": word})[0].output for word in ("a", "b")] == [["a"], ["a", "b"]]
    assert {ns for ns, _ in door.thread("t-two").checkpoints} == {"", "inner-1"}


def test_a_crew_still_has_nothing_to_resume(door: MemoryDoor) -> None:
    agent = wrap("crew", counter_of()(), CrewMemory(Door(door.url, KEY), None))
    with pytest.raises(Problem, match="nothing to resume"):
        say(door, agent, "t-none", resume="yes", resumes=True)


def process_of(door: MemoryDoor, name: str) -> WrapperProcess:
    return kept_process(door, FOLDER, SVC_FRAMEWORK="crewai", SVC_ENTRY_NAME=name)


def test_another_process_goes_on_and_hears_the_answer(door: MemoryDoor) -> None:
    with process_of(door, "asker") as one, process_of(door, "asker") as other:
        assert one.ready().client.get("/ready").json()["memory"] == {"needs_run": True}
        for word in ("tea", "toast"):
            waiting = call(door, one, {"input": {"add": word}}, "t-process").json()
            assert waiting["status"] == "interrupted", waiting
            heard = call(door, other.ready(), {"resume": "yes"}, "t-process").json()
            assert (heard["status"], heard["output"]) == ("completed", f"added {word}: yes")
    thread = door.thread("t-process")
    seen = thread.checkpoints[max(thread.checkpoints)]["said"]["versions"]["seen"]
    assert thread.views["", "seen", seen] == ["tea", "toast"]
