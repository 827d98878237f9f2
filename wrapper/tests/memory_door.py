"""The door of the service for threads, store and prompts, on a real port. The rows are in dicts.

A token names an open run: its caller, and the thread of its call. Everything else is refused, as by the service.
`refusals` answers the next requests of a path with other statuses.
"""

from __future__ import annotations

import datetime
import json
import threading
import uuid
from collections import defaultdict
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

KEY = "gateway-key-of-the-agent"
FRAMES = "application/vnd.gantry.frames"
NOW = datetime.datetime(2026, 1, 2, tzinfo=datetime.timezone.utc).isoformat()


@dataclass
class OpenRun:
    caller: str
    thread: str | None
    run_id: str


@dataclass
class Thread:
    # By namespace and id.
    checkpoints: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)
    # By namespace, channel and version: type and bytes.
    blobs: dict[tuple[str, str, str], tuple[str, bytes]] = field(default_factory=dict)
    # As the blobs: the JSON of a value.
    views: dict[tuple[str, str, str], Any] = field(default_factory=dict)
    # By checkpoint, then by task and index.
    writes: dict[tuple[str, str], dict[tuple[str, int], dict[str, Any]]] = field(
        default_factory=lambda: defaultdict(dict)
    )
    nexts: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    tail: dict[str, Any] | None = None


class Refused(Exception):
    def __init__(self, status: int, code: str, detail: str) -> None:
        super().__init__(detail)
        self.status, self.code, self.detail = status, code, detail


