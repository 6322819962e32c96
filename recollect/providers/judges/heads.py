"""The heads of our own model: five small judges over the encoder that also finds."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from onnxruntime import InferenceSession

from recollect.errors import ConfigError
from recollect.model.values import dataclass
from recollect.providers.bundled.encoder import NAME, Encoder, Ids, opened, shared_encoder
from recollect.providers.bundled.pieces import BEGIN, END, pieces
from recollect.providers.bundled.session import FAILURES
from recollect.providers.judges.judge import (
    ASKS,
    DURABLE,
    PASSING,
    RELATIONS,
    VERDICTS,
    Judge,
    Kept,
    Sentence,
    Verdict,
)

KEEP_MIN, CLEAR_MIN, NOT_DENIED = 0.85, 0.9, 0.4
"""How likely a sentence must be worth keeping where it stands; or by itself, and then where it stands at least so.

Set on conversations held out of training: see docs/encoder.md.
"""
MOST_FIRST, MOST_SECOND = 110, 80
"""How many word pieces of the first and of the second text are read."""
BEFORE_CHARACTERS, AFTER_CHARACTERS = 300, 120
REMEMBERED = 512
"""How many sentences' judgements are remembered: what a page says is looked at for its notes, then for its requests."""
Chances = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class _Loaded:
    encoder: Encoder
    heads: InferenceSession


class Heads(Judge):
    """The bundled judge, loaded when first asked."""

    name = NAME
    languages = ("en",)

    def __init__(self, threads: int = 0) -> None:
        self._threads = threads
        self._guard = threading.Lock()
        self._loaded: _Loaded | None = None
        self._kept_before: OrderedDict[Sentence, Kept] = OrderedDict()

    def keep(self, sentences: Sequence[Sentence]) -> list[Kept]:
        """Say what each sentence is, and whether it is worth keeping."""
        return [self._known(one) for one in sentences]

    def _known(self, one: Sentence) -> Kept:
        found = self._kept_before.get(one)
        if found is None:
            found = self._kept(one)
            with self._guard:
                self._kept_before[one] = found
                if len(self._kept_before) > REMEMBERED:
                    self._kept_before.popitem(last=False)
        return found

    def _kept(self, one: Sentence) -> Kept:
        """Judge a sentence where it stands; one that is clear by itself is kept unless its surroundings deny it."""
        chances, asking = self._chances(("keep", "asks"), *_shown(one))
        durable = _durable(chances)
        if durable < KEEP_MIN and durable >= NOT_DENIED:
            (alone,) = self._chances(("keep",), *_shown(Sentence(one.speaker, one.text)))
            if _durable(alone) >= CLEAR_MIN:
                return _as_kept(alone, asking, worth=True)
        return _as_kept(chances, asking, worth=durable >= KEEP_MIN)

    def relation(self, pairs: Sequence[tuple[str, str]]) -> list[Verdict]:
        """Say how the newer statement of each pair stands to the older."""
        return [_verdict(RELATIONS, self._chances(("relation",), f"compare: {a}", b)[0]) for a, b in pairs]

    def supports(self, pairs: Sequence[tuple[str, str]]) -> list[Verdict]:
        """Say how the claim of each pair stands to the quote."""
        return [_verdict(VERDICTS, self._chances(("supports",), f"check: {a}", b)[0]) for a, b in pairs]

    def meant(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """Say how likely it is that a request (the first of each pair) means a memory (the second)."""
        return [float(self._chances(("meant",), f"meant: {a}", b)[0][1]) for a, b in pairs]

    def close(self) -> None:
        """Let go of the model; it is loaded anew when asked again."""
        with self._guard:
            self._loaded = None
            self._kept_before.clear()

    def _load(self) -> _Loaded:
        with self._guard:
            if self._loaded is None:
                self._loaded = _Loaded(shared_encoder(self._threads), opened("judge.onnx", self._threads))
            return self._loaded

    def _chances(self, heads: Sequence[str], first: str, second: str) -> list[Chances]:
        """Give how likely each answer of some heads is."""
        try:
            return self._asked(heads, first, second)
        except FAILURES as error:
            raise ConfigError(f"the bundled model {NAME} failed ({type(error).__name__})") from error

    def _asked(self, heads: Sequence[str], first: str, second: str) -> list[Chances]:
        loaded = self._load()
        left, right = pieces(first)[:MOST_FIRST], pieces(second)[:MOST_SECOND]
        types = [0] * (len(left) + 2) + [1] * (len(right) + 1)
        hidden = loaded.encoder.judged([BEGIN, *left, END, *right, END], types)
        kinds: Ids = np.array([types], np.int64)
        given = {"hidden": hidden, "mask": np.ones_like(kinds), "types": kinds}
        return [_likely(scores[0]) for scores in loaded.heads.run(list(heads), given)]


def _likely(scores: Chances) -> Chances:
    likely = np.exp(scores - scores.max())
    chances: Chances = likely / likely.sum()
    return chances


def _shown(one: Sentence) -> tuple[str, str]:
    before = one.before[-BEFORE_CHARACTERS:]
    return f"keep: {before} / {one.told} / {one.after[:AFTER_CHARACTERS]}", f"{one.speaker}: {one.text}"


def _durable(chances: Chances) -> float:
    return float(chances[: len(DURABLE)].sum())


def _as_kept(chances: Chances, asking: Chances, *, worth: bool) -> Kept:
    at = int(asking.argmax())
    durable, classes = _durable(chances), chances[: len(DURABLE)]
    sort = DURABLE[int(classes.argmax())]
    label = sort if worth else (*DURABLE, *PASSING)[int(chances.argmax())]
    sure = float(classes.max()) / max(durable, 1e-9)
    return Kept(label, durable, worth, sort, sure, ASKS[at], float(asking[at]))


def _verdict(labels: Sequence[str], chances: Chances) -> Verdict:
    at = int(chances.argmax())
    return Verdict(labels[at], float(chances[at]))
