"""One JSON object a line on standard output, next to whatever the user's code prints.

Tracebacks follow their line as readable text, each line marked, so that no text in them can pass for a
log line of its own.
"""

from __future__ import annotations

import datetime
import json
import logging
import sys
import threading
import traceback
from typing import Any

TRACEBACK_MARK = "  | "
# A message can hold a document, and a recursion a thousand frames; the end of a traceback says the most.
MAX_TRACEBACK_LINES = 100
MAX_LINE_CHARACTERS = 2000
# Escaped to ASCII: line separators and control characters of user data cannot start a new line.
_encoder = json.JSONEncoder(default=str)
_one_writer = threading.Lock()


def info(event: str, **fields: Any) -> None:
    write("info", event, fields)


def warning(event: str, **fields: Any) -> None:
    write("warning", event, fields)


def error(event: str, exception: BaseException | None = None, **fields: Any) -> None:
    text = "".join(traceback.format_exception(type(exception), exception, exception.__traceback__)) if exception else ""
    write("error", event, fields, text)


def load_failed(code: str, message: str, trace: str) -> None:
    write("error", "agent_not_loaded", {"code": code, "message": message}, trace)


def write(level: str, event: str, fields: dict[str, Any], trace: str = "") -> None:
    now = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds")
    lines = [_encoder.encode({"time": now, "level": level, "event": event, **fields})]
    lines += [TRACEBACK_MARK + printable(line) for line in trace.splitlines()[-MAX_TRACEBACK_LINES:]]
    with _one_writer:
        # The real one: a user's code may have redirected sys.stdout.
        stream = sys.__stdout__ or sys.stdout
        stream.write("\n".join(lines) + "\n")
        stream.flush()


def printable(line: str) -> str:
    short = line[:MAX_LINE_CHARACTERS]
    return "".join(character if character.isprintable() else repr(character)[1:-1] for character in short)


class ServerLogs(logging.Handler):
    """Brings uvicorn's own messages into the same form."""

    def emit(self, record: logging.LogRecord) -> None:
        trace = "".join(traceback.format_exception(*record.exc_info)) if record.exc_info else ""
        level = "info" if record.levelno < logging.WARNING else record.levelname.lower()
        write(level, "server", {"message": record.getMessage()}, trace)


def route_server_logs() -> None:
    logger = logging.getLogger("uvicorn")
    logger.handlers = [ServerLogs()]
    logger.setLevel(logging.WARNING)
    logger.propagate = False
