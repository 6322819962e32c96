"""Security of the doors: keys, scopes, grants, names, origins and limits; nobody learns what is another's."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import httpx
import httpx2
import mcp_types as types
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from recollect import InvalidInput, NotFound, Recollect, connect
from recollect.serve.rest.access import loopback
from recollect.testing import FixedClock
from tests.doors.serving import serving
from tests.patience import PATIENCE


@pytest.fixture
def served(rc: Recollect) -> Iterator[str]:
    """Give the address of a server that insists on keys."""
    with serving(rc, key_required=True) as url:
        yield url


def asked(url: str, path: str, key: str = "", **more: Any) -> httpx.Response:
    """Ask with a key."""
    headers = {**({"Authorization": f"Bearer {key}"} if key else {}), **more.pop("headers", {})}
    return httpx.get(url + path, timeout=PATIENCE, headers=headers, **more)


def test_only_a_hash_is_kept(rc: Recollect, dump: Any) -> None:
    """A key's secret is nowhere in the database, and a key is found by its whole secret alone."""
    made, secret = rc.keys.create("laptop", user="ana")
    assert secret.split("_")[2] not in dump() + repr(rc.keys())
    assert rc.keys.check(secret) == made
    for wrong in (secret[:-1], secret[:-1] + "z", secret.replace("rk", "xx"), "rk__", "", "rk_" + made.id, "\ud800"):
        with_error = wrong == "\ud800"
        if with_error:
            with pytest.raises(InvalidInput):
                rc.keys.check(wrong)
        else:
            assert rc.keys.check(wrong) is None


def test_keys_expire_and_are_revoked(rc: Recollect, clock: FixedClock) -> None:
    """An expired or revoked key opens nothing, and the list does not show it."""
    short, one = rc.keys.create("short", user="ana", days=1)
    _, two = rc.keys.create("long", user="ana")
    clock.advance(days=2)
    assert rc.keys.check(one) is None
    assert rc.keys.check(two) is not None
    (left,) = rc.keys()
    rc.keys.revoke(left.id)
    assert rc.keys.check(two) is None
    with pytest.raises(NotFound):
        rc.keys.revoke(left.id)
    with pytest.raises(InvalidInput):
        rc.keys.create("bad", user="ana", days=-1)
    assert short.expires_at == short.created_at + timedelta(days=1)  # type: ignore[operator]


def test_no_key_no_answer(rc: Recollect, served: str) -> None:
    """Where keys are needed, nothing but health is answered without one."""
    for path in ("/v1/spaces", "/v1/spaces/ana/stats", "/openapi.json", "/metrics", "/mcp", "/v1/tools"):
        assert asked(served, path).status_code == 401, path
        assert asked(served, path, "rk_0_0").status_code == 401, path
    assert asked(served, "/health/live").status_code == 200


def test_someone_elses_is_like_what_never_was(rc: Recollect, served: str) -> None:
    """A key of one user gets the same answer for another's space and ids as for what does not exist."""
    kept = rc.space("ben").remember("Ben's garden is in Sintra.")
    _, key = rc.keys.create("ana", user="ana")
    theirs = asked(served, "/v1/spaces/ben/stats", key)
    nobody = asked(served, "/v1/spaces/zed/stats", key)
    assert (theirs.status_code, theirs.text.replace("ben", "zed")) == (404, nobody.text)
    mine = asked(served, f"/v1/spaces/ana/memories/{kept.id}", key)
    none = asked(served, "/v1/spaces/ana/memories/fact_none", key)
    assert mine.text.replace(kept.id, "fact_none") == none.text


def test_two_tenants_never_meet(rc: Recollect, served: str) -> None:
    """Two tenants with a user of the same name: no byte of one is in an answer to the other."""
    rc.space("ana", tenant="red").remember("The red secret is cinnabar.")
    rc.space("ana", tenant="blue").remember("The blue secret is indigo.")
    _, red = rc.keys.create("red", tenant="red")
    with connect(served, red) as remote:
        assert [hit.memory.content for hit in remote.space("ana").recall("secret")] == ["The red secret is cinnabar."]
        assert remote.space("ana", tenant="blue").recall("indigo") == []
    for path in ("/v1/spaces", "/v1/spaces/ana/memories", "/v1/spaces/ana/export", "/v1/whoami"):
        assert "indigo" not in asked(served, path, red).text
        assert "blue" not in asked(served, path, red).text


