"""A conversation page by page: the messages nobody has worked through yet, as turns of those who speak."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from recollect.flows.people.identity import identity_of
from recollect.model.filter import Filter
from recollect.model.memory import Memory, Session
from recollect.model.turn import Turn
from recollect.model.values import dataclass
from recollect.rules.learn.paging import KEPT, fitting, shortened
from recollect.rules.people.speakers import Identity
from recollect.rules.privacy.secrets import redacted
from recollect.runtime import Runtime
from recollect.store.base import Reading
from recollect.text.roles import is_machine, is_outside, unknown_roles

READ = 150
"""How many messages are read at once, those of tools included."""
LONGEST_OUTSIDE = 20_000


@dataclass(frozen=True, slots=True)
class Talk:
    """What was said, in order, and by whom."""

    user: Identity
    """Who the user is: the turns name him as he was called when they were read."""
    turns: tuple[Turn, ...]
    """Messages as they are read: without secrets, not more than so long."""
    outside: tuple[str, ...]
    """What tools and system messages among them said."""


@dataclass(frozen=True, slots=True)
class Page(Talk):
    """Some messages of a session, in order, and how far the session has been worked through behind them."""

    session: Session
    messages: tuple[Memory, ...]
    """The messages that are turns, as they are stored."""
    first: str
    """The id of the first message, whatever it is: pages that begin elsewhere are other pages."""
    upto: int
    more: bool
    """Whether there are messages behind these."""
    passed: int = 0
    """How many messages were passed over: those of tools and systems, and empty ones."""
    unknown: str = ""
    """Says of which roles among these nobody knows whose they are."""
    again: bool = False
    """Whether they were worked through before, and a model has still to be asked about them."""
    total: int = 0
    """How many messages the session has, where these are its last; 0 where there are more."""


def next_page(runtime: Runtime, view: Reading, owner: str, session: str) -> Page | None:
    """Give the next page of a session, or None when everything was worked through or the session is gone."""
    row = view.session(owner, session)
    said = view.said(owner, session, row.consolidated_upto, READ) if row else []
    return _page(runtime, view, owner, row, said) if row and said else None


def page_again(runtime: Runtime, view: Reading, owner: str, session: str, between: tuple[int, int]) -> Page | None:
    """Give a page that was worked through before, or None when nothing of it is left, or it is to be read anyway."""
    row = view.session(owner, session)
    after, upto = between
    if row is None or row.consolidated_upto < upto:
        return None
    said = [(doc, one) for doc, one in view.said(owner, session, after, READ) if doc <= upto]
    page = _page(runtime, view, owner, row, said) if said else None
    last = row.consolidated_upto == upto
    return replace(page, again=True, more=not last, total=page.total if last else 0) if page else None


def _page(runtime: Runtime, view: Reading, owner: str, row: Session, said: Sequence[tuple[int, Memory]]) -> Page:
    session, user = row.id, identity_of(view, owner, runtime.reader)
    read = [(doc, one, turn_of(one, user)) for doc, one in said]
    spoken = [turn for _, _, turn in read if turn is not None]
    many = fitting(spoken, runtime.settings.consolidation)
    last = spoken[many].id if many < len(spoken) else ""
    end = next((at for at, (_, one, _) in enumerate(read) if one.id == last), len(read))
    here = read[:end]
    more = end < len(read) or (len(said) == READ and bool(view.said(owner, session, here[-1][0], 1)))
    return Page(
        user=user,
        session=row,
        messages=tuple(one for _, one, turn in here if turn is not None),
        turns=tuple(turn for _, _, turn in here if turn is not None),
        outside=tuple(one.content[:LONGEST_OUTSIDE] for _, one, _ in here if outside(one)),
        first=here[0][1].id,
        upto=here[-1][0],
        more=more,
        passed=sum(turn is None for _, _, turn in here),
        unknown=unknown_roles(one.role for _, one, _ in here if one.content.strip()),
        total=0 if more else view.count(_messages(runtime, owner, session)),
    )


def _messages(runtime: Runtime, owner: str, session: str) -> Filter:
    return Filter(owner=owner, now=runtime.now(), kinds=("episode",), sessions=(session,))


def outside(message: Memory) -> bool:
    """Tell whether a message is no part of the conversation: a tool's, a system's, that of nobody known."""
    return is_outside(message.role)


def turn_of(message: Memory, user: Identity) -> Turn | None:
    """Read a message as a turn, or None for what is no part of the conversation."""
    if outside(message) or not message.content.strip():
        return None
    text = redacted(shortened(message.content, KEPT))[0]
    role = "assistant" if is_machine(message.role) else message.role
    return Turn(message.id, role, user.speaker(message.role, message.actor), text, message.event_time)
