"""REST: problems that say what to do, idempotent writes, ETags, pages, streams, and a complete description."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from recollect import Conflict, InvalidInput, NotFound, Recollect, RecollectError, Space, Unavailable, connect
from recollect.front.archives import Archives
from recollect.front.calls import Calls
from recollect.front.facets import Inbox, OwnerJobs
from recollect.front.practising import Lessons
from recollect.front.window import Blocks, Checkpoints, Messages
from recollect.front.workspace import Workspace
from recollect.serve.client.remote import checked
from recollect.serve.rest.verbs import VERBS
from tests.doors.serving import serving
from tests.front.test_public import public

ELSEWHERE = {
    "export", "within", "subscribe", "follow", "page", "fitting", "owner", "now", "inbox", "jobs", "blocks", "messages",
    "checkpoints", "accept", "reject", "amend", "runs", "undo",
}  # fmt: skip
"""What of a space is no route of its own: streams, properties, facets, and names verbs had before."""


def test_every_verb_has_a_route() -> None:
    """The table holds every verb of a space and its facets that can travel, and nothing else."""
    there = {one.name for one in VERBS}
    spoken = public(Space) - ELSEWHERE
    facets = {"inbox": Inbox, "jobs": OwnerJobs, "blocks": Blocks, "messages": Messages, "checkpoints": Checkpoints}
    facets |= {"lessons": Lessons, "workspace": Workspace, "archive": Archives, "calls": Calls}
    families = {f"{name}.{verb}" for name, kind in facets.items() for verb in public(kind)} | set(facets)
    assert there == (spoken | families) - NOT_YET
    assert len({(one.method, one.path) for one in VERBS}) == len(VERBS)


NOT_YET: set[str] = {f"workspace.{verb}" for verb in ("init", "sync", "adopt", "status", "watch")}
"""What is about folders of the machine it runs on."""


def test_examples_are_true(http: httpx.Client) -> None:
    """Each example of the description is accepted by its own schema, and OpenAPI has them all."""
    document = http.get("/openapi.json").json()
    for verb in VERBS:
        verb.given.model_validate(dict(verb.example))
        told = document["paths"][f"/v1/spaces/{{user}}{verb.path}"][verb.method.lower()]
        assert told["summary"].endswith(".")
        assert {"200", "401", "404", "422", "429"} <= told["responses"].keys()
    assert "$ref" not in json.dumps(document["paths"]["/v1/spaces/{user}/memories"])


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("POST", "/v1/spaces/me/memories", b"\xff\xfe", 400),
        ("POST", "/v1/spaces/me/memories", b"{", 400),
        ("POST", "/v1/spaces/me/memories", b"[]", 422),
        ("POST", "/v1/spaces/me/memories", b"{}", 422),
        ("POST", "/v1/spaces/me/memories", b'{"content": 5}', 422),
        ("POST", "/v1/spaces/me/memories", b'{"content": "x", "colour": 1}', 422),
        ("POST", "/v1/spaces/me/memories", b'{"content": " "}', 422),
        ("POST", "/v1/spaces/me/memories", b'{"content": "a\\u0000b"}', 422),
        ("GET", "/v1/spaces/me/memories?limit=0", b"", 422),
        ("GET", "/v1/spaces/me/memories?limit=1&limit=2", b"", 422),
        ("GET", "/v1/spaces/me/memories?cursor=%ff", b"", 422),
        ("GET", "/v1/spaces/me/memories?created_after=0", b"", 422),
        ("GET", "/v1/spaces/me/costs?since=1e9", b"", 422),
        ("GET", "/v1/spaces/me/memories/fact_none", b"", 404),
        ("GET", "/v1/spaces/me/entities/Nobody", b"", 404),
        ("GET", "/v1/spaces/%20/stats", b"", 422),
        ("PATCH", "/v1/spaces/me/memories/fact_none", b'{"importance": 3}', 404),
        ("GET", "/nowhere", b"", 404),
        ("PUT", "/v1/spaces/me/stats", b"", 405),
        ("PUT", "/v1/spaces/%0A/stats", b"", 405),
        ("GET", "/v1/tools/nonsense", b"", 422),
        ("POST", "/v1/spaces/me/tools/default/memory_sing", b"{}", 404),
    ],
)
def test_what_is_wrong_is_a_problem(http: httpx.Client, method: str, path: str, body: bytes, status: int) -> None:
    """Every refusal is problem+json with a detail that says what to do."""
    told = http.request(method, path, content=body)
    assert told.status_code == status, told.text
    assert told.headers["content-type"] == "application/problem+json"
    assert told.json()["status"] == status
    assert len(told.json()["detail"]) > 8


def test_a_refused_method_names_those_the_description_has(http: httpx.Client) -> None:
    """A path that could also be the name of something is answered as what it is described as; HEAD goes with GET."""
    paths, refused = http.get("/openapi.json").json()["paths"], 0
    for path, methods in paths.items():
        told = http.options(path.replace("{user}", "me").replace("{", "").replace("}", ""))
        if told.status_code == 405:
            refused += 1
            described = {*methods, "head"} if "get" in methods else set(methods)
            assert told.headers["allow"].lower().split(", ") == sorted(described), path
    assert refused > len(paths) / 2


def test_what_is_not_set_up_is_no_fault_of_the_server(http: httpx.Client) -> None:
    """Without an archive its routes say what to set, as a conflict."""
    for path in ("/v1/spaces/me/archive", "/v1/spaces/me/archive/verified"):
        told = http.get(path)
        assert told.status_code == 409
        assert "archive.url" in told.json()["detail"]


def test_a_retry_is_carried_out_once(http: httpx.Client, memory: Recollect) -> None:
    """The same Idempotency-Key gets the first answer; another body under it is refused."""
    headers = {"Idempotency-Key": "k1"}
    first = http.post("/v1/spaces/me/memories", json={"content": "Ana likes tea."}, headers=headers).json()
    again = http.post("/v1/spaces/me/memories", json={"content": "Ana likes tea."}, headers=headers).json()
    assert (first["id"], first["rev"]) == (again["id"], again["rev"])
    other = http.post("/v1/spaces/me/memories", json={"content": "Ana likes coffee."}, headers=headers)
    assert other.status_code == 422
    said = [http.post("/v1/spaces/me/messages", json={"role": "user", "content": "Hi."}, headers=headers) for _ in "ab"]
    assert said[0].json()["id"] == said[1].json()["id"]
    assert memory.space("me").stats().kinds == {"episode": 1, "fact": 1}


def test_etags(http: httpx.Client) -> None:
    """Who has a memory is told so; who would change an old version is refused."""
    kept = http.post("/v1/spaces/me/memories", json={"content": "Ana likes tea."}).json()["id"]
    path = f"/v1/spaces/me/memories/{kept}"
    tag = http.get(path).headers["etag"]
    assert http.get(path, headers={"If-None-Match": tag}).status_code == 304
    assert http.patch(path, json={"importance": 8}, headers={"If-Match": tag}).status_code == 200
    assert http.get(path).headers["etag"] != tag
    stale = http.patch(path, json={"importance": 3}, headers={"If-Match": tag})
    assert (stale.status_code, http.get(path).json()["importance"]) == (412, 8)


def test_pages_follow_each_other(http: httpx.Client, memory: Recollect) -> None:
    """A cursor leads through all, each once, whatever is saved meanwhile."""
    me = memory.space("me")
    wanted = {me.remember(f"Thing number {number} is here.").id for number in range(25)}
    seen: list[str] = []
    cursor = ""
    while True:
        told = http.get("/v1/spaces/me/memories", params={"limit": 10, **({"cursor": cursor} if cursor else {})})
        seen += [one["id"] for one in told.json()]
        me.remember(f"Something new, after {len(seen)}.")
        cursor = told.headers.get("recollect-next", "")
        if not cursor:
            break
    assert sorted(seen) == sorted(wanted)


def test_bulk_is_looked_at_done_and_undone(http: httpx.Client, memory: Recollect) -> None:
    """Many memories by a filter: a dry run tells, one commit does it, undo takes it back."""
    me = memory.space("me")
    for number in range(3):
        me.remember(f"Old plan number {number}.", topic="old")
    me.remember("Ana likes tea.", topic="new")
    wish = {"action": "forget", "where": {"topic": "old"}}
    dry = http.post("/v1/spaces/me/memories/bulk", json={**wish, "dry": True}).json()
    assert (dry["changed"], len(me.list())) == (3, 4)
    done = http.post("/v1/spaces/me/memories/bulk", json=wish).json()
    assert (done["changed"], len(me.list())) == (3, 1)
    assert http.post(f"/v1/spaces/me/jobs/runs/{done['run']}/undo").json()["status"] == "ok"
    assert len(me.list()) == 4
    rated = {"action": "update", "where": {"topic": "old"}, "changes": {"importance": 9}}
    assert http.post("/v1/spaces/me/memories/bulk", json=rated).json()["changed"] == 3
    for wrong in ({"action": "forget", "where": {}}, {"action": "eat", "where": {"topic": "x"}}):
        assert http.post("/v1/spaces/me/memories/bulk", json=wrong).status_code == 422


def test_the_history_of_a_memory(http: httpx.Client) -> None:
    """003.35: GET /memory/{id}/history."""
    kept = http.post("/v1/spaces/me/memories", json={"content": "Ana lives in Porto."}).json()["id"]
    new = http.post(f"/v1/spaces/me/memories/{kept}/correct", json={"content": "Ana lives in Lisbon."}).json()["id"]
    told = http.get(f"/memory/{new}/history").json()
    assert [one["op"] for one in told][:2] == ["created", "superseded"]
    assert http.get("/memory/fact_none/history").status_code == 404


def test_changes_are_streamed_and_resumed(memory: Recollect) -> None:
    """001.62: changes come as they happen, by revision; who lost the connection goes on where it broke."""
    me = memory.space("me", session="s1")
    with serving(memory) as url, connect(url) as remote:
        me.remember("Ana likes tea.")
        rev = me.stats().rev
        me.observe("user", "I live in Lisbon.")
        me.end()
        told = remote.space().follow(since=rev)
        first = next(told)
        assert first["rev"] == rev + 1
        seen = [first]
        while seen[-1]["op"] != "consolidated":
            seen.append(next(told))
        told.close()
        again = remote.space().follow(since=seen[1]["rev"])
        assert next(again)["rev"] > seen[1]["rev"]
        again.close()


def test_export_and_import(memory: Recollect, tmp_path: Path) -> None:
    """What one server gives another takes."""
    memory.space("me").remember("Ana likes tea.")
    out = io.StringIO()
    with serving(memory) as url, connect(url) as remote:
        assert remote.space().export(out) > 1
    with Recollect(f"sqlite:///{tmp_path}/other.db", embedder="none") as other, serving(other) as url:
        told = httpx.post(f"{url}/v1/import", content=out.getvalue().encode())
        assert told.status_code == 200, told.text
        assert other.space("me").list()[0].content == "Ana likes tea."
        assert httpx.post(f"{url}/v1/import", content=out.getvalue().encode()).status_code in (409, 422)


def test_health_and_metrics(http: httpx.Client) -> None:
    """A server says that it lives, that its database answers, and what it has done."""
    assert http.get("/health/live").json()["status"] == "ok"
    assert http.get("/health/ready").json() == {"status": "ok", "engine": "sqlite"}
    assert (
        'recollect_http_requests_total{method="GET",route="/health/live",status="200"} 1.0' in http.get("/metrics").text
    )


def test_the_clients_errors_are_the_librarys(memory: Recollect) -> None:
    """What the server refuses is raised as the library raises it; a server that is gone says so."""
    with serving(memory) as url, connect(url) as remote:
        space = remote.space("ana")
        with pytest.raises(NotFound, match="fact_none"):
            space.get("fact_none")
        with pytest.raises(InvalidInput, match="importance"):
            space.remember("Tea.", importance=11)
        kept = space.remember("Ana likes tea.")
        space.forget(kept.id)
        with pytest.raises(NotFound, match="restore it first"):
            space.confirm(kept.id)
        with pytest.raises(Conflict):
            space.restore(space.correct(space.remember("A cat is here.").id, "A dog is here.").other)
        with pytest.raises(AttributeError):
            space.fly()
    with pytest.raises(Unavailable, match="does not answer"):
        connect(url).space("ana").stats()
    with pytest.raises(InvalidInput, match="http://"):
        connect("memory.db")


def test_the_async_client(memory: Recollect) -> None:
    """The same verbs, awaited."""
    import asyncio

    from recollect import connect_async

    async def walk(url: str) -> list[Any]:
        async with connect_async(url) as remote:
            ana = remote.space("ana")
            await ana.remember("Ana likes tea.")
            await ana.blocks.rethink("persona", "I am Sage.")
            return [await ana.recall("tea"), await ana.inbox(), await ana.blocks()]

    with serving(memory) as url:
        hits, waiting, blocks = asyncio.run(walk(url))
    assert (hits[0].memory.content, waiting, blocks[0].value) == ("Ana likes tea.", [], "I am Sage.")


def test_lines_end_at_line_feeds_alone(memory: Recollect) -> None:
    """Signs that some take for the end of a line stay inside theirs, in an export and in a stream."""
    odd = "Ana\u2028likes\u0085tea\u2029."
    me = memory.space("me")
    me.remember(odd)
    out = io.StringIO()
    with serving(memory) as url, connect(url) as remote:
        many = remote.space().export(out)
        told = remote.space().follow(since=0)
        assert next(told)["rev"] == 1
        told.close()
    rows = [json.loads(line) for line in out.getvalue().split("\n") if line]
    assert len(rows) == many
    assert any(one.get("content") == odd for one in rows)


def test_streams_and_tools_fail_as_the_library_does(memory: Recollect) -> None:
    """What a stream or a tool is refused is the library's own error, and so is a server that is gone."""
    _, key = memory.keys.create("ana", user="ana")
    with serving(memory) as url, connect(url, key) as remote:
        with pytest.raises(NotFound, match="no space"):
            next(remote.space("ben").follow())
        with pytest.raises(InvalidInput, match="revision"):
            next(remote.space("ana").follow(since=-1))
        with pytest.raises(NotFound, match="no space"):
            remote.space("ben").export(io.StringIO())
    gone = connect(url, key).space("ana")
    for call in (
        lambda: gone.now,
        lambda: gone.call_tool("memory_search", {"query": "tea"}),
        lambda: gone.export(io.StringIO()),
        lambda: next(gone.follow()),
    ):
        with pytest.raises(Unavailable, match="does not answer"):
            call()


