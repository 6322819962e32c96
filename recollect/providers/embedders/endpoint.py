"""Any endpoint that speaks OpenAI's `/embeddings`, Ollama among them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import urlsplit

import httpx

from recollect.config import EmbeddingSettings
from recollect.providers.embedders.answer import Answer, read_answer
from recollect.providers.embedders.embedder import Embedded, Embedder, Vector, readable
from recollect.providers.embedders.switch import Switch

LINK_MIN = 0.5
SAME_MIN = 0.95
MOST_BYTES = 64 * 1024 * 1024
FIRST_WAIT = 0.5
LONGEST_WAIT = 10.0
_BAD_TEXT = (400, 413, 422)
_OWN_MACHINE = ("localhost", "127.0.0.1", "::1")

Texts = list[tuple[int, str]]
"""Texts with their places."""


class _Refused(Exception):
    """A request that brought nothing: why, in words for the user, and whether trying again may help."""

    def __init__(self, problem: str, *, status: int = 0, again: bool = False, wait: float = 0.0) -> None:
        super().__init__(problem)
        self.status = status
        self.again = again
        self.wait = wait


class Endpoint(Embedder):
    """A model behind an address; after three failures in a row it is left alone for a while."""

    local = False

    def __init__(
        self,
        name: str,
        model: str,
        url: str,
        key: str,
        settings: EmbeddingSettings,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.name = name
        self.dimensions = settings.dimensions
        self.link_min = settings.link_min or LINK_MIN
        self.same_min = settings.same_min or SAME_MIN
        self._settings = settings
        self._model = model
        self._clock = clock
        self._sleep = sleep
        self._switch = Switch(clock)
        self._guard = threading.Lock()
        self._proven = False
        self._closed = False
        parts = urlsplit(url)
        self._host = f"{parts.scheme}://{parts.netloc}"
        self._url = parts._replace(path=parts.path.rstrip("/") + "/embeddings").geturl()
        self._client = httpx.Client(
            headers={"Authorization": f"Bearer {key}"} if key else {},
            timeout=settings.timeout_seconds,
            follow_redirects=False,  # the key and the texts are for this address alone
            trust_env=parts.hostname not in _OWN_MACHINE,  # no proxy stands between a machine and itself
        )

    def embed(self, texts: Sequence[str]) -> Embedded:
        """Ask for the vectors of these texts, a batch at a time; what cannot be had is None, and told."""
        vectors: list[Vector | None] = [None] * len(texts)
        told = [(at, text) for at, text in enumerate(map(readable, texts)) if text]
        size = self._settings.batch
        waiting = [told[start : start + size] for start in range(0, len(told), size)][::-1]
        problem = ""
        while waiting:
            wait = 0.0 if self._closed else self._switch.wait()
            if wait or self._closed:
                problem = "the embedder is closed" if self._closed else self._pausing(wait, problem)
                break
            batch = waiting.pop()
            try:
                answer = self._ask([text for _, text in batch])
            except _Refused as refused:
                parts = self._after(refused, batch)
                waiting += parts
                problem = problem if parts else f"{self._host} {refused}"
                continue
            self._note(answer)
            problem = f"{self._host} {answer.problem}" if answer.problem else problem
            for (at, _), vector in zip(batch, answer.vectors, strict=True):
                vectors[at] = vector
        return Embedded(vectors, problem)

    def close(self) -> None:
        """Close the connections; a closed embedder answers that it is."""
        self._closed = True
        self._client.close()

    def _pausing(self, wait: float, problem: str) -> str:
        off = f"{self._host} is switched off after three failures, tried again in {wait:.0f} seconds"
        return f"{problem}; {off}" if problem else off

    def _note(self, answer: Answer) -> None:
        usable = any(vector is not None for vector in answer.vectors)
        self._proven = self._proven or usable
        (self._switch.worked if usable else self._switch.failed)()

    def _after(self, refused: _Refused, batch: Texts) -> list[Texts]:
        """Give the halves to ask for apart when one of the texts may be to blame; else count the failure."""
        alive = self._proven and refused.status in _BAD_TEXT  # it is the text, not the endpoint
        if alive:
            self._switch.worked()
        if len(batch) > 1 and refused.status in (*_BAD_TEXT, 500) and not self._switch.off:
            half = len(batch) // 2
            return [batch[half:], batch[:half]]
        if not alive:
            self._switch.failed()
        return []

    def _ask(self, texts: list[str]) -> Answer:
        """Make a request, and again when that may help; a try after a pause has one chance."""
        left = 0 if self._switch.off else self._settings.retries
        wait = FIRST_WAIT
        while True:
            try:
                return self._request(texts)
            except _Refused as refused:
                pause = max(wait, refused.wait)
                if not refused.again or not left or pause > LONGEST_WAIT:
                    raise
            self._sleep(pause)
            left, wait = left - 1, wait * 2

    def _request(self, texts: list[str]) -> Answer:
        body: dict[str, Any] = {"model": self._model, "input": texts}
        if self._settings.dimensions:
            body["dimensions"] = self._settings.dimensions
        try:
            with self._client.stream("POST", self._url, json=body) as response:
                if not response.is_success:
                    raise self._refusal(response)
                payload = self._read(response)
        except httpx.TimeoutException as error:
            raise self._late() from error
        except httpx.ConnectError as error:
            raise _Refused(f"cannot be reached ({error})", again=True) from error
        except (httpx.HTTPError, httpx.InvalidURL, RuntimeError) as error:
            # The words of these errors may quote headers, and so the key.
            raise _Refused(f"broke off the request ({type(error).__name__})", again=True) from None
        with self._guard:  # the first answer says how long vectors are, and only one can be the first
            answer = read_answer(payload, len(texts), self.dimensions)
            self.dimensions = answer.size
        return answer

    def _read(self, response: httpx.Response) -> bytes:
        """Read an answer up to a size and a time; one that trickles in would hold everybody up."""
        end = self._clock() + self._settings.timeout_seconds
        payload = bytearray()
        for chunk in response.iter_bytes():
            payload += chunk
            if len(payload) > MOST_BYTES:
                raise _Refused(f"sent more than {MOST_BYTES // 1024 // 1024} MB")
            if self._clock() > end:
                raise self._late()
        return bytes(payload)

    def _late(self) -> _Refused:
        return _Refused(f"did not answer in {self._settings.timeout_seconds:g} seconds", again=True)

    def _refusal(self, response: httpx.Response) -> _Refused:
        """Say what a status means, in our own words: those of the endpoint may quote a text or the key."""
        status = response.status_code
        words = _STATUS.get(status, "failed")
        if 300 <= status < 400:
            words = "sends requests elsewhere: name the final address in embedding.base_url"
        after = response.headers.get("Retry-After", "")
        wait = float(after) if after.isdecimal() and len(after) < 6 else 0.0
        again = status in (408, 425, 429) or status >= 500
        return _Refused(f"{words} (status {status})", status=status, again=again, wait=wait)


_STATUS = {
    400: "refuses the text, the model or the dimensions",
    401: "refuses the key: check the variable that holds it",
    403: "refuses the key: check the variable that holds it",
    404: "has no such model, or no /embeddings at this address",
    413: "refuses the text as too long",
    422: "refuses the text, the model or the dimensions",
    429: "asks for fewer requests",
}
