"""What bears on a prompt: one search over all that is remembered, what was said shown by its message, the rest left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from recollect.flows.find.filters import sees
from recollect.flows.window.scene import FOUND_KINDS, Scene, fitting, looked_for, twice
from recollect.model.filter import Filter
from recollect.model.hit import Hit
from recollect.model.memory import Memory
from recollect.model.values import dataclass
from recollect.rules.find.ranking import Reasons
from recollect.rules.learn.notes import is_note
from recollect.rules.window.layout import words_of
from recollect.rules.window.relevance import Signs, likely
from recollect.store.base import Searching
from recollect.text.roles import is_machine

POOL = 60
"""How many finds are looked at."""
NEAREST = 0.7
"""Which share of `link_min` the nearest thing a person said must reach for anything to be shown."""
FROM = "turn"
"""Where a note names its message."""


@dataclass(frozen=True, slots=True)
class Found:
    """A find with everything that speaks for it: its own and, for a message, that of its notes."""

    hit: Hit
    near: float
    score: float
    whole: bool
    """Whether it was found whole, and not only a note of a part of it: a few words are near to much."""

    @property
    def signs(self) -> Signs:
        """What is known of it, for weighing."""
        memory, said = self.hit.memory, self.hit.memory.kind == "episode"
        return Signs(
            self.near,
            self.score,
            len(memory.content),
            reply=said and is_machine(memory.role),
            summary=memory.kind == "summary",
            known=memory.kind != "summary" and not said and not is_note(memory),
        )


def found(scene: Scene, view: Searching) -> list[Hit]:
    """Give what is known about the prompt; it is searched for once for all sections, together with what was said."""
    if scene.hits is None:
        hits = twice(scene, lambda query: bearing(scene, view, query)) if scene.query else []
        scene.hits = [hit for hit in hits if hit.memory.kind != "episode"][: scene.policy.relevant * 2]
        scene.spoken = [hit for hit in hits if hit.memory.kind == "episode"][: scene.policy.said]
    return scene.hits


def bearing(scene: Scene, view: Searching, query: str) -> list[Hit]:
    """Give the finds that are likely enough; where no meaning can be compared, those that share the query's words."""
    hits = looked_for(scene, view, _where(scene), POOL, query)
    if any(_near(hit) is not None for hit in hits):
        return _likely(scene, united(scene, view, hits))
    return fitting(scene.runtime, query, hits)


def _where(scene: Scene) -> Filter:
    return scene.where.but(kinds=(*FOUND_KINDS, "episode")) if scene.policy.said else scene.where


def _near(hit: Hit) -> float | None:
    return hit.why.similar if isinstance(hit.why, Reasons) else None


def _messages(scene: Scene, view: Searching, hits: Sequence[Hit]) -> dict[str, Memory]:
    """Give the messages among the finds and those of the notes among them, as far as they may be shown, by id."""
    if not scene.policy.said:
        return {}
    found = {hit.memory.id: hit.memory for hit in hits if hit.memory.kind == "episode"}
    ids = {str(hit.memory.attributes.get(FROM, "")) for hit in hits if is_note(hit.memory)}
    where = scene.where.but(kinds=("episode",))
    more = view.get(scene.scope.owner, sorted(ids - found.keys() - {""}))
    return found | {
        one.id: one for one in more if one.state == "active" and sees(where, one) and not scene.visible(one)
    }


def united(scene: Scene, view: Searching, hits: Sequence[Hit]) -> list[Found]:
    """Put each note with its message, which tells more; a message is as near as itself, or as its nearest note."""
    found, messages = dict[str, Found](), _messages(scene, view, hits)
    for hit in hits:
        memory, near = hit.memory, _near(hit) or 0.0
        message = messages.get(str(memory.attributes.get(FROM, ""))) if is_note(memory) else None
        shown = replace(hit, memory=message) if message is not None else hit
        known = found.get(shown.memory.id)
        whole = message is None or words_of(message.content) == words_of(memory.content)
        if known is None:
            found[shown.memory.id] = Found(shown, near, hit.score, whole)
        elif whole:
            found[shown.memory.id] = Found(shown, near, max(known.score, hit.score), whole)
        else:
            found[shown.memory.id] = replace(known, score=max(known.score, hit.score))
    return list(found.values())


def _likely(scene: Scene, found: Sequence[Found]) -> list[Hit]:
    """Give those likely enough, or as near as what belongs together, in order; what took the place of another goes
    before it, or not at all. Scores tell little among few memories, nearness does."""
    link_min, least = scene.runtime.link_min, scene.policy.likely
    best = max((one.near for one in found if one.whole and not one.signs.reply and not one.signs.summary), default=0.0)
    if best < NEAREST * link_min:
        return []
    chances = {one.hit.memory.id: likely(one.signs, best, link_min) for one in found}
    newer = {one.hit.memory.id: one.hit for one in found if not one.hit.why}
    close = {one.hit.memory.id for one in found if one.whole and one.near >= link_min and not one.signs.reply}
    good = [
        one.hit for one in found if one.hit.why and (chances[one.hit.memory.id] >= least or one.hit.memory.id in close)
    ]
    good.sort(key=lambda hit: -chances[hit.memory.id])
    return [each for hit in good for each in (newer.get(hit.outdated_by), hit) if each is not None]
