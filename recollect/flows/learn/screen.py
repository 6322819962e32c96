"""Screening: what extraction proposes is checked before the gate: writing, echo, evidence, trust and secrets."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from recollect.errors import InvalidInput
from recollect.flows.find.words import best_matches
from recollect.flows.learn.asked import freely
from recollect.flows.learn.extract import Extracted
from recollect.flows.learn.pages import READ, Talk, outside
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
from recollect.rules.learn.evidence import NO_QUOTE, Grounds, Objection, place_of, unfounded
from recollect.rules.learn.notes import ASKED, CLASS, CORRECTS, NOBODY, NOTE, is_note
from recollect.rules.people.speakers import Identity
from recollect.rules.privacy.secrets import redacted, warned, without_marks
from recollect.runtime import Runtime
from recollect.store.base import Reading, Searching
from recollect.text.normal import EDGES
from recollect.text.roles import is_machine
from recollect.text.stopwords import common
from recollect.text.terms import fold, terms

if TYPE_CHECKING:
    from recollect.language.echo import Echo

SURE = 0.9
"""The confidence from which a procedure nobody asked for is kept."""
OTHERS = 0.8
"""How far somebody else than the owner is believed, at most."""
LONGEST_QUOTE = 500
LONGEST_DISPLAY = 280
DISPLAY = "display"
"""The attribute that holds a fact as it is said to the person it is about."""
DOUBT, DOUBTED = "doubt", 0.5
"""Where the attributes of a claim say what makes it less sure, and how sure it is then at most."""
OFTEN = ("developer", "function", "system", "tool")
"""Roles outside a conversation that are looked for however far back; others among the last messages."""
EARLIER, LONGEST_EARLIER = 50, 4000
"""How many messages of tools and systems of a session are remembered as such, and how much of each."""
NEAR, BLOCKS = 25, 50
"""How many of an owner's memories are held against a candidate, and how many blocks, to see what only repeats them."""
_REMEMBERED = tuple(kind for kind in KINDS if kind not in ("episode", "summary"))
WISHED = ("tone", "goals")
"""The slots whose values are wishes by nature: `I want to write a book` says them for certain."""
ORDERS = "it gives orders to a model, which nobody but the user may"
CLAIMED = "claim"
"""The class of what a model claims: the model says itself how much it matters."""
ECHO = "it repeats what came out of memory, a prompt, a file or a tool"
PRIVATE = "the speaker asked not to keep it"
EMPTIED = "nothing is left of it without the secret"
LEAST_LEFT = 3
"""How many telling words what a secret was taken out of must have."""
RIGHTED = "it was put right in these words"
REPEATS = "already known, as the model says"


@dataclass(frozen=True, slots=True)
class Screened:
    """A candidate, and what it goes on to the gate as; a receipt says why it does not."""

    candidate: Candidate
    result: Draft | Receipt


@dataclass(frozen=True, slots=True)
class _Heard:
    """What candidates are held against: what was said and is known, and what only comes back out of memory."""

    grounds: Grounds
    echo: Echo
    user: Identity
    prompt: str
    righted: Mapping[str, str]
    """By turn what was put right in its words, where that was done already."""
    private: frozenset[str]
    """The turns whose speakers ask not to keep what they say there."""


def screened(runtime: Runtime, view: Searching, scope: Scope, read: Extracted, talk: Talk) -> list[Screened]:
    """Say of each candidate, in order, what goes on to the gate, and why the others do not.

    What rests on nothing that was said goes on as quarantined. The version of the question that brought the candidates
    is kept with what comes of them. Nobody but the owner asks for anything, or fills a slot.
    """
    if not read.candidates:
        return []
    own = frozenset(part for name in (*talk.user.names, NOBODY) for part in fold(name).replace("-", " ").split())
    known = _known(runtime, view, scope, read.candidates)
    languages = runtime.judge.languages if runtime.judge else ()
    grounds = Grounds(talk.turns, own, known, _opinion(runtime), languages)
    echo, righted = _echo(runtime, view, scope, read.candidates, talk.outside), _righted(view, scope, read.candidates)
    said_in = {one.turn for one in read.candidates}
    private = frozenset(one.id for one in talk.turns if one.id in said_in and _private(runtime, talk, one))
    heard = _Heard(grounds, echo, talk.user, read.version, righted, private)
    return [Screened(one, _screened(runtime, one, heard)) for one in read.candidates]


