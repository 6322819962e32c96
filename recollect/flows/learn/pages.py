"""A conversation page by page: the messages nobody has worked through, who speaks, and what came out of memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from recollect.flows.find.words import best_matches
from recollect.model.candidate import Candidate
from recollect.model.clock import EPOCH
from recollect.model.filter import Filter
from recollect.model.kinds import EXPLICIT, KINDS
from recollect.model.memory import Memory, Session
from recollect.model.owner import split_owner
from recollect.model.turn import Turn
from recollect.rules.learn.paging import KEPT, fitting, shortened
from recollect.rules.people.speakers import himself, telling
from recollect.rules.privacy.secrets import redacted
from recollect.runtime import Runtime
from recollect.store.base import View
from recollect.text.patterns import pattern
from recollect.text.roles import PEOPLE, is_machine, is_outside
from recollect.text.terms import terms

if TYPE_CHECKING:
    from recollect.language.reader import Echo, Names

READ = 150
"""How many messages are read at once, those of tools included."""
OFTEN = ("developer", "function", "system", "tool")
"""Roles outside a conversation that are looked for however far back; others among the last messages."""
LONGEST_OUTSIDE = 20_000
EARLIER, LONGEST_EARLIER = 50, 4000
"""How many messages of tools and systems of a session are remembered as such, and how much of each."""
NEAR, BLOCKS = 25, 50
"""How many of an owner's memories are held against a candidate, and how many blocks, to see what only repeats them."""
_KNOWN = tuple(kind for kind in KINDS if kind not in ("episode", "summary"))
_NAME = pattern(r"[^\W\d_][^\W\d_.'’-]*(?:[ '’-][^\W\d_]+\.?){0,3}")


@dataclass(frozen=True, slots=True)
class Page:
    """Some messages of a session, in order, and how far the session has been worked through behind them."""

    session: Session
    messages: tuple[Memory, ...]
    """The messages that are turns, as they are stored."""
    turns: tuple[Turn, ...]
    """The same as they are read: without secrets, not more than so long."""
    outside: tuple[str, ...]
    """What tools and system messages among them said."""
    first: str
    """The id of the first message, whatever it is: pages that begin elsewhere are other pages."""
    upto: int
    more: bool
    """Whether there are messages behind these."""
    passed: int = 0
    """How many messages were passed over: those of tools and systems, and empty ones."""
    again: bool = False
    """Whether they were worked through before, and a model has still to be asked about them."""
    total: int = 0
    """How many messages the session has, where these are its last; 0 where there are more."""


def next_page(runtime: Runtime, view: View, owner: str, session: str) -> Page | None:
    """Give the next page of a session, or None when everything was worked through or the session is gone."""
    row = view.session(owner, session)
    said = view.said(owner, session, row.consolidated_upto, READ) if row else []
    return _page(runtime, view, owner, row, said) if row and said else None


def page_again(runtime: Runtime, view: View, owner: str, session: str, between: tuple[int, int]) -> Page | None:
    """Give a page that was worked through before, or None when nothing of it is left, or it is to be read anyway."""
    row = view.session(owner, session)
    after, upto = between
    if row is None or row.consolidated_upto < upto:
        return None
    said = [(doc, one) for doc, one in view.said(owner, session, after, READ) if doc <= upto]
    page = _page(runtime, view, owner, row, said) if said else None
    last = row.consolidated_upto == upto
    return replace(page, again=True, more=not last, total=page.total if last else 0) if page else None


def _page(runtime: Runtime, view: View, owner: str, row: Session, said: Sequence[tuple[int, Memory]]) -> Page:
    session, name = row.id, called(view, owner, runtime.reader)
    read = [(doc, one, turn_of(one, name)) for doc, one in said]
    spoken = [turn for _, _, turn in read if turn is not None]
    many = fitting(spoken, runtime.settings.consolidation)
    last = spoken[many].id if many < len(spoken) else ""
    end = next((at for at, (_, one, _) in enumerate(read) if one.id == last), len(read))
    here = read[:end]
    more = end < len(read) or (len(said) == READ and bool(view.said(owner, session, here[-1][0], 1)))
    return Page(
        session=row,
        messages=tuple(one for _, one, turn in here if turn is not None),
        turns=tuple(turn for _, _, turn in here if turn is not None),
        outside=tuple(one.content[:LONGEST_OUTSIDE] for _, one, _ in here if outside(one)),
        first=here[0][1].id,
        upto=here[-1][0],
        more=more,
        passed=sum(turn is None for _, _, turn in here),
        total=0 if more else view.count(_messages(runtime, owner, session)),
    )


