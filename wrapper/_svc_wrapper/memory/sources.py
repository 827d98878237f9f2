"""The texts of a project's Python files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

# Packages, and what no import reads.
LEFT_OUT = {"site-packages", "dist-packages", "node_modules", "__pycache__"}


def sources(folder: Path) -> Iterator[str]:
    for at, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name not in LEFT_OUT and not is_environment(Path(at) / name)]
        for name in files:
            if name.endswith(".py"):
                yield (Path(at) / name).read_text(encoding="utf-8", errors="replace")


def is_environment(folder: Path) -> bool:
    return (folder / "pyvenv.cfg").is_file()
