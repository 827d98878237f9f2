"""Models of the user's code. The wrapper does without pydantic where that code does not use it."""

from __future__ import annotations

import sys
from typing import Any


def is_model(value: Any) -> bool:
    return is_model_class(type(value))


def is_model_class(declared: Any) -> bool:
    # A model exists only after the import of this module.
    base = getattr(sys.modules.get("pydantic.main"), "BaseModel", None)
    return base is not None and isinstance(declared, type) and issubclass(declared, base)


def model_schema(declared: Any) -> dict[str, Any]:
    """The JSON Schema of any type. Raises where pydantic is not loaded, or finds no JSON form."""
    return sys.modules["pydantic"].TypeAdapter(declared).json_schema()
