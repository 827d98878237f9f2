from dataclasses import dataclass, field
from importlib.metadata import version


@dataclass(kw_only=True)
class Context:
    model: str = field(default="gpt-4o-mini")
    greeting: str = field(default="Hello")
    release: str = field(default_factory=lambda: version("chat-agent"))
