"""What the three engines' own catalogs say about the tables, in one language."""

from __future__ import annotations

from dataclasses import dataclass

from tests.engines import ask

_FAMILIES = {
    "text": ("text", "varchar", "longtext"),
    "integer": ("integer", "bigint", "smallint", "int8", "int2"),
    "real": ("real", "double", "float8"),
    "bytes": ("blob", "longblob", "bytea", "halfvec"),
}
FAMILY = {name: family for family, names in _FAMILIES.items() for name in names}
_PG_KEYS = """
    SELECT t.relname, CASE WHEN i.indisprimary THEN '' ELSE n.relname END, i.indisunique,
           string_agg(a.attname, ',' ORDER BY k.place)
    FROM pg_index i JOIN pg_class t ON t.oid = i.indrelid JOIN pg_class n ON n.oid = i.indexrelid
    CROSS JOIN LATERAL unnest(i.indkey) WITH ORDINALITY AS k (number, place)
    JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = k.number
    WHERE t.relnamespace = current_schema()::regnamespace GROUP BY 1, 2, 3
"""
_MARIA_KEYS = """
    SELECT table_name, IF(index_name = 'PRIMARY', '', index_name), non_unique = 0,
           GROUP_CONCAT(column_name ORDER BY seq_in_index)
    FROM information_schema.statistics WHERE table_schema = DATABASE() GROUP BY table_name, index_name, non_unique
"""
_COLUMNS = """
    SELECT table_name, column_name, {type}, is_nullable = 'YES' FROM information_schema.columns
    WHERE table_schema = {schema}
"""


@dataclass(frozen=True, order=True)
class Key:
    """A primary key (it has no name), a unique key or an index, its columns in order."""

    table: str
    name: str
    unique: bool
    columns: tuple[str, ...]


def columns(url: str) -> dict[tuple[str, str], tuple[str, bool]]:
    """Give every column: the family of its type, and whether it may be empty."""
    if url.startswith("sqlite"):
        rows = [
            (table, name, kind, not filled and not primary)
            for table in _files_tables(url)
            for _, name, kind, filled, _, primary in ask(url, f"PRAGMA table_info({table})")
        ]
    elif url.startswith("postgresql"):
        rows = ask(url, _COLUMNS.format(type="udt_name", schema="current_schema()"))
    else:
        rows = ask(url, _COLUMNS.format(type="data_type", schema="DATABASE()"))
    return {(table, name): (FAMILY[kind.lower()], bool(empty)) for table, name, kind, empty in rows}


def keys(url: str) -> list[Key]:
    """Give every key and index, sorted."""
    if url.startswith("sqlite"):
        return sorted(key for table in _files_tables(url) for key in _files_keys(url, table))
    rows = ask(url, _PG_KEYS if url.startswith("postgresql") else _MARIA_KEYS)
    return sorted(Key(table, name, bool(unique), tuple(names.split(","))) for table, name, unique, names in rows)


def _files_tables(url: str) -> list[str]:
    return [
        row[0] for row in ask(url, "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
    ]


def _files_keys(url: str, table: str) -> list[Key]:
    found = []
    for _, name, unique, origin, _ in ask(url, f"PRAGMA index_list({table})"):
        names = tuple(row[2] for row in ask(url, f"PRAGMA index_info({name})"))
        found.append(Key(table, "" if origin == "pk" else name, bool(unique), names))
    return found


def everything(url: str) -> list[tuple[object, ...]]:
    """Give the whole catalog of one engine in its own words, to hold two databases of one engine together."""
    if url.startswith("sqlite"):
        return ask(url, "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY type, name")
    if url.startswith("mariadb"):
        tables = [row[0] for row in ask(url, "SHOW TABLES")]
        return [row for table in sorted(tables) for row in ask(url, f'SHOW CREATE TABLE "{table}"')]
    listed = ask(
        url,
        "SELECT table_name, column_name, udt_name, is_nullable, column_default, collation_name "
        "FROM information_schema.columns WHERE table_schema = current_schema() ORDER BY table_name, ordinal_position",
    )
    return listed + ask(
        url, "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = current_schema() ORDER BY 1"
    )
