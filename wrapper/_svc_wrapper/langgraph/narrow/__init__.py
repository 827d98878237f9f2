"""A memory config narrows the messages of a graph's state before a model gets them. The state stays as it is."""
