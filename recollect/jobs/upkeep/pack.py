"""Packing: postings of whole blocks of documents are put together, so that common words are read at once."""

from __future__ import annotations

from recollect.jobs.registry import planned
from recollect.model.change import Pack
from recollect.model.job import Job, Plan
from recollect.model.receipt import Report
from recollect.runtime import Runtime
from recollect.store.base import View
from recollect.store.cache.blocks import packed


@planned("pack")
def pack(runtime: Runtime, view: View, this: Job) -> Plan:
    """Pack the words of an owner's older memories, so that searching very many of them stays fast."""
    found = view.unpacked(this.owner)
    if found is None:
        return Plan(Report(job="pack", owner=this.owner, text="Nothing to pack."))
    block, documents = found
    rows = packed(documents)
    report = Report(
        job="pack",
        owner=this.owner,
        changed=len(rows),
        text=f"Packed the {len(rows)} common words of {len(documents)} memories.",
        numbers={"memories": len(documents), "words": len(rows)},
        again=runtime.now(),
    )
    born = view.counters(this.owner).born
    return Plan(report, (Pack(block, len(documents), tuple(rows), born),))
