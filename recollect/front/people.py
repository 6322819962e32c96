"""The verbs about who and what memories are about, and what was said: `Space` has them all."""

from __future__ import annotations

import builtins
from datetime import datetime
from typing import TYPE_CHECKING

from recollect.errors import InvalidInput
from recollect.model.clock import checked_time
from recollect.model.entity import Entity, Graph
from recollect.model.hit import Changes, Turn
from recollect.model.options import Names
from recollect.model.owner import Scope
from recollect.model.receipt import Receipt, Report
from recollect.rules.gate import checks
from recollect.runtime import Runtime
from recollect.text.later import later
from recollect.text.terms import fold

if TYPE_CHECKING:
    from recollect.flows.admin import erase as _erase
    from recollect.flows.find import conversation as talk
    from recollect.flows.people import graph as drawn
    from recollect.flows.people import portraits, uniting
else:
    (_erase,) = later("recollect.flows.admin", "erase")
    (talk,) = later("recollect.flows.find", "conversation")
    drawn, portraits, uniting = later("recollect.flows.people", "graph", "portraits", "uniting")


class People:
    """Entities as a list and as a graph, under another name, and conversations with what came of them."""

    _runtime: Runtime
    _scope: Scope

    def entities(
        self, part: str = "", type: str = "", limit: int = 50, offset: int = 0, about: str = ""
    ) -> builtins.list[Entity]:
        """List people, projects, places and things, the most mentioned first; `part` is some of a name.

        `about` finds those who matter by what is known of them, the best first: "somebody who repairs boats".
        """
        wanted = fold(checks.text("part", part, 200))
        kind, many = checks.name("type", type), checks.whole("limit", limit, 1, 1000)
        first = checks.whole("offset", offset, 0, 10**9)
        if about:
            if part or first:
                raise InvalidInput("about ranks by what is known: leave part and offset out")
            return portraits.alike(self._runtime, self._scope, about, kind, many)
        with self._runtime.store.view() as view:
            found = view.known(self._scope.owner, wanted, kind, many, first)
            return portraits.portrayed(self._runtime, view, self._scope, found)

    def protect(self, name: str, protected: bool = True, type: str = "", request_id: str = "") -> Receipt:
        """Keep a person, project, place or thing known when what mentions it has faded, or let that go again."""
        on = checks.flag("protected", protected)
        return uniting.protect(self._runtime, self._scope, name, on, type, request_id)

    def graph(self, around: Names = (), limit: int = 40) -> Graph:
        """Give who and what is mentioned together with these names or ids, each with a place to be drawn at.

        Without any name it is the best known and what joins them, up to 5,000.
        """
        named = checks.several("around", around) if around else ()
        checks.whole("names around", len(named), 0, drawn.MOST_AROUND)
        return drawn.graph(self._runtime, self._scope, named, checks.whole("limit", limit, 1, drawn.MOST))

    def rename(self, name: str, to: str, type: str = "", request_id: str = "") -> Receipt:
        """Show a person, project, place or thing by another name; it is still found by the old one."""
        return uniting.rename(self._runtime, self._scope, name, to, type, request_id)

    def conversation(self, session: str, after: int = 0, limit: int = 200) -> builtins.list[Turn]:
        """Give the messages of a session in order, each with what was learnt from it; `after` is a turn's number."""
        named = checks.name("session", session, empty=False)
        first, many = checks.whole("after", after, 0, 2**62), checks.whole("limit", limit, 1, 1000)
        return talk.conversation(self._runtime, self._scope, named, first, many)

    def changes(self, after: datetime, before: datetime, limit: int = 200, cursor: str = "") -> Changes:
        """Give what happened to this owner's memory from one moment until before another, the newest first.

        `next` of one part is the `cursor` of the next; each holds the memories its lines tell of.
        """
        between = checked_time("after", after), checked_time("before", before)
        many, place = checks.whole("limit", limit, 1, 10_000), checks.name("cursor", cursor)
        return talk.changes(self._runtime, self._scope, between, many, place)

    def erasing(self, memory_id: str = "", *, session: str = "", entity: str = "", everything: bool = False) -> Report:
        """Say what `erase` would take away, by kind, and change nothing."""
        return _erase.erasing(
            self._runtime, self._scope, memory=memory_id, session=session, entity=entity, everything=everything
        )
