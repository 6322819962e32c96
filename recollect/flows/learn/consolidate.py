"""A session is consolidated: page by page, its facts, its summary and how far it has come, each page in one commit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta

from recollect.flows.find.meaning import Vectors
from recollect.flows.keep.remember import judged
from recollect.flows.learn.admission import Learnt, kept
from recollect.flows.learn.extract import Extracted, by_rules, extracted
from recollect.flows.learn.pages import Page, echo_of, next_page
from recollect.flows.learn.screen import screened
from recollect.flows.learn.summary import Summing, summed, summing
from recollect.flows.life.follow_ups import tended
from recollect.flows.noting import classified
from recollect.model.change import Change, Connect, Enqueue, Expectation, Leased, Reach, Reached, Version, Write
from recollect.model.job import Job
from recollect.model.options import Draft
from recollect.model.owner import Scope
from recollect.model.receipt import Receipt, Report
from recollect.rules.gate.caps import Count
from recollect.rules.life.schedule import wait_after
from recollect.runtime import Runtime
from recollect.store.base import View

JOB = "consolidate"
NOTHING_NEW = "Nothing new since it was last worked through."
MOVED = "somebody else worked on the session meanwhile"
PATIENCE = timedelta(seconds=100)
"""After so long no further page is begun: the owner's other jobs wait for this one."""
TRIES = 5
"""How often a page is read again when others get in between."""
FAILURES = 2
"""After so many pages a model failed on, the rest of a run is read by rules; the model is asked later."""
TAKEN_BACK = Receipt(outcome="rejected", op="none", reason="the speaker took it back")
LATER = "reread"
"""The job that asks a model about pages it failed on."""
ALL_PAGES = 10**9


@dataclass(frozen=True, slots=True)
class Done:
    """What a run over a session came to."""

    messages: int = 0
    passed: int = 0
    pages: int = 0
    summaries: int = 0
    learnt: Learnt = field(default_factory=Learnt)
    why: tuple[str, ...] = ()
    """Why rules read what a model should have, each reason once."""
    failed: int = 0
    """How many pages a model failed on: they are read by rules, and the model is asked again later."""
    more: bool = False

    def __add__(self, other: Done) -> Done:
        return Done(
            self.messages + other.messages,
            self.passed + other.passed,
            self.pages + other.pages,
            self.summaries + other.summaries,
            self.learnt + other.learnt,
            tuple(dict.fromkeys((*self.why, *other.why))),
            self.failed + other.failed,
            other.more,
        )


def consolidate(runtime: Runtime, owner: str, session: str, this: Job | None = None, pages: int = ALL_PAGES) -> Done:
    """Work through what is new in a session, at most so many pages; killed at any point, the next run goes on."""
    done, begun, tries = Done(), runtime.now(), 0
    while True:
        with runtime.store.view() as view:
            page = next_page(runtime, view, owner, session)
            before = summing(view, owner, session) if page else Summing()
            so_far = replace(done, learnt=done.learnt.waiting(view, owner))
        if page is None:
            return replace(so_far, more=False)
        if done.pages >= pages or (this is not None and runtime.now() - begun > PATIENCE) or tries >= TRIES:
            return replace(so_far, more=True)
        read = _read(runtime, owner, page, before, done)
        outcome = write_page(runtime, owner, page, (read, before), this)
        tries = 0 if outcome is not None else tries + 1
        done = done + outcome if outcome is not None else done


def write_page(
    runtime: Runtime, owner: str, page: Page, what: tuple[Extracted, Summing], this: Job | None
) -> Done | None:
    """Commit what came of reading one page; None when it changed under our eyes and has to be read again."""
    read, before = what
    scope = Scope(owner, page.session.agent, page.session.id)
    request = f"{JOB}\n{page.session.id}\n{page.first}"
    vectors, summaries = Vectors(runtime), [0]

    def plan(view: View) -> Write | Receipt:
        if not _stands(view, owner, page):
            return Receipt(outcome="rejected", op="none", reason=MOVED)
        write, summaries[0] = _write(runtime, view, scope, page, (read, before, request), vectors)
        return replace(write, expect=(*write.expect, *_held(this)), run=this.lease_token if this else "")

    receipt = runtime.store.decide(owner, plan, runtime.now())
    if receipt.outcome == "rejected" and receipt.reason == MOVED:
        return None
    classified(runtime, scope, JOB, receipt.parts)
    with runtime.store.view() as view:
        learnt = Learnt.of(receipt.parts, read.usage).waiting(view, owner) + Learnt(dropped=read.dropped)
    return Done(
        len(page.turns),
        page.passed,
        1,
        summaries[0],
        learnt,
        (read.why,) if read.why else (),
        int(read.failed),
    )


def _read(runtime: Runtime, owner: str, page: Page, before: Summing, done: Done) -> Extracted:
    if not page.turns:
        return Extracted(())
    if done.failed >= FAILURES:
        return replace(by_rules(runtime, page.turns, "the model is asked again later"), failed=True)
    least = runtime.settings.consolidation.least_messages
    if not page.more and page.total < least:
        return by_rules(runtime, page.turns, f"fewer than {least} messages are not worth asking a model")
    return extracted(runtime, owner, page.turns, before.text, (JOB, page.session.id))


