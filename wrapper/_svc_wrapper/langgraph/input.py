"""The input of a compiled graph: its JSON Schema for readers, and the check of an input."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from langchain_core.messages import convert_to_messages

from ..agent import JsonObject
from ..input_check import check_required, check_types, fault, refuse
from ..json_types import is_typed_dict, schema_of_annotations

MESSAGES_SCHEMA: JsonObject = {
    "type": "array",
    "title": "Messages",
    "items": {
        "type": "object",
        "properties": {"role": {"type": "string"}, "content": {}},
        "required": ["role", "content"],
    },
}


@dataclass(frozen=True)
class GraphInput:
    schema: JsonObject
    # Fields with the reducer of message-style graphs: lists of {role, content}.
    message_fields: set[str] = field(default_factory=set)
    # Fields with a reducer take the reducer's input; it can differ from the field's type.
    reduced_fields: set[str] = field(default_factory=set)
    requires_all: bool = False

    @property
    def required(self) -> list[str]:
        return self.schema.get("required", []) if self.requires_all else []

    def check(self, given: JsonObject) -> None:
        properties: JsonObject = self.schema.get("properties", {})
        if not properties:
            return
        if not any(name in properties for name in given):
            known = ", ".join(f"'{name}'" for name in properties)
            refuse([{"pointer": "/input", "detail": f"the graph takes {known}"}])
        faults = check_required(given, self.required)
        faults += check_types(given, properties, skip=self.reduced_fields)
        faults += self._check_messages(given)
        refuse(faults)

    def _check_messages(self, given: JsonObject) -> list[JsonObject]:
        faults: list[JsonObject] = []
        for name in self.message_fields & given.keys():
            value = given[name]
            try:
                convert_to_messages(value if isinstance(value, list) else [value])
            except Exception as error:
                faults.append(fault(name, f"'{name}' must be a list of {{role, content}}: {error}"))
        return faults


def read_graph_input(graph: Any) -> GraphInput:
    reducers = {
        name: channel.operator
        for name, channel in getattr(graph, "channels", {}).items()
        if getattr(channel, "operator", None) is not None
    }
    message_fields = {name for name, reducer in reducers.items() if "add_messages" in getattr(reducer, "__name__", "")}
    return GraphInput(
        schema=readable_schema(input_json_schema(graph), message_fields),
        message_fields=message_fields,
        reduced_fields=set(reducers),
        requires_all=requires_all_fields(graph),
    )


def requires_all_fields(graph: Any) -> bool:
    """True when the schema's `required` describes the input.

    A TypedDict of the whole state also lists fields that nodes write later. A separate input schema, a pydantic
    model or a dataclass lists only the input's fields.
    """
    input_type, state_type = declared_types(graph)
    return input_type is not None and (input_type is not state_type or not is_typed_dict(input_type))


def declared_types(graph: Any) -> tuple[Any, Any]:
    """The builder's input type and state type; before langgraph 1 the attributes have other names."""
    builder = getattr(graph, "builder", None)
    state_type = getattr(builder, "state_schema", None) or getattr(builder, "schema", None)
    input_type = getattr(builder, "input_schema", None) or getattr(builder, "input", None) or state_type
    return input_type, state_type


def input_json_schema(graph: Any) -> JsonObject:
    try:
        return graph.get_input_jsonschema()
    except Exception:
        # pydantic refuses typing.TypedDict before Python 3.12, and state types without a JSON form.
        return schema_of_annotations(declared_types(graph)[0])


def readable_schema(schema: JsonObject, message_fields: set[str]) -> JsonObject:
    """langchain's messages have long definitions, but callers send {role, content}."""
    properties = {
        name: MESSAGES_SCHEMA if name in message_fields else value
        for name, value in schema.get("properties", {}).items()
    }
    readable = {key: value for key, value in schema.items() if key not in ("properties", "$defs")}
    if properties:
        readable["properties"] = properties
    if "$defs" in schema and "#/$defs/" in str(properties):
        readable["$defs"] = schema["$defs"]
    return readable
