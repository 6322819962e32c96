"""What was decided becomes one write: verdicts, what they rest on, what follows from them, and one answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from recollect.flows.find.meaning import Vectors
from recollect.flows.gate.verdict import Verdict
from recollect.flows.life.follow_ups import tended
from recollect.flows.noting import classified
from recollect.model.change import Change, Connect, Enqueue, Put, Write
from recollect.model.expectation import Expectation, Leased, Version
from recollect.model.job import Job
from recollect.model.memory import Memory
from recollect.model.owner import Scope
from recollect.model.receipt import Receipt
from recollect.model.values import dataclass
from recollect.rules.learn.notes import CLASS
from recollect.runtime import Runtime
from recollect.store.base import Reading, View


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a write comes from, as the journal tells it: whose memory, which verb or job, who, and which request."""

    scope: Scope
    node: str
    actor: str
    request: str = ""
    """What a retry is known by: it gets the first answer. Empty where nobody can ask twice."""
    job: Job | None = None
    """The job that writes: it must still hold its lease, and its run can be undone."""
    run: str = ""
    """The name of a run that is no job's, by which what it wrote can be undone."""


@dataclass(frozen=True, slots=True)
class Resolution:
    """What is to be written in one go: verdicts, and what goes along with them."""

    receipt: Receipt
    """The answer for all of it; the verdicts' own receipts become its parts."""
    verdicts: Sequence[Verdict] = ()
    sources: Sequence[Sequence[str]] = ()
    """For each verdict the ids of the messages its memory is derived from; empty where none are known of any."""
    read: Sequence[Memory] = ()
    """What was read for it, and must be the same still."""
    changes: tuple[Change, ...] = ()
    expect: tuple[Expectation, ...] = ()


Decision = Callable[[View], Resolution | Verdict | Receipt]
"""A look at the store that says what to write; a verdict alone is answered by its own receipt, and a receipt says that
there is nothing to write. It may be asked again when others get in between."""


def commit(
    runtime: Runtime,
    origin: Origin,
    plan: Decision,
    vectors: Vectors | None = None,
    again: Callable[[View, Receipt], None] | None = None,
) -> Receipt:
    """Give the receipt of what a plan decides, written whole or not at all; a request carried out before is answered
    as it was then.

    `vectors` makes new memories findable by meaning; without it that is left to the job `embed`. `again` may refuse to
    answer a request that comes back with something else.
    """
    scope = origin.scope

    def write(view: View) -> Write | Receipt:
        done = first_answer(view, scope, origin.request)
        if done is not None:
            if again is not None:
                again(view, done)
            return done
        decided = plan(view)
        if isinstance(decided, Receipt):
            return decided
        return _write(runtime, view, origin, decided, vectors)

    receipt = runtime.store.decide(scope.owner, write, runtime.now())
    classified(runtime, scope, origin.node, receipt.parts)
    return receipt


def first_answer(view: Reading, scope: Scope, request: str) -> Receipt | None:
    """Give the receipt of a request that was carried out before; None where it was not, or is none."""
    return view.replay(scope.owner, request) if request else None


def _write(
    runtime: Runtime, view: Reading, origin: Origin, decided: Resolution | Verdict, vectors: Vectors | None
) -> Write | Receipt:
    if isinstance(decided, Verdict):
        receipt, whole = decided.receipt, Resolution(decided.receipt, (decided,))
    else:
        receipt, whole = replace(decided.receipt, parts=tuple(one.receipt for one in decided.verdicts)), decided
    changes, expect = _changes(runtime, view, origin, whole, vectors), _expected(origin, whole)
    if not (changes or expect or origin.request):
        return receipt
    scope, now = origin.scope, runtime.now()
    return Write(
        owner=scope.owner,
        at=now,
        node=origin.node,
        changes=(*changes, *tended(runtime, scope.owner, changes, now)),
        expect=expect,
        actor=origin.actor,
        session=scope.session,
        request_id=origin.request,
        receipt=receipt,
        run=origin.job.lease_token if origin.job else origin.run,
    )


def _changes(
    runtime: Runtime, view: Reading, origin: Origin, whole: Resolution, vectors: Vectors | None
) -> tuple[Change, ...]:
    changes: list[Change] = [change for verdict in whole.verdicts for change in verdict.changes]
    new = [verdict.put.memory for verdict in whole.verdicts if verdict.put is not None]
    for verdict, sources in zip(whole.verdicts, whole.sources, strict=bool(whole.sources)):
        if verdict.put is not None:
            changes += [Connect(verdict.put.memory.id, one, "derived_from") for one in sources]
    changes += whole.changes
    new += [change.memory for change in whole.changes if isinstance(change, Put)]
    if vectors is not None and new:
        changes += vectors.changes(view.counters(origin.scope.owner).model, new, runtime.now())
    if (vectors is None and runtime.model and new) or (runtime.judge is not None and any(map(_unclassed, new))):
        changes.append(Enqueue("embed", runtime.now()))
    return tuple(changes)


def _unclassed(memory: Memory) -> bool:
    """Tell whether the job `embed` has to say of which class a memory is."""
    return memory.kind == "fact" and not memory.key and CLASS not in memory.attributes


def _expected(origin: Origin, whole: Resolution) -> tuple[Expectation, ...]:
    held = (Leased(origin.job.name, origin.job.key, origin.job.lease_token),) if origin.job else ()
    same = (Version(one.id, one.version) for one in whole.read)
    return (*(one for verdict in whole.verdicts for one in verdict.expect), *whole.expect, *same, *held)