def test_scopes(rc: Recollect, served: str) -> None:
    """A key that may only read changes nothing; only one for administration makes keys."""
    _, reader = rc.keys.create("reader", user="ana", read_only=True)
    _, writer = rc.keys.create("writer", user="ana")
    _, admin = rc.keys.create("admin", admin=True)
    with connect(served, reader) as remote, pytest.raises(InvalidInput, match="only read"):
        remote.space("me").remember("Tea.")
    assert (
        httpx.post(
            f"{served}/v1/spaces/me/tools/default/memory_save", json={"content": "Tea."}, headers={"X-API-Key": reader}
        ).status_code
        == 403
    )
    with connect(served, writer) as remote:
        assert remote.space("me").remember("Ana likes tea.").ok
    assert rc.space("ana").list()[0].content == "Ana likes tea."
    assert asked(served, "/v1/keys", writer).status_code == 403
    assert asked(served, "/metrics", writer).status_code == 403
    made = httpx.post(f"{served}/v1/keys", json={"name": "x"}, headers={"Authorization": f"Bearer {admin}"}).json()
    assert rc.keys.check(made["secret"]) is not None


def test_a_reading_key_changes_nothing_over_mcp(rc: Recollect, served: str) -> None:
    """What a key may not do over REST it may not do over MCP."""
    _, key = rc.keys.create("reader", user="ana", read_only=True)
    headers = {"Authorization": f"Bearer {key}"}

    async def walk() -> list[Any]:
        async with (
            httpx2.AsyncClient(headers=headers) as http,
            Client(streamable_http_client(f"{served}/mcp", http_client=http)) as client,
        ):
            saved = await client.call_tool("memory_save", {"content": "Ana likes tea."})
            return [saved, await client.call_tool("memory_search", {"query": "tea"})]

    saved, found = asyncio.run(walk())
    assert (saved.is_error, found.is_error) == (True, False)
    assert rc.space("ana").list() == []


def test_a_keys_agent_is_not_for_the_caller_to_choose(rc: Recollect, served: str) -> None:
    """A key for one agent speaks for that agent, whatever the request says."""
    _, key = rc.keys.create("planner", user="ana", agent="planner")
    with connect(served, key) as remote:
        kept = remote.space("me", agent="executor").remember("Ana likes tea.")
    assert rc.space("ana").get(kept.id).agent == "planner"


def test_a_grant_is_read_as_the_keys_agent(rc: Recollect) -> None:
    """The agent of a key is held to its list in the spaces it may read, too; a project is checked as everywhere."""
    from recollect.serve.rest.access import Caller

    made, _ = rc.keys.create("planner", user="ana", agent="planner", grants=["team"])
    ((name, space),) = Caller(rc, made, {}).granted()
    assert (name, space._scope.agent) == ("team", "planner")
    with pytest.raises(InvalidInput, match="project takes"):
        rc.keys.create("odd", user="ana", project="x" * 61)


def test_grants(rc: Recollect, served: str) -> None:
    """A team shares: hits of a second space are named, only read, and gone with the key."""
    rc.space("team").remember("The harbour opens in May.")
    rc.space("ana").remember("Ana sails at the harbour.")
    rc.space("ben").remember("Ben hates the harbour.")
    made, key = rc.keys.create("ana", user="ana", grants=["team"])
    headers = {"Authorization": f"Bearer {key}"}
    told = httpx.post(f"{served}/v1/spaces/me/shared/search", json={"query": "harbour"}, headers=headers).json()
    assert {(one["space"], one["hit"]["memory"]["content"]) for one in told} == {
        ("me", "Ana sails at the harbour."), ("team", "The harbour opens in May."),
    }  # fmt: skip
    assert asked(served, "/v1/spaces/team/memories", key).status_code == 404
    tool = httpx.post(f"{served}/v1/spaces/me/tools/default/memory_search", json={"query": "harbour"}, headers=headers)
    assert "shared by team" in tool.json()["text"]
    assert "hates" not in tool.text
    with pytest.raises(InvalidInput, match="grant"):
        rc.keys.create("odd", grants=["team"])
    rc.keys.revoke(made.id)
    assert asked(served, "/v1/spaces", key).status_code == 401


