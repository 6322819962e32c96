"""Screening: what extraction proposes is checked before the gate: writing, echo, evidence, trust and secrets."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from recollect.errors import InvalidInput
from recollect.flows.find.words import best_matches
from recollect.flows.learn.pages import names_of
from recollect.model.candidate import Candidate
from recollect.model.clock import checked_time, iso
from recollect.model.filter import Filter
from recollect.model.kinds import KINDS
from recollect.model.options import Draft
from recollect.model.owner import Scope
from recollect.model.receipt import Receipt
from recollect.model.turn import Turn
from recollect.rules.gate import checks
from recollect.rules.gate.trust import trust_of
from recollect.rules.gate.writing import mended, violations
from recollect.rules.people.speakers import himself
from recollect.rules.privacy.secrets import redacted, warned
from recollect.runtime import Runtime
from recollect.store.base import View
from recollect.text.terms import fold, terms

if TYPE_CHECKING:
    from recollect.language.reader import Echo, Reader

SURE = 0.9
"""The confidence from which a procedure nobody asked for is kept."""
OTHERS = 0.8
"""How far somebody else than the owner is believed, at most."""
LONGEST_QUOTE = 500
BEGINNING = 30
"""How many messages a conversation begins with: who speaks is mostly told there."""
NAMED = 20
ORDERS = "it gives orders to a model, which nobody but the user may"


def screened(
    runtime: Runtime,
    view: View,
    scope: Scope,
    candidates: Sequence[Candidate],
    turns: Sequence[Turn],
    echo: Echo,
    prompt: str = "",
) -> list[Draft | Receipt]:
    """Say of each candidate, in order, what goes on to the gate, and why the others do not.

    What rests on nothing that was said goes on as quarantined. `prompt` is the version of the question that brought
    the candidates, kept with what comes of them. Nobody but the owner asks for anything, or fills a slot.
    """
    known_by = names_of(view, scope.owner, runtime.reader)
    names = _exempt(runtime, view, scope, known_by), _known(view, scope, candidates, runtime.reader)
    by_id = {turn.id: turn for turn in turns}
    own = {turn.id for turn in turns if himself(turn.role, turn.actor, known_by)}
    given = [one if one.turn in own else _of_another(runtime.reader, one, by_id.get(one.turn)) for one in candidates]
    passed = [_screened(runtime, one, turns, by_id.get(one.turn), echo, names, prompt) for one in given]
    return [
        replace(one, trust=min(one.trust, OTHERS)) if isinstance(one, Draft) and candidate.turn not in own else one
        for candidate, one in zip(given, passed, strict=True)
    ]


def _of_another(reader: Reader, candidate: Candidate, turn: Turn | None) -> Candidate:
    """Let what somebody else says fill no slot and ask for nothing; what he says of himself is told under his name."""
    content = candidate.content
    if turn is not None and turn.actor:
        content = reader.of_another(content, candidate.quote, turn.actor)
    return replace(candidate, content=content, key="", explicit=False)


def _exempt(runtime: Runtime, view: View, scope: Scope, known_by: Sequence[str]) -> tuple[str, ...]:
    """Give the names of the speaker himself, which need no evidence: as he is known here, as he likes to be called,
    and as he has called himself when the conversation began or before it."""
    reader = runtime.reader
    said = view.said(scope.owner, scope.session, 0, BEGINNING) if scope.session else []
    called = reader.introduced([one.content for _, one in said if one.role.casefold() in ("user", "human")])
    policy = runtime.settings.terms
    where = Filter(owner=scope.owner, now=runtime.now(), kinds=("fact",))
    docs = best_matches(view, where, list(terms(reader.naming, policy)), policy, NAMED).tolist()
    told = (reader.named(one.content) for one in view.documents(scope.owner, docs).values())
    words = (word for name in known_by[1:] for word in reader.names_in("… " + name))
    return tuple(dict.fromkeys((known_by[0], *words, *sorted(called), *filter(None, told))))


def _known(view: View, scope: Scope, candidates: Sequence[Candidate], reader: Reader) -> tuple[str, ...]:
    """Give the names in what is proposed that the owner has spoken of before."""
    names = list(dict.fromkeys(name for one in candidates for name in reader.names_in(one.content)))
    if not names:
        return ()
    found = {fold(name) for one in view.entities(scope.owner, names) for name in (one.name, *one.aliases)}
    return tuple(name for name in names if name in found)


def _screened(
    runtime: Runtime,
    candidate: Candidate,
    turns: Sequence[Turn],
    turn: Turn | None,
    echo: Echo,
    names: tuple[Sequence[str], Sequence[str]],
    prompt: str,
) -> Draft | Receipt:
    explicit, reader = candidate.explicit and turn is not None, runtime.reader
    try:
        content = checks.content(candidate.content)
    except InvalidInput as error:
        return _rejected(str(error))
    policy = KINDS[candidate.kind].policy
    if policy in ("semantic", "episodic"):
        content, _ = mended(content, runtime.settings.writing, reader)
    wrong = violations(content, policy, runtime.settings.writing, reader)
    if wrong and not explicit:
        return _rejected(f"the content {wrong[0]}")
    if candidate.kind == "procedure" and not explicit and candidate.confidence < SURE:
        return _rejected("a procedure is kept when somebody asks for it, or when it is sure")
    candidate = replace(candidate, content=content)
    # Who asks to have it kept may, whoever said it before; an order to the assistant may be a prompt's, said back.
    if (not explicit or reader.standing(candidate.quote)) and _repeats(candidate, echo):
        return _rejected("it repeats what came out of memory, a prompt, a file or a tool")
    reason = "" if explicit else reader.unfounded(candidate, turns, *names)
    orders = content if explicit else f"{content}\n{candidate.quote}"
    reason = ORDERS if reader.instructing(orders) else reason
    return _draft(candidate, turn, explicit, reason, prompt)


def _repeats(candidate: Candidate, echo: Echo) -> bool:
    """Tell whether a candidate or its quote says nothing new; what is a memory to the letter is left to the gate."""
    if echo.has(candidate.kind, candidate.key, candidate.content):
        return False
    return echo.repeats(candidate.content) or (bool(candidate.quote.strip()) and echo.repeats(candidate.quote))


def _rejected(reason: str) -> Receipt:
    return Receipt(outcome="rejected", op="none", reason=reason)


def _draft(candidate: Candidate, turn: Turn | None, explicit: bool, reason: str, prompt: str) -> Draft:
    """Make the draft of a candidate: its secrets taken out, what it rests on noted."""
    content, secrets = redacted(candidate.content)
    topic, more = redacted(_cut(candidate.topic, checks.LONGEST_TOPIC))
    quote, _ = redacted(candidate.quote)
    kind = KINDS[candidate.kind]
    said = turn.at if turn is not None else None
    noted: dict[str, Any] = {
        "quote": _cut(quote, LONGEST_QUOTE),
        "turn": turn.id if turn is not None else "",
        "said": iso(said) if said is not None else "",
        "prompt": prompt,
    }
    return Draft(
        content=content,
        kind=candidate.kind,
        topic=topic,
        category=_cut(candidate.category, checks.LONGEST_NAME // 4),
        key=_cut(candidate.key, checks.LONGEST_NAME // 4),
        private=False,
        tags=(),
        importance=kind.importance if candidate.importance is None else min(10, max(1, candidate.importance)),
        confidence=min(1.0, max(0.0, candidate.confidence)) if candidate.confidence >= 0 else 0.0,
        pinned=False,
        source="user" if explicit else "session",
        actor=_cut(turn.actor, checks.LONGEST_NAME // 4) if turn is not None else "",
        event_time=_when(candidate, turn),
        valid_until=None,
        attributes={name: value for name, value in noted.items() if value},
        state="quarantined" if reason else "active",
        reason=reason,
        trust=trust_of(turn.role if turn is not None else "", "session"),
        notes=warned(tuple(dict.fromkeys((*secrets, *more)))),
    )


def _when(candidate: Candidate, turn: Turn | None) -> datetime | None:
    """Give when it happened, else when it was said; a model's date may be anything."""
    for moment in (candidate.event_time, turn.at if turn is not None else None):
        with suppress(InvalidInput):
            return checked_time("event_time", moment)
    return None


def _cut(text: str, most: int) -> str:
    """Bring a text a model wrote into bounds: valid, on one line, not too long."""
    whole = text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")
    return " ".join(whole.split())[:most]
