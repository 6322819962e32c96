"""Reading again: a page of a conversation that a model failed on is put before it later."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, time, timedelta

from recollect.flows.asking import absent
from recollect.flows.learn.consolidate import LATER, report, write_page
from recollect.flows.learn.extract import RULES, extracted
from recollect.flows.learn.pages import Page, page_again
from recollect.flows.learn.summary import PageRead, summing
from recollect.jobs.registry import job
from recollect.model.job import Job
from recollect.model.receipt import Report
from recollect.runtime import Runtime

GONE = "There is nothing left to ask about."


def preview(runtime: Runtime, this: Job) -> Report:
    """Say how many messages a model would be asked about."""
    page = _page(runtime, this)
    if page is None or runtime.llm is None:
        return Report(job=LATER, owner=this.owner, text=GONE if page is None else f"No: {absent(runtime)}.")
    return Report(job=LATER, owner=this.owner, text=f"Would ask a model about {len(page.turns)} messages again.")


@job(LATER, preview=preview)
def read_again(runtime: Runtime, this: Job) -> Report:
    """Ask a model about messages it failed on; what rules took down of them stays."""
    page = _page(runtime, this)
    if page is None or runtime.llm is None:
        return Report(job=LATER, owner=this.owner, text=GONE if page is None else f"Given up: {absent(runtime)}.")
    with runtime.store.view() as view:
        before = summing(view, this.owner, page.session.id)
    read = extracted(runtime, this.owner, page, before.text, job=LATER, session=page.session.id)
    if read.failed and read.by == RULES:
        return Report(job=LATER, owner=this.owner, status="failed", text=f"Not yet: {read.why}.")
    if read.why.startswith("the model refused"):
        return Report(job=LATER, owner=this.owner, text=f"Given up: {read.why}.")
    if read.by == RULES:  # the budget is spent
        tomorrow = datetime.combine(runtime.now().date() + timedelta(days=1), time(), runtime.now().tzinfo)
        return Report(
            job=LATER,
            owner=this.owner,
            status="skipped",
            skipped=read.why,
            text=f"Skipped: {read.why}.",
            again=tomorrow,
        )
    # What is whole of an answer that broke off again is taken; a third would be no better.
    done = write_page(runtime, this.owner, PageRead(page, replace(read, failed=False), before), this)
    if done is None:
        return Report(job=LATER, owner=this.owner, text="The messages changed meanwhile.", again=runtime.now())
    return report(this.owner, [done], LATER)


def _page(runtime: Runtime, this: Job) -> Page | None:
    session, after, upto = (this.payload.get(name) for name in ("session", "after", "upto"))
    if not isinstance(session, str) or not isinstance(after, int) or not isinstance(upto, int):
        return None
    with runtime.store.view() as view:
        page = page_again(runtime, view, this.owner, session, (after, upto))
    return page if page and page.turns else None
