"""Threads and store of a graph that the service keeps."""
