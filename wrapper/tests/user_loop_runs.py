"""Runs an agent on a user's loop like the runner, without a separate process."""

from __future__ import annotations

import asyncio
import uuid
from typing import Any

from _svc_wrapper.agent import Agent, Answer, Call
from _svc_wrapper.runs.user_loop import UserLoop

user_loop = UserLoop(4)


def run(agent: Agent, **fields: Any) -> Answer:
    call = Call(**{"run_id": str(uuid.uuid4()), "thread_id": "t", "input": None, **fields})
    agent.check(call)
    return asyncio.run_coroutine_threadsafe(agent.run(call, None), user_loop.loop).result(30)
