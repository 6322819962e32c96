"""What HTTP promises beside the verbs: HEAD for GET, conditions by ETag, and refusals that say what there is."""

from __future__ import annotations

import asyncio

import httpx
import pytest
from starlette.types import Message

from recollect import Recollect
from recollect.serve.rest.guard import _Begun
from tests.doors.serving import serving
from tests.patience import PATIENCE, until

MEMORIES = "/v1/spaces/me/memories"
NOT_SAME = {"date", "transfer-encoding"}
"""Headers that differ by the moment, or say how a body comes that HEAD has not."""


def kept(http: httpx.Client, content: str = "Ana likes tea.") -> str:
    """Keep a memory and give its id."""
    return str(http.post(MEMORIES, json={"content": content}).json()["id"])


def same(http: httpx.Client, path: str) -> httpx.Response:
    """Check that HEAD is answered as GET is, without a body, and give its answer."""
    told, whole = http.head(path), http.get(path)
    assert (told.status_code, told.content) == (whole.status_code, b""), path
    if path not in CHANGING:
        there, expected = ({k: v for k, v in one.headers.items() if k not in NOT_SAME} for one in (told, whole))
        assert there == expected, path
    return told


CHANGING = ("/metrics", "/v1/whoami", "/v1/spaces/me/export", "/v1/spaces/me/activity")
"""What says something else, of another length, each time."""


def test_head_is_get_without_a_body(http: httpx.Client) -> None:
    """Whatever is described for GET answers HEAD with the same status and headers, and so does the page."""
    path = f"{MEMORIES}/{kept(http)}"
    described = http.get("/openapi.json").json()["paths"]
    gets = [one for one, methods in described.items() if "get" in methods and not one.endswith("/stream")]
    filled = [one.replace("{user}", "me").replace("{", "").replace("}", "") for one in gets]
    for one in (*filled, path, f"{MEMORIES}?limit=1", "/", "/ui", "/ui/", "/ui/session", "/openapi.json", "/nowhere"):
        same(http, one)
    assert int(same(http, path).headers["content-length"]) > 100
    assert not any("head" in methods for methods in described.values())


def test_head_where_there_is_no_get_is_refused(http: httpx.Client) -> None:
    """A path without GET has no HEAD; the refusal names what it has, and has no body."""
    told = http.head("/v1/spaces/me/think")
    assert (told.status_code, told.headers["allow"], told.content) == (405, "POST", b"")


def test_head_needs_a_key_where_get_does(memory: Recollect) -> None:
    """Who may not read learns as little by HEAD."""
    with serving(memory, key_required=True) as url, httpx.Client(base_url=url, timeout=PATIENCE) as http:
        assert same(http, "/v1/spaces").status_code == 401
        assert same(http, "/health/live").status_code == 200


def test_head_of_a_stream_ends(http: httpx.Client) -> None:
    """A stream has a beginning; who asks only for that is not kept waiting, and nothing goes on behind it."""
    told = http.head("/v1/spaces/me/changes/stream")
    assert told.status_code == 200
    assert told.headers["content-type"].startswith("text/event-stream")
    line = 'recollect_http_requests_total{method="HEAD",route="/v1/spaces/{user}/changes/stream",status="200"} 1.0'
    assert until(lambda: line in http.get("/metrics").text)  # it is counted when it is over


def test_what_is_sent_behind_the_beginning_goes_nowhere() -> None:
    """Whatever server it runs in, HEAD gets one empty body, and the application sees its reader leave."""
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async def walk() -> list[str]:
        begun = _Begun(send)
        first = await begun.receive()
        start = {"type": "http.response.start", "status": 200, "headers": []}
        for message in (start, {"type": "http.response.body", "body": b"tea", "more_body": True}):
            await begun(message)
        return [first["type"], (await begun.receive())["type"]]

    assert asyncio.run(walk()) == ["http.request", "http.disconnect"]
    assert [one["type"] for one in sent] == ["http.response.start", "http.response.body"]
    assert sent[1]["body"] == b""


@pytest.mark.parametrize("form", ["{tag}", "W/{tag}", '"a,b", {tag}', 'W/"x" ,W/{tag}, "y"', "*"])
def test_who_has_it_is_told_so(http: httpx.Client, form: str) -> None:
    """RFC 9110, 13.1.2: one tag among many, weak or not, and any at all; for memories and files of the page."""
    for path in (f"{MEMORIES}/{kept(http)}", "/ui/"):
        tag = http.get(path).headers["etag"]
        for method in ("GET", "HEAD"):
            told = http.request(method, path, headers={"If-None-Match": form.format(tag=tag)})
            assert (told.status_code, told.headers["etag"], told.content) == (304, tag, b""), (path, method)


