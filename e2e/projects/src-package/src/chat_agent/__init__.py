"""As the templates do it, the package shows its graph."""

from chat_agent.graph import graph

__all__ = ["graph"]
