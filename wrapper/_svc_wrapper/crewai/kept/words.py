"""A search by words, for memories without an embedder.

crewai finds memories by comparing vectors, and would ask OpenAI for them. Here a vector counts the words of a text,
each at the place that its hash names. So texts with the same words are near, no model is called, and nothing leaves
the container.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter
from collections.abc import Sequence

SIZE = 1024
WORD = re.compile(r"\w+")
# Endings that a language adds to one word: a longer word is compared by its start.
STEM = 6


class WordVectors:
    """crewai's form of an embedder: texts in, vectors out."""

    def __call__(self, texts: Sequence[str]) -> list[list[float]]:
        return [vector_of(text) for text in texts]


def vector_of(text: str) -> list[float]:
    vector = [0.0] * SIZE
    for stem, times in Counter(word[:STEM] for word in WORD.findall(text.casefold())).items():
        vector[place_of(stem)] += 1.0 + math.log(times)
    length = math.sqrt(sum(part * part for part in vector))
    return [part / length for part in vector] if length else vector


def place_of(stem: str) -> int:
    return int.from_bytes(hashlib.blake2b(stem.encode(), digest_size=8).digest(), "big") % SIZE


def nearness(one: Sequence[float], other: Sequence[float]) -> float:
    """From 0 to 1; 0 for vectors of two embedders."""
    if len(one) != len(other):
        return 0.0
    lengths = math.sqrt(sum(part * part for part in one)) * math.sqrt(sum(part * part for part in other))
    dot = sum(a * b for a, b in zip(one, other, strict=True))
    return max(0.0, min(1.0, dot / lengths)) if lengths else 0.0
