"""Connections and requests from the container to the service."""
