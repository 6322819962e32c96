"""Fit for a cluster: the owner leads every key, and every statement says whose rows it means."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from recollect import Recollect, Space
from recollect.errors import RecollectError
from recollect.model import change as c
from recollect.model.asking import Call, Spending, Usage
from recollect.model.entity import Mention
from recollect.model.window import Checkpoint
from recollect.rules.people.names import entity_id
from recollect.store.base import TABLES, Store
from recollect.store.engines.server import Wire
from recollect.store.engines.sqlite import SqliteStore
from recollect.testing import FixedClock
from recollect.testing.contract import ANA, AT, commit, everything, make, put, stock
from recollect.testing.contract.stock import FILTERS, matched
from tests.catalog import columns, keys
from tests.engines import apart, ask, fresh

ENGINES = ("sqlite", "postgresql", "mariadb")
OWNED = frozenset(
    (
        "owners memories terms postings entities names links sessions journal jobs spend events calls vectors segments "
        "packs windows checkpoints"
    ).split()
)
SPANNING = (
    re.compile(r"SELECT owner FROM owners WHERE owner <> '' ORDER BY owner"),
    re.compile(r"SELECT [\w, \"]+ FROM jobs WHERE due_at <= \?.*", re.DOTALL),
    re.compile(r"VACUUM (memories|postings|terms|links|names|entities|journal|jobs|vectors|events)"),
    re.compile(r"CHECK TABLE (memories|postings|terms|journal)"),
)
"""What may speak of all owners: their list, the scan for due jobs, and the engines' own care of whole tables."""
_TABLE = re.compile(r"\b(?:FROM|JOIN|UPDATE|INTO)\s+(\w+)(?:\s+(?!WHERE|SET|ON|JOIN|ORDER|GROUP|LIMIT|VALUES)(\w+))?")
_QUERY = re.compile(r"\(\s*SELECT\b[^()]*(?:\([^()]*\)[^()]*)*\)")


def unowned(sql: str) -> list[str]:
    """Name what is wrong with a statement: the tables of owners it touches without saying whose rows."""
    flat = " ".join(sql.split())
    if any(known.fullmatch(flat) for known in SPANNING):
        return []
    wrong = [f"{flat}: a join without JOIN"] if re.search(r"FROM \w+( \w+)?,", flat) else []
    while inner := _QUERY.search(flat):  # each query must say it for itself
        wrong += unowned(inner[0][1:-1])
        flat = flat[: inner.start()] + "?" + flat[inner.end() :]
    if flat.startswith(("INSERT", "REPLACE")):
        table = _TABLE.search(flat)
        named = re.search(r"\(([^)]*)\)", flat)
        bad = table and table[1] in OWNED and not (named and re.search(r"\"?owner\"?", named[1].split(",")[0]))
        return wrong + ([f"{flat}: owner is not named first"] if bad else [])
    touched = [(table, alias or table) for table, alias in _TABLE.findall(flat) if table in OWNED]
    for table, alias in touched:
        alone = rf"(?<!\.)\bowner = (?:\?|%s)|\b{alias}\.owner = (?:\?|%s)"
        mine = rf"\b{alias}\.owner = (?:\?|%s|\w+\.owner\b)"
        joined = rf"\b\w+\.owner = {alias}\.owner\b"
        condition = alone if len(touched) == 1 else f"{mine}|{joined}"
        if not re.search(condition, flat):
            wrong.append(f"{flat}: {table} without its owner")
    return wrong


BAD = (
    "SELECT id FROM memories WHERE id = ?",
    "SELECT COUNT(*) FROM memories",
    "UPDATE memories SET owner_id = ? WHERE id = ?",
    "DELETE FROM links WHERE from_id = ?",
    "INSERT INTO terms (term) VALUES (?)",
    "INSERT INTO terms VALUES (?, ?)",
    "SELECT p.doc FROM postings p JOIN memories m ON m.doc = p.doc WHERE p.owner = ?",
    "SELECT id FROM memories WHERE owner = ? AND EXISTS (SELECT 1 FROM postings p WHERE p.doc = memories.doc)",
    "SELECT meta FROM journal WHERE owner = ? AND rev = (SELECT MIN(rev) FROM journal WHERE memory_id = ?)",
    "SELECT name FROM jobs WHERE name = ?",
    "DELETE FROM journal WHERE owner <> ?",
    "SELECT owner FROM owners",
    "SELECT a.id FROM memories a, links b WHERE a.owner = ? AND b.from_id = a.id",
)


