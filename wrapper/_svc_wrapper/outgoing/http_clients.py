"""Adds the headers of the run to requests of the user's code to the service, and to no other host.

Each client is changed at the place through which every single request goes. So a redirect is a request of its own,
and another host never gets the headers. httpx and aiohttp are below the SDKs of OpenAI, Anthropic and litellm;
urllib3 is below requests.
"""

from __future__ import annotations

import functools
import urllib.parse
from collections.abc import Callable
from types import ModuleType
from typing import Any

from ..after_import import after_import
from .run_headers import RUN_HEADER, Origin, Service


def name_runs(service: Service) -> None:
    """Before the user's code is imported. A client that it never imports costs nothing."""
    for name, change in CLIENTS.items():
        after_import(name, functools.partial(change, service))


def change_httpx(service: Service, httpx: ModuleType) -> None:
    def named(request: Any) -> Any:
        to = request.url
        added = service.headers(Origin.of(to.scheme, to.host, to.port), to.path, request.headers)
        if added is None:
            return request
        # A copy: the client makes the request after a redirect from the original's headers.
        copy = type(request)(
            request.method,
            request.url,
            headers=request.headers,
            stream=request.stream,
            extensions=request.extensions,
        )
        copy.headers.pop(RUN_HEADER, None)
        copy.headers.update(added)
        return copy

    def wrap(send: Callable[..., Any]) -> Callable[..., Any]:
        return lambda transport, request: send(transport, named(request))

    replace(httpx.HTTPTransport, "handle_request", wrap)
    replace(httpx.AsyncHTTPTransport, "handle_async_request", wrap)


def change_urllib3(service: Service, urllib3: ModuleType) -> None:
    def wrap(send: Callable[..., Any]) -> Callable[..., Any]:
        def urlopen(
            pool: Any, method: str, url: str, body: Any = None, headers: Any = None, *rest: Any, **more: Any
        ) -> Any:
            named = urllib3.HTTPHeaderDict(pool.headers if headers is None else headers)
            added = service.headers(Origin.of(pool.scheme, pool.host, pool.port), path_of(url), named)
            if added is not None:
                named.discard(RUN_HEADER)
                named.update(added)
                headers = named
            return send(pool, method, url, body, headers, *rest, **more)

        return urlopen

    replace(urllib3.HTTPConnectionPool, "urlopen", wrap)


def path_of(url: str) -> str:
    """urllib3 has it without the host, except for a proxy of plain HTTP."""
    return urllib.parse.urlsplit(url).path


def change_aiohttp(service: Service, aiohttp: ModuleType) -> None:
    def wrap(send: Callable[..., Any]) -> Callable[..., Any]:
        def send_named(request: Any, *rest: Any, **more: Any) -> Any:
            to = request.url
            added = service.headers(Origin.of(to.scheme, to.host, to.port), to.path, request.headers)
            if added is not None:
                request.headers.pop(RUN_HEADER, None)
                request.headers.update(added)
            return send(request, *rest, **more)

        return send_named

    replace(aiohttp.ClientRequest, "send", wrap)


CLIENTS: dict[str, Callable[[Service, ModuleType], None]] = {
    "httpx": change_httpx,
    "httpx2": change_httpx,
    "urllib3": change_urllib3,
    "aiohttp": change_aiohttp,
}


def replace(owner: type, name: str, wrap: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
    original = getattr(owner, name)
    setattr(owner, name, functools.wraps(original)(wrap(original)))
