"""The parameters of a graph beside its input: langgraph's `context`, and `configurable` for older graphs.

One schema describes both, as in langgraph: `config_schema` is the older name of `context_schema`. As on
langgraph's own server, either one reaches graphs that read the other.
"""

from __future__ import annotations

import dataclasses
import inspect
from dataclasses import dataclass
from typing import Any

from ..agent import Call, JsonObject
from ..input_check import check_required, check_types, fault, refuse
from ..json_types import is_typed_dict, schema_of_annotations
from ..problems import Problem
from ..pydantic_models import is_model_class, model_schema

# `thread_id` has its own field in the request, and `checkpoint…` selects a checkpoint. A caller who set them here would
# reach other callers' threads. The service sets `svc_…`.
RESERVED_CONFIGURABLE = ("thread_id", "checkpoint", "svc_", "__")


@dataclass(frozen=True)
class GraphContext:
    # None without a declaration.
    schema: JsonObject | None
    required: list[str]
    # True when langgraph fails on an undeclared field.
    is_closed: bool
    # langgraph has `context=` since 0.6.
    is_argument: bool

    @property
    def fields(self) -> JsonObject:
        return (self.schema or {}).get("properties", {})

    def check(self, call: Call) -> None:
        if self.schema is None:
            if call.context is not None:
                raise Problem(
                    "invalid_input",
                    "the graph has no context_schema, so it takes no 'context'",
                    errors=[{"pointer": "/context", "detail": "the graph takes no context"}],
                )
            return
        named = call.config.get("configurable", {})
        refuse(check_types(named, self.fields, skip=set(), at="/config/configurable"), what="configuration")
        given = self._given(call)
        faults = check_required(given, self.required, at="/context")
        faults += check_types(given, self.fields, skip=set(), at="/context")
        if self.is_closed:
            known = ", ".join(f"'{name}'" for name in self.fields)
            unknown = [name for name in given if name not in self.fields]
            faults += [
                fault(name, f"'{name}' is not in the context, which has {known}", at="/context") for name in unknown
            ]
        refuse(faults, what="context")

    def arguments(self, call: Call) -> JsonObject:
        """For astream. Without it a graph would look for its defaults in None."""
        return {"context": self._given(call)} if self.is_argument and self.schema is not None else {}

    def configurable(self, call: Call) -> JsonObject:
        named = call.config.get("configurable", {})
        if named:
            return named
        return {
            name: value for name, value in (call.context or {}).items() if not name.startswith(RESERVED_CONFIGURABLE)
        }

    def _given(self, call: Call) -> JsonObject:
        if call.context is not None:
            return call.context
        return {name: value for name, value in call.config.get("configurable", {}).items() if name in self.fields}


def read_graph_context(graph: Any) -> GraphContext:
    # `config_type` is the name before langgraph 0.6.
    declared = getattr(graph, "context_schema", None) or getattr(graph, "config_type", None)
    return GraphContext(
        schema=None if declared is None else json_schema(declared),
        required=required_fields(declared),
        is_closed=dataclasses.is_dataclass(declared)
        or (is_model_class(declared) and declared.model_config.get("extra") == "forbid"),
        is_argument="context" in inspect.signature(graph.astream).parameters,
    )


def json_schema(declared: Any) -> JsonObject:
    try:
        schema = model_schema(declared)
    except Exception:
        # Types without a JSON form, and typing.TypedDict before Python 3.12.
        schema = schema_of_annotations(declared)
    # Describes the actual checks; for a TypedDict they are fewer than its annotations.
    return {**schema, "required": required_fields(declared)}


def required_fields(declared: Any) -> list[str]:
    """A TypedDict requires nothing here: langgraph does not check it, and templates read it with get()."""
    if is_typed_dict(declared):
        return []
    if is_model_class(declared):
        return [field.alias or name for name, field in declared.model_fields.items() if field.is_required()]
    if dataclasses.is_dataclass(declared):
        missing = dataclasses.MISSING
        fields = [field for field in dataclasses.fields(declared) if field.init]
        return [field.name for field in fields if field.default is missing and field.default_factory is missing]
    return []