def _stands(view: View, owner: str, page: Page) -> bool:
    """Tell whether the page is still what was read: nobody has worked it through, no message was erased or changed."""
    row = view.session(owner, page.session.id)
    if row is None or (row.consolidated_upto != page.session.consolidated_upto and not page.again):
        return False
    now = [(one.id, one.version) for one in view.get(owner, [one.id for one in page.messages])]
    return now == [(one.id, one.version) for one in page.messages]


def _held(this: Job | None) -> tuple[Leased, ...]:
    return () if this is None else (Leased(this.name, this.key, this.lease_token),)


def _write(
    runtime: Runtime,
    view: View,
    scope: Scope,
    page: Page,
    what: tuple[Extracted, Summing, str],
    vectors: Vectors,
) -> tuple[Write, int]:
    """Give the one commit of a page, and whether a summary is in it."""
    read, before, request = what
    drafts = _drafts(runtime, view, scope, page, read)
    vectors.prepare([one for one in drafts if isinstance(one, Draft)])
    # Idempotence is the watermark. A page read again, after an undo, gives memories of its own.
    verdicts = judged(runtime, view, scope, drafts, f"{request}\n{view.counters(scope.owner).rev}", vectors)
    changes: list[Change] = [change for verdict in verdicts for change in verdict.changes]
    expect: list[Expectation] = [one for verdict in verdicts for one in verdict.expect]
    known = {one.id for one in page.messages}
    new = [verdict.put.memory for verdict in verdicts if verdict.put is not None]
    changes += [
        Connect(one.id, str(one.attributes.get("turn")), "derived_from")
        for one in new
        if one.attributes.get("turn") in known
    ]
    summary = summed(runtime, view, scope, page, (read, before, changes))
    changes += summary.changes if summary else ()
    expect += summary.expect if summary else ()
    if not page.again:
        expect.append(Reached(page.session.id, page.session.consolidated_upto))
        changes += [Reach(page.session.id, page.upto), *_later(runtime, page, read)]
    expect += [Version(one.id, one.version) for one in page.messages]
    changes += vectors.changes(view.counters(scope.owner).model, new, runtime.now())
    receipt = Receipt(
        outcome="stored",
        op="consolidated",
        id=summary.id if summary else "",
        count=len(page.turns),
        parts=tuple(verdict.receipt for verdict in verdicts),
    )
    write = Write(
        owner=scope.owner,
        at=runtime.now(),
        node=JOB,
        changes=(*changes, *tended(runtime, scope.owner, changes)),
        expect=tuple(expect),
        actor=JOB,
        session=scope.session,
        receipt=receipt,
    )
    return write, int(summary is not None)


def _later(runtime: Runtime, page: Page, read: Extracted) -> tuple[Enqueue, ...]:
    """Let a model that failed on a page be asked again, after a while."""
    if not read.failed:
        return ()
    at = runtime.now() + wait_after(1, runtime.settings.jobs)
    span = {"session": page.session.id, "after": page.session.consolidated_upto, "upto": page.upto}
    return (Enqueue(LATER, at, page.first, span),)


def _drafts(runtime: Runtime, view: View, scope: Scope, page: Page, read: Extracted) -> list[Draft | Receipt]:
    """Screen the candidates of a page, and hold what is left against the caps of session and day."""
    policy = runtime.settings.consolidation
    if not read.candidates:
        return []
    echo = echo_of(runtime, view, scope.owner, read.candidates, page.outside, scope.session)
    passed = screened(runtime, view, scope, read.candidates, page.turns, echo, read.version)
    gone = runtime.reader.taken_back(page.turns, runtime.settings.statements)
    passed = [
        TAKEN_BACK if one.quote and any(turn == one.turn and one.quote in said for turn, said in gone) else draft
        for one, draft in zip(read.candidates, passed, strict=True)
    ]
    caps = (Count("session", policy.facts_per_session), Count("day", policy.facts_per_day))
    return kept(runtime, view, scope, list(zip(read.candidates, passed, strict=True)), read, caps)


def report(owner: str, done: Sequence[Done], job: str = JOB) -> Report:
    """Tell what a run came to, in words and numbers."""
    total = sum(done, Done())
    learnt = total.learnt
    if not total.pages:
        return Report(job=job, owner=owner, text=NOTHING_NEW)
    verb = "Summarized" if total.summaries else "Read"
    head = f"{verb} {total.messages} messages → {learnt.saved} memories saved"
    parts = [head + (f", {learnt.duplicates} duplicate(s) skipped." if learnt.duplicates else "."), *learnt.told()]
    parts += [f"{total.passed} messages of tools and systems passed over."] if total.passed else []
    parts += [f"By rules: {why}." for why in total.why]
    parts += [f"A model is asked again later about {total.failed} page(s)."] if total.failed else []
    parts += ["More is left for the next run."] if total.more else []
    numbers = {"messages": total.messages, "passed": total.passed, "pages": total.pages, "summaries": total.summaries}
    return Report(job=job, owner=owner, changed=learnt.saved, text=" ".join(parts), numbers=numbers | learnt.numbers())