def _messages(runtime: Runtime, owner: str, session: str) -> Filter:
    return Filter(owner=owner, now=runtime.now(), kinds=("episode",), sessions=(session,))


def outside(message: Memory) -> bool:
    """Tell whether a message is no part of the conversation: a tool's, a system's, that of nobody known."""
    return is_outside(message.role)


def turn_of(message: Memory, name: str) -> Turn | None:
    """Read a message as a turn, or None for what is no part of the conversation; `name` is how the user is known."""
    if outside(message) or not message.content.strip():
        return None
    text = redacted(shortened(message.content, KEPT))[0]
    role = "assistant" if is_machine(message.role) else message.role
    return Turn(message.id, role, _speaker(message, name), text, message.event_time)


def _speaker(message: Memory, name: str) -> str:
    """Name who speaks: by the message, by the role where that is a name, or as the user is known."""
    if _NAME.fullmatch(message.actor):
        return message.actor
    if is_machine(message.role):
        return ""
    if message.role.strip().casefold() not in PEOPLE:
        return message.role
    # The number of an account names nobody, `bob_smith` does: he is not the owner for want of a better spelling.
    known = (split_owner(message.owner)[1], name)
    return message.actor if telling(message.actor) and not himself("user", message.actor, filter(None, known)) else name


def called(view: View, owner: str, reader: Names) -> str:
    """Give the name the user wants to be called by, if he has told it."""
    slot = view.slot(owner, "", "fact", "preferred_name")
    if slot is None:
        return ""
    name = reader.called(slot.content.strip()) or slot.content.strip()
    return name if _NAME.fullmatch(name) else ""


def names_of(view: View, owner: str, reader: Names) -> tuple[str, ...]:
    """Give how the owner is known: his id, the name he wants to be called by, and the one he said so under.

    Where these tell nothing, like the number of an account, he is the one who spoke first; had that one no name, an
    empty one says so.
    """
    slot = view.slot(owner, "", "fact", "preferred_name")
    asked = slot.actor if slot is not None and slot.source in EXPLICIT else ""
    known = tuple(one for one in (split_owner(owner)[1], called(view, owner, reader), asked) if one)
    return known if any(map(telling, known)) else (*known, *_first_speaker(view, owner))


def _first_speaker(view: View, owner: str) -> list[str]:
    """Give the name under which somebody first spoke to this memory as its user."""
    where = Filter(owner=owner, now=EPOCH, kinds=("episode",))
    said = [one for role in sorted(PEOPLE) for one in view.page(replace(where, role=role), "oldest", 1)]
    return [one.actor for one in sorted(said, key=lambda one: one.created_at)[:1]]


def echo_of(
    runtime: Runtime,
    view: View,
    owner: str,
    proposed: Sequence[Candidate],
    outside: Sequence[str],
    session: str = "",
) -> Echo:
    """Gather what must not be learnt again: what tools and systems said, here and earlier in the session, the blocks,
    and the memories nearest to each candidate and each quote: one search takes no more words than these have."""
    if not proposed:
        return runtime.reader.echo(())
    policy, where = runtime.settings.terms, Filter(owner=owner, now=runtime.now(), kinds=_KNOWN)
    docs: set[int] = set()
    for text in dict.fromkeys(text for one in proposed for text in (one.content, one.quote)):
        wanted = list(terms(text, policy))
        docs.update(best_matches(view, where, wanted, policy, NEAR).tolist() if wanted else ())
    near = {memory.id: memory for memory in view.documents(owner, sorted(docs)).values()}
    near |= {memory.id: memory for memory in view.page(replace(where, kinds=("block",)), "recent", BLOCKS)}
    return runtime.reader.echo([*outside, *_earlier(runtime, view, owner, session)], near.values())


def _earlier(runtime: Runtime, view: View, owner: str, session: str) -> list[str]:
    """Give what tools and systems said last in a session, on whatever page: it is said back later."""
    if not session:
        return []
    where = Filter(owner=owner, now=runtime.now(), kinds=("episode",), sessions=(session,))
    found = [one for role in OFTEN for one in view.page(replace(where, role=role), "recent", EARLIER)]
    found += [one for one in view.page(where, "recent", READ) if outside(one) and one.role not in OFTEN]
    found.sort(key=lambda one: one.created_at, reverse=True)
    return [one.content[:LONGEST_EARLIER] for one in found[:EARLIER]]
