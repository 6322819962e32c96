"""What can be wrong with a server: each has its own error, says what to do, and tells no secret."""

from __future__ import annotations

import socket
import traceback
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from typer.testing import CliRunner

from recollect import InvalidInput, NewerSchema, NotADatabase, Recollect, RecollectError, Unavailable
from recollect.serve.cli import whole
from recollect.testing.servers import Postgres
from tests.engines import apart, ask, server
from tests.patience import until

APP = whole()

SERVERS = ("postgresql", "mariadb")
SECRET = "h0rse battery/staple?"
QUOTED = "h0rse%20battery%2Fstaple%3F"
WRONG = "correct-h0rse"


def as_user(url: str, user: str, password: str = "") -> str:
    """Give the same database for another user."""
    scheme, _, rest = url.partition("://")
    return f"{scheme}://{user}{f':{password}' if password else ''}@{rest.partition('@')[2]}"


def at_port(engine: str, port: int | str, password: str = WRONG, host: str = "127.0.0.1") -> str:
    """Give the URL of a server reached over the network."""
    return f"{engine}://ana:{password}@{host}:{port}/recollect"


def closed_port() -> int:
    """Give a port nobody listens at."""
    with socket.socket() as asked:
        asked.bind(("127.0.0.1", 0))
        port: int = asked.getsockname()[1]
        return port


def refused(url: str, *secrets: str) -> RecollectError:
    """Open a database that cannot be opened, as a program and on the command line; give the error."""
    with pytest.raises(RecollectError) as caught:
        Recollect(url).close()
    error = caught.value
    result = CliRunner().invoke(APP, ["status", "--db", url], catch_exceptions=False)
    as_json = CliRunner().invoke(APP, ["db", "init", "--db", url, "--json"], catch_exceptions=False)
    assert result.exit_code == as_json.exit_code != 0
    assert str(error).split(":")[0] in result.output
    told = [str(error), repr(error), result.output, as_json.output]
    told += traceback.format_exception(error)  # what an uncaught error prints, its causes too
    for secret in secrets:
        assert secret not in "\n".join(told)
    return error


@pytest.fixture(params=SERVERS)
def engine(request: pytest.FixtureRequest) -> str:
    """Name one server engine after the other."""
    name: str = request.param
    return name


@pytest.fixture
def guest(engine: str, tmp_path: Path) -> Iterator[str]:
    """Give a database's URL with a user in it who has a password and may connect, but do nothing else."""
    url = apart(engine, tmp_path)
    if engine == "postgresql":
        _lock_up()
        yield as_user(url, "guest", QUOTED)
        return
    name = url.partition("?")[0].rsplit("/", 1)[1]
    ask(
        url,
        f"CREATE OR REPLACE USER guest@localhost IDENTIFIED BY '{SECRET}'",
        f"GRANT SELECT ON {name}.* TO guest@localhost",
    )
    yield as_user(url, "guest", QUOTED)
    ask(url, "DROP USER guest@localhost")


def _lock_up() -> None:
    """Let PostgreSQL ask one user for a password; it trusts everybody else."""
    house = server("postgresql")
    rules = Path(house.run("SHOW hba_file")[0][0])
    if "guest" in rules.read_text():
        return
    house.run(f"CREATE ROLE guest LOGIN PASSWORD '{SECRET}'")
    rules.write_text("local all guest scram-sha-256\n" + rules.read_text())
    house.run("SELECT pg_reload_conf()")
    assert until(lambda: _turned_away(as_user(house.url, "guest", WRONG))), "the server never asked for a password"


def _turned_away(url: str) -> bool:
    try:
        psycopg.connect(url).close()
    except psycopg.OperationalError:
        return True
    return False


def test_a_wrong_password(guest: str) -> None:
    """A refused password is said to be one, and neither the wrong nor a right one is shown."""
    error = refused(guest.replace(QUOTED, WRONG), WRONG, SECRET)
    assert isinstance(error, Unavailable)
    assert "password" in str(error)
    assert "check" in str(error)
    nothing = refused(guest.replace(f":{QUOTED}", ""), SECRET)
    assert isinstance(nothing, Unavailable)
    assert "password" in str(nothing)


def test_a_user_who_may_not_make_tables(guest: str) -> None:
    """The right password without rights is told to ask for rights."""
    error = refused(guest, SECRET, QUOTED)
    assert isinstance(error, Unavailable)
    assert "grant" in str(error)


