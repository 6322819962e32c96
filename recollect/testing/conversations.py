"""Conversations of our own, for drills and tests: ordinary talk in which a fact is told now and then."""

from __future__ import annotations

import json
import re
from typing import Any

from recollect.testing.llm import Asked, Saying

FACTS: tuple[tuple[str, str], ...] = (
    ("I have a cat called Miau.", "Ana has a cat called Miau."),
    ("I play the cello every Sunday.", "Ana plays the cello every Sunday."),
    ("I'm allergic to peanuts.", "Ana is allergic to peanuts."),
    ("My sister is called Clara.", "Ana's sister is called Clara."),
    ("I drive a blue Renault.", "Ana drives a blue Renault."),
    ("I work as a data engineer at Northwind.", "Ana works as a data engineer at Northwind."),
    ("I love fado.", "Ana loves fado."),
    ("I own a small boat.", "Ana owns a small boat."),
)
"""What is said, and what a good model makes of it."""

_CHATTER = (
    ("Could you look over the slides for the meeting with the northern office? I am not sure about the order.",
     "Sure. I would put the figures first and the outlook last, then the questions have a place."),
    ("The train was late again and the whole morning went by with waiting and reading the news.",
     "That sounds tiring. Shall we move the call to the afternoon so that there is time to breathe?"),
    ("What would you cook with two aubergines, some rice and half a lemon, without much effort?",
     "Roast the aubergines, fold them under the rice with olive oil, and finish with the lemon and salt."),
    ("Is there a simple way to compare two long tables without losing the order of the rows?",
     "Give every row a number first, then join by the key and sort by that number at the end."),
)  # fmt: skip


def ordinary(turns: int, every: int = 12) -> list[tuple[str, str]]:
    """Give a conversation of so many turns, each as role and text, with a fact about every so many of them."""
    out: list[tuple[str, str]] = []
    told = 0
    for at in range((turns + 1) // 2):
        asked, answered = _CHATTER[at % len(_CHATTER)]
        if at % (every // 2) == 1 and told < len(FACTS):
            asked = f"{asked} {FACTS[told][0]}"
            told += 1
        out += [("user", asked), ("assistant", answered)]
    return out[:turns]


def told_in(conversation: list[tuple[str, str]]) -> list[str]:
    """Give what a good model finds in a conversation."""
    said = "\n".join(text for _, text in conversation)
    return [fact for spoken, fact in FACTS if spoken in said]


def good_model(asked: Asked) -> Saying:
    """Answer as a good model does: what the messages tell, each with its quote and turn, and a summary."""
    if "pairs" in asked.user.partition("\n")[0]:
        return {"verdicts": []}
    facts: list[dict[str, Any]] = []
    for number, line in re.findall(r"^\[(\d+)\] (.*(?:\n    .*)*)", asked.user, re.MULTILINE):
        facts += [
            {"content": fact, "quote": spoken, "turn": int(number), "topic": "life", "importance": 6}
            for spoken, fact in FACTS
            if spoken in line
        ]
    many = len(re.findall(r"^\[\d+\]", asked.user, re.MULTILINE))
    return {"facts": facts, "summary": f"Ana and the assistant talked about work and cooking, in {many} messages."}


def as_json(asked: Asked) -> str:
    """Give a good model's answer as text, for what is to be spoilt."""
    return json.dumps(good_model(asked))