@pytest.mark.parametrize("name", ["annotations", "__name__", "RecollectError", "Odd"])
def test_a_problem_names_only_errors_of_the_library(name: str) -> None:
    """Whatever a server calls its problem, what is raised is an error of the library."""
    with pytest.raises(RecollectError, match="no"):
        checked(httpx.Response(500, json={"detail": "no", "error": name}))


def test_a_promise_that_is_not_kept_is_refused(http: httpx.Client) -> None:
    """Headers a verb does not look at are refused with what to do; where reading is all there is, a retry is fine."""
    told = http.put("/v1/spaces/me/window/enabled", json={"flag": True}, headers={"Idempotency-Key": "a"})
    assert told.status_code == 422
    assert "Idempotency-Key" in told.json()["detail"]
    kept = http.post("/v1/spaces/me/memories", json={"content": "Ana likes tea."}).json()["id"]
    told = http.delete(f"/v1/spaces/me/memories/{kept}", headers={"If-Match": '"x"'})
    assert (told.status_code, "If-Match" in told.json()["detail"]) == (422, True)
    assert http.get(f"/v1/spaces/me/memories/{kept}", headers={"Idempotency-Key": "a"}).status_code == 200


def test_what_is_given_up_may_still_happen(memory: Recollect) -> None:
    """Who waits too long is told that it may still be carried out, and how to ask again."""
    with serving(memory, seconds=0.0) as url:
        told = httpx.post(f"{url}/v1/spaces/me/memories", json={"content": "Tea."}, headers={"Idempotency-Key": "a"})
    assert told.status_code == 504
    assert "may still be carried out: retry with the same Idempotency-Key" in told.json()["detail"]
