"""aiosmtpd as a real mail server for the tests: `smtp_server.py <folder> <port> <mode>`.

Every message is on the disk before it is answered. Files of the folder change its answers: `busy` answers 451,
`mute` stores the message and never answers. Addresses that begin with `unknown` get 550.
"""

import asyncio
import email
import email.policy
import json
import os
import ssl
import sys

import trustme
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, LoginPassword

folder, port, mode = sys.argv[1], int(sys.argv[2]), sys.argv[3]


def inside(name):
    return os.path.join(folder, name)


def is_told_to(mood):
    return os.path.exists(inside(mood))


def keep(letter):
    with open(inside("inbox"), "a") as inbox:
        inbox.write(json.dumps(letter) + "\n")
        inbox.flush()
        os.fsync(inbox.fileno())


class Inbox:
    async def handle_RCPT(self, server, session, envelope, address, rcpt_options):
        if address.startswith("unknown"):
            return "550 5.1.1 nobody of that name"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        if is_told_to("busy"):
            return "451 4.3.0 try again later"
        content = envelope.original_content
        letter = {
            "from": envelope.mail_from,
            "to": envelope.rcpt_tos,
            "head": content.split(b"\r\n\r\n", 1)[0].decode(),
            "body": email.message_from_bytes(content, policy=email.policy.default).get_content(),
            "tls": server.transport.get_extra_info("ssl_object") is not None,
            "user": session.auth_data.login.decode() if session.auth_data else None,
        }
        keep(letter)
        if is_told_to("mute"):
            await asyncio.sleep(3600)
        return "250 OK"


def authenticate(server, session, envelope, mechanism, auth_data):
    known = isinstance(auth_data, LoginPassword) and auth_data == LoginPassword(b"gantry", b"a mail/password")
    return AuthResult(success=known, handled=known, auth_data=auth_data if known else None)


def tls_context():
    authority_file, server_file = inside("ca.pem"), inside("server.pem")
    if not os.path.exists(server_file):
        authority = trustme.CA()
        authority.cert_pem.write_to_path(authority_file)
        authority.issue_cert("localhost").private_key_and_cert_chain_pem.write_to_path(server_file)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(server_file)
    return context


class Server(Controller):
    def factory(self):
        secured = mode == "starttls"
        return SMTP(
            self.handler,
            tls_context=tls if secured else None,
            require_starttls=secured,
            authenticator=authenticate,
            auth_require_tls=mode != "plaintext" and mode != "smtps",
        )


tls = tls_context()
server = Server(Inbox(), hostname="127.0.0.1", port=port, ssl_context=tls if mode == "smtps" else None)
server.start()
print("ready", os.getpid(), flush=True)
sys.stdin.read()
