"""The delta header: what changed in memory since a session was last told, in a few lines, told once."""

from __future__ import annotations

from recollect.flows.find.filters import sees
from recollect.flows.window.scene import Scene
from recollect.model.hit import Entry
from recollect.model.memory import Memory
from recollect.rules.window.fill import Line, Made
from recollect.rules.window.layout import flat, shortened
from recollect.store.base import Searching

MOST = 3
LOOKED_AT = 500
"""How many journal lines are looked at."""
SIGNS = {
    "created": "+created", "updated": "↑updated", "merged": "↔merged", "deleted": "-deleted", "restored": "+restored",
}  # fmt: skip
"""The changes that are told, and how each begins."""
_SAME = {"soft_deleted": "deleted", "expired": "deleted", "forgotten": "deleted"}
_SILENT = ("episode", "summary", "block")
"""Kinds whose changes a model sees anyway."""
LONGEST = 160


def since(scene: Scene, view: Searching) -> int:
    """Give the revision the session was told of last; a new one begins where its agent was told last, or now."""
    if scene.window is not None and (scene.window.seen_rev or scene.window.notes.get("told")):
        return scene.window.seen_rev
    return view.told(scene.scope.owner, scene.scope.agent) or view.counters(scene.scope.owner).rev


def delta(scene: Scene, view: Searching) -> Made:
    """Give the header and its bullets, the most important change first; nothing when nothing changed."""
    if not scene.scope.session:
        return Made()
    seen = since(scene, view)
    changes = _collapsed(view.journal(scene.scope.owner, (), seen, LOOKED_AT))
    known = {one.id: one for one in view.get(scene.scope.owner, list(changes))}
    told = [(op, known[id]) for id, op in changes.items() if id in known and known[id].kind not in _SILENT]
    mine = scene.mine
    told = [(op, one) for op, one in told if (one.state == "active") == (op != "deleted") and sees(mine, one)]
    told.sort(key=lambda one: (-(one[1].importance or 0), -one[1].updated_at.timestamp(), one[1].id))
    lines = [Line(f"- {_bullet(op, memory)}", memory.id, bare=True) for op, memory in told[:MOST]]
    scene.changed = [line.id for line in lines]
    if not lines:
        return Made()
    head = f"Memory updates since rev {seen}:\n{lines[0].text}"
    return Made([Line(head, lines[0].id, bare=True), *lines[1:]])


def _bullet(op: str, memory: Memory) -> str:
    weight = f" (imp={memory.importance})" if op == "created" and memory.importance else ""
    return f"{SIGNS[op]}: [{flat(memory.category)}] {shortened(flat(memory.content), LONGEST)}{weight}"


def _collapsed(entries: list[Entry]) -> dict[str, str]:
    """Give what became of each memory: made and changed is made, made and gone is nothing."""
    found: dict[str, str] = {}
    made: set[str] = set()
    for entry in entries:
        op = _SAME.get(entry.op, entry.op)
        meta = entry.meta or {}
        if op == "superseded" and (by := str(meta.get("by", ""))):
            # The old one gives way, the new one is told as its change.
            if entry.memory_id in made:
                found.pop(entry.memory_id, None)
                found[by] = "created"
            else:
                found[by] = "updated"
        elif op == "merged" and (into := str(meta.get("into", ""))):
            found.pop(entry.memory_id, None)
            found[into] = "merged"
        elif op in SIGNS and entry.memory_id:
            if op == "deleted" and entry.memory_id in made:
                found.pop(entry.memory_id, None)
            elif op != "created" or entry.memory_id not in found:
                found[entry.memory_id] = "created" if op == "updated" and entry.memory_id in made else op
            if op == "created":
                made.add(entry.memory_id)
    return found
