"""What langchain says about a call to a model, under OpenTelemetry's names. It runs in the sender's thread."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..agent import JsonObject

# The second name is that of models for which langchain has no usage of its own.
COUNTS = {
    "gen_ai.usage.input_tokens": ("input_tokens", "prompt_tokens"),
    "gen_ai.usage.output_tokens": ("output_tokens", "completion_tokens"),
}
DETAILS = {
    "gen_ai.usage.cache_read.input_tokens": "cache_read",
    "gen_ai.usage.cache_creation.input_tokens": "cache_creation",
}


def model_facts(operation: str, more: Mapping[str, Any]) -> JsonObject:
    """The facts of the call's start, from its keyword arguments."""
    metadata, asked = mapping(more.get("metadata")), mapping(more.get("invocation_params"))
    return {
        "gen_ai.operation.name": operation,
        "gen_ai.provider.name": text(metadata.get("ls_provider")),
        "gen_ai.request.model": text(metadata.get("ls_model_name") or asked.get("model") or asked.get("model_name")),
    }


def facts_of_result(result: Any) -> JsonObject:
    """The facts of an LLMResult. A stream's last chunk is one too."""
    facts: JsonObject = {}
    reasons: list[str] = []
    for generation in generations_of(result):
        message = getattr(generation, "message", None)
        told = {**mapping(getattr(generation, "generation_info", None))}
        told |= mapping(getattr(message, "response_metadata", None))
        usage = mapping(getattr(message, "usage_metadata", None))
        facts.setdefault("gen_ai.response.model", text(told.get("model_name") or told.get("model")))
        facts.setdefault("gen_ai.response.id", text(told.get("id")))
        reason = text(told.get("finish_reason") or told.get("stop_reason"))
        reasons += [reason] if reason else []
        add_counts(facts, usage)
    said = mapping(getattr(result, "llm_output", None))
    if "gen_ai.usage.input_tokens" not in facts:
        add_counts(facts, mapping(said.get("token_usage")))
    facts["gen_ai.response.model"] = facts.get("gen_ai.response.model") or text(said.get("model_name"))
    return {**facts, "gen_ai.response.finish_reasons": reasons}


def messages_of(result: Any) -> Any:
    """One message for one, else all."""
    said = [getattr(one, "message", None) or getattr(one, "text", "") for one in generations_of(result)]
    return said[0] if len(said) == 1 else said


def add_counts(facts: JsonObject, usage: Mapping[str, Any]) -> None:
    details = mapping(usage.get("input_token_details"))
    counted = {name: usage.get(first, usage.get(second)) for name, (first, second) in COUNTS.items()}
    counted |= {name: details.get(key) for name, key in DETAILS.items()}
    for name, count in counted.items():
        if isinstance(count, int) and not isinstance(count, bool):
            facts[name] = facts.get(name, 0) + count


def generations_of(result: Any) -> Iterator[Any]:
    for batch in getattr(result, "generations", None) or ():
        yield from batch


def mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None
