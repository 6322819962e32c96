"""Undoing a run: what one run of a job changed is put back in one commit, but for what was changed since."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from recollect.errors import NotFound
from recollect.flows.admin.erase import scrub_later
from recollect.flows.find.browse import CHAIN
from recollect.flows.gate.pending import PENDING
from recollect.flows.life.archive import brought_back
from recollect.flows.life.follow_ups import tended
from recollect.model.change import (
    Change,
    Cut,
    Enqueue,
    Note,
    Part,
    Patch,
    Protect,
    Reach,
    Rejoin,
    Remove,
    Rename,
    Shelve,
    Unname,
    Write,
)
from recollect.model.clock import from_ms, iso
from recollect.model.expectation import Still
from recollect.model.hit import Entry
from recollect.model.kinds import STATES
from recollect.model.memory import Link, Memory
from recollect.model.owner import Scope
from recollect.model.receipt import Receipt, Report
from recollect.rules.gate import checks
from recollect.rules.gate.hashes import hash_of
from recollect.rules.life.inverse import inverse_of
from recollect.rules.life.schedule import next_time
from recollect.runtime import Runtime
from recollect.store.base import Reading
from recollect.store.sql.rows import TIMES
from recollect.text.terms import fold

MOST_LINES = 1_000_000
REVISION = "rev_"
"""How a change made by hand is named where a run is expected."""
CHUNK = 200
LATER = timedelta(days=1)
"""When a proposal whose end was undone runs out after all, unless it is answered before."""
RESTING = tuple(state for state in STATES if state != "active")
_FINAL = {
    "purged": "what it purged is gone for good",
    "erased": "what it erased is gone for good",
    "trimmed": "journal lines and events that were cut do not come back",
}
"""What no undo covers, and why."""
GONE = "it is gone by now"
_SILENT = ("ran", "undone", "mended")


def can_be_undone(lines: Sequence[Entry]) -> bool:
    """Tell whether a change did anything that can be put back."""
    return any(line.op not in _FINAL and line.op not in _SILENT for line in lines)


@dataclass(slots=True)
class _Undoing:
    """One run on its way back: what it did, what must stay, and what puts the rest back."""

    revs: frozenset[int]
    created: dict[str, int] = field(default_factory=dict)
    """What it made, each with the revision."""
    bare: dict[str, list[str]] = field(default_factory=dict)
    """Whom nobody had mentioned before a memory the run made did."""
    patched: dict[str, dict[str, Any]] = field(default_factory=dict)
    """What each memory's columns were before the run, those changed last first."""
    others: list[tuple[Entry, Change]] = field(default_factory=list)
    """What takes back everything else, the last first."""
    left: dict[str, str] = field(default_factory=dict)
    """Why something stays as it is."""
    final: set[str] = field(default_factory=set)
    """Why some of it can never be put back."""

    def read(self, lines: Sequence[Entry]) -> None:
        """Take down what the run did, from its last line to its first."""
        made = {line.memory_id for line in lines if line.op == "created"}
        for line in reversed(lines):
            about = line.memory_id
            if line.op in _SILENT:
                continue
            if line.op == "created":
                self.created[about] = line.rev
                self.bare[about] = (line.meta or {}).get("bare", [])
            if line.op in _FINAL:
                self.final.add(_FINAL[line.op])
                self.left |= {about: _FINAL[line.op]} if about else {}
            elif (change := inverse_of(line)) is not None:
                self.others.append((line, change))
            elif line.op == "created":
                continue
            elif line.before is None:  # its line was blanked when it went
                self.left |= {about: "it is gone by now"} if about else {}
            elif about and about not in made:
                self.patched.setdefault(about, {}).update(_cells(line.before))

    @property
    def touched(self) -> list[str]:
        """The memories the run made or changed."""
        return [*self.created, *self.patched]


