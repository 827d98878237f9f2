"""Graphs of langgraph as agents."""
