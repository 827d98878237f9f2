"""Reads the caller's identity and thread space, as the ingress sends them. Also proves to the ingress that this
is the intended container.

The identity is a JWT (RFC 7519) signed with HS256 under this revision's own secret, for this agent alone. A
langgraph agent finds it as `config["configurable"]["svc_caller"]`: `{"sub": …, "email": …, "teams": […]}`.
Without an ingress secret no caller is named, because an identity could not be verified.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import hmac
import json
import re
import time
from typing import Any, NoReturn

from ..agent import JsonObject
from ..problems import Problem
from .request import Headers

CALLER_HEADER = "X-Svc-Caller"
THREAD_SPACE_HEADER = "X-Svc-Thread-Space"
CHALLENGE_HEADER = "X-Svc-Challenge"
PROOF_HEADER = "X-Svc-Proof"
CHALLENGE = re.compile(r"[0-9a-f]{64}")
# Both clocks are the same machine's; they differ briefly after it has slept.
LEEWAY_SECONDS = 5
# Without a colon, because a colon ends the space in the name of a thread.
THREAD_SPACE = re.compile(r"[A-Za-z0-9_-]{1,64}")


def prove_identity(headers: Headers, *, secret: str | None) -> str:
    """The proof for the ingress' challenge. An engine can give the address of a dead container to another one."""
    if secret is None:
        raise Problem("not_found", "this container has no ingress secret to prove")
    given = headers.all(CHALLENGE_HEADER)
    if len(given) != 1 or not CHALLENGE.fullmatch(given[0]):
        raise Problem("invalid_challenge", f"{CHALLENGE_HEADER} must be 64 hexadecimal digits")
    # The prefix prevents a proof from being a valid signature of other data, such as a caller.
    return hmac.new(secret.encode(), f"svc-identity:{given[0]}".encode(), hashlib.sha256).hexdigest()


def read_caller(headers: Headers, *, secret: str | None, agent_name: str) -> JsonObject | None:
    if secret is None:
        return None
    given = headers.all(CALLER_HEADER)
    if len(given) != 1:
        refuse(f"{CALLER_HEADER} must be given once")
    claims = read_object(verified_body(given[0], secret.encode()))
    if claims.get("aud") != f"agents/{agent_name}":
        refuse("it is meant for another agent")
    expires = claims.get("exp")
    if not isinstance(expires, int) or expires + LEEWAY_SECONDS < time.time():
        refuse("it has expired")
    return {name: claims.get(name) for name in ("sub", "email", "teams")}


def read_thread_space(headers: Headers) -> str | None:
    given = headers.all(THREAD_SPACE_HEADER)
    if not given:
        return None
    if len(given) != 1 or not THREAD_SPACE.fullmatch(given[0]):
        raise Problem("invalid_thread_space", f"{THREAD_SPACE_HEADER} must be one name of letters, digits, - and _")
    return given[0]


# The ingress signs one identity for the calls of half a minute. The claims are read for each call, because the user's
# code gets them and can change them. A refused token is never kept.
@functools.lru_cache(maxsize=256)
def verified_body(token: str, secret: bytes) -> str:
    """The header is read after the signature, because no part of an unverified token is trusted, not even its
    algorithm.
    """
    signed, _, signature = token.rpartition(".")
    head, _, body = signed.partition(".")
    expected = hmac.new(secret, signed.encode(), hashlib.sha256).digest()
    if not hmac.compare_digest(decode(signature), expected):
        refuse("its signature is wrong")
    if read_object(head).get("alg") != "HS256":
        refuse("it is not signed with HS256")
    return body


def read_object(part: str) -> JsonObject:
    try:
        value: Any = json.loads(decode(part))
    except ValueError:
        refuse("it cannot be read")
    if not isinstance(value, dict):
        refuse("it cannot be read")
    return value


def decode(part: str) -> bytes:
    try:
        return base64.b64decode(part + "=" * (-len(part) % 4), altchars=b"-_", validate=True)
    except ValueError:
        refuse("it cannot be read")


def refuse(reason: str) -> NoReturn:
    raise Problem("caller_refused", f"the caller's identity is not accepted: {reason}")