def take_back(runtime: Runtime, scope: Scope, revision: int) -> Report:
    """Put back what one revision changed, whoever did it; of a job's run all of it goes back."""
    with runtime.store.view() as view:
        lines = view.revision(scope.owner, revision)
    if not lines:
        raise NotFound(f"there is no revision {revision} for this owner, or the journal was cut since")
    run = next((line.memory_id for line in lines if line.op == "ran"), "")
    return undo(runtime, scope, run or f"{REVISION}{revision}")


def _about(view: Reading, owner: str, run: str) -> list[Entry]:
    """Give the lines that name a run, or all lines of the revision it stands for and those that took it back."""
    named = view.journal(owner, [run], limit=MOST_LINES)
    number = run.removeprefix(REVISION)
    if number == run or not number.isdecimal():
        return named
    return [*view.revision(owner, int(number)), *(line for line in named if line.op == "undone")]


def undo(runtime: Runtime, scope: Scope, run: str) -> Report:
    """Put back what one run changed; what was changed since stays, and is told."""
    name = checks.name("run", run, empty=False)
    told: list[Report] = []

    def plan(view: Reading) -> Write | Receipt:
        told[:] = []
        answer, report = _planned(runtime, view, scope, name)
        told.append(report)
        return answer

    with runtime.store.view() as view:
        plan(view)
    promised = bool(told[0].numbers.get("removed"))
    if promised:
        scrub_later(runtime)
    receipt = runtime.store.decide(scope.owner, plan, runtime.now())
    if told[0].numbers.get("removed") and not promised:  # somebody let go of it between the two looks
        scrub_later(runtime)
    return replace(told[0], run=name if receipt.outcome == "stored" else "")


def _planned(runtime: Runtime, view: Reading, scope: Scope, run: str) -> tuple[Write | Receipt, Report]:
    owner = scope.owner
    about = _about(view, owner, run)
    if not about:
        raise NotFound(f"there is no run {run} for this owner, or it changed nothing that the journal tells")
    done = [line for line in about if line.op == "undone"]
    if done:
        return _refused(owner, run, f"it was undone before, {iso(done[0].at)}")
    back = _Undoing(frozenset(line.rev for line in about))
    back.read([line for rev in sorted(back.revs) for line in view.revision(owner, rev)])
    if back.final and not (back.touched or back.others):
        return _refused(owner, run, f"a run of {about[0].node} cannot be undone: {', '.join(sorted(back.final))}")
    _keep_changed(view, owner, back, runtime.now())
    changes = _changes(runtime, view, owner, back)
    job = about[0].node
    later = _later(runtime, owner, job, changes)
    report = _report(owner, run, job, changes, back, later)
    meta = {"job": job, "changed": report.changed, "left": len(back.left)}
    write = Write(
        owner=owner,
        at=runtime.now(),
        node="undo",
        changes=(*_marked(changes, run), Note(run, "undone", meta), *later),
        expect=(Still(view.counters(owner).rev),),
        actor=scope.agent,
        receipt=Receipt(outcome="stored", op="undone", id=run, count=report.changed),
    )
    return write, report


def _refused(owner: str, run: str, reason: str) -> tuple[Receipt, Report]:
    report = Report(job="undo", owner=owner, status="skipped", skipped=reason, text=f"Skipped: {reason}.")
    return Receipt(outcome="duplicate", op="none", id=run, reason=reason), report


def _cells(before: Mapping[str, Any]) -> dict[str, Any]:
    """Read what columns held, as the journal keeps it."""
    found = dict(before)
    for column, value in before.items():
        if column in ("tags", "attributes") and isinstance(value, str):
            found[column] = json.loads(value)
        elif column in TIMES and value is not None:
            found[column] = from_ms(value)
    return found


# What stays


