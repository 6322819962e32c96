"""The facet of API keys: who may come in by a door."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from recollect.model.owner import ApiKey
from recollect.rules.gate import checks
from recollect.runtime import Runtime
from recollect.text.later import later

if TYPE_CHECKING:
    from recollect.flows.admin import keys as flow
else:
    (flow,) = later("recollect.flows.admin", "keys")


class Keys:
    """API keys of this database; only hashes of them are kept."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime

    def __call__(self) -> list[ApiKey]:
        """Give the keys that open something, the newest first, without their secrets."""
        return flow.keys(self._runtime)

    def create(
        self,
        name: str,
        *,
        user: str = "",
        tenant: str = "",
        agent: str = "",
        project: str = "",
        read_only: bool = False,
        admin: bool = False,
        grants: Sequence[str] = (),
        days: float | None = None,
    ) -> tuple[ApiKey, str]:  # long because the parameters are the key
        """Make a key, and give it with its secret, which is told only now.

        Without a user it opens every memory of the tenant; `grants` are further users it may read.
        """
        wanted = ApiKey(
            id="",
            name=name,
            user=user,
            tenant=tenant,
            agent=agent,
            project=project,
            read_only=checks.flag("read_only", read_only),
            admin=checks.flag("admin", admin),
            grants=checks.several("grants", grants) if grants else (),
        )
        return flow.create(self._runtime, wanted, days)

    def ever(self) -> bool:
        """Tell whether a key was ever made, also one that has expired or was revoked."""
        return flow.ever(self._runtime)

    def revoke(self, key_id: str) -> ApiKey:
        """Let a key open nothing any more, at once."""
        return flow.revoke(self._runtime, key_id)

    def check(self, token: str) -> ApiKey | None:
        """Give the key a token is of; None for one that is unknown, revoked or expired."""
        return flow.check(self._runtime, checks.text("token", token, 4096))

    def begin_session(self, token: str, hours: float) -> str:
        """Give a session a browser keeps instead of the key, for some hours; empty for a token that opens nothing."""
        return flow.begin_session(self._runtime, checks.text("token", token, 4096), hours)

    def session(self, session: str) -> ApiKey | None:
        """Give the key a session was opened with; None for one that is over, or whose key is."""
        return flow.check_session(self._runtime, checks.text("session", session, 4096))
