"""Memory laid out for a prompt: sections by a profile, filled by priority inside a budget; it never fails a turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from recollect.errors import Closed, InvalidInput, RecollectError
from recollect.flows.find.recall import searched
from recollect.flows.window import blocks
from recollect.flows.window.scene import Scene, Turn, opened
from recollect.flows.window.sections import MAKERS
from recollect.model.change import SetWindow, Write
from recollect.model.event import Event
from recollect.model.hit import Context, Part
from recollect.model.owner import Scope
from recollect.model.receipt import Receipt
from recollect.model.values import dataclass
from recollect.rules.window.edits import defaults
from recollect.rules.window.fill import Count, Line, Made, Page, Stable, fill
from recollect.rules.window.layout import indexed
from recollect.rules.window.markup import fitted
from recollect.rules.window.profiles import PROFILES, Profile
from recollect.runtime import Runtime

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
        rev = _revision(runtime, scope)
    except Closed:
        raise
    except RecollectError as error:
        return Context(stable="", volatile="", ids=(), rev=0, tokens=0, problems=(f"context: {error}",))
    made = _made(scene, profile, problems, index=wanted.index)
    page = fill(profile, made, _stable(scene, profile, wanted, problems), wanted.budget, wanted.count)
    return _told(scene, wanted, page, rev, problems)


def _enabled(runtime: Runtime, scope: Scope, scene: Scene) -> bool:
    """Tell whether anything may be laid out: for all, for the agent, for the session; any no wins."""
    policy, notes = runtime.settings.context, scene.window.notes if scene.window else {}
    return policy.enabled and scope.agent not in policy.off_agents and notes.get("enabled") is not False


def _revision(runtime: Runtime, scope: Scope) -> int:
    with runtime.store.view() as view:
        return view.counters(scope.owner).rev


def _made(scene: Scene, profile: Profile, problems: list[str], *, index: bool) -> dict[str, Made]:
    made: dict[str, Made] = {}
    for section in profile.sections:
        if section.stable:
            continue
        try:
            with scene.runtime.store.view() as view:
                lines = MAKERS[section.name](scene, view)
                if index:
                    ids = dict.fromkeys(line.id for line in lines.lines if line.id)
                    listed = view.get(scene.scope.owner, list(ids))
                    lines = Made([Line(indexed(one), one.id) for one in listed], lines.cap)
        except Closed:
            raise
        except RecollectError as error:  # memory must never be the reason why a turn fails
            problems.append(f"{section.name}: {error}")
            scene.runtime.complain(f"the section {section.name} was left out of a context: {error}")
        else:
            made[section.name] = lines
    return made


def _stable(scene: Scene, profile: Profile, wanted: Wanted, problems: list[str]) -> Stable:
    """Give what lays out the blocks, where the profile has any; those nobody wrote only where they belong to it."""
    names = [section.name for section in profile.sections if section.stable]
    if not names:
        return lambda room: ("", False)
    try:
        with scene.runtime.store.view() as view:
            found = blocks.standing(scene.runtime, view, scene.scope)
    except Closed:
        raise
    except RecollectError as error:
        problems.append(f"{names[0]}: {error}")
        return lambda room: ("", False)
    if not found and "core" in names:
        found = defaults(scene.runtime.settings.blocks)
    return lambda room: fitted(found, room, wanted.count)


def _told(scene: Scene, wanted: Wanted, page: Page, rev: int, problems: Sequence[str]) -> Context:
    """Give the context, and note what was shown."""
    sections = tuple(Part(one.name, one.text, one.ids, wanted.count(one.text)) for one in page.sections if one.text)
    ids = tuple(dict.fromkeys(id for one in sections for id in one.ids))
    shown = set(ids)
    left = tuple(dict.fromkeys(id for one in page.sections for id in one.left if id not in shown))
    made = Context(
        stable=page.stable,
        volatile=page.volatile,
        ids=ids,
        rev=rev,
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
