"""A message arrives: episode, mentions, words and due jobs in one commit. No model, no network."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from recollect.errors import Conflict, InvalidInput, RecollectError
from recollect.flows.find.meaning import Vectors
from recollect.flows.life.follow_ups import tended
from recollect.flows.people.naming import fast
from recollect.model.change import Change, Committed, Enqueue, Open, Put, Write
from recollect.model.clock import LATEST, checked_time
from recollect.model.expectation import Version
from recollect.model.filter import Filter
from recollect.model.memory import Memory
from recollect.model.owner import Scope
from recollect.model.receipt import Receipt
from recollect.model.values import dataclass
from recollect.rules.gate import checks
from recollect.rules.gate.trust import trust_of
from recollect.rules.learn.learning import of_work, worth_a_look
from recollect.rules.life.schedule import next_time
from recollect.rules.privacy.secrets import cleaned, redacted, warned
from recollect.runtime import Runtime
from recollect.text.roles import unknown_roles
from recollect.text.terms import terms

ASKED_FOR = LATEST - timedelta(days=1)
"""When a session is worked through by itself where no time is set for it: not before another one begins."""


def observe(
    runtime: Runtime,
    scope: Scope,
    role: str,
    content: str,
    at: datetime | None,
    attributes: Mapping[str, Any] | None,
    actor: str,
    request_id: str,
) -> Receipt:  # long because the parameters are the message
    """Keep one message as it was said. Only a repeated `request_id` is ever taken for a repeat."""
    write, memory = _written(runtime, scope, role, content, at, attributes, actor, request_id)
    done = _committed(runtime, write, memory)
    assert done.receipt is not None
    if done.replayed:
        _same(runtime, scope, done.receipt, memory.content)
    return done.receipt


@dataclass(frozen=True, slots=True)
class Line:
    """One message of many, with the session it belongs to and what a retry is known by."""

    session: str
    role: str
    content: str
    at: datetime
    request_id: str
    attributes: Mapping[str, Any]
    actor: str = ""


def observe_many(runtime: Runtime, scope: Scope, lines: Sequence[Line]) -> list[Receipt]:
    """Keep many messages, as few transactions as they fit; those kept before answer as known, and bad ones as rejected.

    They are found by meaning a little later, whatever is set.
    """
    writes: list[Write | Receipt] = []
    for line in lines:
        try:
            talk = replace(scope, session=checks.name("session", line.session))
            made = _written(
                runtime, talk, line.role, line.content, line.at, line.attributes, line.actor, line.request_id
            )[0]
            writes.append(_embedded_later(runtime, made))
        except InvalidInput as error:
            writes.append(Receipt(outcome="rejected", reason=str(error)))
    known = _known(runtime, scope, [one.receipt.id for one in writes if isinstance(one, Write) and one.receipt])
    new = [one for one in writes if isinstance(one, Write) and one.receipt and one.receipt.id not in known]
    done = iter(runtime.store.commit_all(new))
    return [_answer(one, known, done) for one in writes]


def _answer(write: Write | Receipt, known: set[str], done: Iterator[Committed | RecollectError]) -> Receipt:
    if isinstance(write, Receipt):
        return write
    assert write.receipt is not None
    if write.receipt.id in known:
        return Receipt(outcome="duplicate", op="none", id=write.receipt.id, other=write.receipt.id)
    answer = next(done)
    if isinstance(answer, RecollectError):
        raise answer
    assert answer.receipt is not None
    return answer.receipt


def _known(runtime: Runtime, scope: Scope, ids: Sequence[str]) -> set[str]:
    with runtime.store.view() as view:
        return {one.id for one in view.get(scope.owner, list(ids))}


def _written(
    runtime: Runtime,
    scope: Scope,
    role: str,
    content: str,
    at: datetime | None,
    attributes: Mapping[str, Any] | None,
    actor: str,
    request_id: str,
) -> tuple[Write, Memory]:  # long because the parameters are the message
    """Check a message, and give the write that keeps it."""
    request = checks.request(request_id, "observe")
    now = runtime.now()
    said = now if at is None else checked_time("at", at)
    content, secrets = redacted(checks.content(content))
    kept, more = cleaned(checks.attributes({} if attributes is None else attributes))
    warnings = warned(dict.fromkeys((*secrets, *more)))
    role = checks.name("role", role, empty=False)
    warnings += (unknown,) if (unknown := unknown_roles((role,))) else ()
    memory = Memory(
        owner=scope.owner,
        id=runtime.new_id("episode", now, (scope.owner, request, 0) if request else None),
        kind="episode",
        content=content,
        created_at=now,
        updated_at=now,
        event_time=said,
        valid_from=said,
        tier="long",
        agent=scope.agent,
        session=scope.session,
        actor=checks.name("actor", actor),
        role=role,
        project=scope.project,
        trust=trust_of(role, ""),
        attributes=kept,
    )
    put = Put(
        memory,
        "",  # messages are never taken for duplicates
        terms(content, runtime.settings.terms),
        fast(runtime, content),
    )
    write = Write(
        owner=scope.owner,
        at=now,
        node="observe",
        changes=(put, *_session(runtime, scope, said, now), *_later(runtime, put, now)),
        actor=memory.actor or memory.role,
        session=scope.session,
        request_id=request,
        receipt=Receipt(outcome="stored", op="created", id=memory.id, warnings=warnings),
    )
    return write, memory


def carried_out(runtime: Runtime, scope: Scope, request_id: str) -> bool:
    """Tell whether the message of a request is kept already."""
    request = checks.request(request_id, "observe")
    if not request:
        return False
    with runtime.store.view() as view:
        return bool(view.get(scope.owner, [runtime.new_id("episode", runtime.now(), (scope.owner, request, 0))]))


def _session(runtime: Runtime, scope: Scope, said: datetime, now: datetime) -> tuple[Change, ...]:
    """See the session, which the night works through; when it is new, those left for it are due, and so is ageing."""
    night = next_time(scope.owner, "consolidate", now, runtime.settings.jobs)
    if not scope.session:  # it is in no conversation, but somebody said it: the night finds it among what is open
        loose = Open("", scope.agent, said)
        return (loose, Enqueue("consolidate", night)) if night else (loose,)
    seen = Open(scope.session, scope.agent, said, (Enqueue("age", now),), Enqueue("consolidate", now))
    return seen, Enqueue("consolidate", night or ASKED_FOR, scope.session)


def _later(runtime: Runtime, put: Put, now: datetime) -> tuple[Change, ...]:
    """Give what follows from a message: what is learnt of it, and who looks after it."""
    return (*_learning(runtime, put.memory), *tended(runtime, put.memory.owner, (put,), now))


def _learning(runtime: Runtime, memory: Memory) -> tuple[Change, ...]:
    """Let a message that may ask to be remembered, or teach a lesson, be read by a job, a moment later."""
    found: list[Change] = []
    if worth_a_look(memory.role, memory.content, runtime.settings.learning, runtime.reader):
        found.append(Enqueue("learn", memory.created_at, memory.id))
    if runtime.settings.lessons.enabled and of_work(memory.role, memory.content, memory.attributes, runtime.reader):
        found.append(Enqueue("lessons", memory.created_at, memory.id))
    return tuple(found)


def _committed(runtime: Runtime, write: Write, memory: Memory) -> Committed:
    """Keep a message and let it be found by meaning: a moment later, or at once where that was set.

    A vector made at once rests on the message before; when that changes meanwhile, a job makes it.
    """
    later = _embedded_later(runtime, write)
    if not runtime.model or not runtime.settings.embedding.at_once:
        return runtime.store.commit(later)
    before = _before(runtime, memory, write.at)
    made = Vectors(runtime).message(memory, before, write.at)
    same = () if before is None else (Version(before.id, before.version),)
    try:
        return runtime.store.commit(replace(write, changes=(*write.changes, made), expect=same))
    except Conflict:
        return runtime.store.commit(later)


def _embedded_later(runtime: Runtime, write: Write) -> Write:
    more = (Enqueue("embed", write.at),) if runtime.model else ()
    return replace(write, changes=(*write.changes, *more))


def _before(runtime: Runtime, memory: Memory, now: datetime) -> Memory | None:
    """Give the last message of the session so far."""
    if not memory.session:
        return None
    where = Filter(owner=memory.owner, now=now, kinds=("episode",), sessions=(memory.session,))
    with runtime.store.view() as view:
        return next(iter(view.page(where, "recent", 1)), None)


def _same(runtime: Runtime, scope: Scope, receipt: Receipt, content: str) -> None:
    """Refuse another message under a request that was carried out: it would be lost without a word."""
    with runtime.store.view() as view:
        kept = view.get(scope.owner, [receipt.id])
    if kept and kept[0].content != content:
        raise InvalidInput(checks.TAKEN)
