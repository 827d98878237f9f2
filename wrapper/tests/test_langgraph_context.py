"""`context` and `configurable` reach the graph; invalid ones are refused with a pointer."""

from __future__ import annotations

import dataclasses
import warnings
from dataclasses import dataclass, field
from typing import Any

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.graph import START, StateGraph
from langgraph.runtime import Runtime
from pydantic import BaseModel
from typing_extensions import TypedDict

from _svc_wrapper.langgraph.agent import GraphAgent
from _svc_wrapper.problems import Problem
from user_loop_runs import run


@dataclass(kw_only=True)
class Defaults:
    model: str = "small"
    tags: list[str] = field(default_factory=list)


@dataclass
class Required:
    user_id: str
    limit: int = 3


class Model(BaseModel):
    user_id: str


class Loose(TypedDict):
    user_id: str


class State(TypedDict, total=False):
    said: object


def graph_of(schema: Any = None, **options: Any) -> Any:
    def tell(state: State, runtime: Runtime, config: RunnableConfig) -> dict:
        context = runtime.context
        plain = dataclasses.asdict(context) if dataclasses.is_dataclass(context) else context
        named = {key: value for key, value in config["configurable"].items() if key in ("user_id", "other")}
        return {"said": {"context": plain, "configurable": named}}

    builder = StateGraph(State, context_schema=schema, **options)
    builder.add_node("tell", tell)
    builder.add_edge(START, "tell")
    return builder.compile()


def said(schema: Any, **fields: Any) -> Any:
    return run(GraphAgent("graph", graph_of(schema)), input={"said": 1}, **fields).output["said"]


def pointers(schema: Any, **fields: Any) -> list[str]:
    with pytest.raises(Problem) as refused:
        said(schema, **fields)
    assert refused.value.status == 422
    return [fault["pointer"] for fault in refused.value.errors or []]


def test_without_a_context_the_defaults_apply() -> None:
    assert said(Defaults)["context"] == {"model": "small", "tags": []}
    assert said(Defaults, context={"model": "large"})["context"] == {"model": "large", "tags": []}


def test_an_undeclared_context_is_refused() -> None:
    assert said(None)["context"] is None
    assert pointers(None, context={"model": "large"}) == ["/context"]


@pytest.mark.parametrize("schema", [Required, Model])
def test_a_required_field_must_be_given(schema: Any) -> None:
    assert said(schema, context={"user_id": "ada"})["context"]
    assert pointers(schema) == ["/context/user_id"]
    assert pointers(schema, context={}) == ["/context/user_id"]


def test_fields_of_the_wrong_type_or_name_are_refused() -> None:
    assert pointers(Required, context={"user_id": 3}) == ["/context/user_id"]
    assert pointers(Required, context={"user_id": "ada", "limti": 3}) == ["/context/limti"]
    assert pointers(Required, config={"configurable": {"user_id": 3}}) == ["/config/configurable/user_id"]


def test_a_typed_dict_is_passed_unchanged() -> None:
    """langgraph's new-project template declares a field and reads it with get()."""
    # An empty one becomes None in langgraph itself.
    assert said(Loose)["context"] is None
    assert GraphAgent("graph", graph_of(Loose)).context_schema["required"] == []
    assert said(Loose, context={"user_id": "ada", "more": 1})["context"] == {"user_id": "ada", "more": 1}


def test_context_and_configurable_are_equivalent() -> None:
    by_name = said(Required, config={"configurable": {"user_id": "ada", "other": 1}})
    assert by_name["context"] == {"user_id": "ada", "limit": 3}
    assert by_name["configurable"] == {"user_id": "ada", "other": 1}
    by_context = said(Required, context={"user_id": "ada"})
    assert by_context["configurable"] == {"user_id": "ada"}


def test_the_older_name_of_the_schema_works_too() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        agent = GraphAgent("graph", graph_of(config_schema=Required))
    assert agent.context_schema["required"] == ["user_id"]
    assert run(agent, input={"said": 1}, context={"user_id": "ada"}).output["said"]["configurable"]["user_id"] == "ada"


def test_a_context_cannot_set_a_thread_or_a_caller() -> None:
    """The service's values in `configurable` stay when `context` is copied there."""
    seen: list[Any] = []
    builder = StateGraph(State, context_schema=dict)
    builder.add_node("look", lambda state, config: seen.append(config["configurable"]))
    builder.add_edge(START, "look")
    given = {"thread_id": "theirs", "checkpoint_id": "1", "svc_caller": {"user": "root"}, "user_id": "ada"}
    run(GraphAgent("graph", builder.compile()), input={"said": 1}, context=given, thread_space="mine")
    assert (seen[0]["thread_id"], seen[0]["svc_caller"], seen[0]["user_id"]) == ("mine:t", None, "ada")
    assert "checkpoint_id" not in seen[0] or seen[0]["checkpoint_id"] is None
