"""What tells a memory again: a summary made without a model lists what was learnt, and goes with what is forgotten."""

from __future__ import annotations

from recollect.model.change import Change, Patch
from recollect.model.expectation import Expectation, Version
from recollect.model.memory import Memory
from recollect.store.base import Reading

BY_RULES = "rules"
"""Who is named as a summary's maker where no model was."""


def hidden(view: Reading, memory: Memory) -> tuple[tuple[Change, ...], tuple[Expectation, ...]]:
    """Give what puts summaries that quote a memory out of sight with it."""
    links = view.links(memory.owner, [memory.id])
    ids = [one.from_id for one in links if one.type == "derived_from" and one.to_id == memory.id]
    told = [
        one
        for one in view.get(memory.owner, ids)
        if one.kind == "summary" and one.state == "active" and one.attributes.get("model") == BY_RULES
    ]
    changes = tuple(Patch(one.id, {"state": "deleted"}, "deleted", {"with": memory.id}) for one in told)
    return changes, tuple(Version(one.id, one.version) for one in told)
