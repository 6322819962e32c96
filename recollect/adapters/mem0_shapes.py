"""What mem0's methods take and give, read and written: ids, days, messages, and one memory as it shows it."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import Any

from recollect.adapters.mem0_filters import passes
from recollect.errors import InvalidInput, NotFound
from recollect.front.space import Space
from recollect.model.clock import iso
from recollect.model.hit import Hit
from recollect.model.memory import Link, Memory
from recollect.model.owner import split_owner
from recollect.text.normal import digest

LOG = logging.getLogger("recollect")
IDS = ("user_id", "agent_id", "run_id")
NO_RUN = "mem0"
"""The session of what is said in no run."""
ABOUT = "mem0"
"""The attribute that holds what mem0 keeps beside a text."""
SHOWN = ("actor_id", "role", "expiration_date")
HALF = 1.0
"""The BM25 at which words alone are half of a full score."""


class ValidationError(InvalidInput, ValueError):
    """Bad input, as mem0 raises it: with a code, details and a suggestion."""

    def __init__(self, message: str, error_code: str, details: Mapping[str, Any], suggestion: str) -> None:
        super().__init__(message)
        self.message, self.error_code, self.details, self.suggestion = message, error_code, details, suggestion


def settings_of(config: Mapping[str, Any] | str | Path | None) -> dict[str, Any]:
    """Give the settings to open a memory with, from what mem0 calls a configuration, or from a URL."""
    if config is None or isinstance(config, str | Path):
        return {"url": config}
    if not isinstance(config, Mapping):
        raise InvalidInput("pass a dictionary, a Recollect, the URL of a database, or nothing")
    known = dict(config.get("recollect") or {})
    llm = config.get("llm") or {}
    model = (llm.get("config") or {}).get("model")
    if llm.get("provider") and model:
        known.setdefault("llm", f"{llm['provider']}:{model}")
    aside = sorted(config.keys() - {"recollect", "llm"})
    if aside:
        LOG.warning("%s of the configuration have no part here: see docs/adapters.md", ", ".join(aside))
    return known


def ids_of(user_id: Any, agent_id: Any, run_id: Any) -> dict[str, str]:
    """Check the ids a memory is added under: at least one."""
    given = {name: id_of(name, value) for name, value in zip(IDS, (user_id, agent_id, run_id), strict=True)}
    found = {name: value for name, value in given.items() if value}
    if not found:
        raise ValidationError(
            "At least one of 'user_id', 'agent_id', or 'run_id' must be provided.",
            "VALIDATION_001",
            {"provided_ids": given},
            "Please provide at least one identifier to scope the memory operation.",
        )
    return found


def id_of(name: str, value: Any) -> str | None:
    """Check one id: whatever it is becomes a text, without spaces."""
    if value is None:
        return None
    trimmed = str(value).strip()
    if not trimmed:
        raise ValueError(f"Invalid {name}: cannot be empty or whitespace-only. Provide a valid identifier.")
    if any(sign.isspace() for sign in trimmed):
        raise ValueError(f"Invalid {name}: cannot contain whitespace. Provide a valid identifier without spaces.")
    return trimmed


def filters_of(filters: Mapping[str, Any] | None) -> dict[str, Any]:
    """Check filters: they must say whose memories are meant."""
    made = dict(filters or {})
    made |= {name: id_of(name, made[name]) for name in IDS if name in made}
    if not any(name in made for name in IDS):
        raise ValueError(
            "filters must contain at least one of: user_id, agent_id, run_id. Example: filters={'user_id': 'u1'}"
        )
    passes({}, {name: value for name, value in made.items() if name not in IDS})  # what no filter can be is told now
    return made


def no_ids(given: Mapping[str, Any], method: str) -> None:
    """Refuse ids beside the filters, as mem0 does, and anything unknown."""
    wrong = set(IDS) & given.keys()
    if wrong:
        raise ValueError(
            f"Top-level entity parameters {wrong} are not supported in {method}(). "
            "Use filters={'user_id': '...'} instead."
        )


def search_numbers(threshold: Any, top_k: Any) -> None:
    """Check how near and how many."""
    if threshold is not None and (isinstance(threshold, bool) or not isinstance(threshold, int | float)):
        raise ValueError("threshold must be a valid number")
    if threshold is not None and not 0 <= threshold <= 1:
        raise ValueError(f"Invalid threshold: {threshold}. Must be between 0 and 1 (inclusive).")
    if not isinstance(top_k, int) or isinstance(top_k, bool):
        raise ValueError("top_k must be a valid integer")
    if top_k < 0:
        raise ValueError(f"Invalid top_k: {top_k}. Must be a non-negative integer.")


def messages_of(messages: Any) -> list[dict[str, Any]]:
    """Give messages as a list of mappings with role and content; those without are passed over with a warning."""
    listed = [{"role": "user", "content": messages}] if isinstance(messages, str) else messages
    listed = [listed] if isinstance(listed, dict) else listed
    if not isinstance(listed, list):
        raise ValidationError(
            "messages must be str, dict, or list[dict]",
            "VALIDATION_003",
            {"provided_type": type(messages).__name__, "valid_types": ["str", "dict", "list[dict]"]},
            "Convert your input to a string, dictionary, or list of dictionaries.",
        )
    found: list[dict[str, Any]] = []
    for one in listed:
        if not isinstance(one, dict) or one.get("role") is None or one.get("content") is None:
            LOG.warning("a message without role or content was passed over")
            continue
        content = one["content"]
        text = content if isinstance(content, str) else "\n".join(_texts(content))
        if text.strip():
            found.append({**one, "role": str(one["role"]), "content": text})
    return found


def _texts(content: Any) -> Iterator[str]:
    for part in content if isinstance(content, Sequence) else (content,):
        if isinstance(part, Mapping) and isinstance(part.get("text"), str):
            yield part["text"]


def plain(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Give metadata as plain data without ids, which only the parameters set."""
    made: dict[str, Any] = json.loads(json.dumps(dict(metadata), default=str))
    return {name: value for name, value in made.items() if name not in IDS}


