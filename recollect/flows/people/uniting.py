"""Two names turn out to be one's, or were taken for one's: by the owner's word."""

from __future__ import annotations

from recollect.errors import Conflict, InvalidInput, NotFound
from recollect.flows.gate.commit import Origin, commit
from recollect.flows.gate.verdict import Verdict
from recollect.model.change import Part, Protect, Rename, Unite
from recollect.model.entity import Entity
from recollect.model.owner import Scope
from recollect.model.receipt import Receipt
from recollect.rules.gate import checks
from recollect.rules.life.inverse import inverse_of
from recollect.runtime import Runtime
from recollect.store.base import Reading
from recollect.text.terms import fold

NODE = "unite"
MOST_LINES = 1000


def unite(runtime: Runtime, scope: Scope, name: str, into: str, type: str, request_id: str) -> Receipt:
    """Make one entity of two; names known under several types need the type."""
    request = checks.request(request_id, "unite")
    kind = checks.name("type", type)

    def plan(view: Reading) -> Verdict | Receipt:
        gone, stays = _one(view, scope, name, kind), _one(view, scope, into, kind)
        if gone.id == stays.id:
            reason = "they are one already, no action is needed"
            return Receipt(outcome="duplicate", op="none", id=stays.id, other=stays.id, reason=reason)
        receipt = Receipt(outcome="merged", op="united", id=stays.id, other=gone.id)
        return Verdict(receipt, (Unite(gone.id, stays.id),))

    return commit(runtime, Origin(scope, NODE, scope.agent, request), plan)


def rename(runtime: Runtime, scope: Scope, name: str, to: str, type: str, request_id: str) -> Receipt:
    """Show an entity by another name; it is still found by the old one."""
    request = checks.request(request_id, "rename")
    kind, wanted = checks.name("type", type), " ".join(checks.name("new name", to, empty=False).split())

    def plan(view: Reading) -> Verdict | Receipt:
        one = _one(view, scope, name, kind)
        if one.name == wanted:
            return Receipt(outcome="duplicate", op="none", id=one.id, other=one.id, reason="it has that name already")
        others = [other for other in view.entities(scope.owner, [fold(wanted)], one.type) if other.id != one.id]
        if others:
            raise Conflict(f"there is another {one.type} of that name: unite the two instead")
        return Verdict(Receipt(outcome="stored", op="renamed", id=one.id), (Rename(one.id, wanted),))

    return commit(runtime, Origin(scope, NODE, scope.agent, request), plan)


def protect(runtime: Runtime, scope: Scope, name: str, on: bool, type: str, request_id: str) -> Receipt:
    """Let an entity outlive what mentions it, and be united with no other by itself; or not any more."""
    request = checks.request(request_id, "protect")
    kind = checks.name("type", type)

    def plan(view: Reading) -> Verdict | Receipt:
        one = _one(view, scope, name, kind)
        if one.protected == on:
            reason = f"it is {'protected' if on else 'not protected'} already, no action is needed"
            return Receipt(outcome="duplicate", op="none", id=one.id, other=one.id, reason=reason)
        return Verdict(Receipt(outcome="stored", op="protected", id=one.id), (Protect(one.id, on),))

    return commit(runtime, Origin(scope, NODE, scope.agent, request), plan)


def part(runtime: Runtime, scope: Scope, name: str, request_id: str) -> Receipt:
    """Take the last union of a name back."""
    request = checks.request(request_id, "part")

    def plan(view: Reading) -> Verdict:
        folded = fold(checks.name("name", name, empty=False))
        for one in _named(view, scope, name, ""):
            for entry in reversed(view.journal(scope.owner, [one.id], 0, MOST_LINES)):
                back = inverse_of(entry) if entry.op == "united" else None
                if isinstance(back, Part) and _bore(back, folded) and _still(view, scope, one, back):
                    receipt = Receipt(outcome="stored", op="parted", id=back.entity["id"], other=one.id)
                    return Verdict(receipt, (back,))
        raise NotFound("that name was united with no other: there is nothing to take back")

    return commit(runtime, Origin(scope, NODE, scope.agent, request), plan)


def _bore(back: Part, folded: str) -> bool:
    """Tell whether the entity that went bore a name."""
    return folded == fold(back.entity["name"]) or any(known == folded for known, _ in back.names)


def _still(view: Reading, scope: Scope, one: Entity, back: Part) -> bool:
    """Tell whether the entity that stayed still bears the other's names: otherwise they were parted already."""
    known = {entity.id for entity in view.entities(scope.owner, [folded for folded, _ in back.names])}
    return one.id in known and back.entity["id"] not in known


def _named(view: Reading, scope: Scope, name: str, type: str) -> list[Entity]:
    folded = fold(checks.name("name", name, empty=False))
    found = view.entities(scope.owner, list(dict.fromkeys((folded, folded.lstrip("@#")))), type)
    if not found:
        raise NotFound(f"nothing is known of {name!r}" + (f" as {type}" if type else ""))
    return found


def _one(view: Reading, scope: Scope, name: str, type: str) -> Entity:
    found = _named(view, scope, name, type)
    if len(found) > 1:
        types = ", ".join(sorted(one.type for one in found))
        raise InvalidInput(f"{name!r} is known as {types}: say which with type")
    return found[0]
