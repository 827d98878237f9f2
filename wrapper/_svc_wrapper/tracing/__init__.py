"""Spans of the user's code, and their way to the service."""
