"""The secrets of the wrapper itself. The user's code gets none of them in its environment."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class OwnSecrets:
    ingress_secret: str | None
    join_token: str | None
