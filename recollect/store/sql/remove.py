"""Making things gone: purge and erase, the only two that leave no text behind."""

from __future__ import annotations

from recollect.model import change as c
from recollect.store.sql.calls import unlog
from recollect.store.sql.events import forget_events
from recollect.store.sql.orphans import blank, forget_entities, forget_mentions
from recollect.store.sql.packs import take_out
from recollect.store.sql.rows import unpack_terms
from recollect.store.sql.spending import forget_sessions
from recollect.store.sql.vectors import embed_anew, followers, unembed
from recollect.store.sql.where import marks
from recollect.store.sql.windows import forget_checkpoints, forget_windows
from recollect.store.sql.work import Work, chunks, count

OWNED = (
    "vectors",
    "segments",
    "postings",
    "packs",
    "terms",
    "names",
    "entities",
    "links",
    "sessions",
    "jobs",
    "spend",
    "events",
    "calls",
    "windows",
    "checkpoints",
    "journal",
    "memories",
    "owners",
)


def remove(work: Work, change: c.Remove) -> None:
    """Take memories out of the rows, the index, the links and the journal's text."""
    if change.op == "erased":  # what was shown to models, and what they said, may quote any of them
        unlog(work, c.Unlog())
    gone: dict[int, list[str]] = {}
    for ids in chunks(sorted(set(change.ids))):
        behind = followers(work, ids)
        forget_mentions(work, ids, change.keep, erased=change.op == "erased")
        if change.op == "erased":
            forget_checkpoints(work, ids)
        docs = {memory_id: _unindex(work, memory_id, gone) for memory_id in ids}
        work.db.execute(f"DELETE FROM memories WHERE owner = ? AND id IN ({marks(ids)})", (work.owner, *ids))
        unembed(work, [doc for doc in docs.values() if doc])
        embed_anew(work, behind)
        for end in ("from_id", "to_id"):
            work.db.execute(f"DELETE FROM links WHERE owner = ? AND {end} IN ({marks(ids)})", (work.owner, *ids))
        forget_events(work, "memory_id", ids)
        blank(work, "memory_id", ids)
        for memory_id in ids:
            work.note(memory_id, change.op, meta={"doc": docs[memory_id]})
    take_out(work, gone)


def drop(work: Work, change: c.Drop) -> None:
    """Take sessions and entities away, with the jobs and journal text that name them, and what was asked of models."""
    unlog(work, c.Unlog())
    for ids in chunks(change.sessions):
        work.db.execute(f"DELETE FROM sessions WHERE owner = ? AND id IN ({marks(ids)})", (work.owner, *ids))
        work.db.execute(f'DELETE FROM jobs WHERE owner = ? AND "key" IN ({marks(ids)})', (work.owner, *ids))
        forget_sessions(work, ids)
        forget_windows(work, ids)
        forget_events(work, "session", ids)
        blank(work, "session", ids)
    for ids in chunks(change.entities):
        forget_entities(work, ids)
    work.note("", "erased", meta={"sessions": len(change.sessions), "entities": len(change.entities)})


def wipe(work: Work, change: c.Wipe) -> None:
    """Take everything of the owner away; even that there was one is forgotten."""
    for table in OWNED:
        work.db.execute(f"DELETE FROM {table} WHERE owner = ?", (work.owner,))
    work.lines.clear()
    work.wiped = True


def _unindex(work: Work, memory_id: str, gone: dict[int, list[str]]) -> int:
    """Take a memory's words out of the index, note them, and give its document number, 0 for an unknown one."""
    row = work.db.execute(
        "SELECT doc, state, terms, length FROM memories WHERE owner = ? AND id = ?", (work.owner, memory_id)
    ).fetchone()
    if row is None:
        return 0
    doc, state, packed, size = row
    terms = unpack_terms(packed)
    gone[doc] = list(terms)
    if state == "active":
        count(work, size, -1)
    for some in chunks(list(terms)):
        among = f"owner = ? AND term IN ({marks(some)})"
        work.db.execute(f"DELETE FROM postings WHERE {among} AND doc = ?", (work.owner, *some, doc))
        work.db.execute(
            f"DELETE FROM terms WHERE {among} "
            "AND NOT EXISTS (SELECT 1 FROM postings p WHERE p.owner = ? AND p.term = terms.term)",
            (work.owner, *some, work.owner),
        )
    return int(doc)
