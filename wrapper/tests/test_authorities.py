"""The clients of an agent accept the service's certificate, and those of public authorities as before."""

from __future__ import annotations

import ssl
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from _svc_wrapper.settings.authorities import VARIABLES, public_authorities, trust_service
from _svc_wrapper.settings.settings import SettingsError

ASKS = """
import sys, urllib.request, httpx, requests
url = sys.argv[1]
for ask in (
    lambda: urllib.request.urlopen(url).read().decode(),
    lambda: httpx.get(url).text,
    lambda: requests.get(url).text,
):
    try:
        print(ask())
    except Exception as error:
        print(type(error).__name__)
"""


class Answer(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"here")

    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def server(tmp_path: Path) -> Iterator[tuple[str, str]]:
    """Its address, and the text of its certificate, which signs itself."""
    certificate, key = tmp_path / "certificate.pem", tmp_path / "key.pem"
    words = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=door -addext subjectAltName=IP:127.0.0.1"
    subprocess.run(
        [*words.split(), "-out", str(certificate), "-keyout", str(key)],
        check=True,
        capture_output=True,
    )
    http = HTTPServer(("127.0.0.1", 0), Answer)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    http.socket = context.wrap_socket(http.socket, server_side=True)
    threading.Thread(target=http.serve_forever, daemon=True).start()
    yield f"https://127.0.0.1:{http.server_port}", certificate.read_text()
    http.shutdown()
    http.server_close()


def asked(url: str, environ: dict[str, str]) -> list[str]:
    ran = subprocess.run([sys.executable, "-c", ASKS, url], env=environ, capture_output=True, text=True, check=True)
    return ran.stdout.split()


def test_clients_accept_the_certificate_of_the_service_alone(server: tuple[str, str]) -> None:
    url, certificate = server
    environ = {"PATH": "/usr/bin", "SVC_DIAL_CA": certificate}
    assert asked(url, environ) == ["URLError", "ConnectError", "SSLError"]
    trust_service(environ)
    assert asked(url, environ) == ["here", "here", "here"]
    public = public_authorities()
    assert public is not None
    for name in VARIABLES:
        assert Path(public).read_text() in Path(environ[name]).read_text()


def test_the_authorities_of_the_user_stay(server: tuple[str, str], tmp_path: Path) -> None:
    own = tmp_path / "own.pem"
    own.write_text("the user's")
    environ = {"SVC_DIAL_CA": server[1], "SSL_CERT_FILE": str(own)}
    trust_service(environ)
    assert Path(environ["SSL_CERT_FILE"]).read_text() == f"the user's\n{server[1]}\n"
    with pytest.raises(SettingsError, match="REQUESTS_CA_BUNDLE names /nowhere"):
        trust_service({"SVC_DIAL_CA": server[1], "REQUESTS_CA_BUNDLE": "/nowhere"})


def test_without_an_own_authority_nothing_changes() -> None:
    environ: dict[str, str] = {}
    trust_service(environ)
    assert environ == {}
