"""Prints the attacks of the package agentdojo as JSON, for injections.ts.

Reads the wheel as text: nothing of the package runs, and none of its dependencies is needed.
"""

from __future__ import annotations

import ast
import json
import sys
import zipfile
from collections.abc import Iterator

ATTACKS = "agentdojo/attacks/"
TASKS = "agentdojo/default_suites/v1/"
NAMES = {"user": "Emma Johnson", "model": "GPT-4"}


def main(wheel: str) -> None:
    with zipfile.ZipFile(wheel) as package:
        sources = {name: package.read(name).decode() for name in sorted(package.namelist()) if name.endswith(".py")}
    templates = [
        {"name": name, "text": text}
        for path, source in sources.items()
        if path.startswith(ATTACKS)
        for name, text in templates_in(source)
    ]
    goals = [
        goal
        for path, source in sources.items()
        if path.startswith(TASKS) and path.endswith("injection_tasks.py")
        for goal in goals_in(source)
    ]
    attacks = [
        {"name": one["name"], "text": fill(one["text"], goal)} for one in templates for goal in dict.fromkeys(goals)
    ]
    json.dump(attacks, sys.stdout)


def templates_in(source: str) -> Iterator[tuple[str, str]]:
    """Of each class of attacks: its name, and the text around the goal."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.ClassDef):
            continue
        texts = [one.value for one in ast.walk(node) if isinstance(one, ast.Constant) and isinstance(one.value, str)]
        names = [
            one.value.value
            for one in node.body
            if isinstance(one, ast.Assign)
            and isinstance(one.value, ast.Constant)
            and getattr(one.targets[0], "id", "") == "name"
        ]
        template = next(
            (text for text in texts if "{goal}" in text and text != ast.get_docstring(node, clean=False)), None
        )
        if names and template is not None:
            yield names[0], template


def goals_in(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "GOAL":
            yield "".join(
                one.value
                for one in ast.walk(node.value)
                if isinstance(one, ast.Constant) and isinstance(one.value, str)
            )


def fill(template: str, goal: str) -> str:
    for name, value in {**NAMES, "goal": goal}.items():
        template = template.replace("{" + name + "}", value)
    return template


if __name__ == "__main__":
    main(sys.argv[1])
