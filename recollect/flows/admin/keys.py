"""API keys: kept as documents of the database's own owner, so that every engine, the journal and expiry serve them."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import replace
from datetime import timedelta

from recollect.errors import Conflict, InvalidInput, NotFound
from recollect.flows.gate.gate import index
from recollect.model.change import Patch, Write
from recollect.model.filter import Filter
from recollect.model.memory import Memory
from recollect.model.owner import SYSTEM, ApiKey, owner_key
from recollect.rules.gate import checks
from recollect.runtime import Runtime

NODE = "keys"
KIND = "document"
SLOT = "api_key/"
PREFIX = "rk"
MOST = 10_000
MOST_DAYS = 36_500


def create(runtime: Runtime, wanted: ApiKey, days: float | None) -> tuple[ApiKey, str]:
    """Make a key; its secret is told now and never again."""
    _check(wanted)
    for known in keys(runtime):
        if known.name == wanted.name:
            advice = "choose another name, or revoke that one first"
            raise Conflict(f"there is a key {wanted.name!r} already, {known.id}: {advice}")
    now, key_id, secret = runtime.now(), f"{runtime.random(64):016x}", f"{runtime.random(256):064x}"
    if days is not None and not 0 < days <= MOST_DAYS:
        raise InvalidInput(f"days is {days!r}: a key lasts from more than 0 to {MOST_DAYS:,} days, or for ever")
    until = None if days is None else now + timedelta(days=days)
    scope = {
        "hash": _hash(secret), "tenant": wanted.tenant, "user": wanted.user, "agent": wanted.agent,
        "project": wanted.project, "read_only": wanted.read_only, "admin": wanted.admin, "grants": list(wanted.grants),
    }  # fmt: skip
    memory = Memory(
        owner=SYSTEM, id=runtime.new_id(KIND, now), kind=KIND, content=wanted.name, created_at=now, updated_at=now,
        event_time=now, valid_from=now, valid_until=until, tier="core", source="directive", key=f"{SLOT}{key_id}",
        pinned=True, importance=10, attributes=scope,
    )  # fmt: skip
    runtime.store.commit(Write(owner=SYSTEM, at=now, node=NODE, changes=(index(runtime, memory),)))
    return _read(memory), f"{PREFIX}_{key_id}_{secret}"


def _check(wanted: ApiKey) -> None:
    checks.name("name", wanted.name, empty=False)
    checks.name("agent", wanted.agent)
    checks.project(wanted.project)
    if wanted.user:
        owner_key(wanted.user, wanted.tenant)
    for other in wanted.grants:
        owner_key(other, wanted.tenant)
    if wanted.grants and not wanted.user:
        raise InvalidInput("a grant belongs to the key of one user: name the user, or leave grants out")


def keys(runtime: Runtime) -> list[ApiKey]:
    """Give the keys that open something, the newest first."""
    where = Filter(owner=SYSTEM, now=runtime.now(), kinds=(KIND,))
    with runtime.store.view() as view:
        return [_read(one) for one in view.page(where, "recent", MOST) if one.key.startswith(SLOT)]


def ever(runtime: Runtime) -> bool:
    """Tell whether a key was ever made, also one that has expired or was revoked."""
    where = Filter(owner=SYSTEM, now=runtime.now(), kinds=(KIND,), states=())
    with runtime.store.view() as view:
        return any(one.key.startswith(SLOT) for one in view.page(where, "recent", MOST))


def revoke(runtime: Runtime, key_id: str) -> ApiKey:
    """Let a key open nothing any more, at once."""
    with runtime.store.view() as view:
        found = view.slot(SYSTEM, "", KIND, f"{SLOT}{checks.name('key', key_id, empty=False)}")
    if found is None:
        raise NotFound(f"there is no key {key_id}: `recollect keys list` shows those there are")
    patch = Patch(found.id, {"state": "deleted"}, "deleted")
    runtime.store.commit(Write(owner=SYSTEM, at=runtime.now(), node=NODE, changes=(patch,)))
    return _read(found)


def check(runtime: Runtime, token: str) -> ApiKey | None:
    """Give the key a token is of, or None; how long it takes tells nothing about why."""
    parts = token.split("_")
    known = len(parts) == 3 and parts[0] == PREFIX and len(parts[1]) <= 64 and token.isascii() and "\0" not in token
    key_id, secret = (parts[1], parts[2]) if known else ("none", "")
    with runtime.store.view() as view:
        found = view.slot(SYSTEM, "", KIND, f"{SLOT}{key_id}")
    kept = str(found.attributes["hash"]) if found is not None else _hash("")
    same = hmac.compare_digest(kept, _hash(secret))
    if found is None or not same or not known or (found.valid_until is not None and found.valid_until <= runtime.now()):
        return None
    runtime.store.touch(SYSTEM, [found.id], runtime.now())
    return _read(found)


def _hash(secret: str) -> str:
    """Give what is kept of a secret: it has 256 random bits, so that nothing slower is needed."""
    return hashlib.sha256(secret.encode()).hexdigest()


def _read(memory: Memory) -> ApiKey:
    scope = memory.attributes
    made = ApiKey(
        id=memory.key.removeprefix(SLOT), name=memory.content, tenant=scope["tenant"], user=scope["user"],
        agent=scope["agent"], project=scope["project"], read_only=scope["read_only"], admin=scope["admin"],
    )  # fmt: skip
    return replace(
        made,
        grants=tuple(scope["grants"]),
        created_at=memory.created_at,
        expires_at=memory.valid_until,
        last_used=memory.last_accessed,
    )
