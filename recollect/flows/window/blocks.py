"""Core blocks: texts with a label that always stand in the prompt, edited whole or in part, every version kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from recollect.errors import Conflict, InvalidInput, NotFound
from recollect.flows.gate.commit import Origin, Resolution, commit
from recollect.flows.gate.gate import index
from recollect.flows.gate.verdict import Verdict, supersede
from recollect.model.block import Block
from recollect.model.change import Change, Patch, Put
from recollect.model.expectation import Expectation, Version
from recollect.model.filter import Filter
from recollect.model.kinds import KINDS
from recollect.model.memory import Memory
from recollect.model.owner import Scope
from recollect.model.receipt import Receipt
from recollect.model.values import dataclass
from recollect.rules.gate import checks
from recollect.rules.gate.writing import LONGEST_CONTENT
from recollect.rules.privacy.secrets import redacted, warned
from recollect.rules.window.edits import (
    added,
    defaults,
    fingerprint,
    label_problem,
    parts,
    patched,
    refused,
)
from recollect.runtime import Runtime
from recollect.store.base import Reading

KIND = "block"
NODE = "blocks"
MOST = 500
"""How many blocks, and how many versions of one, are looked at."""
FIRST = ("persona", "human")
"""What stands first, in this order; the others follow by their labels."""

Edit = Callable[[Block], str]
"""Gives the new value of a block; raises where the edit cannot be made."""


@dataclass(frozen=True, slots=True)
class Bound:
    """What an edit rests on: the request it belongs to, and the value it expects to find, by its hash."""

    request_id: str = ""
    if_hash: str = ""


def blocks(runtime: Runtime, scope: Scope) -> list[Block]:
    """Give the blocks an agent sees: its own and the shared ones, or the defaults while there are none."""
    with runtime.store.view() as view:
        return standing(runtime, view, scope) or defaults(runtime.settings.blocks)


def standing(runtime: Runtime, view: Reading, scope: Scope) -> list[Block]:
    """Give the blocks that were written and stand; an agent's own hides the shared one of the same label."""
    return [read(runtime, one) for one in sighted(runtime, view, scope).values()]


def sighted(runtime: Runtime, view: Reading, scope: Scope) -> dict[str, Memory]:
    """Give the memories of the blocks an agent sees, by label, in the order they are shown."""
    where = Filter(owner=scope.owner, now=runtime.now(), kinds=(KIND,))
    mine = [one for one in view.page(where, "oldest", MOST) if one.key and one.agent in ("", scope.agent)]
    found = {one.key: one for one in sorted(mine, key=lambda one: bool(one.agent))}
    order = sorted(found, key=lambda label: (FIRST.index(label) if label in FIRST else len(FIRST), label))
    return {label: found[label] for label in order}


def read(runtime: Runtime, memory: Memory) -> Block:
    """Read a memory of the kind `block`."""
    noted, policy = memory.attributes, runtime.settings.blocks
    limit, version = noted.get("limit"), noted.get("version")
    return Block(
        label=memory.key,
        value=memory.content,
        description=str(noted.get("description", "")),
        limit=limit if isinstance(limit, int) else policy.limit,
        read_only=noted.get("read_only") is True,
        version=version if isinstance(version, int) else memory.version,
        own=bool(memory.agent),
        hash=fingerprint(memory.content),
        id=memory.id,
        updated_at=memory.created_at,
    )


def get(runtime: Runtime, scope: Scope, label: object) -> Block:
    """Give one block, or say which there are."""
    return _named(blocks(runtime, scope), checks.name("label", label, empty=False))


def _named(known: Sequence[Block], label: str) -> Block:
    for one in known:
        if one.label == label:
            return one
    labels = ", ".join(one.label for one in known) or "none yet"
    raise NotFound(f"there is no block {label!r}: there are {labels}; create makes one")


def edit(runtime: Runtime, scope: Scope, label: object, change: Edit, bound: Bound, op: str = "edited") -> Receipt:
    """Give a block the value an edit makes of it, in a new row that counts one version more."""
    name = checks.name("label", label, empty=False)

    def plan(draft: Draft) -> None:
        block = draft.block(name)
        _unchanged(block, bound)
        draft.write(block, change(block))

    return _written(runtime, scope, plan, bound, op, name)


def create(runtime: Runtime, scope: Scope, new: Block, bound: Bound) -> Receipt:
    """Make a block that is not there yet, the agent's own or shared."""
    _labelled(new.label)
    if new.own and not scope.agent:
        raise InvalidInput("a block of an agent's own needs an agent: name the agent")

    def plan(draft: Draft) -> None:
        known = draft.memories.get(new.label)
        if known is not None and bool(known.agent) == new.own:
            raise refused(draft.block(new.label), "it is there already", "Edit it, or choose another label")
        if known is not None and not new.own and draft.view.slot(scope.owner, "", KIND, new.label):
            advice = "Edit that in a space of no agent, or delete the own one first"
            raise refused(draft.block(new.label), "it is an own one, and hides a shared one that is there", advice)
        draft.add(new)

    return _written(runtime, scope, plan, bound, "created", new.label)