def _opinion(runtime: Runtime) -> Callable[[str, str], tuple[str, float]] | None:
    judge = runtime.judge
    if judge is None:
        return None

    def verdict(quote: str, claim: str) -> tuple[str, float]:
        found = judge.supports([(quote, claim)])[0]
        return found.label, found.sure

    return verdict


def _known(runtime: Runtime, view: Reading, scope: Scope, candidates: Sequence[Candidate]) -> frozenset[str]:
    """Give the names in claims that are those of people the owner has spoken of before."""
    claims = [one for one in candidates if not (one.note or one.explicit)]
    names = sorted({name for one in claims for name in runtime.reader.told(one.content).names})
    people = [one for one in view.entities(scope.owner, names) if one.type == "person"] if names else []
    return frozenset(names) & {fold(name) for one in people for name in (one.name, *one.aliases)}


def _righted(view: Reading, scope: Scope, candidates: Sequence[Candidate]) -> dict[str, str]:
    """Give by turn the memory that puts right what a note of it would tell again."""
    turns = sorted({one.turn for one in candidates if one.note and one.turn})
    links = [one for one in view.links(scope.owner, turns) if one.type == "derived_from"] if turns else []
    right = {one.id for one in view.get(scope.owner, [one.from_id for one in links]) if one.attributes.get(CORRECTS)}
    return {one.to_id: one.from_id for one in links if one.from_id in right}


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
    kept = [one for one in near.values() if not is_note(one)]  # what somebody said himself is no echo of itself
    return runtime.reader.echo([*outside, *_earlier(runtime, view, scope)], kept)


def _earlier(runtime: Runtime, view: Reading, scope: Scope) -> list[str]:
    """Give what tools and systems said last in a session, on whatever page: it is said back later."""
    if not scope.session:
        return []
    where = Filter(owner=scope.owner, now=runtime.now(), kinds=("episode",), sessions=(scope.session,))
    found = [one for role in OFTEN for one in view.page(replace(where, role=role), "recent", EARLIER)]
    found += [one for one in view.page(where, "recent", READ) if outside(one) and one.role not in OFTEN]
    found.sort(key=lambda one: one.created_at, reverse=True)
    return [one.content[:LONGEST_EARLIER] for one in found[:EARLIER]]


def _screened(runtime: Runtime, candidate: Candidate, heard: _Heard) -> Draft | Receipt:
    """Check one candidate: what was said in its speaker's words, what he asked for, or what a model claims."""
    try:
        content = checks.content(candidate.content)
    except InvalidInput as error:
        return _rejected(str(error))
    turn = next((one for one in heard.grounds.turns if one.id == candidate.turn), None)
    if secrets := _emptied(runtime, content):
        return replace(_rejected(EMPTIED), warnings=warned(secrets))
    if turn is not None and turn.id in heard.private:
        return _rejected(PRIVATE)
    if candidate.explicit and not (turn is not None and heard.user.says(turn.role, turn.actor)):
        candidate = replace(candidate, explicit=False, key="")  # nobody asks for anything in the owner's name
    if candidate.note or candidate.explicit:
        return _said(runtime, replace(candidate, content=content), turn, heard)
    return _claimed(runtime, replace(candidate, content=content), heard)


def _emptied(runtime: Runtime, content: str) -> tuple[str, ...]:
    """Give the secrets a text was there for: without them it tells next to nothing, or ends in `my password is`."""
    text, found = redacted(content)
    rest, last = without_marks(text)
    if rest == text:
        return ()
    telling = last and fold(last.strip(EDGES)) not in common()
    few = len(runtime.reader.told(rest).stems) < LEAST_LEFT
    return (found or ("secret",)) if few or (last and not telling) else ()


def _private(runtime: Runtime, talk: Talk, turn: Turn) -> bool:
    """Tell whether a speaker asks not to keep what he says in the same message."""
    asked = (*runtime.reader.commands(turn.content), *freely(runtime, talk, turn))
    return any(one.name == "private" for one in asked)


def _said(runtime: Runtime, candidate: Candidate, turn: Turn | None, heard: _Heard) -> Draft | Receipt:
    """Let through what somebody said, unless it repeats a prompt, a file or a tool, or gives orders in his name."""
    himself = turn is not None and heard.user.says(turn.role, turn.actor)
    if not candidate.explicit and _repeats(candidate, heard.echo):
        return _rejected(ECHO)
    right = heard.righted.get(candidate.turn, "") if candidate.note else ""
    if right and any(one.name == "correct" for one in runtime.reader.commands(candidate.content)):
        return Receipt(outcome="duplicate", op="none", id=right, other=right, reason=RIGHTED)
    orders = runtime.reader.instructing(candidate.content)
    if orders and not candidate.explicit:
        return _rejected(ORDERS)
    draft = _draft(candidate, turn, ORDERS if orders else "", heard.prompt)
    return draft if himself else replace(draft, trust=min(draft.trust, OTHERS))


