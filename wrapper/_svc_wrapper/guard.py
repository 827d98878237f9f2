"""Checks the ingress secret before every route.

`/health` and `/ready` are open, because the deploy step calls them without the ingress. `/identity` is open,
because the ingress sends its secret only after this proof.
"""

from __future__ import annotations

import hmac

from starlette.types import Scope

from .problems import Problem

SECRET_HEADER = b"x-svc-ingress-secret"
OPEN_ROUTES = {("GET", "/health"), ("GET", "/ready"), ("GET", "/identity")}


class Guard:
    def __init__(self, ingress_secret: str | None) -> None:
        self.secret = ingress_secret.encode() if ingress_secret is not None else None

    def check(self, scope: Scope) -> None:
        if self.secret is None or (scope["method"], scope["path"]) in OPEN_ROUTES:
            return
        given = [value for name, value in scope["headers"] if name == SECRET_HEADER]
        if len(given) != 1 or not hmac.compare_digest(given[0], self.secret):
            raise Problem("ingress_secret_required", "this container takes calls from its ingress only")
