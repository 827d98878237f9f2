"""What both frameworks say about an export that cannot be run."""

from __future__ import annotations

from typing import Any


class WrongExport(Exception):
    """The name of the entrypoint is something else than an agent; the text says what."""


def article(value: Any) -> str:
    """The value's kind for a sentence: "a list", "an int", "nothing"."""
    if value is None:
        return "nothing"
    kind = type(value).__name__
    return f"{'an' if kind[:1] in 'aeiouAEIO' else 'a'} {kind}"
