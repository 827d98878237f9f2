"""The JSON Schema of a type from its annotations alone, for types that pydantic refuses."""

from __future__ import annotations

import typing
from typing import Any

from .agent import JsonObject


def schema_of_annotations(declared: Any) -> JsonObject:
    try:
        annotations = typing.get_type_hints(declared)
    except Exception:
        annotations = getattr(declared, "__annotations__", {})
    properties = {name: {"title": name, **json_type(annotation)} for name, annotation in annotations.items()}
    required = sorted(getattr(declared, "__required_keys__", properties))
    return {"type": "object", "properties": properties, "required": required}


def json_type(annotation: Any) -> JsonObject:
    plain = typing.get_origin(annotation) or annotation
    names = {str: "string", int: "integer", float: "number", bool: "boolean", list: "array", dict: "object"}
    return {"type": names[plain]} if plain in names else {}


def is_typed_dict(declared: Any) -> bool:
    """By its shape: typing recognises only its own TypedDict, and langgraph uses typing_extensions."""
    return isinstance(declared, type) and issubclass(declared, dict) and hasattr(declared, "__required_keys__")