def test_a_user_who_may_only_write_rows(engine: str, guest: str) -> None:
    """In a database made by an administrator a user needs no right to make anything."""
    url = as_user(guest, {"postgresql": "postgres", "mariadb": "root"}[engine])
    name = url.partition("?")[0].rsplit("/", 1)[1]
    places = {"postgresql": f"{url}&schema=kept", "mariadb": url}
    Recollect(places[engine]).close()
    if engine == "postgresql":
        ask(url, "GRANT USAGE ON SCHEMA kept TO guest", "GRANT ALL ON ALL TABLES IN SCHEMA kept TO guest")
    else:
        ask(url, f"GRANT SELECT, INSERT, UPDATE, DELETE ON {name}.* TO guest@localhost")
    with Recollect(as_user(places[engine], "guest", QUOTED)) as rc:
        assert rc.space("ana").remember("Ana likes tea.").outcome == "stored"
        assert [hit.memory.content for hit in rc.space("ana").recall("tea")] == ["Ana likes tea."]
        assert all(finding.ok for finding in rc.doctor())


def test_the_password_is_shown_nowhere(engine: str, guest: str) -> None:
    """A database that is open describes itself without the password, to programs and on the command line."""
    url = as_user(guest, {"postgresql": "postgres", "mariadb": "root"}[engine])
    if engine == "postgresql":
        ask(url, "GRANT CREATE ON SCHEMA public TO guest")
    else:
        ask(url, f"GRANT ALL ON {url.partition('?')[0].rsplit('/', 1)[1]}.* TO guest@localhost")
    with Recollect(guest) as rc:
        told = [repr(rc), repr(rc.describe())]
    for args in (["status"], ["status", "--json"], ["doctor"], ["db", "init"], ["db", "migrate", "--json"]):
        result = CliRunner().invoke(APP, [*args, "--db", guest], catch_exceptions=False)
        told.append(result.output)
        assert "guest@" in result.output or args[0] == "doctor"
    for secret in (SECRET, QUOTED, "h0rse"):
        assert secret not in "\n".join(told)


def test_nobody_listens(engine: str) -> None:
    """A port without a server is told from a host without a name, and both say what to check."""
    nobody = refused(at_port(engine, closed_port()), WRONG)
    assert isinstance(nobody, Unavailable)
    assert "host and port" in str(nobody)
    nowhere = refused(at_port(engine, 5432, host="no-such-host.invalid"), WRONG)
    assert isinstance(nowhere, Unavailable)
    assert "check" in str(nowhere)
    option = {"postgresql": "host", "mariadb": "unix_socket"}[engine]
    socketless = refused(f"{engine}://ana:{WRONG}@/recollect?{option}=/no/such/folder", WRONG)
    assert isinstance(socketless, Unavailable)
    assert "nothing answers" in str(socketless)


def test_a_server_that_says_nothing(engine: str) -> None:
    """A port that takes calls and never answers is given up in the time the URL allows."""
    option = {"postgresql": "connect_timeout=2", "mariadb": "timeout=1"}[engine]
    with socket.create_server(("127.0.0.1", 0)) as deaf, pytest.raises(Unavailable) as caught:
        Recollect(f"{at_port(engine, deaf.getsockname()[1])}?{option}").close()
    assert "did not answer in time" in str(caught.value)
    assert WRONG not in repr(caught.value)


def test_an_unknown_database(engine: str, guest: str) -> None:
    """A database that is not on the server is to be created first."""
    url = as_user(guest, {"postgresql": "postgres", "mariadb": "root"}[engine])
    name = url.partition("?")[0].rsplit("/", 1)[1]
    error = refused(url.replace(name, "no_such_database"))
    assert isinstance(error, Unavailable)
    assert "create" in str(error)
    assert "no_such_database" in str(error)


@pytest.mark.parametrize(
    ("part", "says"),
    [
        (":no/recollect", "port"),
        (":70000/recollect", "port"),
        ("/recollect?colour=blue", "colour"),
        (":1/recollect?colour=blue&size=2", "colour"),
        ("/recollect?{patience}=soon", "number"),
    ],
)
def test_a_url_that_cannot_be_used(engine: str, part: str, says: str) -> None:
    """A bad port, an unknown option and a bad value are the caller's to mend, and nothing is dialled."""
    patience = {"postgresql": "statement_timeout", "mariadb": "timeout"}[engine]
    error = refused(f"{engine}://ana:{WRONG}@127.0.0.1{part.format(patience=patience)}", WRONG)
    assert isinstance(error, InvalidInput)
    assert says in str(error)


@pytest.mark.parametrize("sign", ["/", "?", "#", "/1@", "@/"])
@pytest.mark.parametrize("start", ["xyz", "12"])
def test_a_password_that_is_not_encoded(engine: str, sign: str, start: str) -> None:
    """A sign that cuts the URL in two gives an error that shows neither piece of the password."""
    error = refused(f"{engine}://ana:{start}{sign}w0rd@127.0.0.1:1/recollect", "w0rd", f":{start}")
    assert isinstance(error, InvalidInput)
    assert "percent-encode" in str(error)


