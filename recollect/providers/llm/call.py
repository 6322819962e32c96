"""One request to one model: made in the means the model offers, and its end told in our own words."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable
from dataclasses import field
from decimal import Decimal

from httpx2 import AsyncClient
from pydantic_ai.exceptions import (
    ContentFilterError,
    ModelConnectionError,
    ModelContextWindowExceededError,
    ModelHTTPError,
    ModelQuotaExceededError,
    ModelRequestRejectedError,
    ModelTimeoutError,
    UserError,
)
from pydantic_ai.messages import InstructionPart, ModelRequest, ModelResponse, TextPart, ToolCallPart, UserPromptPart
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.output import OutputObjectDefinition
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition

from recollect.config import ModelsSettings
from recollect.errors import ConfigError
from recollect.model.asking import Question, Usage
from recollect.model.values import dataclass
from recollect.providers.llm.loop import Loop
from recollect.providers.llm.reading import Read, json_schema, read
from recollect.providers.llm.target import Target
from recollect.providers.llm.wire import MOST_BYTES, Elsewhere, TooLong, client
from recollect.rules.agent.roles import RolesPolicy, sampling
from recollect.rules.window.budget import estimate

MODES = ("native", "tool", "prompted")
"""How an answer gets its shape, best first: by the provider's own JSON schema, by a tool call, by asking nicely."""

PROMPTED = "\n\nAnswer with one JSON object and nothing else, in this JSON schema:\n"
MICRO = Decimal(1_000_000)


@dataclass(frozen=True, slots=True)
class Reply:
    """How one request ended: read, or not; `step` says another mode may work, `again` that another try may."""

    usage: Usage = field(default_factory=Usage)
    read: Read | None = None
    problem: str = ""
    refused: bool = False
    again: bool = False
    step: bool = False
    wait: float = 0.0
    text: str = field(default="", repr=False)
    """What the model wrote."""


Build = Callable[[Target, AsyncClient], Model]
"""Makes a model that speaks by a client; loads what the provider needs."""


class Caller:
    """Makes requests to one model."""

    def __init__(self, target: Target, build: Build, settings: ModelsSettings, loop: Loop, roles: RolesPolicy) -> None:
        self.target = target
        self._build = build
        self._settings = settings
        self._roles = roles
        self._loop = loop
        self._guard = threading.Lock()
        self._http = client(target.address.url, settings.timeout_seconds)
        self._model: Model | None = None

    def ask(self, question: Question, mode: str) -> Reply:
        """Make one request in one mode; what came of it is told, never raised."""
        try:
            model = self._ready()
        except ConfigError as error:
            return Reply(problem=str(error))
        seconds = self._settings.timeout_seconds
        message, parameters = _request(question, mode)
        # A little longer than the library's own time limit, whose words are better.
        ended = self._loop.run(model.request([message], self._wishes(question), parameters), seconds + 0.5)
        if isinstance(ended, ModelResponse):
            return self._answered(question, mode, ended)
        asked = estimate(question.instructions) + estimate(question.data)
        return unanswered(ended, seconds, Usage(1, asked, unpriced=1))

    def close(self) -> None:
        """Close the connections."""
        self._loop.run(self._http.aclose(), 5.0)

    def _ready(self) -> Model:
        with self._guard:  # loading a provider takes a moment, which is not the request's
            if self._model is None:
                self._model = self._build(self.target, self._http)
            return self._model

    def _wishes(self, question: Question) -> ModelSettings:
        settings = self._settings
        wishes = ModelSettings(max_tokens=question.max_tokens or settings.max_tokens, timeout=settings.timeout_seconds)
        chosen = sampling(settings.temperature, settings.top_p, self._roles.of(question.role))
        temperature = chosen.temperature if question.temperature is None else question.temperature
        if temperature is not None:
            wishes["temperature"] = temperature
        if chosen.top_p is not None:
            wishes["top_p"] = chosen.top_p
        return wishes

    def _answered(self, question: Question, mode: str, response: ModelResponse) -> Reply:
        text = _text(response, mode)
        usage = self._usage(question, response, text)
        if response.finish_reason == "content_filter":
            return Reply(usage, problem="the model, or a filter before it, declined to answer", refused=True, text=text)
        found = read(text, question.schema, question.max_items)
        if found.declined:
            return Reply(usage, problem="the model declined to answer", refused=True, text=text)
        if found.problem:
            cut = " (it was cut off: raise models.max_tokens)" if response.finish_reason == "length" else ""
            return Reply(usage, problem=found.problem + cut, step=not cut, text=text)
        return Reply(usage, found, text=text)

    def _usage(self, question: Question, response: ModelResponse, text: str) -> Usage:
        told = response.usage
        asked = told.input_tokens or estimate(question.instructions) + estimate(question.data)
        money = price(self.target, response)
        return Usage(1, asked, told.output_tokens or estimate(text), money or 0, int(money is None))


