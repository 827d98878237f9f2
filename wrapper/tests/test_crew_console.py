"""A container has no console. What crewai asks there ends the call by its name, at once."""

from __future__ import annotations

from pathlib import Path

from wrapper_process import AGENTS, WrapperProcess


def test_a_task_with_human_input_is_refused_before_its_model_is_called(tmp_path: Path) -> None:
    calls = tmp_path / "calls"
    with WrapperProcess(AGENTS / "asking_crew", "crewai", CALLS_FILE=str(calls)) as wrapper:
        notices = wrapper.ready().client.get("/ready").json()["notices"]
        assert notices == ["task 'judge' has human_input=True: calls fail there, as a container has no console"]
        failed = wrapper.invoke({"input": {}})
    assert (failed.status_code, failed.json()["code"]) == (500, "agent_error")
    assert "task 'judge' has human_input=True, and a container has no console" in failed.json()["detail"]
    assert "@human_feedback" in failed.json()["detail"]
    # The task before it.
    assert calls.read_text() == "call\n"


def test_a_step_that_asks_is_refused_and_gets_no_empty_answer() -> None:
    with WrapperProcess(AGENTS / "asking_flow", "crewai") as wrapper:
        wrapper.ready()
        failed = wrapper.invoke({"input": {}}).json()
        assert failed["code"] == "agent_error"
        assert "step 'gather' asks 'Which colour?' with Flow.ask(), and a container has no console" in failed["detail"]
        # A provider of the user's code is asked.
        assert wrapper.ask(provider="own")["output"] == "it is blue"
        by_input = wrapper.invoke({"input": {"provider": "console"}}).json()
        assert by_input["detail"].endswith("ask with interrupt() of langgraph or @human_feedback of crewai)")
