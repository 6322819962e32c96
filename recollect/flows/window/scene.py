"""What a context is made for: whose, which prompt, what is in sight already, and what is searched for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from datetime import datetime
from typing import Any

from recollect.errors import InvalidInput
from recollect.flows.find.filters import sees, sight
from recollect.flows.find.meaning import Asked, requested
from recollect.flows.find.recall import Wish, find_in, readable
from recollect.flows.learn.extract import RULES
from recollect.model.filter import Filter
from recollect.model.hit import Hit
from recollect.model.kinds import DEFAULT_KINDS
from recollect.model.memory import Memory
from recollect.model.owner import Scope
from recollect.model.values import dataclass
from recollect.model.window import Window
from recollect.rules.find.ranking import Reasons
from recollect.rules.find.words import telling
from recollect.rules.window.layout import ContextPolicy, words_of
from recollect.runtime import Runtime
from recollect.store.base import Reading, Searching
from recollect.text.marks import ASKS, PERSONAL
from recollect.text.roles import is_machine
from recollect.text.terms import Wanted, split, terms

FOUND_KINDS: tuple[str, ...] = (*DEFAULT_KINDS, "summary")
"""What is found for a prompt beside messages; a procedure is not, for it is asked for by name."""
MOST_MESSAGES = 10_000
OF_ONESELF = ASKS | PERSONAL
ENOUGH = 2
"""How many telling words of a query are always enough."""
BESIDE = 0.4
"""How near a hit must be beside the best one, if its words do not speak for it."""
FITS = 0.85
"""Which share of `link_min` the best hit must reach for anything to be shown by its meaning."""
EASED = 0.8
"""How much of the usual nearness is enough for a question about oneself."""
LEAST_WORDS = 3
"""From how many words on a memory counts as repeated by a message that holds them all in a row."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One message the model has in sight."""

    role: str
    content: str


@dataclass(slots=True)
class Scene:
    """One request for a context, and what was found for it so far."""

    runtime: Runtime
    scope: Scope
    prompt: str
    turns: tuple[Turn, ...]
    window: Window | None
    now: datetime
    rev: int = 0
    """The revision the memory had when it was looked at."""
    asked: Asked | None = None
    hits: list[Hit] | None = None
    """What the prompt is about among what is known, the best first; None until it was searched for."""
    spoken: list[Hit] = field(default_factory=list)
    """The messages it is about, found by the same search."""
    shown: list[Memory] = field(default_factory=list)
    """What stands in every context, as soon as that was found."""
    gone: list[set[str]] | None = None
    """The words of what was replaced or forgotten, as soon as somebody has asked."""
    changed: list[str] = field(default_factory=list)
    """The memories whose change is to be told."""
    _mine: Filter | None = None

    @property
    def policy(self) -> ContextPolicy:
        """How much of each sort is shown."""
        return self.runtime.settings.context

    @property
    def first(self) -> bool:
        """Whether this is the first context of its session; outside sessions every one is."""
        return self.window is None or "opened" not in self.window.notes

    @property
    def where(self) -> Filter:
        """What may be seen: the owner's, of this project and of none; of this session only what is out of sight."""
        hidden = "" if self.turns or (self.window and self.window.messages is not None) else self.scope.session
        return self.mine.but(kinds=FOUND_KINDS, exclude_session=hidden)

    @property
    def mine(self) -> Filter:
        """What the agent may see at all: the categories of its allowlist, of this project and of none."""
        if self._mine is None:  # every section asks
            self._mine = sight(self.runtime, self.scope).but(now=self.now)
        return self._mine

    @property
    def query(self) -> str:
        """What is searched for: the prompt behind the last turns, each cut, without a form of address."""
        most = self.policy.turn_characters
        last = [turn.content[:most] for turn in self.turns[-self.policy.turns :]]
        if self.prompt and (not last or self.prompt[:most] != last[-1]):
            last = [*last[-(self.policy.turns - 1) :], self.prompt] if last and self.policy.turns > 1 else [self.prompt]
        return "\n".join(addressed(one, self.scope.agent) for one in last).strip()

    @property
    def own(self) -> str:
        """The user's own last words."""
        said = [turn.content for turn in self.turns if turn.role == "user"]
        return addressed(self.prompt or (said[-1] if said else ""), self.scope.agent).strip()

    def visible(self, memory: Memory) -> bool:
        """Tell whether a memory is still in sight: it is one of the messages, or one of them says it."""
        if self.window and self.window.messages is not None and memory.id in self.window.messages:
            return True
        if not self.turns:
            return False
        text = words_of(memory.content)
        if text.count(" ") + 1 < LEAST_WORDS:
            return any(text == said for said in self._said)
        return any(text in said for said in self._said)

    @property
    def _said(self) -> list[str]:
        return [words_of(turn.content) for turn in self.turns]


