"""`kind: window`: the newest part of a conversation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .model_input import Part
from .units import Limits, Unit, newest, with_question


class Window:
    def __init__(self, limits: Limits) -> None:
        self.limits = limits

    def narrow(self, messages: Sequence[Any], units: Sequence[Unit]) -> Part:
        """It begins with words of a person, as some vendors demand."""
        kept = with_question(units, newest(units, self.limits))
        first = next((place for place, unit in enumerate(kept) if unit.is_human), 0)
        return Part(kept[first:])

    async def anarrow(self, messages: Sequence[Any], units: Sequence[Unit]) -> Part:
        return self.narrow(messages, units)
