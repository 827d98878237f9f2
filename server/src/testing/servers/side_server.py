"""An MCP server on its standard streams, without any package.

It keeps what it is told, says what it sees, and misbehaves on request.
"""

import json
import os
import socket
import sys
import time
import urllib.request

kept = []
shows_interfaces = "SHOWS" in os.environ
description = " ".join(name for _, name in socket.if_nameindex()) if shows_interfaces else "A tool of a test"


def reaches(address):
    try:
        socket.create_connection(address, 2).close()
        return True
    except OSError:
        return False


def writes(folder):
    try:
        with open(folder + "/written", "w") as file:
            file.write("x")
        return True
    except OSError:
        return False


def fetch(url):
    try:
        return urllib.request.urlopen(url, timeout=10).read().decode()  # noqa: S310 -- the test gives the address
    except OSError as error:
        return f"refused: {error}"


def dial(text):
    host, port = text.split(":")
    return "open" if reaches((host, int(port))) else "closed"


def look(_):
    return json.dumps(
        {
            "user": os.getuid(),
            "variables": dict(os.environ),
            "writable": [folder for folder in ("/", "/opt/venv", "/run/secrets", "/tmp") if writes(folder)],  # noqa: S108 -- it asks
            "reached": [a for a in (("169.254.169.254", 80), ("1.1.1.1", 53)) if reaches(a)],
        }
    )


def keep(text):
    kept.append(text)
    return ",".join(kept)


def end(_):
    print("the end is near", file=sys.stderr, flush=True)
    os._exit(3)


def rubbish(text):
    print("Starting...\n{}\n[1, 2]\n" + '{"jsonrpc": "2.0"}', flush=True)
    return text


def flood(_):
    while True:
        print("x" * 1000, flush=True)


def notify(_):
    note = {"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "x" * 1000}}
    while True:
        print(json.dumps(note), flush=True)


def line(_):
    sys.stdout.write("x" * 5_000_000)
    sys.stdout.flush()
    time.sleep(60)


def say(text):
    print(text, file=sys.stderr, flush=True)
    return text


def swallow(_):
    return str(len(bytearray(2_000_000_000)))


tools = {one.__name__: one for one in (look, keep, end, rubbish, flood, notify, line, say, swallow, fetch, dial)}
tools["sleep"] = lambda text: time.sleep(float(text)) or "slept"


def answer(method, params):
    if method == "initialize":
        info = {"name": "side", "version": "1.0"}
        return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": info}
    if method == "tools/list":
        schema = {"type": "object", "properties": {"text": {"type": "string"}}}
        return {"tools": [{"name": name, "description": description, "inputSchema": schema} for name in sorted(tools)]}
    if method == "tools/call":
        text = params.get("arguments", {}).get("text", "")
        if text == "an error":
            return None
        return {"content": [{"type": "text", "text": tools[params["name"]](text)}]}
    return None


def main():
    if "FAIL" in os.environ:
        sys.exit("cannot start with " + os.environ["FAIL"])
    for message in map(json.loads, sys.stdin):
        if "id" not in message:
            continue
        result = answer(message["method"], message.get("params", {}))
        refusal = {"error": {"code": -32601, "message": "no such method"}}
        print(
            json.dumps({"jsonrpc": "2.0", "id": message["id"], **({"result": result} if result else refusal)}),
            flush=True,
        )


if __name__ == "__main__":
    main()