def turns_of(messages: object) -> tuple[Turn, ...]:
    """Check the messages a model has in sight: mappings with role and content, as chat models take them."""
    if not isinstance(messages, Sequence) or isinstance(messages, str | bytes) or len(messages) > MOST_MESSAGES:
        raise InvalidInput(f"messages must be a list of at most {MOST_MESSAGES:,} messages with role and content")
    found: list[Turn] = []
    for one in messages:
        if not isinstance(one, Mapping) or not isinstance(one.get("role"), str):
            raise InvalidInput("a message must be a mapping with role and content, such as {'role': 'user', …}")
        found.append(Turn(one["role"], text_of(one.get("content"))))
    return tuple(found)


def text_of(content: Any) -> str:
    """Give the text of a message's content: itself, or its parts that are text."""
    if isinstance(content, str):
        return content
    if not isinstance(content, Sequence):
        return ""
    parts = [part.get("text") for part in content if isinstance(part, Mapping)]
    return "\n".join(part for part in parts if isinstance(part, str))


def addressed(text: str, agent: str) -> str:
    """Take a form of address off the front of a text: the name of the agent and what parts it from the rest."""
    head, sign, rest = text.partition(",")
    if agent and sign and rest.strip() and head.strip().casefold() == agent.casefold():
        return rest.strip()
    return text


@dataclass(frozen=True, slots=True)
class Floor:
    """What a hit must have to do with a query to be shown for it."""

    words: Wanted
    """The telling words of the query."""
    share: float
    """Which share of them speaks for a hit whose meaning alone does not."""
    fits: float
    """From which similarity of the best hit on meaning alone speaks for it, and for those not far behind it."""
    far: float
    """Below which similarity words do not speak for a hit either."""


def floor(runtime: Runtime, query: str, share: float) -> Floor:
    """Give what must speak for a hit. How near is near says the embedder: from `link_min` on two texts have to do with
    each other, and a request stands a little farther from what it needs; who asks about himself means what is
    remembered of him, and less is enough."""
    policy = runtime.settings.terms
    told = Wanted(terms(" ".join(telling(split(query), policy)), policy), policy)
    own = runtime.reader.marks(query, "user") & OF_ONESELF == OF_ONESELF
    near = runtime.link_min * FITS
    return Floor(told, share, near * (EASED if own else 1.0), near / 2)


def fits(runtime: Runtime, hit: Hit, least: Floor, best: float) -> bool:
    """Tell whether a hit is about a query at all: near in meaning beside the best one, where that fits, or with enough
    of its telling words."""
    why = hit.why
    if not isinstance(why, Reasons):
        return False
    near = why.similar
    # A reply is embedded with what it replies to, so that its own words must speak for it.
    reply = hit.memory.kind == "episode" and is_machine(hit.memory.role)
    if near is not None and not reply and best >= least.fits and near >= best * BESIDE:
        return True
    held, many = least.words.held(hit.memory.content), len(least.words.terms)
    if near is not None:
        return near >= least.far and 0 < held >= min(ENOUGH, many)
    return held >= max(1, min(ENOUGH, least.share * many))


