"""What a header, a cursor or an export promises is kept, or refused."""

from __future__ import annotations

import asyncio
import random
import socket
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from recollect import InvalidInput, Outdated, Recollect, Space, connect, connect_async
from recollect.serve.rest.running import listening
from tests.doors.serving import serving


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Recollect]:
    """Give a memory in a file."""
    with Recollect(f"sqlite:///{tmp_path}/m.db", embedder="none") as opened:
        yield opened


@pytest.fixture
def url(memory: Recollect) -> Iterator[str]:
    """Give the address of its server."""
    with serving(memory) as address:
        yield address


def test_a_version_is_held_to_by_the_write_itself(ana: Space) -> None:
    """Who names the version he has seen changes that one or nothing; a retry is answered as it was."""
    kept = ana.remember("Ana likes tea.").id
    assert ana.update(kept, importance=8, if_version=1, request_id="r1").ok
    assert ana.get(kept).version == 2
    assert ana.update(kept, importance=8, if_version=1, request_id="r1").op == "updated"
    for changes in ({"importance": 3}, {"content": "Ana likes coffee."}):
        with pytest.raises(Outdated, match="version 2 now, not 1"):
            ana.update(kept, if_version=1, **changes)
    assert ana.get(kept).importance == 8


def test_if_match_over_http(url: str, memory: Recollect) -> None:
    """A stale ETag, another memory's and nonsense are 412; a list and a star are read; retries stay safe."""
    kept = memory.space("me").remember("Ana likes tea.").id
    path = f"{url}/v1/spaces/me/memories/{kept}"
    tag = httpx.get(path).headers["etag"]
    headers = {"If-Match": tag, "Idempotency-Key": "k1"}
    first = httpx.patch(path, json={"importance": 8}, headers=headers)
    assert (first.status_code, httpx.patch(path, json={"importance": 8}, headers=headers).json()) == (200, first.json())
    for wrong in (tag, '"fact_other.2"', "nonsense", f'W/"{kept}.2"'):
        assert httpx.patch(path, json={"importance": 3}, headers={"If-Match": wrong}).status_code == 412, wrong
    assert httpx.patch(path, json={"importance": 7}, headers={"If-Match": f'{tag}, "{kept}.2"'}).status_code == 200
    assert httpx.patch(path, json={"importance": 6}, headers={"If-Match": "*"}).status_code == 200
    with connect(url) as remote, pytest.raises(Outdated):
        remote.space("me").update(kept, importance=2, if_version=1)
    assert memory.space("me").get(kept).importance == 6


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/v1/spaces/me/tools/default/memory_save"),
        ("POST", "/v1/keys"),
        ("DELETE", "/v1/keys/0"),
        ("POST", "/v1/jobs/run"),
        ("POST", "/v1/import"),
    ],
)
def test_what_a_route_cannot_promise_it_refuses(url: str, memory: Recollect, method: str, path: str) -> None:
    """Routes beside the verbs refuse both headers instead of passing over them."""
    for header in ("Idempotency-Key", "If-Match"):
        told = httpx.request(method, url + path, json={"content": "Tea.", "name": "x"}, headers={header: '"x"'})
        assert (told.status_code, header in told.text) == (422, True)
    assert memory.space("me").list() == []
    assert not memory.keys.ever()


def test_an_export_of_any_length_comes_back(tmp_path: Path, url: str, memory: Recollect) -> None:
    """What a server gave out above the limit of a body is taken back, as it came; what is broken changes nothing."""
    dice = random.Random(7)
    me = memory.space("ana")
    for _ in range(8):
        me.remember(dice.randbytes(400_000).hex(), kind="passage")
    file = tmp_path / "out.jsonl"
    with connect(url) as remote, file.open("w", encoding="utf-8") as out:
        remote.space("ana").export(out)
    assert file.stat().st_size > 6 * 2**20
    with Recollect(f"sqlite:///{tmp_path}/other.db", embedder="none") as other, serving(other) as there:
        with connect(there) as remote:
            assert httpx.post(f"{there}/v1/import", content=b"\xff\n").status_code == 400
            bad = httpx.post(f"{there}/v1/import", content=b"{}\n")
            assert bad.status_code == 422
            assert "import-" not in bad.text
            assert remote.import_file(file)["owners"] == 1
            with pytest.raises(InvalidInput, match="cannot be read"):
                remote.import_file(tmp_path / "missing")
        assert other.space("ana").stats().kinds == me.stats().kinds


