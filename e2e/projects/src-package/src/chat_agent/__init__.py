"""The package exports its graph, as in the templates."""

from chat_agent.graph import graph

__all__ = ["graph"]