def day_of(value: Any) -> str | None:
    """Check the day after which a memory is hidden."""
    if value is None:
        return None
    if isinstance(value, datetime):
        return value.date().isoformat()
    if isinstance(value, date):
        return value.isoformat()
    try:
        return date.fromisoformat(value).isoformat()
    except (TypeError, ValueError) as error:
        raise ValueError("expiration_date must be a valid date in YYYY-MM-DD format.") from error


def moment_of(value: Any) -> datetime | None:
    """Read a moment: seconds since 1970, a date, or text in ISO 8601."""
    if value is None or isinstance(value, datetime):
        return value if value is None or value.tzinfo else value.replace(tzinfo=UTC)
    if isinstance(value, date):
        return datetime.combine(value, time(), UTC)
    try:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return datetime.fromtimestamp(value, UTC)
        return moment_of(datetime.fromisoformat(str(value)))
    except (ValueError, OverflowError, OSError) as error:
        raise ValueError(f"{value!r} is no time: pass seconds since 1970, a date, or ISO 8601") from error


def found(space: Space, memory_id: str) -> Memory | None:
    """Give a memory by its id, None where there is none."""
    try:
        return space.get(memory_id)
    except (NotFound, InvalidInput):
        return None


def shown_id(memory: Memory) -> str:
    """Give the id a memory is known by here: its first one, and whose it is, since mem0 asks by the id alone."""
    first = (memory.attributes.get(ABOUT) or {}).get("id") or memory.id
    return f"{first}@{split_owner(memory.owner)[1]}"


def item_of(memory: Memory) -> dict[str, Any]:
    """Give a memory as mem0 shows it in lists."""
    about = memory.attributes.get(ABOUT) or {}
    user = split_owner(memory.owner)[1]
    ids = {"user_id": "" if user.startswith(("agent ", "run ")) else user, "agent_id": memory.agent,
           "run_id": "" if memory.session == NO_RUN else memory.session}  # fmt: skip
    return {
        "id": shown_id(memory),
        "memory": memory.content,
        "hash": digest(memory.content),
        "metadata": about.get("metadata") or None,
        "created_at": iso(memory.event_time),
        "updated_at": iso(memory.updated_at) if "id" in about else None,
        **{name: value for name, value in ids.items() if value},
        **{name: about[name] for name in SHOWN if about.get(name)},
    }


def may_be_shown(item: Mapping[str, Any], wanted: Mapping[str, Any], expired: bool, today: date) -> bool:
    """Tell whether a memory passes the filters and is not over; its last day belongs to it."""
    over = bool(item.get("expiration_date")) and date.fromisoformat(item["expiration_date"]) < today
    return (expired or not over) and passes(item, wanted)


def scores_of(hits: Sequence[Hit]) -> Iterator[float]:
    """Give how well each hit fits, from 0 to 1, never more than the one before: nearness in meaning and in words."""
    most = 1.0
    for hit in hits:
        near = max(0.0, min(1.0, hit.why["meaning"].score)) if "meaning" in hit.why else 0.0
        words = hit.why["words"].score if "words" in hit.why else 0.0
        most = min(most, 1.0 - (1.0 - near) * (1.0 - words / (words + HALF)))
        yield round(most, 6)


def took_place(link: Link, memory_id: str) -> bool:
    """Tell whether a link says that another memory took a memory's place."""
    return link.type == "supersedes" and link.to_id == memory_id


def versions_of(space: Space, memory_id: str) -> list[Memory]:
    """Give what stood and stands under an id, the oldest first."""
    one: Memory | None = space.get(memory_id)
    made: list[Memory] = []
    while one is not None and one not in made:
        made.append(one)
        newer = [link.from_id for link in space.links(one.id) if took_place(link, one.id)]
        one = found(space, newer[0]) if newer else None
    return made


def row_of(memory_id: str, number: int, before: Memory | None, now: Memory, event: str) -> dict[str, Any]:
    """Give one line of a memory's history."""
    about = now.attributes.get(ABOUT) or {}
    return {
        "id": f"{memory_id}#{number}",
        "memory_id": memory_id,
        "old_memory": None if before is None else before.content,
        "new_memory": now.content,
        "event": event,
        "created_at": iso(now.created_at),
        "updated_at": None if before is None else iso(now.updated_at),
        "is_deleted": False,
        "actor_id": about.get("actor_id"),
        "role": about.get("role"),
    }


def added(
    space: Space, text: str, about: Mapping[str, Any], when: datetime | None, kind: str = "fact"
) -> dict[str, Any]:
    """Keep one text as a memory, and give what mem0 says of it; what is known already has the event NONE."""
    times: dict[str, Any] = {"event_time": when} if when else {}
    receipt = space.remember(text, kind=kind, attributes={ABOUT: dict(about)} if about else {}, **times)
    if not receipt.ok:
        raise ValidationError(receipt.reason, "VALIDATION_004", {"outcome": receipt.outcome}, "Say it another way.")
    event = "NONE" if receipt.outcome == "duplicate" else "ADD"
    return {"id": shown_id(space.get(receipt.id)), "memory": text, "event": event}


def verbatim(space: Space, said: Mapping[str, Any], about: Mapping[str, Any], when: datetime | None) -> dict[str, Any]:
    """Keep one message as a memory."""
    name = said.get("name")
    more = {"role": said["role"], **({"actor_id": name} if name else {})}
    return {**added(space, said["content"], {**about, **more}, when), "actor_id": name or None, "role": said["role"]}
