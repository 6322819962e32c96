"""In which language the words of a database are indexed: a query in another would find nothing, without a word."""

from __future__ import annotations

from datetime import timedelta
from itertools import islice

from recollect.errors import ConfigError
from recollect.model.change import Enqueue, Write
from recollect.model.clock import LATEST
from recollect.model.owner import SYSTEM
from recollect.runtime import Runtime
from recollect.text.terms import TermsPolicy

WORDS = "words"
"""The row of the database that tells the language; without it, it is the usual one."""
_NEVER = LATEST + timedelta(days=1)


def check_language(runtime: Runtime) -> None:
    """Refuse a language other than the one this database's words are indexed in; an empty one takes any."""
    wanted = runtime.settings.terms.language
    with runtime.store.view() as view:
        row = view.job(SYSTEM, WORDS)
        known = str(row.payload.get("language", "")) if row else TermsPolicy().language
        if known == wanted:
            return
        used = any(islice(view.owners(), 1))
    if used:
        raise ConfigError(
            f"terms.language is {wanted!r}, but the words of this database are indexed as {known!r}: set it back, or "
            "export the database and import the file into a new one, which indexes it anew"
        )
    told = Enqueue(WORDS, _NEVER, payload={"language": wanted})
    runtime.store.commit(Write(owner=SYSTEM, at=runtime.now(), node="jobs", changes=(told,)))
