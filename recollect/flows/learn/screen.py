"""Screening: what extraction proposes is checked before the gate: writing, echo, evidence, trust and secrets."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from recollect.errors import InvalidInput
from recollect.flows.find.words import best_matches
from recollect.flows.learn.extract import Extracted
from recollect.flows.learn.pages import READ, Talk, outside
from recollect.flows.people.identity import own_names
from recollect.model.candidate import Candidate
from recollect.model.clock import checked_time, iso
from recollect.model.filter import Filter
from recollect.model.kinds import KINDS
from recollect.model.options import Draft
from recollect.model.owner import Scope
from recollect.model.receipt import Receipt
from recollect.model.turn import Turn
from recollect.model.values import dataclass
from recollect.rules.gate import checks
from recollect.rules.gate.trust import trust_of
from recollect.rules.gate.writing import mended, violations
from recollect.rules.privacy.secrets import redacted, warned
from recollect.runtime import Runtime
from recollect.store.base import Reading, Searching
from recollect.text.terms import fold, terms

if TYPE_CHECKING:
    from recollect.language.reader import Echo, Reader

SURE = 0.9
"""The confidence from which a procedure nobody asked for is kept."""
OTHERS = 0.8
"""How far somebody else than the owner is believed, at most."""
LONGEST_QUOTE = 500
OFTEN = ("developer", "function", "system", "tool")
"""Roles outside a conversation that are looked for however far back; others among the last messages."""
EARLIER, LONGEST_EARLIER = 50, 4000
"""How many messages of tools and systems of a session are remembered as such, and how much of each."""
NEAR, BLOCKS = 25, 50
"""How many of an owner's memories are held against a candidate, and how many blocks, to see what only repeats them."""
_REMEMBERED = tuple(kind for kind in KINDS if kind not in ("episode", "summary"))
ORDERS = "it gives orders to a model, which nobody but the user may"


@dataclass(frozen=True, slots=True)
class Screened:
    """A candidate, and what it goes on to the gate as; a receipt says why it does not."""

    candidate: Candidate
    result: Draft | Receipt


@dataclass(frozen=True, slots=True)
class _Heard:
    """What candidates are held against: what was said, what only comes back out of memory, and names that are known."""

    turns: Sequence[Turn]
    echo: Echo
    own_names: Sequence[str]
    names: Sequence[str]


def screened(runtime: Runtime, view: Searching, scope: Scope, read: Extracted, talk: Talk) -> list[Screened]:
    """Say of each candidate, in order, what goes on to the gate, and why the others do not.

    What rests on nothing that was said goes on as quarantined. The version of the question that brought the candidates
    is kept with what comes of them. Nobody but the owner asks for anything, or fills a slot.
    """
    if not read.candidates:
        return []
    own = {turn.id for turn in talk.turns if talk.user.says(turn.role, turn.actor)}
    by_id = {turn.id: turn for turn in talk.turns}
    heard = _Heard(
        talk.turns,
        _echo(runtime, view, scope, read.candidates, talk.outside),
        own_names(runtime, view, scope, talk.user),
        _known(view, scope, read.candidates, runtime.reader),
    )
    out = []
    for candidate in read.candidates:
        turn, his = by_id.get(candidate.turn), candidate.turn in own
        result = _screened(
            runtime, candidate if his else _of_another(runtime.reader, candidate, turn), turn, heard, read.version
        )
        if isinstance(result, Draft) and not his:
            result = replace(result, trust=min(result.trust, OTHERS))
        out.append(Screened(candidate, result))
    return out


def _of_another(reader: Reader, candidate: Candidate, turn: Turn | None) -> Candidate:
    """Let what somebody else says fill no slot and ask for nothing; what he says of himself is told under his name."""
    content = candidate.content
    if turn is not None and turn.actor:
        content = reader.of_another(content, candidate.quote, turn.actor)
    return replace(candidate, content=content, key="", explicit=False)


def _known(view: Reading, scope: Scope, candidates: Sequence[Candidate], reader: Reader) -> tuple[str, ...]:
    """Give the names in what is proposed that the owner has spoken of before."""
    names = list(dict.fromkeys(name for one in candidates for name in reader.names_in(one.content)))
    if not names:
        return ()
    found = {fold(name) for one in view.entities(scope.owner, names) for name in (one.name, *one.aliases)}
    return tuple(name for name in names if name in found)


def _echo(
    runtime: Runtime, view: Searching, scope: Scope, proposed: Sequence[Candidate], outside: Sequence[str]
) -> Echo:
    """Gather what must not be learnt again: what tools and systems said, here and earlier in the session, the blocks,
    and the memories nearest to each candidate and each quote: one search takes no more words than these have."""
    policy, where = runtime.settings.terms, Filter(owner=scope.owner, now=runtime.now(), kinds=_REMEMBERED)
    docs: set[int] = set()
    for text in dict.fromkeys(text for one in proposed for text in (one.content, one.quote)):
        wanted = list(terms(text, policy))
        docs.update(best_matches(view, where, wanted, policy, NEAR).tolist() if wanted else ())
    near = {memory.id: memory for memory in view.documents(scope.owner, sorted(docs)).values()}
    near |= {memory.id: memory for memory in view.page(replace(where, kinds=("block",)), "recent", BLOCKS)}
    return runtime.reader.echo([*outside, *_earlier(runtime, view, scope)], near.values())


def _earlier(runtime: Runtime, view: Reading, scope: Scope) -> list[str]:
    """Give what tools and systems said last in a session, on whatever page: it is said back later."""
    if not scope.session:
        return []
    where = Filter(owner=scope.owner, now=runtime.now(), kinds=("episode",), sessions=(scope.session,))
    found = [one for role in OFTEN for one in view.page(replace(where, role=role), "recent", EARLIER)]
    found += [one for one in view.page(where, "recent", READ) if outside(one) and one.role not in OFTEN]
    found.sort(key=lambda one: one.created_at, reverse=True)
    return [one.content[:LONGEST_EARLIER] for one in found[:EARLIER]]


def _screened(runtime: Runtime, candidate: Candidate, turn: Turn | None, heard: _Heard, prompt: str) -> Draft | Receipt:
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
    if (not explicit or reader.standing(candidate.quote)) and _repeats(candidate, heard.echo):
        return _rejected("it repeats what came out of memory, a prompt, a file or a tool")
    reason = "" if explicit else reader.unfounded(candidate, heard.turns, heard.own_names, heard.names)
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
