"""Memory laid out for a prompt: sections by a profile, filled by priority inside a budget; it never fails a turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from recollect.errors import Closed, InvalidInput, RecollectError
from recollect.flows.find.recall import searched
from recollect.flows.window import blocks
from recollect.flows.window.scene import Scene, Turn, opened
from recollect.flows.window.sections import MAKERS
from recollect.model.block import Block
from recollect.model.change import SetWindow, Write
from recollect.model.event import Event
from recollect.model.hit import Context, Part
from recollect.model.owner import Scope
from recollect.model.receipt import Receipt
from recollect.model.values import dataclass
from recollect.rules.window.edits import defaults
from recollect.rules.window.fill import Count, Line, Made, Page, fill
from recollect.rules.window.layout import indexed
from recollect.rules.window.markup import fitted
from recollect.rules.window.profiles import PROFILES, Profile, Section
from recollect.runtime import Runtime
from recollect.store.base import Searching

NODE = "context"
BEHIND = 200
"""From how many revisions on the session's cursor moves without anything to tell."""
COUNTED = ("relevant", "facts", "categorised")
"""The sections whose memories were found for the prompt, and so were used; what always stands there was not."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """How a context is asked for."""

    prompt: str
    budget: int
    profile: str
    turns: tuple[Turn, ...]
    index: bool
    count: Count
    preview: bool = False
    """Whether somebody only looks: nothing is noted, counted as used or told to the session."""


def context(runtime: Runtime, scope: Scope, wanted: Wanted) -> Context:
    """Build the context of one request. What fails is left out and named; only a closed memory raises."""
    profile = PROFILES.get(wanted.profile)
    if profile is None:
        raise InvalidInput(f"there is no profile {wanted.profile!r}: there are {', '.join(PROFILES)}")
    problems: list[str] = []
    try:
        scene = opened(runtime, scope, wanted.prompt, wanted.turns)
        if not _enabled(runtime, scope, scene):
            return Context(stable="", volatile="", ids=(), rev=0, tokens=0)
    except Closed:
        raise
    except RecollectError as error:
        return Context(stable="", volatile="", ids=(), rev=0, tokens=0, problems=(f"context: {error}",))
    made, found = _made(scene, profile, problems, index=wanted.index)
    page = fill(profile, made, lambda room: fitted(found, room, wanted.count), wanted.budget, wanted.count)
    return _told(scene, wanted, page, problems)


def _enabled(runtime: Runtime, scope: Scope, scene: Scene) -> bool:
    """Tell whether anything may be laid out: for all, for the agent, for the session; any no wins."""
    policy, notes = runtime.settings.context, scene.window.notes if scene.window else {}
    return policy.enabled and scope.agent not in policy.off_agents and notes.get("enabled") is not False


def _made(scene: Scene, profile: Profile, problems: list[str], *, index: bool) -> tuple[dict[str, Made], list[Block]]:
    """Make the sections, the blocks last, all in one view; behind one that fails, which may have spoilt it, in a new
    one."""
    made: dict[str, Made] = {}
    found: list[Block] = []
    left = sorted(profile.sections, key=lambda one: one.stable)
    while left:
        try:
            with scene.runtime.store.view() as view:
                while left:
                    if left[0].stable:
                        found = _blocks(scene, view, left[0])
                    else:
                        made[left[0].name] = _lines(scene, view, left[0], index=index)
                    left.pop(0)
        except Closed:
            raise
        except RecollectError as error:  # memory must never be the reason why a turn fails
            for failed in left[:1]:
                problems.append(f"{failed.name}: {error}")
                scene.runtime.complain(f"the section {failed.name} was left out of a context: {error}")
            left = left[1:]
    return made, found


def _lines(scene: Scene, view: Searching, section: Section, *, index: bool) -> Made:
    """Make one section; as an index, a line for each memory it shows."""
    lines = MAKERS[section.name](scene, view)
    if not index:
        return lines
    ids = dict.fromkeys(line.id for line in lines.lines if line.id)
    listed = view.get(scene.scope.owner, list(ids))
    return Made([Line(indexed(one), one.id) for one in listed], lines.cap)


def _blocks(scene: Scene, view: Searching, section: Section) -> list[Block]:
    """Give the blocks to lay out; those nobody wrote only where they belong to the profile."""
    found = blocks.standing(scene.runtime, view, scene.scope)
    return found if found or section.name != "core" else defaults(scene.runtime.settings.blocks)


def _told(scene: Scene, wanted: Wanted, page: Page, problems: Sequence[str]) -> Context:
    """Give the context, and note what was shown."""
    sections = tuple(Part(one.name, one.text, one.ids, wanted.count(one.text)) for one in page.sections if one.text)
    ids = tuple(dict.fromkeys(id for one in sections for id in one.ids))
    shown = set(ids)
    left = tuple(dict.fromkeys(id for one in page.sections for id in one.left if id not in shown))
    made = Context(
        stable=page.stable,
        volatile=page.volatile,
        ids=ids,
        rev=scene.rev,
        tokens=0,
        sections=sections,
        left_out=(*(("blocks",) if page.cut else ()), *left),
        problems=tuple(problems),
    )
    made = replace(made, tokens=wanted.count(str(made)))
    if not wanted.preview:
        _noted(scene, wanted, made)
    return made


def _noted(scene: Scene, wanted: Wanted, made: Context) -> None:
    """Note the search, what was shown, and what was used by it; move the session's cursor on."""
    runtime, scope, now = scene.runtime, scene.scope, scene.now
    if scene.query and scene.hits is not None:
        runtime.note(searched(NODE, scene.query, scene.hits, scope.owner, scope.session), now)
    for id in made.ids:
        runtime.note(Event(scope.owner, NODE, "shown", wanted.profile, scope.session, id), now)
    runtime.note(Event(scope.owner, NODE, "laid", wanted.profile, scope.session, "", str(made.tokens)), now)
    if scene.query:
        used = [id for one in made.sections if one.name in COUNTED for id in one.ids]
        fresh = runtime.first_use(scope.owner, scope.session, used)
        if fresh:
            runtime.store.touch(scope.owner, fresh, now)
    if scope.session:
        _moved(scene, wanted.profile, made)


def _moved(scene: Scene, profile: str, made: Context) -> None:
    """Say that the session has had its first context and was told what changed, where that is news."""
    told = any(one.name == "delta" for one in made.sections)
    tells = any(one.name == "delta" for one in PROFILES[profile].sections)
    seen = scene.window.seen_rev if scene.window else 0
    if not made.rev or not (scene.first or told or made.rev - seen >= BEHIND):  # of nobody known nothing is noted
        return
    waits = not told and any(one in made.left_out for one in scene.changed)
    change = SetWindow(
        scene.scope.session,
        scene.scope.agent,
        seen_rev=made.rev if tells and not waits else None,
        notes={"opened": True, **({"told": True} if tells else {})},
    )
    receipt = Receipt(outcome="stored", op="none")
    write = Write(owner=scene.scope.owner, at=scene.now, node=NODE, changes=(change,), receipt=receipt)
    try:
        scene.runtime.store.commit(write)
    except Closed:
        raise
    except RecollectError as error:
        scene.runtime.complain(f"what a session was told could not be noted: {error}")
