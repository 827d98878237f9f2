"""Who is asked when a step has `@human_feedback` and names no provider: the person to whom the service shows it.

crewai asks on the console, and a container has none. With a provider that raises HumanFeedbackPending the flow ends,
and its state waits.
"""

from __future__ import annotations

import json
from typing import Any

from crewai.flow.async_feedback.types import HumanFeedbackPending, PendingFeedbackContext

from ...agent import JsonObject
from ...encode import encode
from .flow_thread import current


class CannotWait(Exception):
    """The question has no place to wait in."""


class ServiceFeedback:
    def request_feedback(self, context: PendingFeedbackContext, flow: Any) -> str:
        thread = current.get()
        if thread is None:
            raise CannotWait(
                f"step '{context.method_name}' waits for a person, and the service keeps no states of this flow: "
                "give @human_feedback a provider"
            )
        if context.flow_id != thread.flow_id:
            # The flow that started it would take the question for its result.
            raise CannotWait(
                f"step '{context.method_name}' of the inner flow {type(flow).__name__} waits for a person, "
                "and only the flow that the agent exports can"
            )
        raise HumanFeedbackPending(context=context)


def interrupt_of(pending: HumanFeedbackPending) -> JsonObject:
    context = pending.context
    value: JsonObject = {"question": context.message, "output": encode(context.method_output)}
    if context.emit:
        value["outcomes"] = list(context.emit)
    return {"id": str(context.method_name), "value": value}


def words_of(answer: Any) -> str:
    """crewai takes text. No answer is the default outcome."""
    if answer is None:
        return ""
    return answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
