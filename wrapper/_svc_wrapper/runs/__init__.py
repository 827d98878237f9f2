"""The runs of this process, from admission to their end."""
