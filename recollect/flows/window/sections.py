"""The sections of a context: one function each gives its lines, the most important first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from recollect.flows.find.filters import sees
from recollect.flows.gate.pending import FORGETS, named
from recollect.flows.gate.pending import waiting as proposals
from recollect.flows.learn.lessons import standing
from recollect.flows.window.bearing import found
from recollect.flows.window.blocks import blocks
from recollect.flows.window.delta import delta
from recollect.flows.window.scene import Scene, linked, search
from recollect.flows.window.workspace.bootstrap import bootstrap, last_days
from recollect.model.filter import Filter
from recollect.model.kinds import INJECTED_KINDS, TIERS
from recollect.model.memory import Memory
from recollect.rules.learn.lessons import SORTS, sort_of
from recollect.rules.learn.notes import is_note
from recollect.rules.life.salience import effective_importance, salience
from recollect.rules.window.fill import Line, Made
from recollect.rules.window.layout import as_kept, asking, dated, day, excerpt, flat, learnt, shortened, words_of
from recollect.rules.window.markup import Counted, metadata
from recollect.store.base import Reading, Searching
from recollect.text.normal import words
from recollect.text.patterns import pattern
from recollect.text.terms import terms

POOL = 500
STALE_MOST = 100
"""How many of the memories that were replaced or forgotten last are held against what was said."""
ALWAYS_FROM = 7
"""From which importance on a fact may stand in every context."""
ALWAYS_POOL, ALWAYS_ALL, ALWAYS_MOST = 60, 500, 30
"""How many of them are looked at, up to how many memories any fact may, and how many are laid out."""
ALWAYS_CHARACTERS = 160
"""How much of one of them is shown."""
LAST_SAID = 3
"""How many messages of the last conversation are shown where it has no summary yet."""
NOTED = 1.5
"""How many words of the prompt it is worth that a sentence of a message was noted."""
LATELY = 30
"""Among how many of the last messages they are looked for."""
SPEC_FACTS, SPEC_EVENTS = 5, 2
EXTENSION_FACTS = 5

Maker = Callable[[Scene, Searching], Made]


def always(scene: Scene, view: Searching) -> Made:
    """Who the user is: identity, health, family, home, work, standing wishes; never aged out."""
    facts = scene.mine.but(kinds=("fact",))
    many = view.counters(facts.owner).docs > ALWAYS_ALL
    weighty = facts.but(importance_min=ALWAYS_FROM, tiers=TIERS) if many else facts
    pools = [view.page(one, "importance", ALWAYS_POOL) for one in (weighty, facts.but(pinned=True))]
    known = {one.id: one for pool in pools for one in pool}
    classes = [name.casefold() for name in scene.policy.always]
    classed = [(place, one) for one in known.values() if (place := _class(scene, classes, one)) is not None]
    classed.sort(key=lambda one: (one[0], -(one[1].importance or 0), -one[1].event_time.timestamp(), one[1].id))
    scene.shown = [one for _, one in classed[:ALWAYS_MOST] if not scene.visible(one)]
    newer = linked(scene, view, scene.shown).newer
    lines = [Line(_told(one, newer.get(one.id), ALWAYS_CHARACTERS), one.id) for one in scene.shown]
    return Made(lines, scene.policy.always_tokens)


def _told(memory: Memory, newer: Memory | None, most: int) -> str:
    """Give a memory as a line, with what may have outdated it."""
    return dated(memory, most) + (f"; a newer statement: {dated(newer, most)}" if newer else "")


def _class(scene: Scene, classes: Sequence[str], memory: Memory) -> int | None:
    """Give the place of a fact among those that always stand in a context; None for one that does not."""
    for name in (memory.topic.casefold(), memory.category.casefold()):
        if name in classes:
            return classes.index(name)
    vital = (memory.importance or 0) >= scene.runtime.settings.salience.protected_importance
    return len(classes) if memory.pinned or memory.source == "directive" or vital or memory.key else None


def relevant(scene: Scene, view: Searching) -> Made:
    """What the prompt is about, each with what is linked to it; without a prompt, what matters now."""
    if not scene.query:
        ranked = [memory for _, memory in ranked_active(scene, view)]
        return Made(_dated(scene, ranked), scene.policy.active_tokens)
    lines: list[Line] = []
    hits, most = [hit.memory for hit in found(scene, view)[: scene.policy.relevant]], scene.policy.line_characters
    # What is shown anyway takes nothing along, and what was found stands for itself.
    shown = {one.id for one in scene.shown}
    known = {one.id for one in hits} | shown
    beside = linked(scene, view, [one for one in hits if one.id not in shown])
    for memory in hits:
        lines.append(Line(_told(memory, beside.newer.get(memory.id), most), memory.id))
        near = [one for one in beside.related.get(memory.id, ()) if one.id not in known and not scene.visible(one)]
        lines += [Line(f"  - {dated(one, most)}", one.id, bare=True) for one in near]
    return Made(lines)


def said(scene: Scene, view: Searching) -> Made:
    """Messages out of sight that the prompt is about, but not those a shown fact tells or a later word replaced."""
    if not scene.query or not scene.policy.said:
        return Made()
    known = (*scene.shown, *(hit.memory for hit in found(scene, view)))
    # A note quotes a part of its message: the rest of it is told by nobody else.
    told = {str(one.attributes.get("turn", "")) for one in known if not is_note(one)}
    quoted = {words_of(one.content): one.id for one in known if is_note(one)}
    fresh = [hit.memory for hit in scene.spoken if hit.memory.id not in told]
    same = {one.id: quoted.get(words_of(one.content), "") for one in fresh}
    most = scene.policy.said_characters
    return Made([Line(dated(one, most), one.id, same=same[one.id]) for one in _excerpts(scene, view, fresh)])


def _excerpts(scene: Scene, view: Reading, messages: list[Memory]) -> list[Memory]:
    """Give messages that still stand; of a long one the sentences with the prompt's words, and those worth noting."""
    lasting, most = _standing(scene, view, messages), scene.policy.said_characters
    long = [one for one in lasting if len(one.content) > most]
    noted = _noted(scene, view, long)
    policy = scene.runtime.settings.terms
    wanted = terms(scene.query, policy).keys()

    def shorter(one: Memory) -> Memory:
        said = scene.runtime.reader.sentences(one.content)
        weights = [len(wanted & terms(text, policy).keys()) + NOTED * (text in noted) for text in said]
        return replace(one, content=excerpt(said, weights, most)) if said else one

    return [shorter(one) if len(one.content) > most else one for one in lasting]


