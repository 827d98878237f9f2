"""The process, from its start to its end."""
