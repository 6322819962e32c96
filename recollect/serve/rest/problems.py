"""Everything that goes wrong, as problem+json: what it is, what to do, and nothing that is nobody's business."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ValidationError
from starlette.responses import Response

from recollect.errors import ConfigError, Conflict, InvalidInput, NotFound, Outdated, RecollectError, StoreError

MEDIA = "application/problem+json"
TITLES = {
    400: "The request cannot be read",
    401: "A key is needed",
    403: "This is not allowed",
    404: "Not found",
    405: "Method not allowed",
    409: "In conflict with what is there",
    412: "It has changed meanwhile",
    413: "The request is too large",
    415: "The body must be JSON",
    421: "This server does not answer under that name",
    422: "Something in the request cannot be used",
    429: "Too many requests",
    500: "Something went wrong here",
    503: "Not available now",
    504: "It took too long",
}
_STATUS: tuple[tuple[type[RecollectError], int], ...] = (
    (InvalidInput, 422),
    (NotFound, 404),
    (Outdated, 412),
    (Conflict, 409),
    (ConfigError, 409),  # what was asked for is not set up here, and the detail says what to set
    (StoreError, 503),
)
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "error": {"type": "string"},
    },
    "required": ["type", "title", "status", "detail"],
}


class Problem(Exception):
    """A refusal at the door, before any verb was asked."""

    def __init__(self, status: int, detail: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(detail)
        self.status, self.detail, self.headers = status, detail, dict(headers or {})


def status_of(error: RecollectError) -> int:
    """Give the status an error of the library has."""
    return next((status for kind, status in _STATUS if isinstance(error, kind)), 500)


def response(status: int, detail: str, error: str = "", headers: Mapping[str, str] | None = None) -> Response:
    """Give a problem as a response."""
    body = {"type": "about:blank", "title": TITLES.get(status, "Error"), "status": status, "detail": detail}
    if error:
        body["error"] = error
    return Response(json.dumps(body, ensure_ascii=True), status, dict(headers or {}), MEDIA)


def of_error(error: RecollectError, detail: str = "") -> Response:
    """Give an error of the library as a response, in its own words or those that a door adds to."""
    return response(status_of(error), detail or str(error), type(error).__name__)


def told(error: ValidationError, model: type[BaseModel], *beside: str) -> str:
    """Say what is wrong with what was given, a part each, without repeating it; and what could be given.

    `beside` are names the door takes itself.
    """
    parts = [
        f"{'.'.join(str(part) for part in one['loc']) or 'body'}: {one['msg']}"
        for one in error.errors(include_url=False, include_input=False, include_context=False)[:5]
    ]
    known = ", ".join((*model.model_fields, *beside))
    return f"{'; '.join(parts)}. It takes {known or 'nothing'}."


def documented(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Give these statuses as OpenAPI describes them."""
    return {
        status: {"description": TITLES[status], "content": {MEDIA: {"schema": SCHEMA}}} for status in sorted(statuses)
    }
