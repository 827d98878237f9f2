"""What crewai asks on the console: `human_input=True` of a task, and `Flow.ask()`. A container has none.

Neither can wait in the service: crewai cannot go on in the middle of a task or a step. So both end the call, by name
and with the way out. Without this `ask()` would give the step None, and a task would fail after its model was paid.
"""

from __future__ import annotations

import sys
from typing import Any

HUMAN_INPUT = "crewai.core.providers.human_input"
FLOWS = "crewai.flow.flow_config"
CONSOLE = "crewai.flow.async_feedback.providers"
INSTEAD = "a step of a flow with @human_feedback ends its call, and its question waits in the inbox"


class NoConsole(BaseException):
    """No Exception: crewai makes None of one in `ask()`, and runs a task again after one."""


class NoInput:
    """crewai's form of an input provider."""

    def request_input(self, message: str, flow: Any, metadata: Any = None) -> str:
        from crewai.flow.flow_context import current_flow_method_name

        step = current_flow_method_name.get("unknown")
        raise NoConsole(f"step '{step}' asks '{message}' with Flow.ask(), and a container has no console: {INSTEAD}")


class NoHumanInput:
    """crewai's form of a provider of human input."""

    def setup_messages(self, context: Any) -> bool:
        # Before the model is called.
        if getattr(context.task, "human_input", False):
            raise NoConsole(
                f"{task_named(context.task)} has human_input=True, and a container has no console: {INSTEAD}"
            )
        return False

    def post_setup_messages(self, context: Any) -> None:
        """Nothing is added."""

    def handle_feedback(self, formatted_answer: Any, context: Any) -> Any:
        raise NoConsole(f"{task_named(context.task)} wants a person, and a container has no console: {INSTEAD}")

    async def handle_feedback_async(self, formatted_answer: Any, context: Any) -> Any:
        return self.handle_feedback(formatted_answer, context)


def refuse_console(private: Any) -> None:
    """In the context of a run. A provider of the user's code is asked instead.

    Versions without providers use `input()`.
    """
    human_input = sys.modules.get(HUMAN_INPUT)
    if human_input is not None:
        human_input.set_provider(NoHumanInput())
    flows = sys.modules.get(FLOWS)
    if flows is not None and getattr(flows.flow_config, "input_provider", None) is None:
        flows.flow_config.input_provider = NoInput()
    if is_console(getattr(private, "input_provider", None)):
        private.input_provider = None


def is_console(provider: Any) -> bool:
    return any(base.__module__ == CONSOLE for base in type(provider).__mro__)


def human_input_notices(exported: Any) -> list[str]:
    asking = [task for task in getattr(exported, "tasks", None) or () if getattr(task, "human_input", False)]
    return [
        f"{task_named(task)} has human_input=True: calls fail there, as a container has no console" for task in asking
    ]


def task_named(task: Any) -> str:
    name = getattr(task, "name", None) or str(getattr(task, "description", ""))[:60]
    return f"task '{name}'"