def fitting(runtime: Runtime, query: str, hits: Sequence[Hit]) -> list[Hit]:
    """Give the hits of a query that are about it at all."""
    least = floor(runtime, query, runtime.settings.context.cover)
    similar = [hit.why.similar for hit in hits if isinstance(hit.why, Reasons)]
    best = max((one for one in similar if one is not None), default=0.0)
    good: list[Hit] = []
    for hit in reversed(hits):  # what took a hit's place stands before it, and goes with it
        if fits(runtime, hit, least, best) or (not hit.why and good and good[-1].outdated_by == hit.memory.id):
            good.append(hit)
    return good[::-1]


def search(scene: Scene, view: Searching, where: Filter, limit: int) -> list[Hit]:
    """Find what a scene is about, as far as it shares its words or is near to it."""
    return twice(scene, lambda query: fitting(scene.runtime, query, looked_for(scene, view, where, limit, query)))


def twice(scene: Scene, good: Callable[[str], list[Hit]]) -> list[Hit]:
    """Find by what was said last, and by the user's own words too where that found little."""
    found, own = good(scene.query), scene.own
    if len(found) < scene.policy.good and own not in ("", scene.query):
        known = {hit.memory.id for hit in found}
        found += [hit for hit in good(own) if hit.memory.id not in known]
    return found


def looked_for(scene: Scene, view: Searching, where: Filter, limit: int, query: str) -> list[Hit]:
    """Give what a search of a scene finds, whether it bears on the query or not."""
    asked = scene.asked if query == scene.query else requested(scene.runtime, scene.scope.owner, readable(query))
    hits = find_in(scene.runtime, view, query, where, Wish(limit, brief=True), asked)
    return [hit for hit in hits if hit.memory.attributes.get("model") != RULES and not scene.visible(hit.memory)]


def opened(runtime: Runtime, scope: Scope, prompt: str, turns: tuple[Turn, ...]) -> Scene:
    """Begin a scene: look at the session's window, and embed what is asked before any view is open."""
    scene = Scene(runtime, scope, prompt, turns, None, runtime.now())
    scene.asked = requested(runtime, scope.owner, readable(scene.query))
    with runtime.store.view() as view:
        scene.window = view.window(scope.owner, scope.session) if scope.session else None
        scene.rev = view.counters(scope.owner).rev
    return scene


@dataclass(frozen=True, slots=True)
class Beside:
    """What is linked with some memories."""

    related: Mapping[str, list[Memory]]
    """By memory those linked with it, the strongest first."""
    newer: Mapping[str, Memory]
    """By memory the statement that may have outdated it."""


def linked(scene: Scene, view: Reading, memories: Sequence[Memory]) -> Beside:
    """Give what is linked with some memories strongly enough, and what may have outdated them, as far as it may be
    seen."""
    ids, most, least = [one.id for one in memories], scene.policy.related, scene.runtime.settings.bands.ask
    links = sorted(view.links(scene.scope.owner, ids), key=lambda link: -link.strength) if ids else []
    ends: dict[str, list[str]] = {}
    after: dict[str, str] = {}
    for link in links:
        if link.type == "outdated_by" and link.from_id in ids:
            after.setdefault(link.from_id, link.to_id)
        if link.type == "related_to" and link.strength >= least:
            for one, other in ((link.from_id, link.to_id), (link.to_id, link.from_id)):
                if one in ids:
                    ends.setdefault(one, []).append(other)
    wanted = {other for some in ends.values() for other in some} | set(after.values())
    mine, read = scene.mine, view.get(scene.scope.owner, sorted(wanted))
    known = {one.id: one for one in read if one.state == "active" and sees(mine, one)}
    usual = {one: [known[id] for id in some if id in known] for one, some in ends.items()}
    near = {one: [other for other in some if other.kind in DEFAULT_KINDS][:most] for one, some in usual.items()}
    return Beside(near, {one: known[id] for one, id in after.items() if id in known})
