"""The entry of the user's code: a file of the app folder, its module's name, and the exported name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath


@dataclass(frozen=True)
class Entry:
    app_folder: Path
    # Relative to the app folder.
    file: str = "agent.py"
    # The dotted name under which the file is imported, for example `react_agent.graph`.
    module: str = "agent"
    # Empty: one of the spec's names for the framework.
    name: str = ""
    # Folders on sys.path, relative to the app folder, in search order.
    source_roots: tuple[str, ...] = (".",)

    @property
    def path(self) -> Path:
        return self.app_folder / self.file


def read_entry(environ: Mapping[str, str], app_folder: Path) -> tuple[Entry, list[str]]:
    """The entry, and the faults of its environment variables."""

    def text(name: str, default: str) -> str:
        return environ.get(name, "").strip() or default

    entry = Entry(
        app_folder,
        file=text("SVC_ENTRY_FILE", Entry.file),
        module=text("SVC_ENTRY_MODULE", Entry.module),
        name=text("SVC_ENTRY_NAME", Entry.name),
        source_roots=tuple(text("SVC_SOURCE_ROOTS", ".").split(":")),
    )
    faults = [
        f"{name} must be a path inside the app folder, not {path!r}"
        for name, paths in (("SVC_ENTRY_FILE", (entry.file,)), ("SVC_SOURCE_ROOTS", entry.source_roots))
        for path in paths
        if not is_inside(path)
    ]
    if not all(entry.module.split(".")):
        faults.append(f"SVC_ENTRY_MODULE must be a module's dotted name, not {entry.module!r}")
    return entry, faults


def is_inside(path: str) -> bool:
    return path != "" and not path.startswith("/") and ".." not in PurePosixPath(path).parts