def _claimed(runtime: Runtime, candidate: Candidate, heard: _Heard) -> Draft | Receipt:
    """Check what a model claims: its writing, that it is no echo, and that what was said bears it out."""
    reader, content = runtime.reader, candidate.content
    if candidate.repeats:
        return Receipt(outcome="duplicate", op="none", id=candidate.repeats, other=candidate.repeats, reason=REPEATS)
    policy = KINDS[candidate.kind].policy
    if policy in ("semantic", "episodic") and not candidate.key:
        content, _ = mended(content, runtime.settings.writing, reader)
    wrong = violations(content, policy, runtime.settings.writing, reader) if not candidate.key else []
    if wrong:
        return _rejected(f"the content {wrong[0]}")
    if candidate.kind == "procedure" and candidate.confidence < SURE:
        return _rejected("a procedure is kept when somebody asks for it, or when it is sure")
    turn = place_of(candidate.quote, candidate.turn, heard.grounds.turns)
    himself = turn is not None and heard.user.says(turn.role, turn.actor)
    if candidate.key and not himself:
        return _rejected("nobody but the user fills in his profile")
    if turn is not None and not himself and turn.actor and not is_machine(turn.role):
        content = content.replace(NOBODY, turn.actor)
    display = candidate.display if himself and _says_the_same(runtime, candidate) else ""
    candidate = replace(candidate, content=content, turn=turn.id if turn is not None else "", display=display)
    if _repeats(candidate, heard.echo):
        return _rejected(ECHO)
    wish = candidate.key in WISHED
    against = Objection(NO_QUOTE, clear=True)
    if turn is not None:
        against = unfounded(content, candidate.quote, turn, heard.grounds, reader, wish=wish)
    if reader.instructing(f"{content}\n{candidate.quote}"):
        against = Objection(ORDERS, clear=True)
    draft = _draft(candidate, turn, against.reason if against.clear else "", heard.prompt)
    if against and not against.clear:
        draft = replace(
            draft, confidence=min(draft.confidence, DOUBTED), attributes={**draft.attributes, DOUBT: against.reason}
        )
    return draft if himself else replace(draft, trust=min(draft.trust, OTHERS))


def _says_the_same(runtime: Runtime, candidate: Candidate) -> bool:
    """Tell whether what a person would be shown has the numbers, times and negations of the memory, and no new name;
    not where nobody can tell in which language it is."""
    reader, display = runtime.reader, candidate.display
    language = reader.told(f"{candidate.quote}\n{candidate.content}\n{display}").language
    if not language or not display or len(display) > LONGEST_DISPLAY or reader.instructing(display):
        return False
    there, here = reader.told(candidate.content, language), reader.told(display, language)
    same = (here.numbers, here.months, here.weekdays, here.negated) == (
        there.numbers, there.months, there.weekdays, there.negated
    )  # fmt: skip
    return same and here.inner <= there.names


def _repeats(candidate: Candidate, echo: Echo) -> bool:
    """Tell whether a candidate or its quote says nothing new; what is a memory to the letter is left to the gate."""
    if candidate.key or echo.has(candidate.kind, candidate.key, candidate.content):
        return False
    return echo.repeats(candidate.content) or (bool(candidate.quote.strip()) and echo.repeats(candidate.quote))


def _rejected(reason: str) -> Receipt:
    return Receipt(outcome="rejected", op="none", reason=reason)


def _draft(candidate: Candidate, turn: Turn | None, reason: str, prompt: str) -> Draft:
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
        "prompt": "" if candidate.note or candidate.explicit else prompt,
        NOTE: bool(candidate.note),
        CLASS: candidate.note or ("" if candidate.key else CLAIMED),
        ASKED: _cut(redacted(candidate.asked)[0], LONGEST_QUOTE),
        DISPLAY: redacted(candidate.display)[0],
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
        source="user" if candidate.explicit else "session",
        actor=_cut(turn.actor, checks.LONGEST_NAME // 4) if turn is not None else "",
        event_time=_when(candidate, turn),
        valid_until=None,
        attributes={name: value for name, value in noted.items() if value},
        state="quarantined" if reason else "active",
        reason=reason,
        trust=trust_of(turn.role if turn is not None else "", "session"),
        notes=warned(tuple(dict.fromkeys((*secrets, *more)))),
        updates=candidate.updates,
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
