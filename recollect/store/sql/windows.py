"""What models have in sight, and what agents save of themselves: rows beside what is remembered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from recollect.errors import Conflict
from recollect.model import change as c
from recollect.model import expectation as x
from recollect.model.clock import from_ms, to_ms
from recollect.model.window import Checkpoint, Window
from recollect.store.sql.rows import from_json, to_json
from recollect.store.sql.where import marks
from recollect.store.sql.work import Work

WINDOW: tuple[str, ...] = ("owner", "session", "agent", "seen_rev", "messages", "notes", "updated_at")
CHECKPOINT: tuple[str, ...] = ("owner", "session", "ns", "id", "parent", "data", "created_at")
READ_WINDOW = f"SELECT {', '.join(WINDOW[1:])} FROM windows WHERE owner = ? AND session = ?"
READ_CHECKPOINT = f"SELECT {', '.join(CHECKPOINT[1:])} FROM checkpoints WHERE owner = ? AND session = ?"
NEWEST = "ORDER BY created_at DESC, id DESC"
"""How saved states are listed: an id that was given need not sort by the time."""
OLDER = "(created_at < ? OR (created_at = ? AND id < ?))"
_LATEST = f"SELECT created_at, id FROM checkpoints WHERE owner = ? AND session = ? AND ns = ? {NEWEST} LIMIT 1 OFFSET ?"


def set_window(work: Work, change: c.SetWindow) -> None:
    """Change what is in sight of a session's model, or begin to know it."""
    key = (work.owner, change.session)
    row = work.db.execute(READ_WINDOW, key).fetchone()
    old = Window(change.session) if row is None else window(row)
    messages = old.messages if change.messages is None else change.messages
    values = (
        change.agent or old.agent,
        old.seen_rev if change.seen_rev is None else change.seen_rev,
        to_json(None if messages is None else list(messages)),
        to_json({**old.notes, **change.notes}),
        to_ms(work.write.at),
    )
    if row is None:
        work.db.execute(f"INSERT INTO windows ({', '.join(WINDOW)}) VALUES ({marks(WINDOW)})", (*key, *values))
    else:
        assigned = ", ".join(f"{column} = ?" for column in WINDOW[2:])
        work.db.execute(f"UPDATE windows SET {assigned} WHERE owner = ? AND session = ?", (*values, *key))


def sighted(work: Work, expected: x.Sighted) -> None:
    """Expect that a session's window holds these messages."""
    row = work.db.execute(READ_WINDOW, (work.owner, expected.session)).fetchone()
    if (None if row is None else window(row).messages) != expected.messages:
        raise Conflict(f"the window of session {expected.session} was changed meanwhile")


def save_checkpoint(work: Work, change: c.SaveCheckpoint) -> None:
    """Keep a state of an agent, and let the oldest go where only so many are kept."""
    saved = change.checkpoint
    key = (work.owner, saved.session, saved.ns)
    work.db.execute("DELETE FROM checkpoints WHERE owner = ? AND session = ? AND ns = ? AND id = ?", (*key, saved.id))
    work.db.execute(
        f"INSERT INTO checkpoints ({', '.join(CHECKPOINT)}) VALUES ({marks(CHECKPOINT)})",
        (*key, saved.id, saved.parent, to_json(saved.data), to_ms(saved.created_at)),
    )
    if change.keep:
        last = work.db.execute(_LATEST, (*key, change.keep - 1)).fetchone()
        if last is not None:
            sql = f"DELETE FROM checkpoints WHERE owner = ? AND session = ? AND ns = ? AND {OLDER}"
            work.db.execute(sql, (*key, last[0], last[0], last[1]))


def drop_checkpoints(work: Work, change: c.DropCheckpoints) -> None:
    """Take saved states of a session away, and tell the receipt how many they were."""
    sql, params = "DELETE FROM checkpoints WHERE owner = ? AND session = ?", [work.owner, change.session]
    if change.ns is not None:
        sql, params = f"{sql} AND ns = ?", [*params, change.ns]
    if change.id:
        sql, params = f"{sql} AND id = ?", [*params, change.id]
    gone = work.db.execute(sql, params).rowcount
    if receipt := work.write.receipt:
        work.write = replace(work.write, receipt=replace(receipt, count=receipt.count + gone))


def forget_windows(work: Work, sessions: Sequence[str]) -> None:
    """Leave nothing of what was in sight or saved in these sessions."""
    for table in ("windows", "checkpoints"):
        work.db.execute(
            f"DELETE FROM {table} WHERE owner = ? AND session IN ({marks(sessions)})", (work.owner, *sessions)
        )


def forget_checkpoints(work: Work, ids: Sequence[str]) -> None:
    """Take away the saved states of the sessions these memories, still there, were made in: they may quote them."""
    among = f"SELECT session FROM memories WHERE owner = ? AND id IN ({marks(ids)})"
    work.db.execute(f"DELETE FROM checkpoints WHERE owner = ? AND session IN ({among})", (work.owner, work.owner, *ids))


def window(row: Sequence[Any]) -> Window:
    """Read a row of `READ_WINDOW`."""
    session, agent, seen, messages, notes, at = row
    listed = from_json(messages)
    return Window(session, agent, seen, None if listed is None else tuple(listed), from_json(notes), from_ms(at))


def checkpoint(row: Sequence[Any]) -> Checkpoint:
    """Read a row of `READ_CHECKPOINT`."""
    session, ns, id, parent, data, at = row
    return Checkpoint(session, ns, id, parent, from_json(data), from_ms(at))