def test_from_the_first_key_on_everybody_needs_one(rc: Recollect) -> None:
    """On this machine no key is needed until there is one."""
    with serving(rc) as url:
        assert asked(url, "/v1/spaces").status_code == 200
    rc.keys.create("first", user="ana")
    with serving(rc) as url:
        assert asked(url, "/v1/spaces").status_code == 401


def test_names_and_origins(rc: Recollect) -> None:
    """A page somewhere else cannot reach a server on this machine, by another name or another origin."""
    with serving(rc) as url:
        assert httpx.get(f"{url}/v1/spaces", headers={"Host": "evil.example"}).status_code == 421
        assert httpx.get(f"{url}/v1/spaces", headers={"Origin": "https://evil.example"}).status_code == 403
        assert httpx.post(f"{url}/mcp", headers={"Origin": "https://evil.example"}).status_code == 403
        assert httpx.get(f"{url}/v1/spaces", headers={"Origin": url}).status_code == 200
    with serving(rc, origins=("https://good.example",)) as url:
        assert httpx.get(f"{url}/v1/spaces", headers={"Origin": "https://good.example"}).status_code == 200


def test_limits(rc: Recollect) -> None:
    """Too large, too many: each is refused with what to do, and the server goes on."""
    with serving(rc, body_bytes=1000, per_minute=20) as url:
        assert httpx.post(f"{url}/v1/spaces/me/memories", json={"content": "x" * 2000}).status_code == 413

        def chunks() -> Iterator[bytes]:
            for _ in range(50):
                yield b"x" * 100

        assert httpx.post(f"{url}/v1/spaces/me/memories", content=chunks()).status_code == 413
        statuses = [httpx.get(f"{url}/v1/spaces").status_code for _ in range(25)]
        assert statuses[0] == 200
        assert statuses[-1] == 429


def test_no_secret_and_no_text_in_the_log(rc: Recollect, caplog: pytest.LogCaptureFixture) -> None:
    """The access log names route, status and key, and neither the secret nor what was said."""
    made, key = rc.keys.create("ana", user="ana")
    with caplog.at_level(logging.INFO), serving(rc) as url, connect(url, key) as remote:
        remote.space("me").remember("My hidden garden is in Sintra.")
        remote.space("me").recall("hidden garden")
    told = "\n".join(record.getMessage() for record in caplog.records if record.name == "recollect.access")
    assert "POST /v1/spaces/{user}/memories 200" in told
    assert f"key={made.id}" in told
    assert key not in caplog.text
    assert "garden" not in told


@pytest.mark.parametrize(
    ("host", "here"), [("127.0.0.1", True), ("localhost", True), ("::1", True), ("0.0.0.0", False), ("10.1.2.3", False)]
)
def test_what_is_this_machine(host: str, here: bool) -> None:
    """Only loopback is this machine."""
    assert loopback(host) is here


@pytest.mark.parametrize("gone", ["revoked", "expired"])
def test_a_key_that_is_gone_opens_nothing_to_everybody(rc: Recollect, clock: FixedClock, gone: str) -> None:
    """When the last key has expired or was revoked, a key is needed all the same."""
    made, _ = rc.keys.create("only", user="ana", days=1)
    if gone == "revoked":
        rc.keys.revoke(made.id)
    clock.advance(days=2)
    assert rc.keys() == []
    assert rc.keys.ever()
    with serving(rc) as url:
        assert asked(url, "/v1/spaces").status_code == 401


def test_a_key_for_nobody_must_name_somebody(rc: Recollect, served: str) -> None:
    """A key without a user has no `me`, over REST and over MCP; with a name it works."""
    _, key = rc.keys.create("all")
    told = asked(served, "/v1/spaces/me/stats", key)
    assert (told.status_code, told.json()["detail"]) == (422, "this key is for no one user: name one")
    assert asked(served, "/v1/spaces/ana/stats", key).status_code == 200
    assert asked(served, "/v1/whoami", key).status_code == 200

    async def walk() -> None:
        async with (
            httpx2.AsyncClient(headers={"Authorization": f"Bearer {key}"}) as http,
            Client(streamable_http_client(f"{served}/mcp", http_client=http)) as client,
        ):
            with pytest.raises(MCPError, match="name one"):
                await client.call_tool("memory_save", {"content": "Ana likes tea."})

    asyncio.run(walk())
    assert rc.space("me").list() == []


