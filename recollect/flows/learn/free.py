"""What a request in free words means: of what is near to it in words or meaning, what the judge says it is about."""

from __future__ import annotations

from collections.abc import Sequence
from math import log

from recollect.flows.find.meaning import ask
from recollect.flows.find.words import best_matches
from recollect.flows.gate.pending import PENDING
from recollect.language.commands import Command
from recollect.model.filter import Filter
from recollect.model.kinds import KINDS
from recollect.model.memory import Memory
from recollect.model.owner import Scope, seen_from
from recollect.model.turn import Turn
from recollect.runtime import Runtime
from recollect.store.base import Searching
from recollect.text.normal import EDGES
from recollect.text.roles import is_machine
from recollect.text.stopwords import common
from recollect.text.terms import fold, terms
from recollect.text.vectors import unpacked

STANDING = ("active", *PENDING)
LEFT = tuple(kind for kind in KINDS if kind not in ("episode", "summary", "block"))
NEAREST = 12
"""How many memories near in words, and how many near in meaning, are held against a request."""
JUDGED = 0.05
"""How much of similarity the judge's word counts, a step of its odds each."""
FITS = 0.2
"""How near what is meant must be, in meaning and by the judge's word together."""
BESIDE = 0.1
"""What is farther by less than this than the nearest may be meant as well."""
MOST_SENTENCES = 12
Near = tuple[Memory, float]
"""A memory, and how near it is in meaning."""
MOST = 3
"""Among how many it may be unclear which is meant."""


def meant(runtime: Runtime, view: Searching, scope: Scope, turn: Turn, command: Command) -> list[Memory]:
    """Give the memories a request may mean, the likeliest first; what its own message left is none of them."""
    near = _near(runtime, view, scope, command.what, LEFT)
    told = [(one, at) for one, at in near if one.attributes.get("turn") != turn.id and one.event_time <= turn.at]
    return _likely(runtime, command, told)


def messages_meant(runtime: Runtime, view: Searching, scope: Scope, turn: Turn, command: Command) -> list[Memory]:
    """Give people's messages that a request may mean, by the sentence of each that is likeliest."""
    near = _near(runtime, view, scope, command.what, ("episode",))
    spoken = [(one, at) for one, at in near if one.id != turn.id and one.event_time <= turn.at]
    return _likely(runtime, command, [(one, at) for one, at in spoken if not is_machine(one.role)])


def _likely(runtime: Runtime, command: Command, near: Sequence[Near]) -> list[Memory]:
    """Give what is near enough in meaning and by the judge's word, and not much farther than the nearest."""
    judge = runtime.judge
    if judge is None or not near:
        return []
    ranked = list[tuple[float, Memory]]()
    for one, similar in near:
        said = runtime.reader.sentences(one.content)[:MOST_SENTENCES] if one.kind == "episode" else [one.content]
        chance = max(judge.meant([(command.what, text) for text in said]), default=0.0)
        ranked.append((similar + JUDGED * log(max(chance, 1e-6) / max(1 - chance, 1e-6)), one))
    ranked.sort(key=lambda one: (-one[0], one[1].id))
    return [one for likely, one in ranked if likely >= max(FITS, ranked[0][0] - BESIDE)][:MOST]


def _near(runtime: Runtime, view: Searching, scope: Scope, text: str, kinds: Sequence[str]) -> list[Near]:
    """Give memories near in words or meaning with how near in meaning they are; far-away embedders are not asked."""
    policy, owner = runtime.settings.terms, scope.owner
    seen = seen_from(scope.project)
    where = Filter(owner=owner, now=runtime.now(), kinds=tuple(kinds), states=STANDING, projects=seen)
    docs = best_matches(view, where, list(terms(text, policy)), policy, NEAREST).tolist()
    embedder, similar = runtime.embedder(), dict[int, float]()
    if embedder is not None and embedder.local:
        asked = ask(runtime, owner, view.counters(owner), text)
        if asked.vector is not None:
            docs += [doc for doc, _ in view.nearest(where, asked.model, asked.vector, NEAREST).pairs()]
            rows = view.embeddings(owner, asked.model, list(dict.fromkeys(docs)))
            similar = {doc: float(unpacked([blob])[0] @ asked.vector) for doc, blob in rows.items()}
    found = view.documents(owner, list(dict.fromkeys(docs)))
    return [(one, similar.get(doc, 0.0)) for doc, one in found.items()]


def values(runtime: Runtime, known: str, said: str) -> tuple[str, str]:
    """Give the value of a memory that a correction puts right, and the right one; empty where that is not plain.

    The right one is the only name, number, month or weekday that is new. The wrong one is the memory's only one of
    that sort: none that the correction repeats, unless it repeats the only one there is.
    """
    old, new = _sorted(runtime, known), _sorted(runtime, said)
    fresh = {word: sort for word, sort in new.items() if word not in old}
    if len(fresh) != 1:
        return "", ""
    ((right, sort),) = fresh.items()
    of_sort = [word for word, one in old.items() if one == sort]
    return (of_sort[0], right) if len(of_sort) == 1 else ("", "")


def _sorted(runtime: Runtime, text: str) -> dict[str, str]:
    """Give the names, numbers, months and weekdays of a text, each with its sort; a first word may be any."""
    parts = text.split()
    found = zip(parts, sorts(runtime, parts), strict=True)
    return {part.strip(EDGES): sort for at, (part, sort) in enumerate(found) if sort and (at or sort != "name")}


def sorts(runtime: Runtime, parts: Sequence[str], language: str = "") -> list[str]:
    """Say of each word whether it is a month, a weekday, a number or a name; empty for any other."""
    language = runtime.reader.told(" ".join(parts), language).language
    out = []
    for part in parts:
        bare = part.strip(EDGES)
        told = runtime.reader.told(bare, language)
        sort = "month" if told.months else "weekday" if told.weekdays else "number" if told.numbers else ""
        out.append(sort or ("name" if bare[:1].isupper() and fold(bare) not in common() else ""))
    return out
