"""Answers to langchain's human-in-the-loop middleware, checked before the run.

langgraph stores an answer before the middleware sees it, and gives it the same one again with each later answer. So an
answer that the middleware fails on would end the thread. The service checks what comes from its inbox by the same rule
(contract/src/agents/asked-actions.ts); here are also the answers of every other client.
"""

from __future__ import annotations

import re
from typing import Any

from ..problems import AnswerRefused

ID = re.compile("[0-9a-f]{32}")
MOST_FAULTS = 5


def check_answer(interrupts: list[Any], answer: Any) -> None:
    """Raises AnswerRefused for one that the middleware would fail on. Questions in free form take any answer."""
    for asked, given in answered(interrupts, answer):
        fault = fault_of(asked, given)
        if fault:
            raise AnswerRefused(fault)


def answered(interrupts: list[Any], answer: Any) -> list[tuple[Any, Any]]:
    """What each answered question asks, with its answer. langgraph refuses one answer to several questions."""
    if isinstance(answer, dict) and answer and all(ID.fullmatch(str(key)) for key in answer):
        by_id = {getattr(one, "id", None): one.value for one in interrupts}
        return [(by_id[key], given) for key, given in answer.items() if key in by_id]
    return [(interrupts[0].value, answer)] if len(interrupts) == 1 else []


def is_misfit(error: BaseException) -> bool:
    """True when langgraph has checked the answer to a question with a schema. It has stored none that does not fit."""
    try:
        from langgraph.errors import is_invalid_resume
    except ImportError:  # before such questions
        return False
    return is_invalid_resume(error)


def what_does_not_fit(error: Any) -> str:
    """Of pydantic's error. The value stays out."""
    faults = error.errors(include_url=False, include_context=False, include_input=False)
    return "; ".join(f"{'/'.join(map(str, one['loc'])) or 'the answer'}: {one['msg']}" for one in faults[:MOST_FAULTS])


def fault_of(asked: Any, answer: Any) -> str | None:
    """langgraph checks the answers of `interrupt_mode="per_call"` itself, and stores none that does not fit."""
    requests = asked.get("action_requests") if isinstance(asked, dict) else None
    configs = asked.get("review_configs") if isinstance(asked, dict) else None
    if not isinstance(requests, list) or not requests or not isinstance(configs, list):
        return None
    decisions = answer.get("decisions") if isinstance(answer, dict) else None
    if not isinstance(decisions, list):
        return "the answer needs `decisions`: a list with one for each action"
    names = [str(member(request, "name")) for request in requests]
    if len(decisions) != len(names):
        return f"{len(names)} actions wait in this order: {', '.join(names)}; the answer has {len(decisions)}"
    allowed = {str(member(config, "action_name")): member(config, "allowed_decisions") for config in configs}
    faults = (fault_of_decision(name, allowed.get(name), one) for name, one in zip(names, decisions, strict=True))
    return next((fault for fault in faults if fault), None)


def fault_of_decision(name: Any, allowed: Any, decision: Any) -> str | None:
    kind = member(decision, "type")
    if isinstance(allowed, list) and kind not in allowed:
        return f"{name} takes {', '.join(map(str, allowed))}, not {str(kind)[:50]}"
    if kind == "edit":
        edited = member(decision, "edited_action")
        # The middleware would fail on a name of no tool, and run one that nobody has asked about.
        if member(edited, "name") != name:
            return f"an edit keeps the tool: `edited_action.name` is {name}"
        if not isinstance(member(edited, "args"), dict):
            return "an edit has all arguments: `edited_action.args` is an object"
    if kind == "respond" and not isinstance(member(decision, "message"), str):
        return "a response has its text in `message`"
    if kind == "reject" and not isinstance(member(decision, "message") or "", str):
        return "the `message` is a text"
    return None


def member(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else None
