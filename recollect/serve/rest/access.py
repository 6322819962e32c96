"""Who is calling: from a key to the spaces it opens. What is not the caller's is answered like what is not there."""

from __future__ import annotations

import hashlib
import ipaddress
import time
from collections import OrderedDict
from collections.abc import Mapping
from urllib.parse import unquote

from starlette.requests import Request

from recollect.front.recollect import Recollect
from recollect.front.space import Space
from recollect.model.owner import ApiKey
from recollect.model.values import dataclass
from recollect.serve.rest.problems import Problem
from recollect.serve.web import cookies

AGENT, SESSION, TENANT = "recollect-agent", "recollect-session", "recollect-tenant"
PROJECT = "recollect-project"
ME = "me"
LOOK_AGAIN = 2.0
"""How many seconds pass until it is looked anew whether there are keys."""
MOST_OPENED = 1000
"""Of how many keys it is remembered that they have opened."""
LOCAL = ApiKey(id="local", name="this machine", admin=True)
"""Who comes without a key, where none is needed."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Who is calling, and what of the database that opens."""

    memory: Recollect
    key: ApiKey
    headers: Mapping[str, str]
    session: str = ""
    """The session of the page, where it came by one."""

    @property
    def tenant(self) -> str:
        """The tenant the caller speaks for; only those who may see all can name one."""
        return self._told(TENANT) or self.key.tenant if self.key.admin else self.key.tenant

    def _told(self, name: str) -> str:
        """Give what a header says; it is percent-encoded where it holds more than plain letters."""
        return unquote(self.headers.get(name, ""))

    def space(self, user: str) -> Space:
        """Give the space of a user; `me` is the one the key is for."""
        wanted = self._user(user)
        agent, project = self.key.agent or self._told(AGENT), self.key.project or self._told(PROJECT)
        return self.memory.space(wanted, agent, self._told(SESSION), self.tenant, project)

    def _user(self, user: str) -> str:
        if user == ME and (self.key.user or self.key.id == LOCAL.id):
            return self.key.user or self.memory.settings.user
        if user == ME:
            raise Problem(422, "this key is for no one user: name one")
        if self.key.user and user != self.key.user:
            raise Problem(404, f"there is no space {user!r}")
        return user

    def granted(self) -> list[tuple[str, Space]]:
        """Give the other users' spaces the key may read, by their names; its agent is held to its list there too."""
        agent = self.key.agent or self._told(AGENT)
        return [(one, self.memory.space(one, agent, tenant=self.key.tenant)) for one in self.key.grants]

    def still(self) -> bool:
        """Tell whether who was let in would be let in again; a stream asks that from time to time."""
        token = _token(self.headers)
        if self.session and not token:
            return self.memory.keys.session(self.session) is not None
        return self.memory.keys.check(token) is not None if token else not self.memory.keys.ever()

    def must_write(self) -> None:
        """Refuse who may only read."""
        if self.key.read_only:
            raise Problem(403, "this key may only read: use one that may write")

    def must_administer(self) -> None:
        """Refuse who may not look after the whole database."""
        if not self.key.admin or self.key.read_only:
            raise Problem(403, "this needs a key for administration: `recollect keys create NAME --admin`")


def named(request: Request, slot: str) -> str:
    """Give what a caller has put into a slot of the path, whatever characters it holds."""
    return unquote(request.path_params[slot])


class Gate:
    """Lets callers in: with a key, or without one on this machine as long as none was ever made."""

    def __init__(self, memory: Recollect, *, required: bool) -> None:
        self.memory = memory
        self._required = required
        self._looked = -LOOK_AGAIN
        self._any = False
        self._opened = OrderedDict[bytes, None]()

    def caller(self, headers: Mapping[str, str], method: str = "GET") -> Caller:
        """Give who is calling; raises a problem for a key that opens nothing."""
        token = _token(headers)
        if token:
            key = self.memory.keys.check(token)
            if key is None:
                self._opened.pop(_digest(token), None)
                raise Problem(401, "this key opens nothing: it is unknown, expired or revoked", _ASK)
            self._remembered(_digest(token))
            return Caller(self.memory, key, headers)
        if (session := cookies.session_of(headers)) and (key := self.memory.keys.session(session)):
            if not cookies.meant(session, method, headers):
                raise Problem(403, "this did not come from the page: open it anew and try again")
            self._remembered(_digest(session))
            return Caller(self.memory, key, headers, session)
        if self._required or self._keys():
            raise Problem(401, "a key is needed: send it as `Authorization: Bearer rk_…`", _ASK)
        return Caller(self.memory, LOCAL, headers)

    def at_once(self, headers: Mapping[str, str]) -> Caller | None:
        """Give who is calling where nothing must be looked up for it: on this machine, without a key."""
        known = not self._required and not self._any and time.monotonic() - self._looked < LOOK_AGAIN
        if not known or _token(headers) or cookies.session_of(headers):
            return None
        return Caller(self.memory, LOCAL, headers)

    def look_again(self) -> None:
        """Look at the next request whether there are keys, however short ago that was looked at."""
        self._looked = -LOOK_AGAIN

    def has_opened(self, headers: Mapping[str, str]) -> bool:
        """Tell whether the key of a request has opened something before, without looking whether it still does."""
        return _digest(_token(headers) or cookies.session_of(headers)) in self._opened

    def _remembered(self, digest: bytes) -> None:
        self._opened[digest] = None
        self._opened.move_to_end(digest)
        while len(self._opened) > MOST_OPENED:
            self._opened.popitem(last=False)

    def _keys(self) -> bool:
        """Tell whether a key was ever made; from the first one on everybody needs one, also when it is gone."""
        now = time.monotonic()
        if not self._any and now - self._looked >= LOOK_AGAIN:
            self._any, self._looked = self.memory.keys.ever(), now
        return self._any


_ASK = {"WWW-Authenticate": "Bearer"}


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "replace")).digest()


def _token(headers: Mapping[str, str]) -> str:
    scheme, _, token = headers.get("authorization", "").partition(" ")
    if token and scheme.lower() == "bearer":
        return token.strip()
    return headers.get("x-api-key", "").strip()


def loopback(host: str) -> bool:
    """Tell whether an address can only be reached from this machine."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"
