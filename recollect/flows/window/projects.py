"""Projects: a memory goes from one to another, or out of all of them."""

from __future__ import annotations

from dataclasses import replace

from recollect.errors import InvalidInput
from recollect.flows.gate.commit import Origin, commit
from recollect.flows.gate.verdict import Verdict, retire
from recollect.flows.keep.revise import standing
from recollect.flows.life.shelves import Shelves
from recollect.model.change import Connect, Patch
from recollect.model.expectation import Absent, Version
from recollect.model.owner import Scope
from recollect.model.receipt import Receipt
from recollect.rules.gate import checks
from recollect.rules.gate.hashes import hash_of
from recollect.runtime import Runtime
from recollect.store.base import Reading


def move(runtime: Runtime, scope: Scope, memory_id: str, project: str, request_id: str) -> Receipt:
    """Put a memory into a project; where the same is known already, that one stays and this one gives way to it."""
    request = checks.request(request_id, "move", str(memory_id), project)

    def plan(view: Reading) -> Verdict:
        memory = Shelves(runtime).whole([standing(runtime, view, scope, memory_id)])[0]
        if memory.key:
            raise InvalidInput(f"{memory.id} is a slot of the owner: it belongs to no project")
        if memory.project == project:
            reason = "it is there already, no action is needed"
            return Verdict(Receipt(outcome="duplicate", op="none", id=memory.id, other=memory.id, reason=reason))
        known = hash_of(replace(memory, project=project))
        expect = (Version(memory.id, memory.version),)
        twin = view.active_with_hash(scope.owner, memory.kind, known, runtime.now()) if known else None
        if twin:
            receipt = Receipt(outcome="duplicate", op="superseded", id=twin, other=memory.id)
            gone = retire(memory, twin, runtime.now())
            return Verdict(receipt, (gone, Connect(twin, memory.id, "supersedes")), expect)
        patch = Patch(memory.id, {"project": project, "content_hash": known}, "moved", {"to": project})
        return Verdict(
            Receipt(outcome="stored", op="moved", id=memory.id), (patch,), (*expect, Absent(memory.kind, known))
        )

    return commit(runtime, Origin(scope, "projects", scope.agent, request), plan)
