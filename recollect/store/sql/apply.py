"""Carrying out changes: what each one does to the rows, the index and the journal, in portable SQL.

Everything here runs inside a transaction that holds the owner's lock, so "look, then write" is safe and
no engine's own form of upsert is needed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

from recollect.errors import Conflict, NotFound
from recollect.model import change as c
from recollect.model import expectation as x
from recollect.model.clock import to_ms
from recollect.model.kinds import KINDS
from recollect.model.receipt import Receipt
from recollect.store.cache.blocks import block_of
from recollect.store.sql.calls import log, unlog
from recollect.store.sql.events import clear, trim
from recollect.store.sql.jobs import dequeue, enqueue_all, extend, finish, lease, settle
from recollect.store.sql.load import load, mend
from recollect.store.sql.naming import mention, name, part, protect, rename, unite, unname
from recollect.store.sql.packs import pack
from recollect.store.sql.remove import drop, remove, wipe
from recollect.store.sql.rows import STORED, cell, from_json, pack_terms, quoted, to_row
from recollect.store.sql.sessions import open_session, reach, reached
from recollect.store.sql.spending import spend
from recollect.store.sql.vectors import adopt, embed, embed_anew, followers, seal, served
from recollect.store.sql.where import marks
from recollect.store.sql.windows import drop_checkpoints, save_checkpoint, set_window, sighted
from recollect.store.sql.work import Locks, Marks, Work, count, index
from recollect.store.writer import Connection
from recollect.text.marks import marked
from recollect.text.terms import fold, length

QUIET = (
    c.Enqueue, c.Lease, c.Extend, c.Finish, c.Settle, c.Dequeue, c.Embed, c.Seal, c.Adopt, c.Pack, c.Spend, c.Log,
    c.Unlog, c.Clear, c.SetWindow, c.SaveCheckpoint, c.DropCheckpoints,
)  # fmt: skip
"""Changes that are not part of what is remembered: no revision, no journal."""

TWIN = (
    "SELECT id FROM memories WHERE owner = ? AND content_hash = ? AND content_hash <> '' AND kind = ? "
    "AND state = 'active' AND \"key\" = '' AND (valid_until IS NULL OR valid_until > ?) ORDER BY doc LIMIT 1"
)
"""Finds the first memory with the same text; messages have no hash, and are not in the index."""
IN_SLOT = TWIN.replace("\"key\" = ''", "\"key\" > ''").replace("ORDER BY doc", "ORDER BY doc + 0")
"""Finds the first slot that holds this text. Ordered by the bare number, all of an owner's memories would be read."""
REPLAY = (
    "SELECT meta FROM journal WHERE owner = ? AND memory_id = ? "
    "AND rev = (SELECT MIN(rev) FROM journal WHERE owner = ? AND memory_id = ?)"
)
"""Finds a request's receipt. In one step SQLite would read the owner's whole journal instead of the index."""

_PUT = f"INSERT INTO memories ({quoted(STORED)}) VALUES ({marks(STORED)})"


def request_key(request_id: str) -> str:
    """Give the journal's key for a request: a digest, so that any text can be a request id."""
    return "req_" + hashlib.sha256(request_id.encode("utf-8", "surrogatepass")).hexdigest()[:40]


def apply(db: Connection, write: c.Write, locks: Locks, made: Marks = marked) -> c.Committed:
    """Carry out one write: the owner's lock first, expectations next, then the changes, then the journal."""
    work = Work(db, write, made)
    loud = any(not isinstance(change, QUIET) for change in write.changes) or bool(write.request_id)
    counters = locks.taken(db, work.owner, to_ms(write.at))
    if loud:
        rev, work.next_doc, work.docs, work.total_length = counters
        work.rev = rev + 1
        replayed = _replayed(work)
        if replayed is not None:
            return c.Committed(rev, replayed, replayed=True)
    if loud and not isinstance(write.changes[0] if write.changes else None, c.Load | c.Wipe):
        _whole(work)
    for expected in write.expect:
        _EXPECT[type(expected)](work, expected)
    for change in write.changes:
        if isinstance(change, c.Embed):  # what is embedded now rests on what was changed before
            _embed_behind(work)
        if not isinstance(change, c.Enqueue):
            _APPLY[type(change)](work, change)
    _embed_behind(work)
    later = [c.Enqueue("pack", write.at)] if loud and _to_pack(work, counters[1]) else []
    enqueue_all(work, later + [change for change in write.changes if isinstance(change, c.Enqueue)])
    receipt = _seal(work) if loud else work.write.receipt
    return c.Committed(work.rev, receipt)


def _embed_behind(work: Work) -> None:
    """Take away the vectors that rest on changed messages, all at once: each time every segment is looked at."""
    if work.behind:
        embed_anew(work, sorted(set(work.behind)))
        work.behind.clear()


def _to_pack(work: Work, before: int) -> bool:
    """Tell whether a block of documents is full by now, or was taken apart; what is loaded is told at its end."""
    mended = any(isinstance(change, c.Mend) for change in work.write.changes)
    return not (work.verbatim or work.wiped) and block_of(work.next_doc) > (0 if mended else block_of(before))


