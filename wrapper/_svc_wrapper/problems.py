"""Every refusal of the wrapper: code, status, sentence. On the wire RFC 9457 `application/problem+json`."""

from __future__ import annotations

import http
from typing import Any

from .encode import to_json
from .http.reply import Reply

STATUS_OF: dict[str, int] = {
    "malformed_json": 400,
    "invalid_challenge": 400,
    "invalid_run_id": 400,
    "invalid_thread_space": 400,
    "ingress_secret_required": 401,
    "caller_refused": 401,
    "not_found": 404,
    "run_not_found": 404,
    "method_not_allowed": 405,
    "body_too_slow": 408,
    "run_exists": 409,
    "sending_refused": 409,
    "run_cancelled": 409,
    "nothing_to_resume": 409,
    "state_unreadable": 409,
    "body_too_large": 413,
    "json_required": 415,
    "invalid_request": 422,
    "invalid_input": 422,
    "threads_not_kept": 422,
    "answer_refused": 422,
    "too_many_runs": 429,
    "budget_exceeded": 429,
    "budget_in_flight": 429,
    "agent_error": 500,
    "thread_not_read": 500,
    "thread_not_stored": 500,
    "memories_not_kept": 500,
    "summary_failed": 500,
    "internal": 500,
    "agent_not_ready": 503,
    "agent_not_loaded": 503,
    "draining": 503,
    "other_start": 503,
    "run_interrupted": 503,
}


# Refusals of a sending that has not begun, and never will. The call can be sent again, here or to another container.
NOT_BEGUN_HEADER = "X-Svc-Not-Begun"
NOT_BEGUN = {
    "too_many_runs": "full",
    "draining": "draining",
    "agent_not_ready": "starting",
    "other_start": "other-start",
    "sending_refused": "refused",
}

# The wait after a 503 whose cause knows no better time.
RETRY_AFTER_SECONDS = 2


class Problem(Exception):
    """An expected refusal. Any other exception of the wrapper is a bug."""

    def __init__(
        self,
        code: str,
        detail: str,
        *,
        retry_after_seconds: int | None = None,
        errors: list[dict[str, str]] | None = None,
        headers: dict[str, str] | None = None,
        **fields: Any,
    ) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.status = STATUS_OF[code]
        self.retry_after_seconds = retry_after_seconds
        self.errors = errors
        self.headers = headers or {}
        self.fields = fields

    def body(self) -> dict[str, Any]:
        body: dict[str, Any] = {
            "type": "about:blank",
            "title": http.HTTPStatus(self.status).phrase,
            "status": self.status,
            "code": self.code,
            "detail": self.detail,
            **self.fields,
        }
        if self.errors:
            body["errors"] = self.errors
        return body

    def reply(self, *, has_begun: bool = True) -> Reply:
        """Before the user's code begins, a header lets the ingress send the call to another container."""
        headers = {"Content-Type": "application/problem+json", "Cache-Control": "no-store", **self.headers}
        if not has_begun and self.code in NOT_BEGUN:
            headers[NOT_BEGUN_HEADER] = NOT_BEGUN[self.code]
        retry_after_seconds = self.retry_after_seconds
        if retry_after_seconds is None and self.status == 503:
            retry_after_seconds = RETRY_AFTER_SECONDS
        if retry_after_seconds is not None:
            headers["Retry-After"] = str(retry_after_seconds)
        # An exception's text can have characters that a plain encoder refuses.
        return Reply(self.status, headers, to_json(self.body()))


class AnswerRefused(Problem):
    """An answer of a person that does not fit. The thread goes on waiting for what it says here."""

    def __init__(self, detail: str, interrupts: list[dict[str, Any]] | None = None) -> None:
        super().__init__("answer_refused", detail)
        self.interrupts = interrupts or []