class MemoryDoor(ThreadingHTTPServer):
    """A context manager."""

    daemon_threads = True

    def __init__(self, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.runs: dict[str, OpenRun] = {}
        self.threads: dict[tuple[str, str], Thread] = {}
        self.items: dict[tuple[str, tuple[str, ...], str], dict[str, Any]] = {}
        self.prompts: list[dict[str, Any]] = []
        # Of each answer about items.
        self.notices: list[str] = []
        self.requests: list[tuple[str, str]] = []
        # By the start of "<method> <path>": statuses of the next answers. The last one stays.
        self.refusals: dict[str, list[int]] = {}
        self.lock = threading.Lock()

    def __enter__(self) -> MemoryDoor:
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()

    def open_run(self, thread: str | None = None, *, caller: str = "ada", run_id: str = "") -> str:
        """Its token."""
        token = f"token-{uuid.uuid4()}"
        self.runs[token] = OpenRun(caller, thread, run_id or str(uuid.uuid4()))
        return token

    def thread(self, name: str, caller: str = "ada") -> Thread:
        return self.threads[caller, name]

    def count(self, start: str) -> int:
        return sum(f"{method} {path}".startswith(start) for method, path in self.requests)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Its answers are two writes.
    disable_nagle_algorithm = True
    server: MemoryDoor

    def do_GET(self) -> None:
        sent = self.rfile.read(int(self.headers.get("content-length", 0)))
        path = urlsplit(self.path).path
        try:
            with self.server.lock:
                self.server.requests.append((self.command, self.path))
                status, kind, body = self.answer(path, sent)
        except Refused as refused:
            problem = {"status": refused.status, "code": refused.code, "detail": refused.detail}
            status, kind, body = refused.status, "application/problem+json", json.dumps(problem).encode()
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_DELETE = do_GET

    def answer(self, path: str, sent: bytes) -> tuple[int, str, bytes]:
        self.refuse_as_told(path)
        if self.headers.get("authorization") != f"Bearer {KEY}":
            raise Refused(401, "unauthenticated", "the key is wrong")
        if (self.command, path) == ("GET", "/prompts") and "x-svc-run" not in self.headers:
            return 200, "application/json", json.dumps({"data": self.server.prompts}).encode()
        run = self.server.runs.get(self.headers.get("x-svc-run", ""))
        if run is None:
            raise Refused(403, "run_refused", "the run is not open")
        if (self.command, path) == ("GET", "/memory/state"):
            return 200, FRAMES, states(self.named(run), self.query())
        if path == "/memory/store":
            results = [self.do(run, op) for op in json.loads(sent)["ops"]]
            data = {"results": results, "notices": self.server.notices}
            return 200, "application/json", json.dumps({"data": data}).encode()
        self.change(run, path, sent)
        return 204, "application/json", b""

    def refuse_as_told(self, path: str) -> None:
        for start, statuses in self.server.refusals.items():
            if f"{self.command} {path}".startswith(start) and statuses:
                status = statuses[0] if len(statuses) == 1 else statuses.pop(0)
                if status >= 300:
                    raise Refused(status, "quota_exceeded", f"refused with {status}")

    def change(self, run: OpenRun, path: str, sent: bytes) -> None:
        threads = self.server.threads
        if path == "/memory/state" and self.command == "DELETE":
            threads.pop((run.caller, self.name(run)), None)
        elif path == "/memory/state":
            if self.headers.get("content-type") != FRAMES:
                raise Refused(415, "malformed", "not frames")
            store_states(threads.setdefault((run.caller, self.name(run)), Thread()), run, sent)
        elif path == "/memory/threads/copy":
            asked = json.loads(sent)
            source = threads.get((run.caller, asked["from"]))
            if source:
                threads[run.caller, asked["to"]] = copied(source)
        elif path == "/memory/state/delete-runs":
            ids = set(json.loads(sent)["run_ids"])
            for (caller, _), thread in threads.items():
                for key in [key for key, row in thread.checkpoints.items() if row["run_id"] in ids]:
                    if caller == run.caller:
                        forget(thread, key)
        elif path == "/memory/state/prune":
            asked = json.loads(sent)
            for name in asked["threads"]:
                prune(threads.get((run.caller, name)), asked["strategy"])
        else:
            raise Refused(404, "not_found", "no such path")

    def do(self, run: OpenRun, op: dict[str, Any]) -> Any:
        items = self.server.items
        if op["op"] == "list_namespaces":
            spaces = sorted({key[1] for key in items if key[0] == run.caller})
            fitting = [space for space in spaces if all(fits(space, match) for match in op["match"])]
            cut = list(dict.fromkeys(space[: op["max_depth"]] for space in fitting))
            return [list(space) for space in cut[op["offset"] : op["offset"] + op["limit"]]]
        if op["op"] == "search":
            prefix, wanted = tuple(op["prefix"]), op["filter"] or {}
            found = [
                {**item, "score": 0.5 if op["query"] else None}
                for key, item in items.items()
                if key[0] == run.caller
                and key[1][: len(prefix)] == prefix
                and all(item["value"].get(name) == value for name, value in wanted.items())
            ]
            return found[op["offset"] : op["offset"] + op["limit"]]
        key = (run.caller, tuple(op["namespace"]), op["key"])
        if op["op"] == "get":
            return items.get(key)
        if op["value"] is None:
            items.pop(key, None)
        else:
            item = {"namespace": op["namespace"], "key": op["key"], "value": op["value"], "score": None}
            items[key] = {**item, "created_at": NOW, "updated_at": NOW, "ttl_minutes": op["ttl_minutes"]}
        return None

    def query(self) -> dict[str, str]:
        query = urlsplit(self.path).query
        return {name: values[-1] for name, values in parse_qs(query, keep_blank_values=True).items()}

    def name(self, run: OpenRun) -> str:
        name = self.query().get("thread", run.thread)
        if name is None:
            raise Refused(400, "malformed", "the run has no thread")
        return name

    def named(self, run: OpenRun) -> Thread:
        return self.server.threads.get((run.caller, self.name(run)), Thread())

    def log_message(self, *_: object) -> None:
        pass


def states(thread: Thread, query: dict[str, str]) -> bytes:
    limit = int(query.get("limit", "1"))
    if not 1 <= limit <= 100:
        raise Refused(400, "malformed", "limit")
    fitting = [
        key
        for key in sorted(thread.checkpoints, key=lambda key: key[1], reverse=True)
        if query.get("ns") in (None, key[0])
        and query.get("id") in (None, key[1])
        and ("before" not in query or key[1] < query["before"])
    ][:limit]
    head: dict[str, list[dict[str, Any]]] = {"checkpoints": [], "blobs": []}
    parts: list[bytes] = []
    blobs: dict[tuple[str, str, str], tuple[str, bytes]] = {}
    for key in fitting:
        row = thread.checkpoints[key]
        writes = list(thread.writes[key].values())
        said = {**row["said"], "writes": [write["said"] for write in writes], "run_id": row["run_id"]}
        head["checkpoints"].append(said)
        parts += [row["body"], row["metadata"], *(write["body"] for write in writes)]
        for channel, version in row["said"]["versions"].items():
            blob = (key[0], channel, version)
            blobs[blob] = thread.blobs[blob]
    for (ns, channel, version), (kind, body) in blobs.items():
        head["blobs"].append({"ns": ns, "channel": channel, "version": version, "type": kind, "size": len(body)})
        parts.append(body)
    return b"".join([json.dumps(head).encode(), b"\n", *parts])


def store_states(thread: Thread, run: OpenRun, sent: bytes) -> None:
    line, _, rest = sent.partition(b"\n")
    head, at = json.loads(line), 0

    def take(size: int) -> bytes:
        nonlocal at
        at += size
        if at > len(rest):
            raise Refused(400, "malformed", "a part is missing")
        return rest[at - size : at]

    for put in head["puts"]:
        key = (put["ns"], put["id"])
        said = {name: put[name] for name in ("ns", "id", "parent_id", "type", "size", "metadata", "versions")}
        body, metadata = take(put["size"]), take(put["metadata"]["size"])
        run_id = put.get("run_id", run.run_id)
        thread.checkpoints[key] = {"said": said, "body": body, "metadata": metadata, "run_id": run_id}
        for channel in put["channels"]:
            blob = (put["ns"], channel["channel"], channel["version"])
            thread.blobs[blob] = (channel["type"], take(channel["size"]))
            view = take(channel["view_size"])
            if view:
                thread.views[blob] = json.loads(view)
        for channel, version in put["versions"].items():
            if (put["ns"], channel, version) not in thread.blobs:
                raise Refused(400, "malformed", f"the blob of {channel} is missing")
    for write in head["writes"]:
        rows = thread.writes[write["ns"], write["checkpoint_id"]]
        for item in write["items"]:
            body = take(item["size"])
            key = (write["task_id"], item["idx"])
            if item["idx"] < 0 or key not in rows:
                said = {"task_id": write["task_id"], "task_path": write["task_path"], **item}
                rows[key] = {"said": said, "body": body}
    for after in head["nexts"]:
        thread.nexts[after["ns"], after["id"]] = after["next"]
    if head["tail"] is not None:
        interrupts = json.loads(take(head["tail"]["interrupts_size"]))
        thread.tail = {"next": head["tail"]["next"], "interrupts": interrupts}
    if at != len(rest):
        raise Refused(400, "malformed", "there are too many bytes")


def copied(source: Thread) -> Thread:
    copy = Thread(dict(source.checkpoints), dict(source.blobs), dict(source.views))
    for key, rows in source.writes.items():
        copy.writes[key] = dict(rows)
    return copy


def forget(thread: Thread, key: tuple[str, str]) -> None:
    del thread.checkpoints[key]
    thread.writes.pop(key, None)


def prune(thread: Thread | None, strategy: str) -> None:
    newest: dict[str, str] = {}
    for ns, key in thread.checkpoints if thread else ():
        newest[ns] = max(key, newest.get(ns, ""))
    for ns, key in [*thread.checkpoints] if thread else ():
        if strategy == "delete" or newest[ns] != key:
            forget(thread, (ns, key))


def fits(space: tuple[str, ...], match: dict[str, Any]) -> bool:
    path = match["path"]
    part = space[: len(path)] if match["type"] == "prefix" else space[len(space) - len(path) :]
    return len(part) == len(path) and all(asked in ("*", given) for asked, given in zip(path, part, strict=True))