@pytest.mark.parametrize("form", ['"other"', 'W/"other"', "{bare}", '"{bare}9"', '"*"', "", '"a", "b"'])
def test_who_has_something_else_gets_it(http: httpx.Client, form: str) -> None:
    """Tags of something else, and what is no tag, change nothing."""
    path = f"{MEMORIES}/{kept(http)}"
    bare = http.get(path).headers["etag"].strip('"')
    assert http.get(path, headers={"If-None-Match": form.format(bare=bare)}).status_code == 200


def test_tags_in_several_headers_are_one_list(http: httpx.Client) -> None:
    """A list may come in several lines."""
    path = f"{MEMORIES}/{kept(http)}"
    tag = http.get(path).headers["etag"]
    assert http.get(path, headers=[("If-None-Match", '"x"'), ("If-None-Match", tag)]).status_code == 304


def test_a_write_cannot_promise_that_nothing_is_there(http: httpx.Client) -> None:
    """`If-None-Match` with a write is refused instead of being passed over, and nothing is written."""
    told = http.post(MEMORIES, json={"content": "Ana likes tea."}, headers={"If-None-Match": "*"})
    assert (told.status_code, "If-None-Match" in told.json()["detail"]) == (422, True)
    assert http.get(MEMORIES).json() == []


def test_a_list_names_all_it_takes(http: httpx.Client) -> None:
    """The refusal of an unknown parameter names those there are, the cursor too."""
    told = http.get(MEMORIES, params={"page": 2})
    assert told.status_code == 422
    assert told.json()["detail"].endswith("cursor.")
    assert "limit, " in told.json()["detail"]


def test_a_path_taken_for_a_name_says_how_it_is_asked(http: httpx.Client) -> None:
    """A GET of a path that takes POST is looked up as the id of a memory, and is told what to send."""
    told = http.get(f"{MEMORIES}/search", params={"query": "tea"})
    assert told.status_code == 422
    assert "send POST" in told.json()["detail"]
    for path in ("search", "batch"):
        told = http.get(f"{MEMORIES}/{path}")
        assert (told.status_code, told.json()["error"]) == (404, "NotFound")
        assert told.json()["detail"].endswith("send POST.")
    assert "send" not in http.get(f"{MEMORIES}/fact_none").json()["detail"]


LONG = "Ana keeps a long list of teas. " + "assam " * 50_000


@pytest.mark.parametrize("search", [True, False])
def test_long_memories_are_shortened_where_that_is_asked_for(http: httpx.Client, search: bool) -> None:
    """A search and a list give so many characters of each memory, say what is left out, and where the whole is."""
    long, brief = kept(http, LONG), kept(http, "Ana likes teas of all kinds.")
    whole = http.get(f"{MEMORIES}/{long}").json()["content"]

    def found(headers: dict[str, str]) -> dict[str, str]:
        if search:
            hits = http.post(f"{MEMORIES}/search", json={"query": "teas"}, headers=headers).json()
            return {one["memory"]["id"]: one["memory"]["content"] for one in hits}
        return {one["id"]: one["content"] for one in http.get(MEMORIES, headers=headers).json()}

    assert found({}) == {long: whole, brief: "Ana likes teas of all kinds."}
    cut = found({"Recollect-Shorten": "60"})
    path = f"{MEMORIES}/{long}"
    assert cut[long] == f"{whole[:60]}… ({len(whole) - 60:,} more characters: GET {path} has all of them)"
    assert cut[brief] == "Ana likes teas of all kinds."
    if not search:
        counted = http.get(MEMORIES, params={"offset": 0}, headers={"Recollect-Shorten": "60"}).json()
        assert {one["id"]: one["content"] for one in counted} == cut


@pytest.mark.parametrize("wish", ["0", "-1", "many", "1.5", "", "9" * 30])
def test_a_length_that_is_none_is_refused(http: httpx.Client, wish: str) -> None:
    """It says what to give, in a search and in a list."""
    headers = {"Recollect-Shorten": wish}
    for told in (
        http.get(MEMORIES, headers=headers),
        http.post(f"{MEMORIES}/search", json={"query": "tea"}, headers=headers),
    ):
        assert (told.status_code, "whole number" in told.json()["detail"]) == (422, True)


def test_one_memory_is_never_shortened(http: httpx.Client) -> None:
    """Where the header is not looked at it is refused, as other promises are."""
    told = http.get(f"{MEMORIES}/{kept(http)}", headers={"Recollect-Shorten": "5"})
    assert (told.status_code, "leave the header out" in told.json()["detail"]) == (422, True)
