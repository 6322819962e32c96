"""A scripted model on this machine that speaks OpenAI's and Anthropic's APIs: a real server that errs on demand."""

from __future__ import annotations

import json
import threading
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import field, replace
from typing import Any, TypeAlias

from recollect.model.values import dataclass
from recollect.rules.window.budget import estimate
from recollect.testing.loopback import Loopback, Request, Response
from recollect.testing.wires import Answering, packed, written


@dataclass(frozen=True, slots=True)
class Asked:
    """One question as it came in, with what it cost to read and to answer."""

    body: dict[str, Any]
    key: str = ""
    completion_tokens: int = 0
    path: str = "/v1/chat/completions"
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def streamed(self) -> bool:
        """Whether the answer is to come in pieces."""
        return bool(self.body.get("stream"))

    @property
    def model(self) -> str:
        """Which model was asked."""
        return str(self.body.get("model", ""))

    @property
    def mode(self) -> str:
        """How the answer's shape was asked for: `native`, `tool` or `prompted`."""
        if self.body.get("response_format", {}).get("type") == "json_schema":
            return "native"
        return "tool" if self.body.get("tools") else "prompted"

    @property
    def system(self) -> str:
        """Our instructions."""
        beside = [self.body[name] for name in ("system", "instructions") if self.body.get(name)]
        return "\n".join((*(words(one) for one in beside), self._said("system", "developer"))).strip("\n")

    @property
    def user(self) -> str:
        """The data."""
        return self._said("user")

    @property
    def prompt_tokens(self) -> int:
        """How many tokens there are to read: words, tools and schema."""
        shape = [self.body[name] for name in ("tools", "response_format") if self.body.get(name)]
        return estimate(self.system) + estimate(self.user) + sum(estimate(json.dumps(one)) for one in shape)

    def _said(self, *roles: str) -> str:
        given = self.body.get("messages") or self.body.get("input") or ()
        items = [{"role": "user", "content": given}] if isinstance(given, str) else given
        return "\n".join(words(one.get("content")) for one in items if one.get("role") in roles)


def words(content: Any) -> str:
    """Give a message's content as text: its parts as JSON."""
    return content if isinstance(content, str) else json.dumps(content)


@dataclass(frozen=True, slots=True)
class Said:
    """What is answered, and what is wrong with it."""

    content: str | None = None
    """Words, taken as they are; a half JSON, a fence or prose among them."""
    tool: str | None = None
    """The arguments of a tool call, as text."""
    called: str = ""
    """The tool that is called; the first of the request where none is named."""
    refusal: str | None = None
    finish: str = "stop"
    status: int = 200
    retry_after: str = ""
    raw: bytes | None = None
    """A body that is no chat completion at all."""
    hang: float = 0.0
    """How many seconds pass before the answer begins."""
    trickle: float = 0.0
    """How many seconds pass after every 16 bytes."""
    huge: bool = False
    """Send a body of 70 MB."""
    drop: bool = False
    """Hang up without an answer."""
    usage: bool = True
    """Whether the answer tells how many tokens it took."""


Saying: TypeAlias = Said | str | int | dict[str, Any] | list[Any] | None
"""A `Said`; or words; or a status; or JSON, given by tool call where one is asked for and as words elsewhere."""

Script: TypeAlias = Callable[[Asked], Saying]


class ScriptedLlm(Loopback):
    """Answers what a script says; a context manager. `url` is what `models.base_url` takes.

    The script is a function from the request to what is said. `say` puts answers before it, one for each request.
    """

    def __init__(self, script: Script = lambda asked: None, key: str = "") -> None:
        self.key = key
        self.requests: list[Asked] = []
        self._script = script
        self._next: deque[Saying] = deque()
        self._guard = threading.Lock()
        super().__init__()

    @property
    def prompt_tokens(self) -> int:
        """How many tokens all requests together had to read."""
        return sum(asked.prompt_tokens for asked in self.requests)

    @property
    def completion_tokens(self) -> int:
        """How many tokens all answers together had."""
        return sum(asked.completion_tokens for asked in self.requests)

    def say(self, *sayings: Saying) -> None:
        """Say what is answered to the next requests, one each; after them the script answers."""
        self._next.extend(sayings)

    def respond(self, request: Request) -> Response:
        """Note a request and answer it."""
        asked = Asked(request.body, request.key, 0, request.path, request.headers)
        if self.key and request.key != self.key:
            saying: Saying = 401
        else:
            with self._guard:
                queued = self._next.popleft() if self._next else self
            saying = self._script(asked) if queued is self else queued  # type: ignore[assignment]
        said = _said(saying, asked)
        tokens = estimate(said.content or said.tool or said.refusal or "")
        with self._guard:
            self.requests.append(replace(asked, completion_tokens=tokens))
        if said.drop:
            return Response(drop=True, delay=said.hang)
        if said.huge:
            return Response(b" " * 65_536, repeat=1_100)
        headers = {"Retry-After": said.retry_after} if said.retry_after else {}
        if said.status != 200 or said.raw is not None:
            payload = _complaint(asked)
        elif asked.streamed:
            payload = packed(written(asked.path, _answering(asked, said, tokens)).events)
            headers["Content-Type"] = "text/event-stream"
        else:
            payload = json.dumps(written(asked.path, _answering(asked, said, tokens)).whole).encode()
        payload = said.raw if said.raw is not None else payload
        return Response(payload, said.status, headers, delay=said.hang, pause=said.trickle)


def _said(saying: Saying, asked: Asked) -> Said:
    if isinstance(saying, Said):
        return saying
    if isinstance(saying, str):
        return Said(content=saying)
    if isinstance(saying, int):
        return Said(status=saying)
    text = json.dumps(saying, ensure_ascii=False)
    return Said(tool=text) if asked.mode == "tool" else Said(content=text)


def _answering(asked: Asked, said: Said, tokens: int) -> Answering:
    first = (asked.body.get("tools") or [{}])[0]
    usage = (asked.prompt_tokens, tokens) if said.usage else None
    called = said.called or first.get("name") or first.get("function", {}).get("name") or "answer"
    return Answering(asked.body, said.content, said.tool, called, said.refusal, said.finish, usage)


def _complaint(asked: Asked) -> bytes:
    """Quote the text and the key, as some endpoints do, so that tests can see that nobody repeats them."""
    return json.dumps({"error": {"message": f"{asked.key} {asked.user}"}}).encode()
