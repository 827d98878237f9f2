"""`kind: summary`: the newest part of a conversation, and before it a summary of the rest by a model.

The gateway gets the call as one of the run, so it has the run's budget and its trace. Which part is summarised follows
from the conversation alone: once the unchanged part is over its limits, it shrinks to a half. So a summary serves many
calls, and the next one is made from it. Summaries are kept in this process only. Another one makes them again, of a
long conversation in several calls, because a model takes only so much at once.
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from ...memory.door import DoorNotReached, DoorRefused
from ...memory.in_thread import in_thread
from ...problems import Problem
from ...runs.run_identity import current
from .model_input import Part
from .summarizer import Summarizer
from .units import Limits, Unit, newest, text_in, with_question

MOST_KEPT = 1000
# About 16,000 tokens: small models take so many.
MOST_CHARACTERS = 64_000


@dataclass(frozen=True)
class Piece:
    """A part of a conversation, from its begin."""

    # Of all that is in it.
    digest: str
    # The units of it.
    count: int


class Summary:
    def __init__(self, limits: Limits, summarizer: Summarizer) -> None:
        self.limits = limits
        self.summarizer = summarizer
        self.known: OrderedDict[str, str] = OrderedDict()
        self.lock = threading.Lock()

    def narrow(self, messages: Sequence[Any], units: Sequence[Unit]) -> Part:
        from langchain_core.messages import HumanMessage

        cuts = cuts_of(units, self.limits)
        if not cuts:
            return Part(units)
        texts = ["\n".join(text_of(messages[place]) for place in unit.places) for unit in units]
        summary = self._summary_of(texts, pieces_of(texts, cuts))
        # Not a system message: what people have said gets no more weight by it.
        said = HumanMessage(f"Summary of our conversation until now:\n{summary}")
        return Part(with_question(units, cuts[-1]), said)

    async def anarrow(self, messages: Sequence[Any], units: Sequence[Unit]) -> Part:
        return await in_thread(lambda: self.narrow(messages, units))

    def _summary_of(self, texts: Sequence[str], pieces: Sequence[Piece]) -> str:
        # The longest part whose summary is known.
        begin, summary = 0, None
        with self.lock:
            for piece in reversed(pieces):
                summary = self.known.get(piece.digest)
                if summary is not None:
                    begin = piece.count
                    self.known.move_to_end(piece.digest)
                    break
        for piece in in_few_calls([piece for piece in pieces if piece.count > begin], begin, texts):
            summary = self._make(summary, texts[begin : piece.count])
            begin = piece.count
            with self.lock:
                self.known[piece.digest] = summary
                while len(self.known) > MOST_KEPT:
                    self.known.popitem(last=False)
        return summary or ""

    def _make(self, earlier: str | None, texts: Sequence[str]) -> str:
        run = current.get()
        model = self.summarizer.model
        try:
            return self.summarizer.ask(earlier, texts, token=(run.token if run else None) or "")
        except DoorRefused as refusal:
            reason = f"the service refused the call of {model}: {refusal}"
            raise Problem(
                "summary_failed", f"no summary of the conversation: {reason}", reason=refusal.code
            ) from refusal
        except DoorNotReached as error:
            raise Problem("summary_failed", f"no summary of the conversation: {model} did not answer") from error
        except ValueError as error:
            raise Problem("summary_failed", f"no summary of the conversation: {model} answered no text") from error


def in_few_calls(pieces: Sequence[Piece], begin: int, texts: Sequence[str]) -> list[Piece]:
    """Of the pieces after `begin`, those up to which one call each makes a summary."""
    ends: list[Piece] = []
    for piece, following in pairwise(pieces):
        so_far = ends[-1].count if ends else begin
        if sum(map(len, texts[so_far : following.count])) > MOST_CHARACTERS:
            ends.append(piece)
    return [*ends, *pieces[-1:]]


def cuts_of(units: Sequence[Unit], limits: Limits) -> list[int]:
    """Where the unchanged part began, each time that it had become too long.

    A longer conversation has the same first cuts.
    """
    half = limits.half()
    cuts: list[int] = []
    begin = 0
    for end in range(1, len(units) + 1):
        if limits.allow(units[begin:end]):
            continue
        shorter = begin + newest(units[begin:end], half)
        if shorter > begin:
            begin = shorter
            cuts.append(begin)
    return cuts


def pieces_of(texts: Sequence[str], cuts: Sequence[int]) -> list[Piece]:
    so_far = hashlib.sha256()
    pieces: list[Piece] = []
    for count, text in enumerate(texts[: cuts[-1]], start=1):
        so_far.update(f"{len(text)} {text}".encode("utf-8", "surrogatepass"))
        if count in cuts:
            pieces.append(Piece(so_far.hexdigest(), count))
    return pieces


def text_of(message: Any) -> str:
    content = message.content
    parts = [content] if isinstance(content, str) else list(content or ())
    words = " ".join(text_in(part) or "[a part that is no text]" for part in parts)
    calls = [
        f"[calls {call.get('name')} with {call.get('args')}]" for call in getattr(message, "tool_calls", None) or ()
    ]
    return f"{message.type}: {' '.join([words, *calls]).strip()}"