def _whole(work: Work) -> None:
    """Refuse ordinary writes to an owner that is only half there: starting its import over would take them away."""
    sql = "SELECT 1 FROM jobs WHERE owner = ? AND name = ?"
    if work.db.execute(sql, (work.owner, c.IMPORT)).fetchone():
        raise Conflict("this user's import has not been finished: run it again, or erase the user, then write")


def _replayed(work: Work) -> Receipt | None:
    if not work.write.request_id:
        return None
    key = (work.owner, request_key(work.write.request_id))
    row = work.db.execute(REPLAY, (*key, *key)).fetchone()
    return None if row is None else Receipt.from_json(from_json(row[0]))


def _seal(work: Work) -> Receipt | None:
    """Write the counters and the journal, and give the receipt its revision."""
    receipt = work.write.receipt
    if work.write.run and work.lines:
        work.note(work.write.run, "ran")
    silent = not (work.lines or work.verbatim or work.wiped or (receipt and work.write.request_id))
    if silent:  # nothing happened after all: every revision has its line
        work.rev -= 1
    if receipt is not None:
        receipt = receipt.at(work.rev)
        if work.write.request_id and not work.wiped:
            work.note(request_key(work.write.request_id), "receipt", meta=receipt.to_json())
    if not work.wiped:
        work.db.execute(
            "UPDATE owners SET rev = ?, next_doc = ?, docs = ?, total_length = ? WHERE owner = ?",
            (work.rev, work.next_doc, work.docs, work.total_length, work.owner),
        )
    work.write_journal()
    return receipt


# Expectations


def _absent(work: Work, expected: x.Absent) -> None:
    row = work.db.execute(TWIN, (work.owner, expected.content_hash, expected.kind, to_ms(work.write.at))).fetchone()
    if row is not None:
        raise Conflict(f"the same text was stored meanwhile as {row[0]}")


def _version(work: Work, expected: x.Version) -> None:
    row = work.db.execute(
        "SELECT version FROM memories WHERE owner = ? AND id = ?", (work.owner, expected.id)
    ).fetchone()
    if row is None or row[0] != expected.version:
        raise Conflict(f"{expected.id} was changed meanwhile")


def _fresh(work: Work, expected: x.Fresh) -> None:
    prefix = KINDS[expected.kind].prefix + "_"
    for (memory_id,) in work.db.execute(
        "SELECT memory_id FROM journal WHERE owner = ? AND rev > ? AND op = 'created'",
        (work.owner, expected.rev),
    ).fetchall():
        if memory_id.startswith(prefix):
            raise Conflict(f"another {expected.kind} was stored meanwhile")


def _still(work: Work, expected: x.Still) -> None:
    if work.rev != expected.rev + 1:
        raise Conflict("something of this owner was changed meanwhile")


def _leased(work: Work, expected: x.Leased) -> None:
    row = work.db.execute(
        'SELECT lease_token FROM jobs WHERE owner = ? AND name = ? AND "key" = ?',
        (work.owner, expected.name, expected.key),
    ).fetchone()
    if row is None or row[0] != expected.token:
        raise Conflict(f"the lease of job {expected.name} was lost")


def _vacant(work: Work, expected: x.Vacant) -> None:
    for table in ("memories", "journal"):
        if work.db.execute(f"SELECT 1 FROM {table} WHERE owner = ? LIMIT 1", (work.owner,)).fetchone():
            raise Conflict("this owner already has memories")


# Memories and their index


def _put(work: Work, change: c.Put) -> None:
    memory = change.memory
    if memory.owner != work.owner:
        raise Conflict("a memory can only be written to its own owner")
    doc = work.next_doc
    work.next_doc += 1
    row = to_row(memory)
    row |= {
        "doc": doc,
        "topic_folded": fold(memory.topic),
        "live_key": memory.key if memory.key and memory.state == "active" else None,
        "content_hash": change.content_hash,
        "length": length(change.terms),
        "terms": pack_terms(change.terms),
        "marks": work.made(memory.content, memory.role),
    }
    work.db.execute(_PUT, [row[column] for column in STORED])
    index(work, [(doc, memory.state, change.terms, row["length"])])
    work.note(memory.id, "created", meta=mention(work, memory.id, change.mentions))


def _patch(work: Work, change: c.Patch) -> None:
    db, owner = work.db, work.owner
    values = {column: cell(column, value) for column, value in change.values.items()}
    columns = sorted(values)
    row = db.execute(
        f'SELECT state, "key", length, version, {quoted(columns)} FROM memories WHERE owner = ? AND id = ?',
        (owner, change.id),
    ).fetchone()
    if row is None:
        raise NotFound(f"there is no memory {change.id} for this owner")
    state, key, size, version, *old = row
    before = {column: was for column, was in zip(columns, old, strict=True) if was != values[column]}
    if "topic" in values:
        values["topic_folded"] = fold(values["topic"])
    new_state = values.get("state", state)
    values["live_key"] = key if key and new_state == "active" else None
    values["version"] = version + 1
    values["updated_at"] = to_ms(work.write.at)
    assignments = ", ".join(f'"{column}" = ?' for column in values)
    db.execute(f"UPDATE memories SET {assignments} WHERE owner = ? AND id = ?", (*values.values(), owner, change.id))
    step = (new_state == "active") - (state == "active")
    if step:
        count(work, size, step)
        work.behind += followers(work, [change.id])
    work.note(change.id, change.op, before, change.meta)