@pytest.mark.parametrize("sql", BAD)
def test_a_statement_without_its_owner_is_seen(sql: str) -> None:
    """The reader of statements finds every kind of statement that leaves the owner out."""
    assert len(unowned(sql)) == 1


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    """Name one engine after the other."""
    name: str = request.param
    return name


def test_the_owner_leads_every_key(engine: str, tmp_path: Path) -> None:
    """In the live catalog every key and index begins with the owner, but the one that finds due jobs."""
    url = apart(engine, tmp_path)
    Recollect(url).close()
    found = keys(url)
    assert {key.table for key in found} == {*OWNED, "meta"}
    assert [key.name for key in found if key.table != "meta" and key.columns[0] != "owner"] == ["jobs_due"]
    assert {table for table, column in columns(url) if column == "owner"} == OWNED


_NOTHING = {
    "sqlite": (
        "SELECT name FROM sqlite_master WHERE type IN ('trigger', 'view') OR name = 'sqlite_sequence' "
        "OR sql LIKE '%AUTOINCREMENT%' OR sql LIKE '%REFERENCES%' OR sql LIKE '%GENERATED%'",
    ),
    "postgresql": (
        "SELECT relname FROM pg_class WHERE relkind IN ('S', 'v', 'm') AND relnamespace = 'public'::regnamespace",
        "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal",
        "SELECT conname FROM pg_constraint WHERE contype = 'f'",
        "SELECT column_name FROM information_schema.columns WHERE table_schema = 'public' "
        "AND (is_generated <> 'NEVER' OR is_identity <> 'NO' OR column_default LIKE 'nextval%')",
    ),
    "mariadb": (
        "SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE() "
        "AND table_type <> 'BASE TABLE'",
        "SELECT trigger_name FROM information_schema.triggers WHERE trigger_schema = DATABASE()",
        "SELECT constraint_name FROM information_schema.referential_constraints WHERE constraint_schema = DATABASE()",
        "SELECT column_name FROM information_schema.columns WHERE table_schema = DATABASE() AND extra <> ''",
    ),
}


def test_nothing_lives_in_the_database_but_tables(engine: str, tmp_path: Path) -> None:
    """No sequence, trigger, view, generated column or foreign key is in the live catalog."""
    url = apart(engine, tmp_path)
    Recollect(url).close()
    assert [row for sql in _NOTHING[engine] for row in ask(url, sql)] == []


