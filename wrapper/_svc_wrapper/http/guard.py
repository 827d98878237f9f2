"""Checks the ingress secret before every route.

`/health` and `/ready` are open, because the deploy step calls them without the ingress. `/identity` is open,
because the ingress sends its secret only after this proof.
"""

from __future__ import annotations

import hmac

from ..problems import Problem
from .request import Request

PROVEN_BY = "X-Svc-Ingress-Secret"
OPEN_ROUTES = {("GET", "/health"), ("GET", "/ready"), ("GET", "/identity")}


class Guard:
    def __init__(self, ingress_secret: str | None) -> None:
        self.secret = ingress_secret.encode() if ingress_secret is not None else None

    def check(self, request: Request) -> None:
        if (request.method, request.path) not in OPEN_ROUTES and not self.is_from_service(request):
            raise Problem("ingress_secret_required", "this container takes calls from its ingress only")

    def is_from_service(self, request: Request) -> bool:
        """Without a secret, every caller counts as the service: a project that runs on a developer's machine."""
        if self.secret is None:
            return True
        given = request.headers.all(PROVEN_BY)
        # As bytes, because compare_digest refuses texts beyond ASCII.
        return len(given) == 1 and hmac.compare_digest(given[0].encode("latin-1"), self.secret)