def _keep_changed(view: Reading, owner: str, back: _Undoing, now: datetime) -> None:
    """Leave what was changed or built upon since the run, and what stands in for it or gave way to it."""
    memories = {one.id: one for some in _chunks(back.touched) for one in view.get(owner, some)}
    for one in back.touched:
        if one not in memories:
            back.left[one] = GONE
    for one, line in _since(view, owner, back, back.touched).items():
        back.left.setdefault(one, f"it was changed since ({line.op}, {iso(line.at)})")
    links = [link for some in _chunks(back.touched) for link in view.links(owner, some)]
    ours = {(line.memory_id, change.to_id, change.type) for line, change in back.others if isinstance(change, Cut)}
    made = set(back.created)
    for link in links:
        new = (link.from_id, link.to_id, link.type) not in ours
        if new and link.type == "derived_from" and link.to_id in made and link.from_id not in made:
            back.left.setdefault(link.to_id, f"{link.from_id} was derived from it since")
    _keep_taken(view, back, memories, now)
    _wait_on(back, memories, now)
    pairs = [(link.from_id, link.to_id) for link in links if link.type in CHAIN]
    while more := {b: a for pair in pairs for a, b in (pair, pair[::-1]) if a in back.left and b not in back.left}:
        back.left |= {one: f"{other}, which stands for it or gave way to it, stays" for one, other in more.items()}


def _since(view: Reading, owner: str, back: _Undoing, ids: Sequence[str]) -> dict[str, Entry]:
    """Give the first change each memory saw after the run, from elsewhere, that still stands."""
    found: dict[str, Entry] = {}
    first = min(back.revs)
    for some in _chunks(ids):
        lines = [line for line in view.journal(owner, some, first, MOST_LINES) if line.rev not in back.revs]
        undone = {(line.memory_id, str((line.meta or {}).get("run"))) for line in lines if line.op == "undone"}
        runs = {run for _, run in undone}
        revs = {run: {line.rev for line in _about(view, owner, run)} for run in runs}
        for line in lines:
            cancelled = any(one == line.memory_id and line.rev in revs[run] for one, run in undone)
            if not cancelled and (line.op == "created" or inverse_of(line) is None):
                found.setdefault(line.memory_id, line)
    return found


def _keep_taken(view: Reading, back: _Undoing, memories: Mapping[str, Memory], now: datetime) -> None:
    """Leave what would come back beside something that came to say the same, or to have its key, since the run."""
    leaving = {one for one in back.created if one not in back.left}
    leaving |= {one for one, was in back.patched.items() if one not in back.left and was.get("state") in RESTING}
    for one, was in back.patched.items():
        memory = memories.get(one)
        if memory is None or one in back.left or was.get("state") != "active":
            continue
        if memory.key:
            slot = view.slot(memory.owner, memory.agent, memory.kind, memory.key)
            twin = slot.id if slot else None
        else:
            back_then = replace(memory, project=was.get("project", memory.project))
            twin = view.active_with_hash(memory.owner, memory.kind, hash_of(back_then), now)
        # What stood beside it before the run may do so again: a note, and what was claimed of it in the same words.
        if twin and twin != one and twin not in leaving and _since(view, memory.owner, back, [twin]):
            back.left[one] = f"{twin} has its place by now"


def _wait_on(back: _Undoing, memories: Mapping[str, Memory], now: datetime) -> None:
    """Let what waits again but has run out wait a day more: else nobody could see or answer it."""
    for one, was in back.patched.items():
        if was.get("state") in PENDING and one in memories:
            until = was.setdefault("purge_at", memories[one].purge_at)
            was["purge_at"] = now + LATER if until and until <= now else until


# What goes back


def _changes(runtime: Runtime, view: Reading, owner: str, back: _Undoing) -> list[Change]:
    gone = [one for one in back.created if one not in back.left]
    changes = list(_others(view, owner, back, set(gone)))
    keep = sorted({entity for one in gone for entity in back.bare[one]})
    changes += [Remove(tuple(gone), "purged", tuple(keep))] if gone else []
    out = [one for one, was in back.patched.items() if "archive" in was and one not in back.left]
    moved = [one for some in _chunks(out) for one in view.get(owner, some) if one.archive]
    changes += [
        replace(one, tier=back.patched[one.id]["tier"]) for one in brought_back(runtime, moved, "long", "undone")
    ]
    rest = {one: was for one, was in back.patched.items() if was and one not in back.left and one not in out}
    changes += [Patch(one, was, "undone") for one, was in rest.items()]
    return changes


