"""The schema: three engines, one shape; whatever the way there, and however many arrive at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import psycopg
import pytest

from recollect import NewerSchema, Recollect
from recollect.store.base import Store
from recollect.store.engines.mariadb import MariaStore
from recollect.store.engines.migrate import migrations
from recollect.store.engines.postgres import PostgresStore
from recollect.store.engines.sqlite import SqliteStore
from tests.catalog import columns, everything, keys
from tests.engines import apart, ask
from tests.patience import PATIENCE, all_at_once, until
from tests.wide import many

ENGINES = ("sqlite", "postgresql", "mariadb")
SERVERS = ("postgresql", "mariadb")
CROWD = many(4, 10)
"""How many processes open a database at once."""
STEPS = {"sqlite": "sqlite", "postgresql": "postgres", "mariadb": "mariadb"}
OPENER = """
import sys
from recollect import Recollect
print('ready', flush=True)
sys.stdin.readline()
with Recollect(sys.argv[1]) as rc:
    print(rc.space('ana').observe('user', sys.argv[2]).outcome)
"""


def opened(engine: str, url: str, upto: int | None = None) -> Store:
    """Open a database as a program that knows so many steps."""
    if engine == "sqlite":
        return SqliteStore(url, upto=upto)
    return PostgresStore(url, upto) if engine == "postgresql" else MariaStore(url, upto)


def made(engine: str, folder: Path) -> str:
    """Make a database and give its URL."""
    url = apart(engine, folder)
    opened(engine, url).close()
    return url


@pytest.mark.parametrize("engine", SERVERS)
def test_the_columns_are_those_of_the_file(engine: str, tmp_path: Path) -> None:
    """Every engine has the same tables and columns, of the same family, empty or not alike."""
    ours, theirs = columns(made(engine, tmp_path)), columns(made("sqlite", tmp_path))
    assert len(theirs) > 80
    assert ours == theirs


@pytest.mark.parametrize("engine", SERVERS)
def test_the_keys_are_those_of_the_file(engine: str, tmp_path: Path) -> None:
    """Every engine has the same primary keys, unique keys and indexes over the same columns in the same order."""
    ours, theirs = keys(made(engine, tmp_path)), keys(made("sqlite", tmp_path))
    assert len([key for key in theirs if not key.name]) == len(
        {table for table, _ in columns(made("sqlite", tmp_path))}
    )
    assert ours == theirs


@pytest.mark.parametrize("engine", SERVERS)
def test_names_are_compared_byte_by_byte(engine: str, tmp_path: Path) -> None:
    """Every text column keeps case, accents and spaces at the end apart."""
    url = made(engine, tmp_path)
    schema = "current_schema()" if engine == "postgresql" else "DATABASE()"
    kept = ask(
        url,
        "SELECT DISTINCT collation_name FROM information_schema.columns "
        f"WHERE table_schema = {schema} AND collation_name IS NOT NULL AND column_name <> 'value'",
    )
    assert kept == [("C" if engine == "postgresql" else "utf8mb4_nopad_bin",)]


@pytest.mark.parametrize("engine", ENGINES)
def test_fresh_equals_upgraded(engine: str, tmp_path: Path) -> None:
    """Step by step or all at once, the schema is the same to the letter, and so is its number."""
    steps = len(migrations(STEPS[engine]))
    fresh, old = made(engine, tmp_path), apart(engine, tmp_path)
    for upto in range(1, steps + 1):
        opened(engine, old, upto).close()
        assert ask(old, "SELECT value FROM meta WHERE \"key\" = 'schema'") == [(str(upto),)]
    assert everything(old) == everything(fresh)
    assert len(everything(fresh)) > 10


@pytest.mark.parametrize("engine", SERVERS)
def test_a_schema_half_made_is_made_whole(engine: str, tmp_path: Path) -> None:
    """What was written at schema 1 is there after the upgrade, and the house is in order."""
    url = apart(engine, tmp_path)
    opened(engine, url, 2).close()
    ask(url, "INSERT INTO owners (owner, rev, vec_rev, next_doc, docs, total_length) VALUES ('/ana', 0, 0, 1, 0, 0)")
    with Recollect(url) as rc:
        assert rc.owners() == [("", "ana")]
        assert rc.space("ana").remember("Ana has a cat.").rev == 1
        assert all(finding.ok for finding in rc.doctor())


def test_a_mariadb_step_that_broke_off_is_taken_again(tmp_path: Path) -> None:
    """Where each statement commits by itself, a step cut in the middle is run again from its start."""
    fresh, url = made("mariadb", tmp_path), apart("mariadb", tmp_path)
    MariaStore(url, 1).close()
    ask(url, migrations("mariadb")[1].statements[0], migrations("mariadb")[2].statements[0])
    MariaStore(url).close()
    assert everything(url) == everything(fresh)


@pytest.mark.parametrize("place", ["postgresql", "mariadb", "schema"])
def test_processes_open_an_empty_database(place: str, tmp_path: Path) -> None:
    """Processes that meet at a database without tables all get in, and all their writes stay."""
    url = apart("postgresql", tmp_path) + "&schema=New%20One" if place == "schema" else apart(place, tmp_path)
    answers = all_at_once([[OPENER, url, f"from {n}"] for n in range(CROWD)])
    assert [out.strip() for out, _ in answers] == ["stored"] * CROWD, answers
    with Recollect(url) as rc:
        assert rc.space("ana").stats().rev == CROWD
        assert all(finding.ok for finding in rc.doctor())


def test_schemas_of_one_database_are_walls(tmp_path: Path) -> None:
    """Two schemas and the public one hold three memories, each with vectors, and none sees another."""
    url = apart("postgresql", tmp_path)
    urls = (url, f"{url}&schema=one", f"{url}&schema=two")
    for number, each in enumerate(urls):
        with Recollect(each) as rc:
            rc.space(f"user {number}").remember("Ana has a cat.")
    for number, each in enumerate(urls):
        with Recollect(each) as rc:
            assert rc.owners() == [("", f"user {number}")]
            assert rc.describe()["vectors"]
            assert all(finding.ok for finding in rc.doctor())


@pytest.mark.parametrize("engine", ENGINES)
def test_a_program_older_than_the_schema_is_told_so(engine: str, tmp_path: Path) -> None:
    """A newer program that changes the schema under an open one leaves it with an error that says what to do."""
    url = apart(engine, tmp_path)
    with Recollect(url) as rc:
        rc.space("ana").remember("Tea is hot.")
        ask(url, "UPDATE meta SET value = '99' WHERE \"key\" = 'schema'")
        ask(url, "DROP TABLE terms")
        for act in (lambda: rc.space("ana").remember("Milk is cold."), rc.doctor):
            with pytest.raises(NewerSchema, match="start this program again"):
                act()


@pytest.mark.parametrize("held", [("memories", "terms"), ("terms", "memories")])
def test_an_upgrade_waits_for_those_who_write(held: tuple[str, str], tmp_path: Path) -> None:
    """A writer in the middle of its work keeps the upgrade waiting; where the two lock each other out, both come
    through: the upgrade tries again."""
    url = apart("postgresql", tmp_path)
    PostgresStore(url, upto=6).close()
    with psycopg.connect(url) as writer, ThreadPoolExecutor(1) as pool:
        writer.execute(f"LOCK TABLE {held[0]} IN ROW EXCLUSIVE MODE")
        opening = pool.submit(PostgresStore, url)
        waiting = "SELECT COUNT(*) FROM pg_locks WHERE NOT granted"
        assert until(lambda: ask(url, waiting)[0][0])
        with suppress(psycopg.errors.DeadlockDetected):
            writer.execute(f"LOCK TABLE {held[1]} IN ROW EXCLUSIVE MODE")
        writer.rollback()
        opening.result(PATIENCE).close()
    assert ask(url, "SELECT value FROM meta WHERE \"key\" = 'schema'")[0][0] == str(len(migrations("postgres")))