def configure(runtime: Runtime, scope: Scope, label: object, values: Mapping[str, Any], bound: Bound) -> Receipt:
    """Change what is said about a block: its description, its limit, whether it can be edited."""
    name = checks.name("label", label, empty=False)

    def plan(draft: Draft) -> None:
        block = draft.block(name)
        _unchanged(block, bound)
        made = replace(block, **values)
        if len(block.value) > made.limit:
            raise refused(block, f"a limit of {made.limit:,} is less than it holds", "Shorten it first")
        draft.write(made, block.value, anyway=True)

    return _written(runtime, scope, plan, bound, "configured", name)


def rename(runtime: Runtime, scope: Scope, label: object, to: str, bound: Bound) -> Receipt:
    """Give a block another label; its story goes on under the new one."""
    name = checks.name("label", label, empty=False)
    _labelled(to)

    def plan(draft: Draft) -> None:
        block = draft.block(name)
        _unchanged(block, bound)
        draft.move(block, to)

    return _written(runtime, scope, plan, bound, "renamed", name)


def delete(runtime: Runtime, scope: Scope, label: object, bound: Bound) -> Receipt:
    """Take a block out of the prompt; its versions stay, and restore brings one back."""
    name = checks.name("label", label, empty=False)

    def plan(draft: Draft) -> None:
        block = draft.block(name)
        _unchanged(block, bound)
        draft.remove(block)

    return _written(runtime, scope, plan, bound, "deleted", name)


def patch(runtime: Runtime, scope: Scope, text: object, bound: Bound) -> Receipt:
    """Carry out a patch over several blocks, all of it or nothing."""
    asked = parts(checks.text("patch", text, LONGEST_CONTENT, empty=False))
    if bound.if_hash:
        raise InvalidInput("if_hash is the hash of one block: name that block's label, or leave if_hash out")

    def plan(draft: Draft) -> None:
        for part in asked:
            if part.verb == "Add":
                _labelled(part.label)
                draft.free(part.label)
                draft.add(Block(part.label, added(part), limit=runtime.settings.blocks.limit))
                continue
            block = draft.block(part.label)
            if part.verb == "Delete":
                draft.remove(block)
                continue
            if part.body.strip():
                draft.write(block, patched(block, part.body))
            if part.to:
                _labelled(part.to)
                draft.move(draft.block(part.label), part.to)

    return _written(runtime, scope, plan, bound, "patched", "")


def history(runtime: Runtime, scope: Scope, label: object, limit: int) -> list[Block]:
    """Give the versions of a block, the newest first, deleted ones too."""
    name = checks.name("label", label, empty=False)
    with runtime.store.view() as view:
        return [read(runtime, one) for one in _versions(runtime, view, scope, name)[:limit]]


def restore(runtime: Runtime, scope: Scope, label: object, version: int, bound: Bound) -> Receipt:
    """Give a block the value it had at a version, as one version more."""
    name = checks.name("label", label, empty=False)

    def plan(draft: Draft) -> None:
        known = _versions(runtime, draft.view, scope, name)
        old = next((read(runtime, one) for one in known if read(runtime, one).version == version), None)
        if old is None:
            kept = ", ".join(str(read(runtime, one).version) for one in known[:20]) or "none"
            raise NotFound(f"block {name!r} has no version {version}: it has {kept}")
        if name not in draft.memories:
            draft.add(old, after=read(runtime, known[0]).version)
            return
        block = draft.block(name)
        _unchanged(block, bound)
        draft.write(block, old.value)

    return _written(runtime, scope, plan, bound, "restored", name)


def _versions(runtime: Runtime, view: Reading, scope: Scope, label: str) -> list[Memory]:
    states = ("active", "superseded", "deleted")
    where = Filter(owner=scope.owner, now=runtime.now(), kinds=(KIND,), key=label, states=states)
    rows = [one for one in view.page(where, "recent", MOST) if one.agent in ("", scope.agent)]
    own = any(one.agent for one in rows if one.state == "active") or all(one.agent for one in rows)
    return [one for one in rows if bool(one.agent) == own]


