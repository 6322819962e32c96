"""A scripted model for drills: it proposes what it was told to for each message, and judges pairs as one who knows."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable
from typing import Any

from recollect import Space
from recollect.flows.learn.admission import KINDS_LEARNT
from recollect.language import open_reader
from recollect.model.kinds import KINDS, STATES
from recollect.rules.gate.writing import WritingPolicy, violations
from recollect.testing.llm import Asked, Saying

ENGLISH = open_reader("english")

Figures = dict[str, Any]
Step = Callable[[int], None]
_TURN = re.compile(r"^\[(\d+)\] .*? \d{4}-\d\d-\d\d: (.*(?:\n    .*)*)", re.MULTILINE)
_PAIR = re.compile(r"\[\d+\] OLD[^:]*: (.*)\n +NEW: (.*)")


class Model:
    """What `ScriptedLlm` answers by; it keeps every claim it has proposed."""

    def __init__(self, changed: Container[tuple[str, str]] = ()) -> None:
        self.told: dict[str, list[tuple[str, str]]] = {}
        """What is proposed of a message: claims, each with the words it is said to rest on."""
        self.proposed: list[str] = []
        self._changed = changed

    def word_for_word(self, texts: Iterable[str]) -> None:
        """Propose each of these messages as it is said."""
        self.told |= {text: [(text, text)] for text in texts}

    def __call__(self, asked: Asked) -> Saying:
        """Answer a page of a conversation, or pairs that are to be judged."""
        if "pairs" in asked.user.partition("\n")[0]:
            says = ["newer_replaces" if pair in self._changed else "both_true" for pair in _PAIR.findall(asked.user)]
            return {"verdicts": [{"pair": number, "verdict": one} for number, one in enumerate(says, 1)]}
        facts: list[dict[str, Any]] = [
            {"content": claim, "quote": quote, "turn": int(number)}
            for number, text in _TURN.findall(asked.user)
            for claim, quote in self.told.get(text.replace("\n    ", "\n"), ())
        ]
        self.proposed += [one["content"] for one in facts]
        return {"facts": facts, "summary": ""}


def ill_written(space: Space) -> list[str]:
    """Give what was learnt from talk, in whatever state, and is against the rules of writing."""
    found = space.list(kinds=KINDS_LEARNT, states=STATES, limit=1000)
    policy = WritingPolicy()
    return [
        one.content
        for one in found
        if one.source == "session" and violations(one.content, KINDS[one.kind].policy, policy, ENGLISH)
    ]
