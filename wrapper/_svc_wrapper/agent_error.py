"""What a caller reads when the agent's code raises: no value of a secret, and the end of a budget by its name."""

from __future__ import annotations

import errno
import json
import re
from collections.abc import Iterable, Iterator

from .problems import Problem

# An exception's text can have whole documents; the log has all of it.
MAX_MESSAGE_CHARACTERS = 4000
# As in `svc logs`: a shorter line would match ordinary text.
MIN_SECRET_CHARACTERS = 4
MAX_CHAIN = 50

# The gateway's refusals for which the agent's code is not to blame.
BUDGET_ENDS = {
    "budget_exceeded": "a budget that pays for the agent's calls to models is spent",
    "budget_in_flight": "calls under way hold the rest of a budget that pays for the agent's calls to models",
}
# The same rule and hint as in server/src/agents/deploy/targets/start-hint.ts, for a start.
REFUSED_HERE = re.compile("Cannot assign requested address|Failed to connect to Ollama")
REFUSED = re.compile("Connection refused|ConnectionRefusedError|All connection attempts failed")
HERE = re.compile(r"\b(?:localhost|127\.0\.0\.1|0\.0\.0\.0)\b|\[?::1\b")
LOCALHOST_HINT = (
    "`localhost` is the agent's container itself, and no such server is in it. A model on the machine of the service "
    "joins the gateway: `svc model add <name> --provider ollama --model <model>`. An operator may have to list its "
    "address in OUTBOUND_PRIVATE_HOSTS. Any other server needs its address in the network."
)
# `crewai create flow` makes a flow that writes into `output/`.
READ_ONLY = " (the project folder is read-only in the container: write files to /tmp)"
# `input()` of a process without a console.
NO_CONSOLE = " (a container has no console: ask with interrupt() of langgraph or @human_feedback of crewai)"
TIME = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]{5,15}Z")

_hidden: list[str] = []


def hide(values: Iterable[str]) -> None:
    """Each line of these values is masked in every error. Called once, before the user's code runs."""
    lines = {line.strip() for value in values for line in value.splitlines()}
    forms = {form for line in lines if len(line) >= MIN_SECRET_CHARACTERS for form in forms_of(line)}
    # The longest first: one value can be a part of another.
    _hidden[:] = sorted(forms, key=len, reverse=True)


def forms_of(line: str) -> tuple[str, ...]:
    """As it is, and inside JSON with and without other letters than ASCII."""
    return line, json.dumps(line)[1:-1], json.dumps(line, ensure_ascii=False)[1:-1]


def masked(text: str) -> str:
    for value in _hidden:
        text = text.replace(value, "***")
    return text


def masked_start(text: str, length: int) -> str:
    """At most this many characters. The start ends before a value that it would cut."""
    longest = len(_hidden[0]) if _hidden else 0
    if len(text) <= length + longest:
        return masked(text)[:length]
    shown = masked(text[: length + longest])
    return shown[: len(shown) - longest]


def agent_error(run_id: str, cause: BaseException) -> Problem:
    for error in chain_of(cause):
        said = gateway_refusal(error)
        if said is not None:
            return budget_end(run_id, said)
    message = masked(str(cause))[:MAX_MESSAGE_CHARACTERS]
    if any(isinstance(error, OSError) and error.errno == errno.EROFS for error in chain_of(cause)):
        message += READ_ONLY
    if any(isinstance(error, EOFError) and "reading a line" in str(error) for error in chain_of(cause)):
        message += NO_CONSOLE
    return Problem(
        "agent_error",
        f"the agent's code raised {type(cause).__name__}: {message}",
        run_id=run_id,
        run_status="failed",
        exception={"type": type(cause).__name__, "message": message},
        **({"hint": LOCALHOST_HINT} if is_call_to_itself(cause) else {}),
    )


def is_call_to_itself(cause: BaseException) -> bool:
    # A client's own error hides the address that the error below it has.
    text = "\n".join(f"{type(error).__name__}: {error}" for error in chain_of(cause))
    return bool(REFUSED_HERE.search(text) or (REFUSED.search(text) and HERE.search(text)))


def budget_end(run_id: str, said: dict[str, object]) -> Problem:
    code = str(said["code"])
    resets_at = said.get("resets_at")
    fields = {"resets_at": resets_at} if isinstance(resets_at, str) and TIME.fullmatch(resets_at) else {}
    return Problem(
        code,
        BUDGET_ENDS[code],
        retry_after_seconds=1 if code == "budget_in_flight" else None,
        run_id=run_id,
        run_status="failed",
        **fields,
    )


def chain_of(cause: BaseException) -> Iterator[BaseException]:
    """Itself, what it was raised from or during, and the members of groups."""
    seen: list[BaseException] = []
    left: list[BaseException | None] = [cause]
    while left and len(seen) < MAX_CHAIN:
        error = left.pop(0)
        if error is None or any(error is one for one in seen):
            continue
        seen.append(error)
        yield error
        left += [error.__cause__, error.__context__]
        # Groups exist from Python 3.11 on.
        members = getattr(error, "exceptions", None)
        if isinstance(members, tuple):
            left += [one for one in members if isinstance(one, BaseException)]


def gateway_refusal(error: BaseException) -> dict[str, object] | None:
    """As the clients of OpenAI, Anthropic and Gemini carry it. Attributes of the user's exceptions can raise."""
    try:
        body = getattr(error, "body", None)
        inner = body.get("error") if isinstance(body, dict) else None
        for said in (body, inner, {"code": getattr(error, "code", None)}, google_metadata(error)):
            if isinstance(said, dict) and isinstance(said.get("code"), str) and said["code"] in BUDGET_ENDS:
                return said
    except Exception:
        return None
    return None


def google_metadata(error: BaseException) -> object:
    """The facts of the first detail, in an error in the shape of Google's APIs."""
    document = getattr(error, "details", None)
    inner = document.get("error") if isinstance(document, dict) else None
    details = inner.get("details") if isinstance(inner, dict) else None
    first = details[0] if isinstance(details, list) and details else None
    return first.get("metadata") if isinstance(first, dict) else None
