"""Calls a function with a module as soon as the user's code has imported it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from . import log

Change = Callable[[ModuleType], None]


def after_import(name: str, change: Change) -> None:
    """At once for a module that is imported. Without the module nothing happens."""
    module = sys.modules.get(name)
    if module is not None:
        apply(change, module)
    else:
        sys.meta_path.insert(0, AfterImport(name, change))


class AfterImport(MetaPathFinder):
    def __init__(self, name: str, change: Change) -> None:
        self.name = name
        self.change = change

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != self.name:
            return None
        spec = self._found(path, target)
        if spec is not None and spec.loader is not None:
            self._continue(spec.loader)
        return spec

    def _found(self, path: Sequence[str] | None, target: ModuleType | None) -> ModuleSpec | None:
        others = (finder for finder in sys.meta_path if finder is not self)
        specs = (finder.find_spec(self.name, path, target) for finder in others)
        return next((spec for spec in specs if spec is not None), None)

    def _continue(self, loader: Any) -> None:
        execute = loader.exec_module

        def exec_module(module: ModuleType) -> None:
            execute(module)
            # A loader of a zip file loads several modules.
            if module.__name__ == self.name:
                apply(self.change, module)

        loader.exec_module = exec_module


def apply(change: Change, module: ModuleType) -> None:
    try:
        change(module)
    except AttributeError as error:
        # A version with other names: its calls count as the agent's own.
        log.warning("runs_not_named", module=module.__name__, reason=str(error))