def _noted(scene: Scene, view: Reading, messages: Sequence[Memory]) -> set[str]:
    """Give what notes were made of messages."""
    ids = [one.id for one in messages]
    links = [one for one in view.links(scene.scope.owner, ids) if one.type == "derived_from"] if ids else []
    found = view.get(scene.scope.owner, [one.from_id for one in links if one.to_id in ids])
    return {one.content for one in found if is_note(one) and one.state == "active"}


def _standing(scene: Scene, view: Reading, messages: list[Memory]) -> list[Memory]:
    """Leave out messages that tell what was replaced or forgotten since: all words of it but whom it is about."""
    if not messages:
        return []
    if scene.gone is None:
        scene.gone = _gone(scene, view)
    if not scene.gone:
        return messages
    policy = scene.runtime.settings.terms
    spoken = {one.id: terms(one.content, policy).keys() for one in messages}
    return [one for one in messages if not any(tale <= spoken[one.id] for tale in scene.gone)]


def _gone(scene: Scene, view: Reading) -> list[set[str]]:
    """Give the words of what was replaced or forgotten last, each but for whom it is about."""
    policy = scene.runtime.settings.terms
    where = scene.where.but(states=("superseded", "deleted"), exclude_session="")
    gone = [one.content for one in view.page(where, "updated", STALE_MOST) if one.content.strip()]
    tales = [terms(text, policy).keys() - terms(text.split(maxsplit=1)[0], policy).keys() for text in gone]
    return [tale for tale in tales if len(tale) > 1]


def last(scene: Scene, view: Searching) -> Made:
    """Where the last conversation was left, in the first context of a session: its summary, or how it ended."""
    if not scene.first:
        return Made()
    where = scene.mine.but(exclude_session=scene.scope.session)
    mine = where.but(agent=scene.scope.agent) if scene.scope.agent else where
    lately = _lately(scene, view, where.but(kinds=("episode",)))
    spoken = [one for one in lately if one.agent in (scene.scope.agent, "") or not scene.scope.agent][:LAST_SAID]
    summed = view.page(mine.but(kinds=("summary",)), "recent", 1)
    if summed and (not spoken or not spoken[0].session or summed[0].session == spoken[0].session):
        text = shortened(flat(summed[0].content), scene.policy.line_characters * 2)
        return Made([Line(f"{text} ({day(summed[0].event_time)})", summed[0].id)])
    ended = [one for one in reversed(spoken) if one.session == spoken[0].session and not scene.visible(one)]
    standing = _standing(scene, view, ended)
    return Made([Line(dated(one, scene.policy.said_characters), one.id) for one in standing])


