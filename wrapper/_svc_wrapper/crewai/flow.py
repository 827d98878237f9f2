"""The state of a crewai flow. A call's input goes into it, and a run begins with a state of its own."""

from __future__ import annotations

import copy
import uuid
from typing import Any

from ..agent import JsonObject


def state_schema(flow: Any) -> JsonObject:
    """The fields of the state's model. crewai demands a default for each, so none is required."""
    try:
        schema: JsonObject = type(flow._state).model_json_schema()
    except Exception:
        # A dict has no model, and some fields have no JSON schema.
        schema = {}
    properties = {name: field for name, field in schema.get("properties", {}).items() if name != "id"}
    about = {name: value for name, value in schema.items() if name in ("$defs", "description")}
    return {**about, "type": "object", "properties": properties, "required": [], "additionalProperties": True}


class FirstState:
    """crewai keeps the state of a flow between two kickoffs, so one caller would get what another one has written.

    A flow cannot be copied: its methods stay bound to the original. Raises when its state cannot be copied.
    """

    def __init__(self, flow: Any) -> None:
        try:
            self.state = copy.deepcopy(flow._state)
        except Exception as error:
            reason = "the state of the flow cannot be copied, so its runs would share it: name the Flow class instead"
            raise TypeError(reason) from error

    def restore(self, flow: Any) -> None:
        state = copy.deepcopy(self.state)
        if isinstance(state, dict):
            state["id"] = str(uuid.uuid4())
        elif hasattr(state, "id"):
            state.id = str(uuid.uuid4())
        flow._state = state


def flow_output(flow: Any, output: Any) -> Any:
    """When its last step returns nothing, a flow's result is its state."""
    if output is not None:
        return output
    return getattr(flow, "state", None)


def put_state(flow: Any, stored: JsonObject | None, flow_id: str) -> None:
    """Without a stored state the flow keeps its first one. Raises for a state that its model refuses."""
    if stored is not None:
        model = type(flow._state)
        flow._state = model.model_validate(stored) if hasattr(model, "model_validate") else stored
    if isinstance(flow._state, dict):
        flow._state["id"] = flow_id
    else:
        flow._state.id = flow_id


def begin_anew(flow: Any) -> None:
    """What kickoff does and resume does not: one flow can have had other runs before."""
    for name in ("_completed_methods", "_method_outputs", "_pending_events", "_method_call_counts"):
        getattr(flow, name, set()).clear()
    clear = getattr(flow, "_clear_or_listeners", None)
    if clear:
        clear()
