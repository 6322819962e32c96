"""A session is consolidated: page by page, its facts, its summary and how far it has come, each page in one commit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace
from datetime import timedelta

from recollect.flows.find.meaning import Vectors
from recollect.flows.gate.commit import Origin, Resolution, commit
from recollect.flows.gate.gate import judged
from recollect.flows.gate.verdict import Verdict
from recollect.flows.learn.admission import Learnt, kept
from recollect.flows.learn.asked import ASKED, freely, in_words
from recollect.flows.learn.extract import Extracted, extracted, said
from recollect.flows.learn.pages import Page, next_page
from recollect.flows.learn.requests import Request, carried_out
from recollect.flows.learn.screen import screened
from recollect.flows.learn.summary import PageRead, Summed, Summing, summed, summing
from recollect.language.commands import Command
from recollect.model.change import Change, Connect, Enqueue, Reach
from recollect.model.expectation import Expectation, Reached
from recollect.model.job import Job
from recollect.model.memory import COVERS
from recollect.model.options import Draft
from recollect.model.owner import Scope
from recollect.model.receipt import Receipt, Report
from recollect.model.turn import Turn
from recollect.model.values import dataclass
from recollect.rules.gate.caps import Count
from recollect.rules.learn.notes import NOTE
from recollect.rules.life.schedule import wait_after
from recollect.runtime import Runtime
from recollect.store.base import Reading, Searching, View
from recollect.text.terms import fold

JOB = "consolidate"
NOTHING_NEW = "Nothing new since it was last worked through."
MOVED = "somebody else worked on the session meanwhile"
PATIENCE = timedelta(seconds=100)
"""After so long no further page is begun: the owner's other jobs wait for this one."""
TRIES = 5
"""How often a page is read again when others get in between."""
FAILURES = 2
"""After so many pages a model failed on, the rest of a run is read by rules; the model is asked later."""
_NOTHING = Receipt(outcome="stored", op="none")
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
    unknown: tuple[str, ...] = ()
    """What is said of roles nobody knows."""
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
            tuple(dict.fromkeys((*self.unknown, *other.unknown))),
            self.failed + other.failed,
            other.more,
        )


def consolidate(
    runtime: Runtime, owner: str, session: str, this: Job | None = None, pages: int = ALL_PAGES, run: str = ""
) -> Done:
    """Work through what is new in a session, at most so many pages; killed at any point, the next run goes on.

    `run` is the name of a run that is no job's.
    """
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
        outcome = write_page(runtime, owner, PageRead(page, read, before), this, run)
        tries = 0 if outcome is not None else tries + 1
        done = done + outcome if outcome is not None else done


def write_page(runtime: Runtime, owner: str, whole: PageRead, this: Job | None, run: str = "") -> Done | None:
    """Commit what came of reading one page; None when it changed under our eyes and has to be read again."""
    page, read, vectors = whole.page, whole.read, Vectors(runtime)
    project = next((one.project for one in page.messages if one.project), "")
    scope = Scope(owner, page.session.agent, page.session.id, project)

    def plan(view: Searching) -> Resolution | Receipt:
        if not _stands(view, owner, page):
            return Receipt(outcome="rejected", op="none", reason=MOVED)
        drafts = _drafts(runtime, view, scope, page, read)
        vectors.prepare([one for one in drafts if isinstance(one, Draft)])
        # Idempotence is the watermark. A page read again, after an undo, gives memories of its own.
        request = f"{JOB}\n{page.session.id}\n{page.first}\n{view.counters(owner).rev}"
        verdicts = judged(runtime, view, scope, drafts, request, vectors)
        covers = covering(drafts, verdicts)
        return _resolved(runtime, whole, verdicts, covers, summed(runtime, view, scope, whole, verdicts))

    # What is asked in free words is carried out first: were the process to die in between, it is read again.
    asked = _asked_freely(runtime, scope, page, this, run)
    receipt = commit(runtime, Origin(scope, JOB, JOB, job=this, run=run), plan, vectors)
    if receipt.outcome == "rejected" and receipt.reason == MOVED:
        return None
    new = frozenset(part.id for part in receipt.parts if part.outcome in ("stored", "superseded") and part.id)
    back = asked + _requests(runtime, scope, page, new, this, run)
    with runtime.store.view() as view:
        learnt = Learnt.of(receipt.parts, read.usage).waiting(view, owner) + Learnt(dropped=read.dropped) + back
    why = (read.why,) if read.why else ()
    unknown = (page.unknown,) if page.unknown else ()
    return Done(len(page.turns), page.passed, 1, int(bool(receipt.id)), learnt, why, unknown, int(read.failed))


def _read(runtime: Runtime, owner: str, page: Page, before: Summing, done: Done) -> Extracted:
    if not page.turns:
        return Extracted(())
    if done.failed >= FAILURES:
        return replace(said(runtime, page, page.turns, "the model is asked again later"), failed=True)
    least = runtime.settings.consolidation.least_messages
    if not page.more and page.total < least:
        return said(runtime, page, page.turns, f"fewer than {least} messages are not worth asking a model")
    return extracted(runtime, owner, page, before.text, job=JOB, session=page.session.id)


def _stands(view: Reading, owner: str, page: Page) -> bool:
    """Tell whether the page is still what was read: nobody has worked it through, no message was erased or changed."""
    row = view.session(owner, page.session.id)
    if row is None or (row.consolidated_upto != page.session.consolidated_upto and not page.again):
        return False
    now = [(one.id, one.version) for one in view.get(owner, [one.id for one in page.messages])]
    return now == [(one.id, one.version) for one in page.messages]