def _lately(scene: Scene, view: Reading, where: Filter) -> list[Memory]:
    """Give the last messages, of the conversation that was the last to be held: imports write the newest down first."""
    lately = view.page(where, "recent", LATELY)
    last_held = view.last_session(where.owner, scene.scope.session) if lately else ""
    if last_held in ("", lately[0].session if lately else ""):
        return lately
    return view.page(where.but(sessions=(last_held,)), "recent", LATELY) or lately


def waiting(scene: Scene, view: Searching) -> Made:
    """Proposals, as questions; not those that already stand as true."""
    if not scene.policy.waiting:
        return Made()
    lines: list[Line] = []
    mine = scene.mine
    asked = [one for one in proposals(view, mine.owner, scene.now, states=("proposed",)) if sees(mine, one)]
    for one in asked[: scene.policy.waiting]:
        stands = view.slot(one.owner, one.agent, one.kind, one.key) if one.key else None
        if stands is None or words(stands.content) != words(one.content):
            lines.append(Line(asking(one, bool(named(one, FORGETS))), one.id))
    return Made(lines)


def lessons(scene: Scene, view: Searching) -> Made:
    """What was learnt from failures, corrections and praise, when a session begins: of each sort the newest first."""
    if not scene.first:
        return Made()
    policy, lines, used = scene.runtime.settings.lessons, list[Line](), 0
    living = standing(scene.runtime, view, scene.scope)
    for sort in SORTS:
        for one in [one for one in living if sort_of(one) == sort][: policy.lines]:
            text = learnt(one, scene.policy.line_characters)
            used += len(text) + 1
            if used > policy.characters:
                return Made(lines)
            if sees(scene.mine, one):
                lines.append(Line(text, one.id))
    return Made(lines)


def insight(scene: Scene, view: Searching) -> Made:
    """The latest reflection."""
    where = scene.mine.but(kinds=("reflection",))
    return Made(_plain(scene, view.page(where, "recent", 1)))


def meta(scene: Scene, view: Searching) -> Made:
    """What is stored outside the prompt, as `<memory_metadata>`."""
    mine = Filter(owner=scene.scope.owner, now=scene.now)
    seen = scene.window.messages if scene.window and scene.window.messages is not None else ()
    stored = view.count(replace(mine, kinds=("episode",)))
    inside = len(seen) or len(view.said(mine.owner, scene.scope.session, 0, POOL)) if scene.scope.session else 0
    changed = max((one.updated_at for one in blocks(scene.runtime, scene.scope) if one.updated_at), default=None)
    text = metadata(Counted(scene.now, changed, max(0, stored - inside), view.count(replace(mine, kinds=("passage",)))))
    return Made([Line(text, bare=True)])


def ranked_active(scene: Scene, view: Reading) -> list[tuple[int, Memory]]:
    """Give what is fresh, important or pinned with its weight now, the most important first."""
    rules, policy = scene.runtime.settings.salience, scene.policy
    fresh = replace(scene.mine, kinds=INJECTED_KINDS)
    pools = (
        replace(fresh, tiers=("core", "short")),
        replace(fresh, importance_min=rules.protected_importance),
        replace(fresh, pinned=True),
    )
    known = {one.id: one for where in pools for one in view.page(where, "importance", POOL)}
    ranked = [(effective_importance(one, scene.now, rules), one) for one in known.values() if not scene.visible(one)]
    ranked.sort(key=lambda one: (-one[0], -one[1].created_at.timestamp(), one[1].id))
    return [one for one in ranked if one[0] >= policy.active_floor][: policy.active]


def active(scene: Scene, view: Searching) -> Made:
    """Active memory as the first seed lays it out: grouped by topic, each group under its name."""
    groups: dict[str, list[tuple[int, Memory]]] = {}
    for weight, memory in ranked_active(scene, view):
        groups.setdefault(flat(memory.topic or memory.category), []).append((weight, memory))
    lines: list[Line] = []
    for topic, group in groups.items():
        head = f"{chr(10) if lines else ''}**{topic}**\n"
        for weight, memory in group:
            text = shortened(as_kept(memory), scene.policy.line_characters)
            lines.append(Line(f"{head}  [imp={weight}] {text}", memory.id))
            head = ""
    return Made(lines, scene.policy.active_tokens)