def _others(view: Reading, owner: str, back: _Undoing, gone: set[str]) -> Iterable[Change]:
    """Give what puts links, watermarks and the like back, as far as they are still as the run left them."""
    ends = sorted({end for _, one in back.others if isinstance(one, Cut | Rejoin) for end in (one.from_id, one.to_id)})
    there = {_key(link) for some in _chunks(ends) for link in view.links(owner, some)}
    known = {one.id for some in _chunks(ends) for one in view.get(owner, some)}
    parted: set[str] = set()
    named, bearers, taken = _named(view, owner, back)
    erased = {rev for one, rev in back.created.items() if back.left.get(one) == GONE}
    reached: dict[str, Any] = {}  # how far each session came in the run: its last line is met first
    for line, change in back.others:
        if isinstance(change, Cut | Rejoin):
            key, pair = (change.from_id, change.to_id, change.type), {change.from_id, change.to_id}
            if pair & gone or pair & back.left.keys() or (change.type != "mentions" and not pair <= known):
                continue
            if isinstance(change, Cut) and key not in there:
                continue
            there = there - {key} if isinstance(change, Cut) else there | {key}
        elif isinstance(change, Reach):
            upto = reached.setdefault(change.session, (line.meta or {}).get("upto"))
            row = view.session(owner, change.session)
            if line.rev in erased:
                back.left.setdefault(f"session {change.session}", "read again, it would bring back what is gone by now")
                continue
            if row is None or row.consolidated_upto != upto:
                back.left.setdefault(f"session {change.session}", "it was worked through further since")
                continue
        elif isinstance(change, Part):
            if not _united(view, owner, change, parted):
                back.left.setdefault(change.into_id, "its names were united or parted since")
                continue
            parted.add(change.entity["id"])
            named |= {(memory, change.entity["id"]) for memory, *_ in change.links}
        elif isinstance(change, Rename):
            if not _called(view, owner, line):
                back.left.setdefault(line.memory_id, "it was given another name since")
                continue
        elif isinstance(change, Protect):
            if not view.by_id(owner, [change.entity_id]):  # nobody mentions it any more
                continue
        elif line.memory_id in back.left or (line.memory_id in gone and line.op != "created"):
            continue
        elif isinstance(change, Unname):
            pairs = {(change.memory_id, entity) for entity in change.linked}
            moved = {entity for folded, _, entity in change.names if folded in taken and entity not in bearers | parted}
            for entity in sorted(moved | {entity for _, entity in pairs - named}):
                back.left.setdefault(entity, "it was united with another since")
            named = named - pairs | {(change.memory_id, entity) for entity, *_ in change.left}
        yield change


def _named(view: Reading, owner: str, back: _Undoing) -> tuple[set[tuple[str, str]], set[str], set[str]]:
    """Give whom the memories the run read again mention by now, who bears names it taught, and which are borne."""
    changes = [change for _, change in back.others if isinstance(change, Unname)]
    links = (one for some in _chunks(sorted({one.memory_id for one in changes})) for one in view.links(owner, some))
    known = view.entities(owner, sorted({folded for one in changes for folded, *_ in one.names}))
    taken = {alias for one in known for alias in one.aliases}
    return {(one.from_id, one.to_id) for one in links if one.type == "mentions"}, {one.id for one in known}, taken


def _called(view: Reading, owner: str, line: Entry) -> bool:
    """Tell whether an entity still has the name a line says it was given."""
    name = str((line.before or {}).get("to", ""))
    return any(one.id == line.memory_id and one.name == name for one in view.entities(owner, [fold(name)]))


def _united(view: Reading, owner: str, change: Part, parted: Set[str]) -> bool:
    """Tell whether two entities are still one, as the run or what of it was taken back already left them."""
    known = {one.id for one in view.entities(owner, [folded for folded, _ in change.names])}
    return (change.into_id in known or change.into_id in parted) and change.entity["id"] not in known


