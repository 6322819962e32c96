"""Spans of OpenTelemetry around the verbs, named by the GenAI memory operations; off unless it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from inspect import signature
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from recollect.errors import ConfigError
from recollect.model.receipt import Receipt
from recollect.text.later import Later

if TYPE_CHECKING:
    from opentelemetry import trace
else:
    trace = Later("opentelemetry.trace")

P = ParamSpec("P")
T = TypeVar("T")
S = TypeVar("S")

SEARCH, UPSERT, UPDATE, DELETE = "search_memory", "upsert_memory", "update_memory", "delete_memory"
"""The operations of the GenAI conventions; the published package of names does not have them yet."""
OPERATION, PROVIDER, STORE = "gen_ai.operation.name", "gen_ai.provider.name", "gen_ai.memory.store.name"
COUNT, QUERY, CONTENT, MEMORY_ID = (
    "gen_ai.memory.search.result.count",
    "gen_ai.memory.query.text",
    "gen_ai.memory.content",
    "gen_ai.memory.id",
)
SAID = {"query": QUERY, "prompt": QUERY, "content": CONTENT}
FAILED = "error.type"


def traced(operation: str) -> Callable[[Callable[Concatenate[S, P], T]], Callable[Concatenate[S, P], T]]:
    """Let a verb be a span where telemetry is on; where it is off, that costs one look at the settings."""

    def around(verb: Callable[Concatenate[S, P], T]) -> Callable[Concatenate[S, P], T]:
        names = tuple(signature(verb).parameters)[1:]

        @wraps(verb)
        def call(self: S, /, *args: P.args, **kwargs: P.kwargs) -> T:
            settings = self._runtime.settings.telemetry  # type: ignore[attr-defined]
            if not settings.enabled:
                return verb(self, *args, **kwargs)
            with _tracer().start_as_current_span(
                f"{operation} recollect", record_exception=False, set_status_on_exception=False
            ) as span:
                span.set_attributes({OPERATION: operation, PROVIDER: "recollect", STORE: "recollect"})
                if settings.content:
                    span.set_attributes(_said({**dict(zip(names, args, strict=False)), **kwargs}))
                try:
                    made = verb(self, *args, **kwargs)
                except BaseException as error:  # its words may quote what was said: only its kind is told
                    span.set_attribute(FAILED, type(error).__name__)
                    span.set_status(trace.Status(trace.StatusCode.ERROR))
                    raise
                _told(span, made)
                return made

        return call

    return around


def _tracer() -> Any:
    try:
        return trace.get_tracer("recollect")
    except ImportError as error:
        raise ConfigError("telemetry needs its library: pip install 'recollect[telemetry]'") from error


def _said(given: Mapping[str, Any]) -> dict[str, str]:
    """Give what was said or asked, by the names of the parameters that hold it."""
    return {SAID[name]: value for name, value in given.items() if name in SAID and isinstance(value, str)}


def _told(span: Any, made: Any) -> None:
    if isinstance(made, list):
        span.set_attribute(COUNT, len(made))
    elif isinstance(made, Receipt):
        span.set_attributes({MEMORY_ID: made.id, "recollect.outcome": made.outcome})