@pytest.mark.parametrize("order", ["recent", "oldest", "importance", "updated", "event", "used"])
def test_pages_neither_skip_nor_repeat(ana: Space, order: str) -> None:
    """Whatever is forgotten or saved between two pages, each memory that stays is given once, on every engine."""
    kept = [ana.remember(f"Thing number {one} is here.", importance=one % 3 + 1).id for one in range(23)]
    page = ana.page(order, 5)
    seen = [one.id for one in page.memories]
    ana.forget(seen[0])
    ana.remember("Something new.")
    while page.next:
        page = ana.page(order, 5, page.next)
        seen += [one.id for one in page.memories]
    assert len(seen) == len(set(seen))
    assert set(kept) <= set(seen)


def test_a_cursor_that_cannot_be_read_is_refused(ana: Space) -> None:
    """Nonsense, and a cursor of another order."""
    for number in range(3):
        ana.remember(f"Thing {number} is here.")
    made = ana.page("recent", 2).next
    with pytest.raises(InvalidInput, match="cursor"):
        ana.page("oldest", 2, made)
    for cursor in ("x", "ü", made + "AAAA", "bnVsbA"):
        with pytest.raises(InvalidInput, match="cursor"):
            ana.page("recent", 2, cursor)


def test_a_user_may_have_any_name(url: str, memory: Recollect) -> None:
    """Slashes and percent signs in a user's name are that user's and nobody else's."""
    with connect(url) as remote:
        for name in ("a/b", "a%2Fb", "a%b", "/", "..", "ü/%"):
            remote.space(name).remember(f"This is {name}.")
            assert [one.content for one in memory.space(name).list()] == [f"This is {name}."]
            assert remote.space(name).call_tool("memory_status").data["memories"] == 1


def test_errors_name_what_can_be_given(url: str) -> None:
    """An unknown field of a body or a query is answered with those there are."""
    told = httpx.post(f"{url}/v1/spaces/me/context", json={"query": "tea"}).json()["detail"]
    assert "It takes prompt, budget_tokens" in told
    assert "It takes order, limit" in httpx.get(f"{url}/v1/spaces/me/memories?wish=1").json()["detail"]


def test_failed_keys_are_slowed_down(memory: Recollect) -> None:
    """Who tries keys is told to wait, and not looked up; a key that has opened goes on working."""
    _, key = memory.keys.create("ana", user="ana")
    with serving(memory, failed_per_minute=5) as url:
        assert httpx.get(f"{url}/v1/whoami", headers={"X-API-Key": key}).status_code == 200
        tried = [httpx.get(f"{url}/v1/whoami", headers={"X-API-Key": f"rk_{n}_0"}).status_code for n in range(8)]
        assert (tried[0], tried[-1]) == (401, 429)
        assert httpx.get(f"{url}/v1/whoami", headers={"X-API-Key": key}).status_code == 200
        _, other = memory.keys.create("new", user="ana")
        assert httpx.get(f"{url}/v1/whoami", headers={"X-API-Key": other}).status_code == 429


def test_the_async_client_is_the_same_client(url: str, memory: Recollect) -> None:
    """Verbs, facets, tools and changes, awaited."""

    async def walk() -> None:
        async with connect_async(url) as remote:
            space = remote.space("ana", session="s1")
            await space.remember("Ana likes tea.")
            assert [hit.memory.content for hit in await space.recall("tea")] == ["Ana likes tea."]
            assert await space.inbox() == []
            await space.blocks.rethink("persona", "I am Sage.")
            assert (await space.call_tool("memory_status")).data["memories"] >= 1
            async for change in space.follow(since=0):
                assert change["op"] == "created"
                break
            with pytest.raises(AttributeError):
                space.nothing()
            assert (await remote.whoami())["version"]

    asyncio.run(walk())
    with pytest.raises(InvalidInput, match="no address"):
        connect_async("nowhere")


def test_an_answer_does_not_wait_for_the_clients_word() -> None:
    """Every connection the server takes sends at once; otherwise each answer would come 40 ms late."""
    with listening("127.0.0.1", 0) as taken, socket.create_connection(taken.getsockname()):
        connection, _ = taken.accept()
        with connection:
            assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
