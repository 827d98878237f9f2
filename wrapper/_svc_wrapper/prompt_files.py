"""The pinned prompts of the agent as files in SVC_PROMPTS_DIR, before the user's code is imported.

A label can move at any time and a file cannot, so a prompt with a label has no file: it is read at SVC_PROMPTS_URL.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
from pathlib import Path
from typing import Any

from . import log
from .entry.loader import LoadFailure
from .memory.door import PASSING, Ask, Door, DoorNotReached, DoorRefused

FOLDER_VARIABLE = "SVC_PROMPTS_DIR"
# A file has the name of its key.
KEY = re.compile(r"[a-z][a-z0-9_-]{0,63}")


def write_prompt_files(door: Door) -> LoadFailure | None:
    """None when they are written. An agent does not start without a text that its version has pinned."""
    folder = Path(tempfile.gettempdir()) / "svc-prompts"
    try:
        prompts = read_prompts(door)
        # Of an earlier process of this container.
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(mode=0o700)
        for prompt in prompts:
            if prompt["label"] is None:
                write_prompt(folder, prompt)
    except (DoorRefused, OSError, ValueError, KeyError, TypeError) as error:
        return LoadFailure("prompts_not_read", f"its prompts could not be read: {error}")
    os.environ[FOLDER_VARIABLE] = str(folder)
    return None


def read_prompts(door: Door) -> list[dict[str, Any]]:
    """A service that is away is waited for: meanwhile nobody can call the agent."""
    while True:
        try:
            return json.loads(door.ask(Ask("GET", "/prompts"), token=None))["data"]
        except DoorNotReached as error:
            log.warning("waits_for_prompts", message=str(error))
        except DoorRefused as error:
            if error.status not in PASSING:
                raise
            log.warning("waits_for_prompts", message=str(error))


def write_prompt(folder: Path, prompt: dict[str, Any]) -> None:
    key = prompt["key"]
    if KEY.fullmatch(key) is None:
        raise ValueError(f"{key!r} is no key of a prompt")
    write(folder / f"{key}.json", json.dumps(prompt, ensure_ascii=False, indent=2) + "\n")
    messages = prompt["messages"]
    if len(messages) == 1:
        write(folder / f"{key}.txt", messages[0]["content"])


def write(path: Path, text: str) -> None:
    # The bytes of the text itself: a text mode would change line ends.
    path.write_bytes(text.encode())
