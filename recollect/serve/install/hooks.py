"""What a client's hooks do: lay out memory when a session begins, and keep what was said before it is lost."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from recollect.errors import InvalidInput
from recollect.flows.window.scene import text_of
from recollect.front.space import Space

MOST_TOKENS = 2500
LONGEST = 100_000


def event(raw: str) -> dict[str, Any]:
    """Read what a client tells a hook."""
    try:
        made = json.loads(raw or "{}")
    except ValueError as error:
        raise InvalidInput(f"the hook was told something that is no JSON: {error}") from error
    return made if isinstance(made, dict) else {}


def begun(space: Space) -> str:
    """Give what is worth knowing when a session begins or was shortened."""
    return str(space.context(budget_tokens=MOST_TOKENS))


def saved(space: Space, told: Mapping[str, Any]) -> int:
    """Keep the messages of a session's transcript, each once, and give how many there were."""
    path = Path(str(told.get("transcript_path", "")))
    if not path.is_file():
        return 0
    many = 0
    for role, text, number, at in messages(path):
        space.observe(role, text[:LONGEST], at, request_id=number)
        many += 1
    return many


def messages(path: Path) -> Iterator[tuple[str, str, str, datetime | None]]:
    """Give the messages of a transcript: who said it, what, the number it is known by, and when."""
    with path.open(encoding="utf-8", errors="replace") as file:
        for line in file:
            try:
                made = json.loads(line)
            except ValueError:
                continue  # a line that is being written
            if not isinstance(made, dict) or made.get("type") not in ("user", "assistant") or made.get("isMeta"):
                continue
            said = made.get("message")
            text = text_of(said.get("content")) if isinstance(said, Mapping) else ""
            if text.strip() and made.get("uuid"):
                yield str(made["type"]), text, str(made["uuid"]), _moment(made.get("timestamp"))


def _moment(given: object) -> datetime | None:
    try:
        made = datetime.fromisoformat(str(given))
    except ValueError:
        return None
    return made if made.tzinfo else made.replace(tzinfo=UTC)