def test_a_mariadb_url_without_a_database() -> None:
    """MariaDB has no database to fall back on, so the URL must name one."""
    error = refused(f"mariadb://ana:{WRONG}@127.0.0.1", WRONG)
    assert isinstance(error, InvalidInput)
    assert "names no database" in str(error)


def test_options_that_postgresql_knows(tmp_path: Path) -> None:
    """What the driver knows may stand in the URL, even beside what we set ourselves."""
    url = apart("postgresql", tmp_path)
    with Recollect(f"{url}&password=x&options=-c%20work_mem%3D5MB&application_name=mine") as rc:
        assert rc.space("ana").remember("Ana likes tea.").outcome == "stored"
        names = ask(url, "SELECT DISTINCT application_name FROM pg_stat_activity WHERE datname = current_database()")
        assert ("mine",) in names
    error = refused(f"{url}&sslmode=sideways")
    assert "option" in str(error)


def test_a_newer_schema(engine: str, tmp_path: Path) -> None:
    """A database of a newer Recollect is not touched; the package wants upgrading."""
    url = apart(engine, tmp_path)
    Recollect(url).close()
    ask(url, "UPDATE meta SET value = '99' WHERE \"key\" = 'schema'")
    error = refused(url)
    assert isinstance(error, NewerSchema)
    assert "upgrade the package" in str(error)
    assert ask(url, "SELECT value FROM meta WHERE \"key\" = 'schema'") == [("99",)]


@pytest.mark.parametrize("table", ["memories", "sessions", "meta"])
def test_a_table_of_another_program(engine: str, table: str, tmp_path: Path) -> None:
    """A table of another program is not touched; a place of its own, as the message says, is free."""
    url = apart(engine, tmp_path)
    ask(url, f"CREATE TABLE {table} (theirs INTEGER)")
    error = refused(url)
    assert isinstance(error, NotADatabase)
    assert f"a table {table} of another program" in str(error)
    tables = "SELECT table_name FROM information_schema.tables WHERE table_schema = "
    assert ask(url, tables + {"postgresql": "'public'", "mariadb": "DATABASE()"}[engine]) == [(table,)]
    if engine == "postgresql":
        assert "?schema=recollect" in str(error)
        with Recollect(f"{url}&schema=recollect") as rc:
            assert rc.space("ana").remember("Ana likes tea.").outcome == "stored"
        assert ask(url, f"SELECT * FROM public.{table}") == []


def test_without_pgvector(tmp_path: Path) -> None:
    """Without the extension words still find, the doctor says how to install it, and once it is there it is used."""
    url = apart("postgresql", tmp_path)
    kind = "SELECT udt_name FROM information_schema.columns WHERE table_name = 'vectors' AND column_name = 'embedding'"
    role = f"plain_{url.partition('?')[0].rsplit('/', 1)[1]}"
    ask(url, f"CREATE ROLE {role} LOGIN", f"GRANT CREATE ON SCHEMA public TO {role}")
    plain = as_user(url, role)
    with Recollect(plain) as rc:
        kept = rc.space("ana").remember("Ana likes tea.").id
        assert [hit.memory.id for hit in rc.space("ana").recall("tea")] == [kept]
        missing = next(finding for finding in rc.doctor() if not finding.ok)
        assert "CREATE EXTENSION vector" in missing.fix
        assert "pgvector" in missing.fix
        assert {finding.check for finding in rc.doctor()} >= {"pgvector", "postings", "counters"}
        assert not rc.describe()["vectors"]
    assert ask(url, kind) == [("bytea",)]
    ask(url, "CREATE EXTENSION vector")
    with Recollect(plain) as rc:
        assert rc.describe()["vectors"]
        assert all(finding.ok for finding in rc.doctor())
        assert [hit.memory.id for hit in rc.space("ana").recall("tea")] == [kept]
    assert ask(url, kind) == [("halfvec",)]


def test_a_server_with_no_pgvector_at_all(tmp_path: Path) -> None:
    """Where even an administrator has no such extension, the store opens as often as it is asked to."""
    house = server("postgresql")
    assert isinstance(house, Postgres)
    url = apart("postgresql", tmp_path)
    control = house.folder / "hidden"
    # The server looks for extensions where this says, and there is none.
    ask(url, f"ALTER DATABASE {url.partition('?')[0].rsplit('/', 1)[1]} SET extension_control_path = '{control}'")
    for _ in range(2):
        with Recollect(url) as rc:
            assert rc.space("ana").remember("Ana likes tea.").outcome in ("stored", "duplicate")
            assert [finding.check for finding in rc.doctor() if not finding.ok] == ["pgvector"]
