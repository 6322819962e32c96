"""What MemPalace keeps: the drawers of its palace, read from the database of Chroma they stand in, and its facts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from recollect.adapters.importers.chroma import DOCUMENT, records
from recollect.adapters.importers.items import Found, Note, databases, moment, rows, tables
from recollect.errors import InvalidInput

NAME = "mempalace"
TEXT = "the folder of a palace, or the chroma.sqlite3 or knowledge_graph.sqlite3 in it"
DRAWERS, FACTS, INDEX = "embedding_metadata", "triples", "closet_"
"""The tables by which the databases are known, and how the ids begin that only say where a drawer is."""
_TRIPLES = """
SELECT t.*, coalesce(s.name, t.subject) AS who, coalesce(o.name, t.object) AS whom
FROM triples t LEFT JOIN entities s ON s.id = t.subject LEFT JOIN entities o ON o.id = t.object ORDER BY t.rowid
"""


def read(path: Path) -> Iterator[Found]:
    """Give every drawer as a passage, filed under its wing and room, and every fact in its time."""
    found = [(file, tables(file)) for file in databases(path)]
    if not any({DRAWERS, FACTS} & names for _, names in found):
        raise InvalidInput(f"{path} is no palace: there is no chroma.sqlite3 in it")
    for file, names in found:
        if DRAWERS in names:
            yield from (_drawer(id, record) for id, record in _drawers(file) if str(record[DOCUMENT]).strip())
        if FACTS in names:
            yield from map(_fact, rows(file, _TRIPLES))


def _drawers(file: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Give drawers whole: a long one is kept in pieces that are cut anywhere, each with the name of the whole."""
    pieces: dict[str, list[dict[str, Any]]] = {}
    for id, record in records(file):
        if not id.startswith(INDEX) and record.get(DOCUMENT):
            pieces.setdefault(str(record.get("parent_drawer_id") or id), []).append(record)
    for id, those in pieces.items():
        those.sort(key=lambda one: one.get("chunk_index") or 0)
        yield id, {**those[0], DOCUMENT: "".join(str(one[DOCUMENT]) for one in those)}


def _drawer(id: str, record: Mapping[str, Any]) -> Note:
    about = {name: value for name, value in record.items() if name != DOCUMENT}
    rooms = [str(about[name]) for name in ("wing", "room") if about.get(name)]
    at = moment(about.get("filed_at")) or moment(about.get("timestamp")) or moment(about.get("date"))
    more = {"event_time": at} if at else {}
    details = {"kind": "passage", "topic": "/".join(rooms)[:255], "attributes": about, **more}
    return Note(id, str(record[DOCUMENT]).strip(), details)


def _fact(row: Mapping[str, Any]) -> Note:
    relation = str(row["predicate"])
    begun = moment(row.get("valid_from")) or moment(row.get("extracted_at"))
    times = {"event_time": begun, "valid_until": moment(row.get("valid_to"))}
    about = {"relation": relation, "between": [str(row["who"]), str(row["whom"])]}
    details = {"attributes": about, **{name: value for name, value in times.items() if value}}
    return Note(str(row["id"]), f"{row['who']} {relation.replace('_', ' ')} {row['whom']}.", details)