def _asked_freely(runtime: Runtime, scope: Scope, page: Page, this: Job | None, run: str) -> Learnt:
    """Carry out what the page's messages ask in free words, each once, however often the page is read."""
    learnt = Learnt()
    for turn in page.turns if not page.again else ():
        asked = [one for one in freely(runtime, page, turn) if one.name in ASKED]
        if asked:
            origin = Origin(scope, JOB, JOB, f"{JOB}\n{turn.id}\nfree", this, run)
            learnt += _carried_out(runtime, origin, page, turn, asked, None)
    return learnt


def _requests(runtime: Runtime, scope: Scope, page: Page, new: frozenset[str], this: Job | None, run: str) -> Learnt:
    """Carry out what the page's messages ask to forget or to put right of what has just been learnt of it."""
    learnt = Learnt()
    for turn in page.turns if new else ():
        free = [] if page.again else [one for one in freely(runtime, page, turn) if one.name in ASKED]
        asked = [*in_words(runtime, page, turn), *(one for one in free if one.name != "correct")]
        if asked:
            learnt += _carried_out(runtime, Origin(scope, JOB, JOB, job=this, run=run), page, turn, asked, new)
    return learnt


def _carried_out(
    runtime: Runtime, origin: Origin, page: Page, turn: Turn, asked: list[Command], new: frozenset[str] | None
) -> Learnt:
    def plan(view: View) -> Resolution | Receipt:
        rev = view.counters(origin.scope.owner).rev
        request = Request(origin.scope, page, turn, origin.request or f"{JOB}\n{turn.id}\n{rev}")
        found = carried_out(runtime, view, request, asked, new)
        receipt, sources = Receipt(outcome="stored", op="learnt", count=len(found)), [(turn.id,)] * len(found)
        return Resolution(receipt, found, sources) if found else _NOTHING

    return Learnt.of(commit(runtime, origin, plan, Vectors(runtime)).parts)


def covering(drafts: Sequence[Draft | Receipt], verdicts: Sequence[Verdict]) -> tuple[Connect, ...]:
    """Give the links from claims to the notes they rest on: one's words are in the other's quote."""
    pairs = [(one, verdict) for one, verdict in zip(drafts, verdicts, strict=True) if isinstance(one, Draft)]
    notes = [(one, verdict.receipt.id) for one, verdict in pairs if one.attributes.get(NOTE) and verdict.receipt.id]
    claims = [(one, verdict.put.memory) for one, verdict in pairs if verdict.put and not one.attributes.get(NOTE)]
    return tuple(
        Connect(claim.id, note_id, COVERS)
        for draft, claim in claims
        for note, note_id in notes
        if claim.state == "active" and not claim.key and _rests_on(draft, note)
    )


def _rests_on(claim: Draft, note: Draft) -> bool:
    quote, words = (fold(str(one.attributes.get("quote", ""))) for one in (claim, note))
    same_turn = claim.attributes.get("turn") == note.attributes.get("turn")
    return same_turn and bool(quote and words) and (quote in words or words in quote)


def _resolved(
    runtime: Runtime,
    whole: PageRead,
    verdicts: Sequence[Verdict],
    covers: tuple[Connect, ...],
    summary: Summed | None,
) -> Resolution:
    """Give the one commit of a page: its facts with their messages, its summary, and how far the session has come."""
    page = whole.page
    known = {one.id for one in page.messages}
    turns = [str(one.put.memory.attributes.get("turn", "")) if one.put else "" for one in verdicts]
    changes: tuple[Change, ...] = (*covers, *(summary.changes if summary else ()))
    expect: tuple[Expectation, ...] = summary.expect if summary else ()
    if not page.again:
        changes += (Reach(page.session.id, page.upto), *_later(runtime, page, whole.read))
        expect += (Reached(page.session.id, page.session.consolidated_upto),)
    return Resolution(
        # The id of the summary, if there is one.
        Receipt(outcome="stored", op="consolidated", id=summary.id if summary else "", count=len(page.turns)),
        verdicts,
        sources=[(turn,) if turn in known else () for turn in turns],
        read=page.messages,
        changes=changes,
        expect=expect,
    )


def _later(runtime: Runtime, page: Page, read: Extracted) -> tuple[Enqueue, ...]:
    """Let a model that failed on a page be asked again, after a while."""
    if not read.failed:
        return ()
    at = runtime.now() + wait_after(1, runtime.settings.jobs)
    span = {"session": page.session.id, "after": page.session.consolidated_upto, "upto": page.upto}
    return (Enqueue(LATER, at, page.first, span),)


def _drafts(runtime: Runtime, view: Searching, scope: Scope, page: Page, read: Extracted) -> list[Draft | Receipt]:
    """Screen the candidates of a page, and hold what is left against the caps of session and day."""
    policy = runtime.settings.consolidation
    passed = screened(runtime, view, scope, read, page)
    caps = (Count("session", policy.facts_per_session), Count("day", policy.facts_per_day))
    return kept(runtime, view, scope, passed, read.by, caps)


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
    parts += [f"{one[:1].upper()}{one[1:]}." for one in total.unknown]
    parts += [f"By rules: {why}." for why in total.why]
    parts += [f"A model is asked again later about {total.failed} page(s)."] if total.failed else []
    parts += ["More is left for the next run."] if total.more else []
    numbers = {"messages": total.messages, "passed": total.passed, "pages": total.pages, "summaries": total.summaries}
    return Report(job=job, owner=owner, changed=learnt.saved, text=" ".join(parts), numbers=numbers | learnt.numbers())
