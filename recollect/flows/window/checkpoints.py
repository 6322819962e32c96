"""Checkpoints: states an agent saves of itself, by session, each with the one before it."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

from recollect.errors import InvalidInput, NotFound
from recollect.flows.window.messages import session
from recollect.model.change import DropCheckpoints, SaveCheckpoint, Write
from recollect.model.owner import Scope
from recollect.model.receipt import Receipt
from recollect.model.window import Checkpoint
from recollect.rules.gate import checks
from recollect.runtime import Runtime
from recollect.store.base import Reading

NODE = "checkpoints"
LONGEST = 16_000_000
LONGEST_ID = 128


def save(runtime: Runtime, scope: Scope, data: Any, ns: str, id: str, keep: int) -> Receipt:
    """Save a state; its parent is the one saved last. An id that is given again is written over."""
    named = checks.text("id", id, LONGEST_ID)
    plain = _plain(data)
    now = runtime.now()

    def plan(view: Reading) -> Write:
        before = view.checkpoints(scope.owner, session(scope), ns, 2)
        made = named or _next(before[0].id if before else "", runtime.new_id("document", now).partition("_")[2])
        parent = next((one.id for one in before if one.id != made), "")
        # Later than the last, even should both fall into one millisecond or the clock have gone back.
        at = max(now, before[0].created_at + timedelta(milliseconds=1)) if before else now
        change = SaveCheckpoint(Checkpoint(scope.session, ns, made, parent, plain, at), keep)
        return Write(
            owner=scope.owner,
            at=now,
            node=NODE,
            changes=(change,),
            actor=scope.agent,
            session=scope.session,
            receipt=Receipt(outcome="stored", op="saved", id=made),
        )

    return runtime.store.decide_locked(scope.owner, plan, now)


def _next(last: str, made: str) -> str:
    """Give an id that sorts behind the last one, even should the clock have gone back."""
    return made if made > last else f"{last[: LONGEST_ID - 2]}.{made[-1]}"


def _plain(data: Any) -> Any:
    """Check a state: plain JSON data, not endless."""
    try:
        packed = json.dumps(data, allow_nan=False, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput(f"a checkpoint must be plain JSON data: {error}") from error
    checks.text("data", packed.replace("\\u0000", "\0") if "\\u0000" in packed else packed, LONGEST)
    return json.loads(packed)


def load(runtime: Runtime, scope: Scope, ns: str, id: str) -> Checkpoint | None:
    """Give the state saved last, or the one with an id; None when nothing was saved."""
    with runtime.store.view() as view:
        found = view.checkpoints(scope.owner, session(scope), ns, 1, id=checks.text("id", id, LONGEST_ID))
    if id and not found:
        raise NotFound(f"there is no checkpoint {id!r} in this session: list gives those there are")
    return found[0] if found else None


def listed(runtime: Runtime, scope: Scope, ns: str | None, limit: int, before: str) -> list[Checkpoint]:
    """Give the states saved in the session, the newest first."""
    with runtime.store.view() as view:
        return view.checkpoints(
            scope.owner, session(scope), ns, limit, before=checks.text("before", before, LONGEST_ID)
        )


def delete(runtime: Runtime, scope: Scope, ns: str | None, id: str) -> Receipt:
    """Take states of the session away: all, those of a namespace, or one."""
    change = DropCheckpoints(session(scope), ns, checks.text("id", id, LONGEST_ID))

    receipt = Receipt(outcome="stored", op="deleted", id=id, count=0)
    write = Write(
        owner=scope.owner, at=runtime.now(), node=NODE, changes=(change,), actor=scope.agent, session=scope.session,
        receipt=receipt,
    )  # fmt: skip
    return runtime.store.commit(write).receipt or receipt
