"""The name that the platform of this process gave it."""

from __future__ import annotations

import http.client
import json
import socket
from collections.abc import Mapping
from urllib.parse import urlsplit

from .. import log

# ECS sets it in every container. Its host there is an address of the task's own, which needs no network and no proxy.
METADATA_URI = "ECS_CONTAINER_METADATA_URI_V4"
# Cloud Run sets it in every container of a worker pool. A replica is a pool of its own.
WORKER_POOL = "CLOUD_RUN_WORKER_POOL"
# Azure Container Apps sets it in every container. A replica is a container app of its own.
CONTAINER_APP = "CONTAINER_APP_NAME"
TIMEOUT_SECONDS = 5
MAX_BYTES = 1024 * 1024


def replica_name(environ: Mapping[str, str]) -> str:
    """The id of the task on ECS, the worker pool on Cloud Run, the app on Container Apps. Elsewhere the host name."""
    for own_name in (WORKER_POOL, CONTAINER_APP):
        name = environ.get(own_name)
        if name is not None:
            return name
    uri = environ.get(METADATA_URI)
    if uri is None:
        return socket.gethostname()
    try:
        return task_id(uri)
    except (OSError, http.client.HTTPException, ValueError, KeyError, TypeError, AttributeError) as error:
        # It can serve. Its log is not found by its name.
        log.warning("replica_not_named", reason=str(error) or type(error).__name__)
        return socket.gethostname()


def task_id(uri: str) -> str:
    parts = urlsplit(uri)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port or 80, timeout=TIMEOUT_SECONDS)
    try:
        connection.request("GET", parts.path + "/task")
        response = connection.getresponse()
        text = response.read(MAX_BYTES)
        if response.status != 200:
            raise ValueError(f"the metadata answered {response.status}")
    finally:
        connection.close()
    return str(json.loads(text)["TaskARN"]).rsplit("/", 1)[-1]