def _shelve(work: Work, change: c.Shelve) -> None:
    """Change where a memory's text is. What it says stays the same, and so does all it is found by."""
    key = (work.owner, change.id)
    row = work.db.execute("SELECT tier, archive FROM memories WHERE owner = ? AND id = ?", key).fetchone()
    if row is None:
        raise NotFound(f"there is no memory {change.id} for this owner")
    work.db.execute(
        "UPDATE memories SET content = ?, tier = ?, archive = ?, version = version + 1 WHERE owner = ? AND id = ?",
        (change.content, change.tier, change.archive, *key),
    )
    before = {"tier": row[0], "archive": row[1]}
    work.note(change.id, change.op, before, {"archive": change.archive or row[1], **change.meta})


# Links


def _connect(work: Work, change: c.Connect) -> None:
    if change.from_id == change.to_id:
        raise Conflict("a memory cannot be linked to itself")
    db, key = work.db, (work.owner, change.from_id, change.to_id, change.type)
    sql = "SELECT strength FROM links WHERE owner = ? AND from_id = ? AND to_id = ? AND type = ?"
    row = db.execute(sql, key).fetchone()
    if row is None:
        db.execute(
            "INSERT INTO links (owner, from_id, to_id, type, strength, created_at) VALUES (?,?,?,?,?,?)",
            (*key, change.strength, to_ms(work.write.at)),
        )
    elif row[0] < change.strength:
        db.execute(
            "UPDATE links SET strength = ? WHERE owner = ? AND from_id = ? AND to_id = ? AND type = ?",
            (change.strength, *key),
        )
    else:
        return
    before = None if row is None else {"strength": row[0]}
    work.note(change.from_id, "linked", before, {"to": change.to_id, "type": change.type})


def _cut(work: Work, change: c.Cut) -> None:
    key = (work.owner, change.from_id, change.to_id, change.type)
    condition = "FROM links WHERE owner = ? AND from_id = ? AND to_id = ? AND type = ?"
    row = work.db.execute(f"SELECT strength, created_at {condition}", key).fetchone()
    if row is None:
        raise NotFound(f"there is no link {change.type} from {change.from_id} to {change.to_id}")
    work.db.execute(f"DELETE {condition}", key)
    before = {"strength": row[0], "at": row[1]}
    work.note(change.from_id, "unlinked", before, {"to": change.to_id, "type": change.type})


def _rejoin(work: Work, change: c.Rejoin) -> None:
    key = (work.owner, change.from_id, change.to_id, change.type)
    known = work.db.execute(
        "UPDATE links SET strength = ? WHERE owner = ? AND from_id = ? AND to_id = ? AND type = ?",
        (change.strength, *key),
    ).rowcount
    if not known:
        work.db.execute(
            "INSERT INTO links (owner, from_id, to_id, type, strength, created_at) VALUES (?,?,?,?,?,?)",
            (*key, change.strength, to_ms(change.at or work.write.at)),
        )
    work.note(change.from_id, "linked", None, {"to": change.to_id, "type": change.type})


def _note(work: Work, change: c.Note) -> None:
    work.note(change.about, change.op, meta=change.meta)


_EXPECT: dict[type, Callable[[Work, Any], None]] = {
    x.Absent: _absent,
    x.Version: _version,
    x.Fresh: _fresh,
    x.Still: _still,
    x.Leased: _leased,
    x.Reached: reached,
    x.Vacant: _vacant,
    x.Served: served,
    x.Sighted: sighted,
}
_APPLY: dict[type, Callable[[Work, Any], None]] = {
    c.Put: _put,
    c.Patch: _patch,
    c.Shelve: _shelve,
    c.Connect: _connect,
    c.Cut: _cut,
    c.Name: name,
    c.Unname: unname,
    c.Unite: unite,
    c.Part: part,
    c.Rename: rename,
    c.Protect: protect,
    c.Rejoin: _rejoin,
    c.Note: _note,
    c.Open: open_session,
    c.Reach: reach,
    c.SetWindow: set_window,
    c.SaveCheckpoint: save_checkpoint,
    c.DropCheckpoints: drop_checkpoints,
    c.Embed: embed,
    c.Seal: seal,
    c.Adopt: adopt,
    c.Pack: pack,
    c.Lease: lease,
    c.Extend: extend,
    c.Finish: finish,
    c.Settle: settle,
    c.Dequeue: dequeue,
    c.Spend: spend,
    c.Log: log,
    c.Unlog: unlog,
    c.Remove: remove,
    c.Drop: drop,
    c.Wipe: wipe,
    c.Trim: trim,
    c.Clear: clear,
    c.Load: load,
    c.Mend: mend,
}
