"""Whose memory it is: the hard wall between people."""

from __future__ import annotations

from datetime import datetime
from urllib.parse import quote, unquote

from recollect.errors import InvalidInput
from recollect.model.values import dataclass

LONGEST = 200
SYSTEM = ""
"""The owner of what belongs to the whole database; no person can have this name."""


def owner_key(user: object, tenant: object = "") -> str:
    """Join tenant and user into the one string that leads every key.

    Both are percent-encoded, so `a/b` + `c` is not `a` + `b/c`, and taken exactly as given: `ana`,
    `Ana` and `ana ` are three people.
    """
    if not isinstance(user, str) or not isinstance(tenant, str):
        raise InvalidInput("user and tenant must be strings")
    if not user.strip():
        raise InvalidInput("user is empty: every memory needs an owner: name the user, for example ana")
    try:
        owner = f"{quote(tenant, safe='')}/{quote(user, safe='')}"
    except UnicodeEncodeError as error:
        raise InvalidInput("user or tenant holds half of a surrogate pair: pass valid Unicode") from error
    if "%00" in owner:
        raise InvalidInput("user or tenant holds a NUL character: remove it")
    if len(owner) > LONGEST:
        raise InvalidInput(
            f"user and tenant take {len(owner)} bytes once encoded, at most {LONGEST} are allowed: use a shorter id"
        )
    return owner


def split_owner(owner: str) -> tuple[str, str]:
    """Take an owner key apart into (tenant, user)."""
    tenant, _, user = owner.partition("/")
    return unquote(tenant), unquote(user)


def tenant_key(owner: str) -> str:
    """Give the key under which a whole tenant's ledger is kept: the tenant without a user, which no owner is."""
    return owner.partition("/")[0] + "/"


def is_tenant(owner: str) -> bool:
    """Tell a tenant's key from that of an owner."""
    return owner.endswith("/")


def seen_from(project: str) -> tuple[str, ...]:
    """Give the projects that are seen from one: itself, and what is in none."""
    return tuple(dict.fromkeys((project, "")))


@dataclass(frozen=True, slots=True)
class Scope:
    """Where a verb stands: the owner it is walled in by, and the agent and session it speaks for."""

    owner: str
    agent: str = ""
    session: str = ""
    project: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiKey:
    """One key without its secret, of which only a hash is kept."""

    id: str
    name: str
    tenant: str = ""
    user: str = ""
    """Whose memory it opens; empty for every user of the tenant."""
    agent: str = ""
    """The agent it speaks for, whose allowlist then holds; empty leaves it to each request."""
    project: str = ""
    """The project it works in; empty leaves it to each request."""
    read_only: bool = False
    admin: bool = False
    """Whether it may make keys, run jobs and see every tenant."""
    grants: tuple[str, ...] = ()
    """Users of the tenant whose memory it may read beside its own."""
    created_at: datetime | None = None
    expires_at: datetime | None = None
    last_used: datetime | None = None
