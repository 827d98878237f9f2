"""Reads the text of documents, as Markdown. It runs in a container without a network, because its files are hostile."""
