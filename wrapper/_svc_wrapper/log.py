"""One JSON object per line on standard output, beside the output of the user's code.

Tracebacks follow their line as readable text. Each of their lines is marked, so that none looks like a log
line.
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
# A message can have a whole document, and a recursion a thousand frames. The end of a traceback has the cause.
MAX_TRACEBACK_LINES = 100
MAX_LINE_CHARACTERS = 2000
# Escaped to ASCII, so that no character of user data can start a new line.
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
        # The original, because the user's code can redirect sys.stdout.
        stream = sys.__stdout__ or sys.stdout
        stream.write("\n".join(lines) + "\n")
        stream.flush()


def printable(line: str) -> str:
    short = line[:MAX_LINE_CHARACTERS]
    return "".join(character if character.isprintable() else repr(character)[1:-1] for character in short)


class ServerLogs(logging.Handler):
    """Prints uvicorn's own messages in the same form."""

    def emit(self, record: logging.LogRecord) -> None:
        trace = "".join(traceback.format_exception(*record.exc_info)) if record.exc_info else ""
        level = "info" if record.levelno < logging.WARNING else record.levelname.lower()
        write(level, "server", {"message": record.getMessage()}, trace)


def route_server_logs() -> None:
    logger = logging.getLogger("uvicorn")
    logger.handlers = [ServerLogs()]
    logger.setLevel(logging.WARNING)
    logger.propagate = False
