"""Stands before every route: the ingress secret and the size of the body.

`/health` and `/ready` are open, because the deploy step asks them from outside the ingress. `/identity` is open,
because the ingress sends its secret to nothing that has not proven to be this container.
"""

from __future__ import annotations

import hmac

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .problems import Problem

SECRET_HEADER = b"x-svc-ingress-secret"
OPEN_ROUTES = {("GET", "/health"), ("GET", "/ready"), ("GET", "/identity")}


class Guard:
    def __init__(self, app: ASGIApp, *, ingress_secret: str | None, max_body_bytes: int) -> None:
        self.app = app
        self.secret = ingress_secret.encode() if ingress_secret is not None else None
        self.max_body_bytes = max_body_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            # No route speaks websocket; closing refuses the handshake.
            await send({"type": "websocket.close", "code": 1008})
            return
        try:
            self._check_secret(scope)
            self._check_announced_size(scope)
        except Problem as problem:
            await problem.response()(scope, receive, send)
            return
        await self.app(scope, self._counted(receive), send)

    def _check_secret(self, scope: Scope) -> None:
        if self.secret is None or (scope["method"], scope["path"]) in OPEN_ROUTES:
            return
        given = [value for name, value in scope["headers"] if name == SECRET_HEADER]
        if len(given) != 1 or not hmac.compare_digest(given[0], self.secret):
            raise Problem("ingress_secret_required", "this container takes calls from its ingress only")

    def _check_announced_size(self, scope: Scope) -> None:
        for name, value in scope["headers"]:
            if name == b"content-length" and value.isdigit() and int(value) > self.max_body_bytes:
                raise self._too_large()

    def _counted(self, receive: Receive) -> Receive:
        """A body sent in chunks announces no size. Raises inside the route, whose Problem handler answers."""
        received = 0

        async def counted() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > self.max_body_bytes:
                raise self._too_large()
            return message

        return counted

    def _too_large(self) -> Problem:
        return Problem("body_too_large", f"the body is larger than {self.max_body_bytes} bytes")
