"""crewai's persistence of flows, for states that the service keeps."""

from __future__ import annotations

from typing import Any

from crewai.flow.async_feedback.types import PendingFeedbackContext
from crewai.flow.persistence.base import FlowPersistence

from ...agent import JsonObject
from ...pydantic_models import is_model
from .flow_thread import the_thread


class ServiceFlowPersistence(FlowPersistence):
    """One object for all flows: each call has its thread."""

    persistence_type: str = "ServiceFlowPersistence"

    def init_db(self) -> None:
        """The service has the tables."""

    def save_state(self, flow_uuid: str, method_name: str, state_data: Any) -> None:
        the_thread().save(flow_uuid, method_name, fields_of(state_data))

    def load_state(self, flow_uuid: str) -> JsonObject | None:
        return the_thread().load(flow_uuid)

    def save_pending_feedback(self, flow_uuid: str, context: PendingFeedbackContext, state_data: Any) -> None:
        the_thread().save(flow_uuid, context.method_name, fields_of(state_data), context.to_dict())

    def load_pending_feedback(self, flow_uuid: str) -> tuple[JsonObject, PendingFeedbackContext] | None:
        found = the_thread().pending(flow_uuid)
        return None if found is None else (found[0], PendingFeedbackContext.from_dict(found[1]))

    def clear_pending_feedback(self, flow_uuid: str) -> None:
        the_thread().stop_waiting(flow_uuid)


def fields_of(state: Any) -> JsonObject:
    """A model's fields in its own JSON form. One that has none is written field by field, and names its fault."""
    if not is_model(state):
        return dict(state)
    try:
        return state.model_dump(mode="json")
    except ValueError:
        return state.model_dump(mode="python")
