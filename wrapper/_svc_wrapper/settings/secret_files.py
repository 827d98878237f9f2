"""Secrets arrive as files (name = variable, content = value) and become environment variables.

The ingress secret is an exception, because it proves that a call came through the ingress. It is removed from
the environment, and only the guard gets it. The join token is another: it proves this instance to the door.
A platform without files gives them all in one variable, as a JSON object of names and values, sealed where a key is
beside it.
"""

from __future__ import annotations

import json
import re
from collections.abc import MutableMapping
from pathlib import Path

from ..agent_error import hide
from .own_secrets import OwnSecrets
from .sealed import SealError, unseal
from .settings import SettingsError

INGRESS_SECRET = "SVC_INGRESS_SECRET"  # noqa: S105 - the name of a variable, not a secret
JOIN_TOKEN = "SVC_JOIN_TOKEN"  # noqa: S105 - the name of a variable, not a secret
SECRET_NAMES = "SVC_SECRET_NAMES"  # noqa: S105 - the name of a variable, not a secret
SECRETS = "SVC_SECRETS"
SECRETS_KEY = "SVC_SECRETS_KEY"
VARIABLE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def load_secret_files(environ: MutableMapping[str, str]) -> OwnSecrets:
    """Puts the secret files into `environ`, except those of the wrapper itself, and returns these.

    Errors of the agent hide their values. An unreadable secret stops the start: no agent is better than one without
    its key or its guard.
    """
    folder = Path(environ.pop("SVC_SECRETS_FOLDER", "/run/secrets"))
    secrets = {path.name: read_secret(path) for path in secret_paths(folder)}
    in_one = environ.pop(SECRETS, None)
    key = environ.pop(SECRETS_KEY, None)
    if in_one is not None:
        secrets |= read_object(in_one if key is None else opened(key, in_one))

    named_file = environ.pop(f"{INGRESS_SECRET}_FILE", None)
    from_environment = environ.pop(INGRESS_SECRET, None)
    from_folder = secrets.pop(INGRESS_SECRET, None)
    join_token = secrets.pop(JOIN_TOKEN, None) or environ.pop(JOIN_TOKEN, None)
    environ.pop(JOIN_TOKEN, None)
    # Most of the other files are settings. Without the list every file is a secret.
    names = secrets.pop(SECRET_NAMES, None)
    environ.update(secrets)
    hide(value for name, value in secrets.items() if names is None or name in names.split())

    ingress_secret = read_secret(Path(named_file)) if named_file else from_folder or from_environment
    if ingress_secret is not None and not ingress_secret.strip():
        raise SettingsError("the ingress secret is empty")
    return OwnSecrets(ingress_secret, join_token)


def opened(key: str, text: str) -> str:
    try:
        return unseal(key, text)
    except SealError as error:
        raise SettingsError(f"{SECRETS} was not sealed for this revision") from error


def read_object(text: str) -> dict[str, str]:
    """The message has no part of the text: it is secret."""
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise SettingsError(f"{SECRETS} is no JSON object")
    for name, value in found.items():
        if not VARIABLE_NAME.fullmatch(name) or not isinstance(value, str) or "\0" in value:
            raise SettingsError(f"{SECRETS} holds a name or a value that an environment variable cannot have")
    return found


def secret_paths(folder: Path) -> list[Path]:
    """Only files with a variable's name, because mounts also have entries such as `..data`."""
    if not folder.is_dir():
        return []
    return [path for path in sorted(folder.iterdir()) if VARIABLE_NAME.fullmatch(path.name) and path.is_file()]


def read_secret(path: Path) -> str:
    try:
        # The bytes themselves: a text mode would change line ends.
        value = path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"the secret file {path.name} cannot be read: {type(error).__name__}") from error
    if "\0" in value:
        raise SettingsError(f"the secret file {path.name} holds a NUL byte, which an environment variable cannot hold")
    return value
