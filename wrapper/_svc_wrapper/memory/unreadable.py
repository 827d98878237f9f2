"""The refusal of a state that this version of the agent cannot read."""

from __future__ import annotations

from ..problems import Problem


def unreadable(thread: str, reason: str) -> Problem:
    return Problem(
        "state_unreadable",
        f"this version of the agent cannot read the state of thread {thread}: {reason}",
        hint="The state is unchanged. Deploy a version that can read it, or start a new thread.",
    )
