"""Signs like the ingress."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from typing import Any

SECRET = "a-secret-of-the-ingress"
AUDIENCE = "agents/agent"


def headers_of(name: str, **more: str) -> dict[str, str]:
    return {"X-Svc-Ingress-Secret": SECRET, "X-Svc-Caller": token_of(name), **more}


def token_of(name: str, *, secret: str = SECRET, algorithm: str = "HS256", **claims: Any) -> str:
    given = {"sub": name, "email": f"{name}@example.com", "teams": ["ml"]}
    bounds = {"aud": AUDIENCE, "exp": int(time.time()) + 3600}
    signed = f"{encoded({'alg': algorithm, 'typ': 'caller+jwt'})}.{encoded({**given, **bounds, **claims})}"
    signature = hmac.new(secret.encode(), signed.encode(), hashlib.sha256).digest()
    return f"{signed}.{unpadded(signature)}"


def encoded(value: Any) -> str:
    return unpadded(json.dumps(value).encode())


def unpadded(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")
