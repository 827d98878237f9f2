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