def price(target: Target, response: ModelResponse) -> int | None:
    """Give what an answer cost in millionths of a dollar, from the list that came with the library; None if unknown."""
    if target.address.provider == "ollama":
        return 0  # one's own machine
    if not target.address.own:
        return None
    try:
        found = response.cost().total_price
    except (LookupError, ValueError, AssertionError):
        return None
    return int(-(-found * MICRO // 1))


def _request(question: Question, mode: str) -> tuple[ModelRequest, ModelRequestParameters]:
    """Say the same in each mode: instructions in the system's voice, the data in the user's."""
    schema = json_schema(question.schema)
    told = question.instructions
    if mode == "prompted":
        told += PROMPTED + json.dumps(schema, separators=(",", ":"))
    voice = [InstructionPart(told)]
    parameters = ModelRequestParameters(instruction_parts=voice)
    if mode == "native":
        shape = OutputObjectDefinition(json_schema=schema, name=question.name)
        parameters = ModelRequestParameters(output_mode="native", output_object=shape, instruction_parts=voice)
    elif mode == "tool":
        tool = ToolDefinition(name=question.name, parameters_json_schema=schema, kind="output")
        parameters = ModelRequestParameters(
            output_mode="tool", output_tools=[tool], allow_text_output=False, instruction_parts=voice
        )
    return ModelRequest(parts=[UserPromptPart(_valid(question.data))], instructions=told), parameters


def _valid(text: str) -> str:
    """Give a text that can be sent: half a surrogate pair cannot."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _text(response: ModelResponse, mode: str) -> str:
    """Give what the model wrote: the tool's arguments if it called one, else its words."""
    calls = [part.args_as_json_str() for part in response.parts if isinstance(part, ToolCallPart)]
    words = "".join(part.content for part in response.parts if isinstance(part, TextPart))
    return calls[0] if calls and (mode == "tool" or not words.strip()) else words


def unanswered(error: BaseException, seconds: float, lost: Usage) -> Reply:
    """Say in our own words why there is no answer: those of the provider may quote a text or the key.

    `lost` is what a request costs that was read and whose answer never came.
    """
    if isinstance(error, TimeoutError | ModelTimeoutError):
        return Reply(lost, problem=f"did not answer in {seconds:g} seconds", again=True)
    if _among(error, TooLong):
        return Reply(lost, problem=f"sent more than {MOST_BYTES // 1024 // 1024} MB")
    if _among(error, Elsewhere):
        return Reply(_ASKED, problem="sends requests elsewhere: name the final address in models.base_url")
    if isinstance(error, UserError):  # the model is known not to offer this mode; nothing was sent
        return Reply(problem="does not offer structured answers", step=True)
    if isinstance(error, ContentFilterError):
        return Reply(_ASKED, problem="the model, or a filter before it, declined to answer", refused=True)
    if isinstance(error, ModelHTTPError):
        return _status(error)
    if isinstance(error, ModelConnectionError):
        reached = error.phase not in ("connect", "pool")
        problem = "broke off the request" if reached else "cannot be reached"
        return Reply(lost if reached else Usage(), problem=problem, again=True)
    if isinstance(error, ModelRequestRejectedError):
        return Reply(_ASKED, problem="refuses the request", step=True)
    # What is left is an answer no library could make sense of, garbage or nothing at all.
    return Reply(lost, problem=f"gave something that is no answer ({type(error).__name__})", again=True)


def _status(error: ModelHTTPError) -> Reply:
    status = error.status_code
    words = _STATUS.get(status, "refuses the request" if 400 <= status < 500 else "failed")
    if isinstance(error, ModelContextWindowExceededError):
        return Reply(_ASKED, problem=f"refuses the text as too long (status {status})")
    if isinstance(error, ModelQuotaExceededError):
        return Reply(_ASKED, problem=f"says that the account's credit is used up (status {status})")
    again = status in (408, 409, 425, 429) or status >= 500
    return Reply(
        _ASKED,
        problem=f"{words} (status {status})",
        again=again,
        step=status in (400, 405, 415, 422, 501) or (status == 404 and bool(_UNOFFERED.search(str(error.body)))),
        wait=error.retry_after or 0.0,
    )


def _among(error: BaseException | None, kind: type[BaseException]) -> bool:
    """Tell whether an error is of a kind, or was brought about by one."""
    while error is not None and not isinstance(error, kind):
        error = error.__cause__ or error.__context__
    return error is not None


_ASKED = Usage(calls=1)
_UNOFFERED = re.compile(r"tool|format|schema|json|support", re.IGNORECASE)
"""What a 404 says that is not about the model or the address: another way of asking may help."""
_STATUS = {
    400: "refuses the request",
    401: "refuses the key: check the variable that holds it",
    403: "refuses the key: check the variable that holds it",
    404: "has no such model, or nothing at this address",
    413: "refuses the text as too long",
    429: "asks for fewer requests",
}