def enrichment(scene: Scene, view: Searching) -> Made:
    """What is looked up because a rule matches the prompt."""
    lines: list[Line] = []
    for rule in scene.policy.enrich:
        if scene.own and pattern(rule.pattern).search(scene.own):
            asked = replace(scene, prompt=rule.query, turns=(), asked=None)
            hits = search(asked, view, scene.where, rule.limit)[: rule.limit]
            lines += [Line(f"## {flat(rule.title)}", bare=True)] if hits else []
            lines += [Line(f"- {as_kept(hit.memory)}", hit.memory.id) for hit in hits]
    return Made(lines)


def facts(scene: Scene, view: Searching) -> Made:
    """The few facts a prompt is about, not from this session, as the second seed lays them out."""
    if not scene.query:
        return Made()
    where = replace(scene.where, kinds=("fact",), exclude_session=scene.scope.session)
    hits = search(scene, view, where, EXTENSION_FACTS)[:EXTENSION_FACTS]
    return Made(_plain(scene, [hit.memory for hit in hits]))


def categorised(scene: Scene, view: Searching) -> Made:
    """What a prompt is about as `[category] text`, as far as the mode of each category goes, with what is linked."""
    modes = {mode.name: mode for mode in scene.runtime.settings.categories.modes}
    where = replace(scene.where, kinds=("fact", "event", "insight"))
    lines: list[Line] = []
    for name, mode in modes.items():
        if mode.context == "all":
            whole = view.page(replace(where, categories=(name,)), "importance", POOL)
            lines += [Line(bulleted(scene, one), one.id) for one in whole]
    shown: dict[str, int] = {}
    most_found = (SPEC_FACTS + SPEC_EVENTS) * 2
    scene.hits = search(scene, view, where, most_found) if scene.query else []
    beside = linked(scene, view, [hit.memory for hit in scene.hits])
    for hit in scene.hits:
        memory, sort = hit.memory, "event" if hit.memory.kind == "event" else "fact"
        own = modes.get(memory.category)
        most = SPEC_EVENTS if sort == "event" else SPEC_FACTS
        within = own is None or own.length < 0 or shown.get(memory.category, 0) < own.length
        if memory.kind in where.kinds and shown.get(sort, 0) < most and within:
            shown[sort] = shown.get(sort, 0) + 1
            shown[memory.category] = shown.get(memory.category, 0) + 1
            lines.append(Line(bulleted(scene, memory), memory.id))
            near = beside.related.get(memory.id, ())
            lines += [Line(f"  - {bulleted(scene, one)}", one.id, bare=True) for one in near]
    return Made(lines)


def bulleted(scene: Scene, memory: Memory) -> str:
    """Give a memory as `[category] text`."""
    return f"[{flat(memory.category)}] {shortened(as_kept(memory), scene.policy.line_characters)}"


def salient(scene: Scene, view: Searching) -> Made:
    """The facts used most and last, in the first context of a session."""
    if not scene.first:
        return Made()
    rules = scene.runtime.settings.salience
    pool = [memory for _, memory in ranked_active(scene, view)]
    pool.sort(key=lambda one: (-salience(one, scene.now, rules), -(one.importance or 0), one.id))
    return Made(_plain(scene, pool), scene.policy.active_tokens)


def _dated(scene: Scene, memories: Sequence[Memory]) -> list[Line]:
    return [Line(dated(one, scene.policy.line_characters), one.id) for one in memories]


def _plain(scene: Scene, memories: Sequence[Memory]) -> list[Line]:
    return [Line(shortened(as_kept(one), scene.policy.line_characters), one.id) for one in memories]


MAKERS: dict[str, Maker] = {
    "always": always,
    "relevant": relevant,
    "said": said,
    "last": last,
    "waiting": waiting,
    "delta": delta,
    "lessons": lessons,
    "insight": insight,
    "metadata": meta,
    "active": active,
    "enrichment": enrichment,
    "facts": facts,
    "categorised": categorised,
    "salient": salient,
    "files": bootstrap,
    "days": last_days,
}
"""What makes each section of a profile, by its name."""
