"""Checks requests against the descriptions of Google's APIs: a request a line as JSON, an answer a line.

The descriptions are in the package google-api-python-client. They say paths, parameters, fields, types, enums and what
is answered only. That a field is required stands at the beginning of its text alone.
"""

import base64
import binascii
import json
import re
import sys
from importlib.resources import files
from typing import Any
from urllib.parse import parse_qsl, urlsplit

versions = {"run": "v2", "secretmanager": "v1", "logging": "v2", "cloudresourcemanager": "v3", "iam": "v1"}
documents: dict[str, dict[str, Any]] = {}


def document_of(api: str) -> dict[str, Any]:
    if api not in documents:
        folder = files("googleapiclient.discovery_cache.documents")
        documents[api] = json.loads(folder.joinpath(f"{api}.{versions[api]}.json").read_text())
    return documents[api]


def method_of(name: str) -> dict[str, Any] | None:
    api, *path, last = name.split(".")
    found: Any = document_of(api)
    for part in path:
        found = found.get("resources", {}).get(part, {})
    return found.get("methods", {}).get(last)


def faults(schemas: dict[str, Any], shape: dict[str, Any], value: Any, place: str) -> list[str]:
    if "$ref" in shape:
        return object_faults(schemas, schemas[shape["$ref"]], value, place)
    kind = shape["type"]
    if kind == "object":
        return object_faults(schemas, shape, value, place)
    if kind == "array":
        if not isinstance(value, list):
            return [f"{place}: no list"]
        return [
            fault for at, one in enumerate(value) for fault in faults(schemas, shape["items"], one, f"{place}[{at}]")
        ]
    if kind == "any":
        return []
    wanted = {"string": str, "boolean": bool, "integer": int, "number": (int, float)}[kind]
    if not isinstance(value, wanted) or (kind != "boolean" and isinstance(value, bool)):
        return [f"{place}: {value!r} is no {kind}"]
    if "enum" in shape and value not in shape["enum"]:
        return [f"{place}: {value} is none of {', '.join(shape['enum'])}"]
    return [] if has_format(shape.get("format"), value) else [f"{place}: {value!r} is no {shape['format']}"]


def has_format(name: str | None, value: Any) -> bool:
    if name == "int32":
        return -(2**31) <= value < 2**31
    if name == "int64":
        return re.fullmatch(r"-?\d+", value) is not None
    if name == "byte":
        try:
            base64.b64decode(value, validate=True)
        except binascii.Error:
            return False
    return True


def object_faults(schemas: dict[str, Any], shape: dict[str, Any], value: Any, place: str) -> list[str]:
    if not isinstance(value, dict):
        return [f"{place}: no object"]
    members = shape.get("properties", {})
    found = [f"{place}.{name}: missing" for name, one in members.items() if is_required(one) and name not in value]
    for name, one in value.items():
        member = members.get(name, shape.get("additionalProperties"))
        if member is None:
            found.append(f"{place}.{name}: unknown")
        elif member.get("readOnly"):
            found.append(f"{place}.{name}: answered only")
        else:
            found += faults(schemas, member, one, f"{place}.{name}")
    return found


def is_required(shape: dict[str, Any]) -> bool:
    return shape.get("description", "").startswith("Required.")


def check(asked: dict[str, Any]) -> list[str]:
    method = method_of(asked["method"])
    if method is None:
        return [f"no method {asked['method']}"]
    parts = urlsplit(asked["path"])
    found = path_faults(method, asked["verb"], parts.path)
    parameters = {name: one for name, one in method["parameters"].items() if one["location"] == "query"}
    for name, value in parse_qsl(parts.query, keep_blank_values=True):
        if name not in parameters:
            found.append(f"the parameter {name}: unknown")
        elif not fits(parameters[name]["type"], value):
            found.append(f"the parameter {name}: {value} is no {parameters[name]['type']}")
    body, request = asked.get("body"), method.get("request")
    if request is None:
        return found + (["a body for a method without one"] if body is not None else [])
    if body is None:
        return [*found, "no body"]
    schemas = document_of(asked["method"].split(".")[0])["schemas"]
    return found + faults(schemas, request, body, "body")


def path_faults(method: dict[str, Any], verb: str, path: str) -> list[str]:
    found = [] if verb == method["httpMethod"] else [f"{verb} is not {method['httpMethod']}"]
    pattern = re.escape(method["path"])
    for name, one in method["parameters"].items():
        if one["location"] == "path":
            inner = one["pattern"].removeprefix("^").removesuffix("$")
            pattern = pattern.replace(re.escape("{+" + name + "}"), f"(?:{inner})")
    return found if re.fullmatch(pattern, path) else [*found, f"the path {path} is not {method['path']}"]


def fits(kind: str, value: str) -> bool:
    if kind == "boolean":
        return value in ("true", "false")
    return re.fullmatch(r"-?\d+", value) is not None if kind == "integer" else True


for line in sys.stdin:
    print(json.dumps(check(json.loads(line))), flush=True)
