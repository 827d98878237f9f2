from typing import TypedDict


class State(TypedDict, total=False):
    name: str
    answer: str
