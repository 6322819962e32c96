"""What stands in a database of Chroma, the vector store that several memories keep their texts in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from recollect.adapters.importers.items import rows

DOCUMENT = "chroma:document"
"""The name under which Chroma keeps the text of a record among its metadata."""
_QUERY = """
SELECT e.embedding_id AS id, m.key AS name, m.bool_value AS flag,
       coalesce(m.string_value, m.int_value, m.float_value, m.bool_value) AS value
FROM embeddings e JOIN embedding_metadata m ON m.id = e.id ORDER BY e.id
"""


def records(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Give every record: its id and its metadata, the text among it."""
    found: dict[str, dict[str, Any]] = {}
    for row in rows(path, _QUERY):
        value = row["value"] if row["flag"] is None else bool(row["flag"])
        found.setdefault(str(row["id"]), {})[str(row["name"])] = value
    yield from found.items()
