"""How memories are written: one policy per kind, checked without a model."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from typing import TYPE_CHECKING

from recollect.language.values import Voice
from recollect.model.values import dataclass
from recollect.text.patterns import pattern

if TYPE_CHECKING:
    from recollect.language.reader import Reader

LONGEST_CONTENT = 1_048_576
_STEP = pattern(r"^\s*\d+[.)]\s+\S", re.MULTILINE)
_VOICES: dict[Voice, str] = {
    "first": "is in the first person: name who it is about, so that it can be read on its own",
    "second": "speaks to somebody: name who is meant instead of you",
    "pronoun": "starts with a pronoun: name who or what it is about",
    "open": "leaves open which of two people is meant: name who it is instead of he or she",
}
_QUOTES = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "\u00a0": " "})


@dataclass(frozen=True, slots=True)
class WritingPolicy:
    """The limits memories are written within."""

    fact_chars: int = 280
    """The longest fact, event or insight, in characters."""
    fact_sentences: int = 2
    """How many sentences a fact, event or insight may have."""
    summary_words: int = 100
    """The longest summary, in words."""
    reflection_sentences: int = 5
    """How many sentences a reflection may have."""
    block_chars: int = 20_000
    """The longest core block, in characters."""


def sentences(text: str, reader: Reader) -> int:
    """Count sentences, at least one."""
    return max(1, len(reader.ends(text.strip() + " ")))


def tidy(text: str, policy_name: str, reader: Reader) -> str:
    """Bring an extracted text into form: composed Unicode, plain quotes, single spaces; facts lose words
    like "today" that are only true for a day. What somebody asked to save is never passed through here."""
    text = unicodedata.normalize("NFC", text)
    if policy_name == "note":
        return text.strip()
    text = text.translate(_QUOTES)
    if policy_name == "semantic":
        text = re.sub(r"\s+([.,;!?])", r"\1", reader.lasting(text))
    return "\n".join(" ".join(line.split()) for line in text.strip().splitlines())


def violations(text: str, policy_name: str, policy: WritingPolicy, reader: Reader) -> list[str]:
    """Say what is against the writing policy of a kind, in words its author can act on."""
    return _POLICIES[policy_name](text, policy, reader)


def mended(text: str, policy: WritingPolicy, reader: Reader) -> tuple[str, bool]:
    """Bring a fact or an event into form without changing what it says, and tell whether that was needed.

    Marks and phrases that frame it are taken off, and sentences too many are left out. What does not fit even so is
    left as it is: half a statement may be false.
    """
    out = " ".join(unicodedata.normalize("NFC", text).translate(_QUOTES).split())
    out = _capital(reader.bare(out))
    said = _split(out, reader)
    out = " ".join(said[: policy.fact_sentences]) if len(said) > policy.fact_sentences else out
    if len(out) > policy.fact_chars and len(said) > 1 and len(said[0]) <= policy.fact_chars:
        out = said[0]
    return (out, out != text) if out else (text, False)


def _split(text: str, reader: Reader) -> list[str]:
    """Cut a text after the marks by which sentences are counted."""
    ends = reader.ends(text)
    pieces = [text[begin:end].strip() for begin, end in zip([0, *ends], [*ends, len(text)], strict=True)]
    return [piece for piece in pieces if piece]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:] if text[:1].islower() and " " in text else text


def _length(text: str, policy: WritingPolicy, reader: Reader) -> list[str]:
    found = []
    if len(text) > policy.fact_chars:
        found.append(f"is {len(text)} characters long, {policy.fact_chars} is the rule for facts: split or shorten it")
    if (many := sentences(text, reader)) > policy.fact_sentences:
        found.append(f"has {many} sentences, {policy.fact_sentences} is the rule: save one fact at a time")
    return found


def _semantic(text: str, policy: WritingPolicy, reader: Reader) -> list[str]:
    """Third person, to be read on its own: for facts and events alike."""
    found = _length(text, policy, reader)
    voice = reader.voice(text)
    return [*found, _VOICES[voice]] if voice else found


def _reflection(text: str, policy: WritingPolicy, reader: Reader) -> list[str]:
    many = sentences(text, reader)
    if 3 <= many <= policy.reflection_sentences:
        return []
    return [f"has {many} sentences: a reflection has 3 to {policy.reflection_sentences}"]


def _summary(text: str, policy: WritingPolicy, reader: Reader) -> list[str]:
    many = len(text.split())
    return [f"has {many} words: a summary has at most {policy.summary_words}"] if many > policy.summary_words else []


def _procedure(text: str, policy: WritingPolicy, reader: Reader) -> list[str]:
    return [] if _STEP.search(text) else ["has no numbered steps: write 1. … 2. …, each an instruction"]


def _lesson(text: str, policy: WritingPolicy, reader: Reader) -> list[str]:
    return [] if "lesson:" in text.casefold() else ["has no line `Lesson: …` that says what to do next time"]


def _block(text: str, policy: WritingPolicy, reader: Reader) -> list[str]:
    if len(text) <= policy.block_chars:
        return []
    return [f"is {len(text)} characters long, a block holds {policy.block_chars}: shorten it"]


def _none(text: str, policy: WritingPolicy, reader: Reader) -> list[str]:
    return []


_POLICIES: dict[str, Callable[[str, WritingPolicy, Reader], list[str]]] = {
    "none": _none,
    "semantic": _semantic,
    "episodic": _semantic,
    "note": _none,
    "reflection": _reflection,
    "summary": _summary,
    "procedure": _procedure,
    "lesson": _lesson,
    "block": _block,
}
