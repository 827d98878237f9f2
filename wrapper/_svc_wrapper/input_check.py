"""Checks an input against the agent's schema. So a mistake is a 422 with a pointer, instead of a KeyError in
the user's code.

It refuses only impossible input. All other input goes to the agent unchanged.
"""

from __future__ import annotations

from typing import Any

from .agent import JsonObject
from .problems import Problem

PYTHON_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
    "null": (type(None),),
}


def check_required(given: JsonObject, required: list[str], *, at: str = "/input") -> list[JsonObject]:
    return [fault(name, f"'{name}' is required", at=at) for name in required if name not in given]


def check_types(given: JsonObject, properties: JsonObject, *, skip: set[str], at: str = "/input") -> list[JsonObject]:
    """Compares only plain `type` keywords; the agent checks unions, references and formats."""
    faults: list[JsonObject] = []
    for name, value in given.items():
        wanted = properties.get(name, {}).get("type")
        if name in skip or not isinstance(wanted, str) or fits(value, wanted):
            continue
        faults.append(fault(name, f"'{name}' must be of type {wanted}", at=at))
    return faults


def fits(value: Any, wanted: str) -> bool:
    if isinstance(value, bool):
        return wanted == "boolean"
    if isinstance(value, float) and value.is_integer() and wanted == "integer":
        return True
    return isinstance(value, PYTHON_TYPES.get(wanted, (object,)))


def refuse(faults: list[JsonObject], *, what: str = "input") -> None:
    if faults:
        detail = "; ".join(item["detail"] for item in faults)
        raise Problem("invalid_input", f"the agent cannot take this {what}: {detail}", errors=faults)


def fault(name: str, detail: str, *, at: str = "/input") -> JsonObject:
    escaped = name.replace("~", "~0").replace("/", "~1")
    return {"pointer": f"{at}/{escaped}", "detail": detail}
