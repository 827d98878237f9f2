"""Sends valid and invalid requests of several callers to a running service.

Schemathesis makes them from the service's OpenAPI document. The plan (FuzzPlan in fuzz.ts) comes from the standard
input, and the result is printed.
"""

import base64
import json
import sys
from collections import Counter, defaultdict
from contextlib import suppress

import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings, strategies
from hypothesis.errors import Unsatisfiable
from schemathesis.core.failures import FailureGroup
from schemathesis.specs.openapi import checks

plan = json.load(sys.stdin)
sessions = {actor: requests.Session() for actor in plan["actors"]}
faults = {}
counts = {actor: defaultdict(Counter) for actor in plan["actors"]}
shown = {actor: set() for actor in plan["actors"]}

archives = strategies.sampled_from([base64.b64decode(archive) for archive in plan["archives"]])
cut_off = strategies.builds(lambda archive, length: archive[:length], archives, strategies.integers(0, 300))
schemathesis.openapi.media_type("application/gzip", archives | cut_off | strategies.binary(max_size=500))

as_described = [
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_headers_conformance,
    checks.response_schema_conformance,
]


class Fault(Exception):
    """A wrong reply that matches the description."""


def fuzz():
    schema = schemathesis.openapi.from_url(plan["url"] + "/api/v1/openapi.json")
    schema.config.generation.update(with_security_parameters=False)
    for result in schema.get_all_operations():
        operation = result.ok()
        name = operation.definition.raw["operationId"]
        if name not in plan["excluded"]:
            for mode in schemathesis.GenerationMode:
                ask_as_everybody(name, operation.as_strategy(generation_mode=mode))


def ask_as_everybody(name, cases):
    @seed(plan["seed"])
    @settings(
        max_examples=plan["examples"],
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=cases, random=strategies.randoms(use_true_random=False))
    def ask(case, random):
        use_known_values(case, random)
        for actor in plan["actors"]:
            # Collected, so that one fault does not hide the others.
            try:
                ask_as(actor, name, case)
            except (Exception, FailureGroup) as fault:
                parts = getattr(fault, "exceptions", [fault])
                what = "\n".join(f"{type(part).__name__}: {part}" for part in parts)
                faults.setdefault(f"{name} as {actor}", f"{case.as_curl_command()}\n{what}")

    # An endpoint without input has no invalid requests.
    with suppress(Unsatisfiable):
        ask()


def use_known_values(case, random):
    """Adds existing names and ids, because random ones get only 404."""
    for values in (case.path_parameters, case.query, case.body):
        for name in values if isinstance(values, dict) else []:
            known = known_values(case.operation.path, name)
            if known and random.random() < 0.7:
                values[name] = random.choice(known)
    # An unknown team is refused before any other check.
    case.headers.pop("X-Service-Team", None)


def known_values(path, name):
    places = [place for place in plan["known"] if path.startswith(place) and place.endswith("{" + name + "}")]
    return plan["known"].get(places[0] if places else name)


def ask_as(actor, name, case):
    token = plan["actors"][actor]["token"]
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    response = case.call(plan["url"], session=sessions[actor], headers=headers, timeout=20)
    counts[actor][name][response.status_code] += 1
    case.validate_response(response, checks=as_described, headers=headers)
    reply = response.text + json.dumps(dict(response.headers))
    canaries = {what for what, canary in plan["canaries"].items() if canary in reply}
    shown[actor] |= canaries
    if hidden := canaries.difference(plan["actors"][actor]["may_read"]):
        raise Fault(f"shows {', '.join(sorted(hidden))}: {reply}")
    if response.status_code >= 500 and not is_expected(response):
        raise Fault(f"a server error: {response.text}")


def is_expected(response):
    """Without an engine, and what langgraph's API has and the service does not."""
    unavailable = response.status_code == 503 and response.json()["code"] in plan["unavailable"]
    return unavailable or (response.status_code == 501 and response.json()["code"] == "not_answered")


fuzz()
result = {"faults": faults, "counts": counts, "shown": {actor: sorted(canaries) for actor, canaries in shown.items()}}
json.dump(result, sys.stdout)
