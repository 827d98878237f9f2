"""Imports the entry's module under its own dotted name, with Python's own import system.

Relative imports, absolute ones and packages that import the entry all get one module. A finder for the entry
and its packages answers first. Otherwise an installed package of the same name would hide a folder without
`__init__.py`, and a folder `agent/` would hide `agent.py`.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType

from .entry import Entry


def import_entry(entry: Entry) -> ModuleType:
    # The user's folder stays unchanged: no bytecode is written.
    sys.dont_write_bytecode = True
    roots = [str((entry.app_folder / root).resolve()) for root in entry.source_roots]
    sys.path[:] = [*roots, *(path for path in sys.path if path not in roots)]
    sys.meta_path.insert(0, EntryFinder(entry))
    return importlib.import_module(entry.module)


class EntryFinder(MetaPathFinder):
    """Finds only the entry's module and its parent packages."""

    def __init__(self, entry: Entry) -> None:
        self.file = entry.path.resolve()
        self.module = entry.module
        # `a.b.c` in x/a/b/c.py: `a.b` is the folder of the file, `a` the one above.
        packages = entry.module.split(".")[:-1]
        self.folders = {
            ".".join(packages[: depth + 1]): self.file.parents[len(packages) - 1 - depth]
            for depth in range(len(packages))
        }

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname == self.module:
            return importlib.util.spec_from_file_location(fullname, self.file)
        folder = self.folders.get(fullname)
        return package_spec(fullname, folder, path) if folder else None


def package_spec(name: str, folder: Path, path: Sequence[str] | None) -> ModuleSpec:
    begin = folder / "__init__.py"
    if begin.is_file():
        spec = importlib.util.spec_from_file_location(name, begin, submodule_search_locations=[str(folder)])
        if spec is not None:
            return spec
    found = PathFinder.find_spec(name, path)
    if found and found.loader is None and str(folder) in (found.submodule_search_locations or []):
        # A namespace package; other parts of it can be in other folders.
        return found
    spec = ModuleSpec(name, None, is_package=True)
    spec.submodule_search_locations = [str(folder)]
    return spec
