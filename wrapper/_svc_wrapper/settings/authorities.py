"""The authority of the service's certificate, for all clients of this process.

A service in a company often has a certificate of the company's own authority. The clients of models, tools and
memory know the public authorities alone, and each reads a file with them instead when a variable names one.
"""

from __future__ import annotations

import ssl
import tempfile
from collections.abc import MutableMapping
from importlib.util import find_spec
from pathlib import Path

from .settings import SettingsError

# OpenSSL and so `ssl`, httpx, aiohttp and urllib; requests; Node, for tools that the agent starts.
VARIABLES = ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS")


def trust_service(environ: MutableMapping[str, str]) -> None:
    """Adds the authority of SVC_DIAL_CA to those that each variable names, or else to the public ones.

    Raises SettingsError for a variable of the user that names no readable file.
    """
    authority = environ.get("SVC_DIAL_CA")
    if not authority:
        return
    for name in VARIABLES:
        path = Path(tempfile.gettempdir()) / f"svc-authorities-{name.lower()}.pem"
        known = environ.get(name) or public_authorities()
        try:
            text = "" if known is None else Path(known).read_text()
        except (OSError, ValueError) as error:
            raise SettingsError(f"{name} names {known}, which cannot be read: {error}") from error
        # Another start of this container has written it too.
        path.unlink(missing_ok=True)
        path.write_text(f"{text}\n{authority}\n")
        environ[name] = str(path)


def public_authorities() -> str | None:
    """The file that requests and httpx read, or else that of the system."""
    if find_spec("certifi") is not None:
        import certifi

        return certifi.where()
    return ssl.get_default_verify_paths().cafile
