"""Opens what the service has sealed for one revision.

On Cloud Run all agents of a target have one identity, and the store of secrets gives it the values of all of them. So
they are sealed: a stream of SHAKE256, and a mark of HMAC-SHA256 over it. The key is in the description of the revision.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac

NONCE_BYTES = 32
MARK_BYTES = 32


class SealError(Exception):
    """The text was not sealed with this key."""


def unseal(key: str, text: str) -> str:
    try:
        sealed = base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise SealError("the text is not base64") from error
    nonce, rest = sealed[:NONCE_BYTES], sealed[NONCE_BYTES:]
    mark, hidden = rest[:MARK_BYTES], rest[MARK_BYTES:]
    if not hmac.compare_digest(mark, hmac.digest(sub_key(key, "mark"), nonce + hidden, "sha256")):
        raise SealError("the mark is of another key")
    stream = hashlib.shake_256(sub_key(key, "stream") + nonce).digest(len(hidden))
    return bytes(one ^ other for one, other in zip(hidden, stream, strict=True)).decode()


def sub_key(key: str, use: str) -> bytes:
    return hmac.digest(key.encode(), use.encode(), "sha256")