class Draft:
    """The blocks of an agent as a plan leaves them, and what has to be written for it."""

    def __init__(self, runtime: Runtime, view: Reading, scope: Scope, request: str) -> None:
        self.runtime, self.view, self.scope, self._request = runtime, view, scope, request
        self.memories = sighted(runtime, view, scope)
        self.changes: list[Change] = []
        self.expect: list[Expectation] = []
        self.notes: tuple[str, ...] = ()
        self.last = ""
        if not self.memories:  # the first that is written brings the defaults along
            for one in defaults(runtime.settings.blocks):
                self.add(one)

    def block(self, label: str) -> Block:
        """Give a block as it stands in this draft."""
        return _named([read(self.runtime, one) for one in self.memories.values()], label)

    def free(self, label: str) -> None:
        """Refuse a label that is taken."""
        if label in self.memories:
            raise refused(self.block(label), "it is there already", "Update it, or choose another label")

    def add(self, new: Block, after: int = 0) -> None:
        """Put a block that is not there."""
        self._put(new, None, after)

    def write(self, block: Block, value: str, *, anyway: bool = False) -> None:
        """Give a block a new value, in a row that takes the place of the one that stands."""
        _editable(block, anyway)
        self._put(replace(block, value=value), self.memories[block.label], block.version)

    def move(self, block: Block, to: str) -> None:
        """Give a block another label."""
        _editable(block)
        self.free(to)
        old = self.memories.pop(block.label)
        self._put(replace(block, label=to), old, block.version)

    def remove(self, block: Block) -> None:
        """Take a block away."""
        _editable(block)
        old = self.memories.pop(block.label)
        self.changes.append(Patch(old.id, {"state": "deleted"}, "deleted"))
        self._expected(old)
        self.last = old.id

    def _put(self, block: Block, old: Memory | None, before: int) -> None:
        value, secrets = redacted(checks.text("value", block.value, LONGEST_CONTENT))
        self.notes = (*self.notes, *warned(secrets))
        if len(value) > block.limit:
            now = block if old is None else read(self.runtime, old)
            raise refused(now, f"{len(value):,} characters are more than it holds", _LESS)
        put = index(self.runtime, self._memory(replace(block, value=value), old, before + 1))
        if old is None:
            self.changes.append(put)
        else:
            self.changes.extend(supersede([old], put))
            self._expected(old)
        self.memories[block.label] = put.memory
        self.last = put.memory.id

    def _expected(self, old: Memory) -> None:
        made = any(isinstance(one, Put) and one.memory.id == old.id for one in self.changes)
        if not made:
            self.expect.append(Version(old.id, old.version))

    def _memory(self, block: Block, old: Memory | None, version: int) -> Memory:
        now, kind = self.runtime.now(), KINDS[KIND]
        request = (self.scope.owner, self._request, len(self.changes)) if self._request else None
        agent = self.scope.agent if block.own else ""
        noted = {"description": block.description, "limit": block.limit, "version": version}
        return Memory(
            owner=self.scope.owner,
            id=self.runtime.new_id(KIND, now, request),
            kind=KIND,
            content=block.value,
            created_at=now,
            updated_at=now,
            event_time=now,
            valid_from=now,
            tier=kind.tier,
            agent=agent if old is None else old.agent,
            session=self.scope.session,
            source="agent",
            key=block.label,
            importance=kind.importance,
            attributes={**(old.attributes if old else {}), **noted, "read_only": block.read_only},
            version=version,
        )


_LESS = "Shorten the text, take something out first, or rethink the block"


def _written(
    runtime: Runtime, scope: Scope, plan: Callable[[Draft], None], bound: Bound, op: str, label: str
) -> Receipt:
    """Carry out a plan as one write; who got in between makes it look again, so no edit is lost."""
    request = checks.request(bound.request_id, f"{NODE}.{op}", label)

    def decide(view: Reading) -> Resolution:
        draft = Draft(runtime, view, scope, request)
        plan(draft)
        receipt = Receipt(outcome="stored", op=op, id=draft.last, warnings=tuple(dict.fromkeys(draft.notes)))
        return Resolution(receipt, (Verdict(receipt, tuple(draft.changes), tuple(draft.expect)),))

    receipt = commit(runtime, Origin(scope, NODE, scope.agent, request), decide)
    return replace(receipt, parts=())


def _unchanged(block: Block, bound: Bound) -> None:
    if bound.if_hash and bound.if_hash != block.hash:
        told = str(refused(block, f"the hash {bound.if_hash[:40]} is not its hash any more", "Read it and edit again"))
        raise Conflict(told)


def _editable(block: Block, anyway: bool = False) -> None:
    if block.read_only and not anyway:
        raise refused(block, "it is read-only", "Leave it, or let its keeper make it writable first")


def _labelled(label: str) -> None:
    if problem := label_problem(checks.name("label", label, empty=False)):
        raise InvalidInput(problem)
