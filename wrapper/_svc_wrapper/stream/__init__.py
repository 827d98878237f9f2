"""The events of a run for its reader."""
