"""The workspace as a prompt has it: the files in their order and caps, the last days, and what a search finds."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from recollect.errors import InvalidInput
from recollect.flows.find.filters import allows, build, sight
from recollect.flows.find.founded import compiled
from recollect.flows.find.recall import Wish, recall
from recollect.flows.window.scene import Scene
from recollect.flows.window.workspace.renderings import FILE, HEADING, Item, all_paths, composed, documents, items
from recollect.model.owner import Scope
from recollect.model.window import FoundSection
from recollect.rules.life.salience import SaliencePolicy, protected
from recollect.rules.window.files import (
    AGENTS,
    LOG_MARK,
    MEMORY,
    PROJECT,
    SCAFFOLDS,
    SOUL,
    USER,
    WorkspacePolicy,
    log_path,
    unsafe,
    view_of,
)
from recollect.rules.window.fill import Line, Made
from recollect.rules.window.markdown import snippet
from recollect.rules.window.markup import untagged
from recollect.runtime import Runtime
from recollect.store.base import Reading, Searching

RULE = "---"
HEAD_SHARE = 4
"""Of how many parts of the room of MEMORY.md the head leaves one to the newest facts."""
DAYS = 2
"""How many days of the log stand in a context."""


def text_of(runtime: Runtime, view: Reading, scope: Scope, path: str) -> str:
    """Give a file of the workspace as the store has it; what nobody has written into is empty."""
    if problem := unsafe(path):
        raise InvalidInput(f"{path!r} is no file of a workspace: {problem}")
    shows = view_of(path, project=scope.project)
    shown = _allowed(runtime, scope, items(runtime, view, scope, path, shows))
    return composed(path, shows, shown, {}) if shown else ""


def _allowed(runtime: Runtime, scope: Scope, shown: Sequence[Item]) -> list[Item]:
    """Leave out what an agent that is held to categories may not see: of what was learnt, not of what a hand wrote."""
    may = sight(runtime, scope)
    return [
        one
        for one in shown
        if (one.memory.kind not in ("fact", "event") and not compiled(one.memory)) or allows(may, one.memory)
    ]


def files(runtime: Runtime, view: Reading, scope: Scope) -> list[str]:
    """Give the files the store has something for, by name."""
    return sorted(all_paths(runtime, view, scope))


def bootstrap(scene: Scene, view: Searching) -> Made:
    """Give PROJECT, AGENTS, SOUL, USER and MEMORY, each cut to its cap and all to theirs, with a rule between them."""
    policy = scene.runtime.settings.workspace
    parts = [
        _cut(_lines(_text(scene, view, PROJECT)), policy.total_characters, PROJECT),
        _cut(_lines(_text(scene, view, AGENTS)), policy.agents_characters, AGENTS),
        _cut(_lines(_soul(scene, view)), policy.soul_characters, SOUL),
        _cut(_lines(_text(scene, view, USER)), policy.user_characters, USER),
        _memory(scene, view, policy),
    ]
    found: list[Line] = []
    for part in parts:
        if part:
            found += [*([Line("", bare=True), Line(RULE, bare=True), Line("", bare=True)] if found else ()), *part]
    return Made(_cut(found, policy.total_characters, "the workspace"))


def _text(scene: Scene, view: Reading, path: str) -> str:
    return text_of(scene.runtime, view, scene.scope, path)


def _soul(scene: Scene, view: Reading) -> str:
    """Give who the agent is; while nobody has written that, what the project's own file says."""
    written = _text(scene, view, SOUL)
    if written.strip() and written.strip() not in (SCAFFOLDS[SOUL].strip(), scene.runtime.settings.blocks.persona):
        return written
    return "".join(one.text for one in documents(scene.runtime, view, scene.scope, SOUL)) or written


def _memory(scene: Scene, view: Reading, policy: WorkspacePolicy) -> list[Line]:
    """Give the head of MEMORY.md and the newest of its facts: however long the head is, facts have their room."""
    shown = _allowed(scene.runtime, scene.scope, items(scene.runtime, view, scene.scope, MEMORY, "memory"))
    facts = [one for one in shown if one.memory.kind == "fact"]
    head = _lines(composed(MEMORY, "memory", [one for one in shown if one not in facts], {}).partition(LOG_MARK)[0])
    if not shown:
        return []
    head = head if len(facts) < len(shown) else []
    most = policy.memory_characters
    room = most - most // HEAD_SHARE if facts else most
    head = _cut(head, room, MEMORY)
    kept = _worthy(facts, most - _size(head), scene.runtime.settings.salience)
    return [*head, *([Line("", bare=True)] if head and kept else ()), *kept]


def _worthy(facts: Sequence[Item], room: int, policy: SaliencePolicy) -> list[Line]:
    """Give facts as far as there is room, in their order: half of it for those that matter, however old, the rest for
    the newest."""
    lasting = _fitting([one for one in facts if protected(one.memory, policy)], room // 2)
    left = room - _size(list(lasting.values()))
    newest = _fitting([one for one in facts if one.id not in lasting], left)
    return [line for one in facts if (line := lasting.get(one.id) or newest.get(one.id))]


def _fitting(facts: Sequence[Item], room: int) -> dict[str, Line]:
    taken: dict[str, Line] = {}
    for one in reversed(facts):
        line = Line(untagged(one.text.rstrip("\n")), one.id, bare=True)
        room -= len(line.text) + 1
        if room < 0:
            break
        taken[one.id] = line
    return taken


def _lines(text: str) -> list[Line]:
    return [Line(untagged(line), bare=True) for line in text.rstrip("\n").split("\n")] if text.strip() else []


def _size(lines: Sequence[Line]) -> int:
    return sum(len(one.text) + 1 for one in lines)


def _cut(lines: Sequence[Line], most: int, name: str) -> list[Line]:
    """Cut lines that take too much room, and say where the rest is found."""
    if _size(lines) <= most:
        return list(lines)
    notice = Line(f"[{name} is cut at {most:,} characters: memory_search finds the rest]", bare=True)
    taken, used = list[Line](), len(notice.text) + 1
    for line in lines:
        used += len(line.text) + 1
        if used > most:
            rest = most - (used - len(line.text) - 1)
            taken += [Line(line.text[: rest - 1], line.id, line.bare)] if rest > 1 and not taken else []
            break
        taken.append(line)
    return [*taken, notice]


def last_days(scene: Scene, view: Searching) -> Made:
    """Give the log of today and yesterday, the newest day first."""
    now = scene.now
    found: list[Line] = []
    for back in range(DAYS):
        path = log_path((now - timedelta(days=back)).date())
        text = _text(scene, view, path)
        if text.strip():
            found.append(Line(f"### {path.removeprefix('memory/').removesuffix('.md')}", bare=True))
            found += _lines(text)
    return Made(found)


def search(runtime: Runtime, scope: Scope, query: str, limit: int) -> list[FoundSection]:
    """Find sections of files by what they say and by their headings: the same search as any other."""
    where = build(runtime, scope, {"kinds": "document"})
    found = recall(runtime, query, where, Wish(limit), scope.session)
    return [
        FoundSection(
            str(hit.memory.attributes.get(FILE) or hit.memory.key.removeprefix("/")),
            str(hit.memory.attributes.get(HEADING, "")),
            snippet(hit.memory.content, query, runtime.settings.terms),
            round(hit.score, 3),
            hit.memory.id,
        )
        for hit in found
    ]
