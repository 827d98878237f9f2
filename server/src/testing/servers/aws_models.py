"""Checks requests against the models of botocore: `aws_models.py`, a request a line as JSON, an answer a line.

botocore itself checks types, required members and lengths. The models also have enums, patterns and bounds.
"""

import json
import sys
from typing import Any

import regex
from botocore.loaders import Loader
from botocore.model import ServiceModel, Shape
from botocore.validate import ParamValidator

# The patterns are for UTF-16, which writes characters beyond it as two.
beyond_utf16 = r"\uD800\uDC00-\uDBFF\uDFFF"
beyond = r"\U00010000-\U0010FFFF"

models: dict[str, ServiceModel] = {}


def model_of(service: str) -> ServiceModel:
    if service not in models:
        models[service] = ServiceModel(Loader().load_service_model(service, "service-2"), service)
    return models[service]


def faults(shape: Shape, value: Any, place: str) -> list[str]:
    found = []
    if shape.type_name == "structure":
        found += [f"{place}.{name}: unknown" for name in value if name not in shape.members]
        known = [name for name in value if name in shape.members]
        for name in known:
            found += faults(shape.members[name], value[name], f"{place}.{name}")
    elif shape.type_name == "list":
        found += bounds(shape, len(value), place)
        for at, one in enumerate(value):
            found += faults(shape.member, one, f"{place}[{at}]")
    elif shape.type_name == "map":
        found += bounds(shape, len(value), place)
        for name, one in value.items():
            found += faults(shape.key, name, f"{place} key") + faults(shape.value, one, f"{place}.{name}")
    elif shape.type_name == "string":
        found += bounds(shape, len(value), place)
        allowed = shape.metadata.get("enum")
        if allowed and value not in allowed:
            found.append(f"{place}: {value} is none of {', '.join(allowed)}")
        pattern = shape.metadata.get("pattern")
        # As a whole, as AWS matches it. `re` knows no classes of letters such as \\p{L}.
        if pattern and not regex.fullmatch(pattern.replace(beyond_utf16, beyond), value):
            found.append(f"{place}: {value} does not match {pattern}")
    elif shape.type_name in ("integer", "long", "double", "float"):
        found += bounds(shape, value, place)
    return found


def bounds(shape: Shape, size: float, place: str) -> list[str]:
    least, most = shape.metadata.get("min"), shape.metadata.get("max")
    if least is not None and size < least:
        return [f"{place}: {size} is less than {least}"]
    if most is not None and size > most:
        return [f"{place}: {size} is more than {most}"]
    return []


def check(service: str, operation: str, value: Any) -> list[str]:
    model = model_of(service)
    if operation not in model.operation_names:
        return [f"{service} has no operation {operation}"]
    shape = model.operation_model(operation).input_shape
    if shape is None:
        return ["an input for an operation without one"] if value else []
    report = ParamValidator().validate(value, shape)
    return [report.generate_report()] if report.has_errors() else faults(shape, value, operation)


for line in sys.stdin:
    asked = json.loads(line)
    print(json.dumps(check(asked["service"], asked["operation"], asked["input"])), flush=True)