def test_what_a_caller_makes_up_is_no_label(rc: Recollect, caplog: pytest.LogCaptureFixture) -> None:
    """Paths and methods there are not are noted without their words, so that no line of the log is forged."""
    with caplog.at_level(logging.INFO, "recollect.access"), serving(rc) as url:
        httpx.get(f"{url}/no%0Aforged")
        httpx.request("PROPFIND", f"{url}/v1/spaces")
        with httpx.Client() as client:
            client.request("OPTIONS", url, extensions={"target": b"*"})
        counted = httpx.get(f"{url}/metrics").text
    lines = [record.getMessage() for record in caplog.records if record.name == "recollect.access"]
    assert "forged" not in counted + str(lines)
    assert "PROPFIND" not in counted + str(lines)
    assert lines[0].startswith("GET unmatched 404")
    assert any(line.startswith("OTHER /v1/spaces 405") for line in lines)
    assert any(line.startswith("OPTIONS unmatched") for line in lines)


def test_from_the_first_key_on_everybody_needs_one_at_once(rc: Recollect) -> None:
    """The very next request after a key was made over HTTP is asked for one, however short ago that was looked at."""
    with serving(rc) as url:
        assert asked(url, "/v1/spaces").status_code == 200
        made = httpx.post(f"{url}/v1/keys", json={"name": "laptop", "admin": True}, timeout=PATIENCE)
        assert asked(url, "/v1/spaces").status_code == 401
        assert asked(url, "/v1/spaces", made.json()["secret"]).status_code == 200


def test_headers_without_an_end_are_let_go(rc: Recollect) -> None:
    """A request whose headers never end is refused before it fills the memory; one of a usual size is not."""
    with serving(rc) as url, socket.create_connection(("127.0.0.1", int(url.rpartition(":")[2]))) as line:
        line.settimeout(PATIENCE)
        line.sendall(b"GET /health/live HTTP/1.1\r\nhost: 127.0.0.1\r\n")
        with contextlib.suppress(OSError):  # it may hang up before all of it is sent
            for number in range(64):
                line.sendall(b"x-%d: " % number + b"a" * 2**16 + b"\r\n")
        told = b""
        with contextlib.suppress(ConnectionError):
            told = line.recv(200)
        assert b" 431 " in told or not told
        assert asked(url, "/health/live", headers={"x-some": "a" * 10_000}).status_code == 200


@pytest.mark.parametrize("gone", ["revoked", "expired"])
def test_a_stream_ends_with_its_key(rc: Recollect, served: str, clock: FixedClock, gone: str) -> None:
    """Changes are not sent on to a key that was revoked or has expired meanwhile."""
    made, key = rc.keys.create("short", user="ana", days=1)
    rc.space("ana").remember("Ana likes tea.")
    with connect(served, key) as remote:
        told = remote.space().follow(since=0)
        assert next(told)["rev"] == 1
        if gone == "revoked":
            rc.keys.revoke(made.id)
        else:
            clock.advance(days=2)
        assert all(one["op"] for one in told)  # it comes to an end


@pytest.mark.parametrize("read_only", [True, False])
def test_a_question_is_answered_by_the_key_it_was_put_to(rc: Recollect, served: str, read_only: bool) -> None:
    """Consent given with another key, or with one that may only read, keeps nothing."""
    rc.space("ana").remember("Ana", key="preferred_name")
    _, asking = rc.keys.create("asking", user="ana")
    _, other = rc.keys.create("other", user="ana", read_only=read_only)

    async def walk() -> Any:
        async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {asking}"}) as http:

            async def agree(context: Any, params: Any) -> types.ElicitResult:
                http.headers["Authorization"] = f"Bearer {other}"
                return types.ElicitResult(action="accept", content={"agree": True})

            transport = streamable_http_client(f"{served}/mcp", http_client=http)
            async with Client(transport, elicitation_callback=agree) as client:
                call = {"content": "Anna", "key": "preferred_name", "source": "agent"}
                try:
                    return (await client.call_tool("memory_save", call)).is_error
                except MCPError:
                    return True

    assert asyncio.run(walk())
    assert len(rc.space("ana").inbox()) == 1
