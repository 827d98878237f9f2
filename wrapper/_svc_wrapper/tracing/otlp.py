"""Spans as OTLP/HTTP has them in JSON.

The packages of OpenTelemetry that do this pin versions of protobuf, requests or each other. The user's packages
would have to fit these.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..agent import JsonObject
from ..agent_error import masked_start
from .span_text import MAX_TEXT

SPAN_KIND = "openinference.span.kind"
CONTENT = {"inputs", "outputs"}
# Also sent for a span whose content is hidden.
FACTS = (
    SPAN_KIND,
    "traceloop.span.kind",
    "llm.model_name",
    "llm.provider",
    "llm.system",
    "llm.request.",
    "llm.response.",
    "llm.token_count.",
    "llm.usage.",
    "embedding.model_name",
    "tool.name",
    "tool_call.function.name",
    "graph.node.",
    "gen_ai.operation.name",
    "gen_ai.system",
    "gen_ai.provider.name",
    "gen_ai.request.model",
    "gen_ai.response.model",
    "gen_ai.usage.",
    "gen_ai.agent.",
    "gen_ai.tool.name",
)
INPUTS = (
    "input.",
    "llm.input_messages.",
    "llm.prompts.",
    "gen_ai.input.",
    "gen_ai.prompt",
    "gen_ai.system_instructions",
    "gen_ai.tool.call.arguments",
    "traceloop.entity.input",
)
OUTPUTS = (
    "output.",
    "llm.output_messages.",
    "llm.choices.",
    "gen_ai.output.",
    "gen_ai.completion",
    "gen_ai.tool.call.result",
    "traceloop.entity.output",
)
# The same content once more.
REPEATED = {
    "input.value": ("llm.input_messages.", "llm.prompts.", "llm.tools."),
    "output.value": ("llm.output_messages.", "llm.choices."),
}


def kept_attributes(given: Mapping[str, Any], hidden: frozenset[str]) -> dict[str, Any]:
    repeated = tuple(prefix for key, prefixes in REPEATED.items() if key in given for prefix in prefixes)

    def is_kept(key: str) -> bool:
        if key.startswith(FACTS):
            return True
        if repeated and key.startswith(repeated):
            return False
        if key.startswith(INPUTS):
            return "inputs" not in hidden
        if key.startswith(OUTPUTS):
            return "outputs" not in hidden
        # An attribute of the user's own code.
        return not hidden & CONTENT

    return {key: clip(value) for key, value in given.items() if is_kept(key)}


def clip(value: Any) -> Any:
    if isinstance(value, str):
        return masked_start(value, MAX_TEXT)
    # Python prints no integer of many digits, and OTLP has 64 bits.
    if isinstance(value, int) and value.bit_length() > 63:
        return hex(value)[:MAX_TEXT]
    return [clip(one) for one in value] if isinstance(value, (list, tuple)) else value


def export_request(resources: Iterable[tuple[Mapping[str, Any], Sequence[str]]]) -> str:
    """The spans of each resource, which are JSON already."""
    parts = [
        f'{{"resource":{json.dumps({"attributes": key_values(facts)})},"scopeSpans":[{{"spans":[{",".join(spans)}]}}]}}'
        for facts, spans in resources
    ]
    return f'{{"resourceSpans":[{",".join(parts)}]}}'


def key_values(attributes: Mapping[str, Any]) -> list[JsonObject]:
    return [{"key": key, "value": any_value(value)} for key, value in attributes.items()]


def any_value(value: Any) -> JsonObject:
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, float):
        # JSON has no NaN; protobuf's JSON writes it as text.
        return {"doubleValue": value if math.isfinite(value) else str(value)}
    if isinstance(value, (list, tuple)):
        return {"arrayValue": {"values": [any_value(one) for one in value]}}
    return {"stringValue": str(value)}
