"""Checks the ingress secret before every route.

`/health` and `/ready` are open, because the deploy step calls them without the ingress. `/identity` is open,
because the ingress sends its secret only after this proof.
"""

from __future__ import annotations

import hmac

from .http_request import Request
from .problems import Problem

PROVEN_BY = "X-Svc-Ingress-Secret"
OPEN_ROUTES = {("GET", "/health"), ("GET", "/ready"), ("GET", "/identity")}


class Guard:
    def __init__(self, ingress_secret: str | None) -> None:
        self.secret = ingress_secret.encode() if ingress_secret is not None else None

    def check(self, request: Request) -> None:
        if self.secret is None or (request.method, request.path) in OPEN_ROUTES:
            return
        given = request.headers.all(PROVEN_BY)
        # As bytes, because compare_digest refuses texts beyond ASCII.
        if len(given) != 1 or not hmac.compare_digest(given[0].encode("latin-1"), self.secret):
            raise Problem("ingress_secret_required", "this container takes calls from its ingress only")