def _marked(changes: Iterable[Change], run: str) -> tuple[Change, ...]:
    """Note with every memory that is put back which run was undone."""
    return tuple(replace(one, meta={"run": run}) if isinstance(one, Patch | Shelve) else one for one in changes)


def _later(runtime: Runtime, owner: str, job: str, changes: Sequence[Change]) -> tuple[Enqueue, ...]:
    """Let the job look again at its next time, not at once, and the others at what came back, as they do at any change.

    What waits again runs out at its time; and nobody embedded what was out of sight.
    """
    now, patches = runtime.now(), [one for one in changes if isinstance(one, Patch)]
    again = next_time(owner, job, now, runtime.settings.jobs) if changes else None
    waits = [one.values["purge_at"] for one in patches if one.values.get("state") in PENDING]
    until = min((moment for moment in waits if moment), default=None)
    fresh = runtime.model and any(one.values.get("state") == "active" for one in patches)
    return (
        *((Enqueue(job, again),) if again else ()),
        *((Enqueue("expire", until),) if until else ()),
        *((Enqueue("embed", now),) if fresh and job != "embed" else ()),
        *(one for one in tended(runtime, owner, changes) if one.name != job),
    )


def _report(
    owner: str, run: str, job: str, changes: Sequence[Change], back: _Undoing, later: Sequence[Enqueue]
) -> Report:
    removed = sum(len(one.ids) for one in changes if isinstance(one, Remove))
    restored = sum(isinstance(one, Patch | Shelve) for one in changes)
    links = sum(isinstance(one, Cut | Rejoin) for one in changes)
    named = len({one.memory_id for one in changes if isinstance(one, Unname)} - set(back.created))
    parted = sum(isinstance(one, Part) for one in changes)
    numbers = {"removed": removed, "restored": restored, "links": links, "named": named, "parted": parted}
    numbers["left"] = len(back.left)
    parts = [f"Took back {job}: {removed} memories it made are gone, {restored} are as they were before."]
    if not changes:
        parts = [f"Nothing of {job} could be taken back."]
    parts += [f"{links} links put right."] if links else []
    parts += [f"{named} memories name what they named before."] if named else []
    parts += [f"{parted} that were united are two again."] if parted else []
    parts += [f"{len(back.left)} left as they are, for they changed since or are gone."] if back.left else []
    parts += ["Vectors stay, for they follow from the text."] if job == "embed" else []
    again = [one.due_at for one in later if one.name == job]
    parts += [f"{job} runs again {iso(again[0])}: pause it, or pin what shall stay."] if again else []
    return Report(
        job="undo",
        owner=owner,
        changed=len(changes) - bool(removed) + removed,
        text=" ".join(parts),
        numbers=numbers,
        steps=tuple(_steps(changes, back)),
    )


def _steps(changes: Sequence[Change], back: _Undoing) -> Iterable[str]:
    for one in changes:
        if isinstance(one, Remove):
            yield from (f"{each}: made by the run, gone" for each in one.ids)
        elif isinstance(one, Patch):
            yield f"{one.id}: {', '.join(sorted(one.values))} as before"
        elif isinstance(one, Shelve):
            yield f"{one.id}: its text is back from the archive"
        elif isinstance(one, Reach):
            yield f"session {one.session}: to be worked through again"
        elif isinstance(one, Unname) and one.memory_id not in back.created:
            yield f"{one.memory_id}: names what it named before"
        elif isinstance(one, Part):
            yield f"{one.into_id}: {one.entity['id']} stands beside it again"
        elif isinstance(one, Rename):
            yield f"{one.entity_id}: called as before"
        elif isinstance(one, Protect):
            yield f"{one.entity_id}: {'protected' if one.protected else 'not protected'}, as before"
    yield from (f"{one}: left, {why}" for one, why in back.left.items())


def _key(link: Link) -> tuple[str, str, str]:
    return link.from_id, link.to_id, link.type


def _chunks(ids: Sequence[str]) -> Iterable[list[str]]:
    for at in range(0, len(ids), CHUNK):
        yield list(ids[at : at + CHUNK])