@pytest.fixture
def said(engine: str, monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Give a set that fills with every statement the stores send from now on."""
    heard: set[str] = set()
    if engine == "sqlite":
        plain = SqliteStore._connect

        def connect(self: SqliteStore) -> Any:
            return _Heard(plain(self), heard)

        monkeypatch.setattr(SqliteStore, "_connect", connect)
        return heard
    kinds: list[type[Wire]] = [Wire, *Wire.__subclasses__()]
    for kind in kinds:
        monkeypatch.setattr(kind, "spelled", _heard_by(kind.spelled, heard))
    return heard


def _heard_by(spell: Callable[[Wire, str], str], heard: set[str]) -> Callable[[Wire, str], str]:
    def spelled(self: Wire, sql: str) -> str:
        heard.add(sql)
        return spell(self, sql)

    return spelled


class _Heard:
    """A connection to a file that notes what it is told, before its parameters are filled in."""

    def __init__(self, raw: Any, heard: set[str]) -> None:
        self._raw = raw
        self._said = heard

    def execute(self, sql: str, *params: Any) -> Any:
        """Note a statement and run it."""
        self._said.add(sql)
        return self._raw.execute(sql, *params)

    def executemany(self, sql: str, *rows: Any) -> Any:
        """Note a statement and run it for many rows."""
        self._said.add(sql)
        return self._raw.executemany(sql, *rows)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._raw, name)


def verbs(rc: Recollect, clock: FixedClock, folder: Path) -> None:
    """Use everything the front door offers, for two people."""
    for user in ("ana", "bob"):
        space = rc.space(user, agent="helper", session="s1")
        first = space.observe("user", f"@carol met {user} in Lisbon, #tea at four.", request_id="r1").id
        space.observe("user", f"@carol met {user} in Lisbon, #tea at four.", request_id="r1")
        fact = space.remember("Carol likes green tea.", topic="drinks", tags=["tea"], importance=7).id
        other = space.remember("The office of Carol is in Porto.", key="office", private=True).id
        space.remember("The office of Carol moved to Faro.", key="office", private=True)
        space.remember_many([{"content": "Dora has a dog."}, {"content": "Eve has a cat."}])
        fact = space.correct(fact, "Carol likes black tea with milk.").id
        for change in (space.confirm, space.pin, space.forget, space.restore):
            change(fact)
        space.rate(fact, 9)
        ids = [memory.id for memory in space.list(kinds="fact") if memory.id != fact and not memory.key]
        merged = space.merge(ids[:2]).id
        for query in ("tea", "grean te", "carol lisbon", "off", ""):
            space.recall(query, kinds=[])
        space.recall("tea", tags=["tea"], kinds=[], as_of=clock.moment)
        looks(space, [first, fact, other, merged])
        clock.advance(days=9)
        rc.run_jobs()
        rc.run_jobs(["age"], dry=True)
        for report in rc.run_jobs(["age", "forget", "ttl", "purge", "expire"], owner=space.owner):
            space.jobs.undo(report.run) if report.run else space.jobs.runs()
        rc.jobs.pause(["age"]), rc.jobs(), rc.jobs.retry(), rc.jobs.resume(["age"])
        space.export(io.StringIO())
        space.erase(merged)
        space.erase(entity="carol")
        rc.space(user, session="s2").observe("user", "Nothing much.")
        space.erase(session="s2")
    with (folder / "all.jsonl").open("w") as out:
        rc.export(out)
    rc.doctor(fix=True)
    rc.space("bob").erase(everything=True)


def looks(space: Space, ids: list[str]) -> None:
    """Look at everything without a query."""
    for order in ("recent", "oldest", "importance", "updated", "event", "used"):
        space.list(order=order)
    for one in ids:
        space.links(one)
        space.history(one)
    space.entity("carol")
    space.unite("eve", "dora")
    space.part("eve")
    space.context("tea", budget_tokens=2000)
    for look in (space.stats, space.sessions, space.jobs, space.journal, space.activity, space.forgetting):
        look()


def contract(store: Store) -> None:
    """Ask a store everything its contract knows, as the contract's own tests do."""
    stock(store)
    commit(store, put(make("fact_7", "Tea with @ana", tags=("x",))), request_id="r", session="s9")
    with store.view() as view:
        for _, fields, _ in FILTERS:
            where = everything(**fields)
            matched(view, where, ["tea", "lisbon"])
            view.page(where, "recent", 10)
            view.count(where), list(view.lives(where))
            view.about(where, ["ana"], 10)
        for table in TABLES:
            list(view.dump(ANA, table))
        view.namesakes(ANA, "ana"), view.unread(everything(), 2, 9)
        view.terms_with(ANA, "te", 5), view.terms_from(ANA, "te", 1, 9)
        view.old_events(ANA, AT, 9), view.old_lines(ANA, AT, 9), view.activity(ANA, [AT, AT + timedelta(days=1)])
        view.spent(ANA, "2026-01-01"), view.owners(), view.due(AT), view.due(AT, ["age"]), view.check(ANA)
        view.revision(ANA, 1), view.runs(ANA, 5)
        view.window(ANA, "s9"), view.told(ANA, ""), view.checkpoints(ANA, "s9", None, 9)
        view.logged(ANA, "s9", "call_9", 9), view.call(ANA, "call_1"), view.old_calls(ANA, AT, 9)
        view.happened(ANA, AT, AT + timedelta(days=1), 9, (1, 2, 3))
    for change in (
        c.Enqueue("age", AT, payload={}),
        c.Lease("age", "", "token", AT + timedelta(hours=1)),
        c.Extend("age", "", "token", AT + timedelta(hours=2)),
        c.Finish("age", "", "token", {}, AT),
        c.Settle("age", "", AT, {}, AT),
        c.Dequeue("age"),
        c.Note("run_1", "ran"),
        c.Rejoin("fact_7", "fact_1", "related_to", 0.5),
        c.Rejoin("fact_7", "fact_1", "related_to", 0.4),
        c.Spend(Spending("2026-01-05", "judge", "dream", "s9", Usage(1, 10, 2))),
        c.Spend(Spending("2026-01-05", "judge", "dream", "s9", Usage(1, 10, 2))),
        c.Log(Call("call_1", AT, "judge", "verdict", "answered")),
        c.Unlog(AT),
        c.Unlog(),
        c.Name("fact_7", (Mention("Ana", "location", 0, 3), Mention("Bo Li", "person", 0, 5)), "now"),
        c.Unname("fact_7", (entity_id("person", "Bo Li"),), (entity_id("person", "Bo Li"),), (("x", "y", "z"),)),
        c.SetWindow("s9", seen_rev=1),
        c.SetWindow("s9", seen_rev=2),
        c.SaveCheckpoint(Checkpoint("s9", "", "c1", "", {}, AT), keep=1),
        c.DropCheckpoints("s9", "", "c1"),
        c.Mend(),
        c.Remove(("fact_7",), "purged"),
        c.Trim(99, AT + timedelta(days=1)),
        c.Clear(AT),
        c.Drop(sessions=("s9",), entities=()),
        c.Wipe(),
    ):
        commit(store, change)


@pytest.fixture
def house(engine: str, said: set[str], tmp_path: Path) -> Iterator[Recollect]:
    """Give an empty memory whose statements are heard."""
    url = fresh(engine, tmp_path)
    Recollect(url).close()  # the schema is made before: making it is no matter of owners
    said.clear()
    with Recollect(url, clock=FixedClock()) as rc:
        yield rc


def test_every_statement_says_whose_rows(house: Recollect, said: set[str], engine: str, tmp_path: Path) -> None:
    """Whatever the verbs and the contract do, no statement touches an owner's rows without naming the owner."""
    store = house._runtime.store
    clock = house._runtime.clock
    assert isinstance(clock, FixedClock)
    verbs(house, clock, tmp_path)
    with Recollect(apart(engine, tmp_path)) as other:
        house.copy_to(other)
    with Recollect(apart(engine, tmp_path)) as other:
        other.import_file(tmp_path / "all.jsonl")
    house.space("ana").erase(everything=True)
    contract(store)
    schema = [sql for sql in said if sql.lstrip().startswith(("CREATE", "ALTER"))]
    heard = said - set(schema)
    assert [wrong for sql in sorted(heard) for wrong in unowned(sql)] == []
    touched = {table for sql in heard for table, _ in _TABLE.findall(sql) if table in OWNED}
    assert touched == OWNED
    assert len(heard) > 100


def test_a_refused_verb_says_it_too(house: Recollect, said: set[str]) -> None:
    """Statements on the way to a refusal name the owner as well."""
    ana = house.space("ana")
    for refused in (lambda: ana.get("fact_none"), lambda: ana.forget("fact_none"), lambda: ana.merge(["a", "b"])):
        with pytest.raises(RecollectError):
            refused()
    assert said
    assert [wrong for sql in sorted(said) for wrong in unowned(sql)] == []
