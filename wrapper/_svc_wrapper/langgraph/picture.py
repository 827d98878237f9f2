"""The nodes and edges of a graph, and its nested graphs, as langgraph's API shows them."""

from __future__ import annotations

from typing import Any

from ..agent import JsonObject
from ..encode import encode


def picture_of(graph: Any, depth: int | bool) -> JsonObject:
    """`{nodes, edges}`. `depth`: how many levels of nested graphs are drawn; True: all."""
    return encode(graph.get_graph(xray=depth).to_json())


def subgraphs_of(graph: Any, namespace: str | None, *, recurse: bool) -> JsonObject:
    """Their schemas, by the names of the nodes that have them."""
    found = graph.get_subgraphs(namespace=namespace, recurse=recurse)
    return {name: schemas_of(subgraph) for name, subgraph in found}


def schemas_of(graph: Any) -> JsonObject:
    return {
        "graph_id": graph.get_name(),
        "input_schema": encode(graph.get_input_jsonschema()),
        "output_schema": encode(graph.get_output_jsonschema()),
        "state_schema": None,
        "config_schema": None,
        "context_schema": None,
    }
