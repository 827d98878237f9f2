"""The refusals of an export, for both frameworks."""

from __future__ import annotations

from typing import Any


class WrongExport(Exception):
    """The entrypoint does not name an agent; the text has its kind."""


def article(value: Any) -> str:
    """The value's kind for a sentence: "a list", "an int", "nothing"."""
    if value is None:
        return "nothing"
    kind = type(value).__name__
    return f"{'an' if kind[:1] in 'aeiouAEIO' else 'a'} {kind}"
