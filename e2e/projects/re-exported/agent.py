"""The spec's rule, and a package of the same name below src."""

from agent.graph import graph

__all__ = ["graph"]
