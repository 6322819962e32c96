"""The session of the page: a cookie that stands for a key, ends with it, and writes only what the page itself sent."""

from __future__ import annotations

import logging
import socket
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from recollect import Recollect
from recollect.serve.web.cookies import COOKIE, CSRF
from tests.doors.serving import serving
from tests.engines import fresh
from tests.patience import until


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Recollect]:
    """Give an empty memory."""
    with Recollect(fresh("sqlite", tmp_path), embedder="none") as opened:
        yield opened


def test_without_keys_it_just_opens(memory: Recollect) -> None:
    """On this machine, as long as no key was made, the page needs none; every answer forbids inline code."""
    with serving(memory) as base, httpx.Client(base_url=base, timeout=60) as http:
        assert http.get("/").headers["location"] == "/ui/"
        page = http.get("/ui/")
        assert page.status_code == 200
        policy = page.headers["content-security-policy"]
        assert "unsafe" not in policy
        assert "script-src 'self'" in policy
        assert "require-trusted-types-for 'script'" in policy
        assert http.get("/ui/", headers={"if-none-match": page.headers["etag"]}).status_code == 304
        assert http.get("/ui/../pages.py").status_code == 404
        assert http.get("/ui/session").json()["key"]["id"] == "local"


def test_a_key_opens_a_session_that_ends_with_it(memory: Recollect) -> None:
    """The cookie is not the key, no script can read it, it is sent to no other site, and revoking the key ends it."""
    made, secret = memory.keys.create("laptop", user="ana")
    with serving(memory) as base, httpx.Client(base_url=base, timeout=60) as http:
        assert http.get("/ui/session").status_code == 401
        assert http.get("/ui/").status_code == 200
        assert http.post("/ui/session", json={"key": "rk_no_such"}).status_code == 401
        begun = http.post("/ui/session", json={"key": secret})
        cookie = begun.headers["set-cookie"]
        assert (begun.status_code, "HttpOnly" in cookie, "SameSite=Strict" in cookie) == (200, True, True)
        assert secret.split("_")[2] not in cookie
        assert http.get("/v1/spaces/me/stats").status_code == 200
        assert http.get("/v1/spaces/bob/stats").status_code == 404
        memory.keys.revoke(made.id)
        assert http.get("/v1/spaces/me/stats").status_code == 401


def test_a_session_writes_only_what_the_page_sent(memory: Recollect) -> None:
    """Without the token of the session, as another site would send it, nothing is written."""
    _, secret = memory.keys.create("laptop", user="ana")
    with serving(memory) as base, httpx.Client(base_url=base, timeout=60) as http:
        token = http.post("/ui/session", json={"key": secret}).json()["csrf"]
        fact = {"content": "Ana likes tea."}
        assert http.post("/v1/spaces/me/memories", json=fact).status_code == 403
        assert http.post("/v1/spaces/me/memories", json=fact, headers={CSRF: "0" * 64}).status_code == 403
        assert memory.space("ana").list() == []
        assert http.post("/v1/spaces/me/memories", json=fact, headers={CSRF: token}).status_code == 200
        http.delete("/ui/session")
        assert http.get("/v1/spaces/me/stats").status_code == 401


@pytest.mark.parametrize(
    "forged", ["", "a.b.c", "a.99999999999.c", "é.1.2", "x" * 5000, "..", '"', "local.99999999999.0"]
)
def test_a_forged_session_opens_nothing(memory: Recollect, forged: str) -> None:
    """Whatever stands in the cookie, only what was signed with a key's own hash opens anything."""
    memory.keys.create("laptop", user="ana")
    with serving(memory) as base:
        headers = {b"cookie": f"{COOKIE}={forged}".encode()}
        answer = httpx.get(f"{base}/v1/spaces/me/stats", headers=headers, timeout=60)
        assert answer.status_code == 401


def test_a_session_runs_out(memory: Recollect) -> None:
    """A session is over after its hours, and one that was begun long ago cannot be made longer by hand."""
    _, secret = memory.keys.create("laptop", user="ana")
    over = memory.keys.begin_session(secret, -1.0)
    assert memory.keys.session(over) is None
    key, _, signed = over.split(".")
    assert memory.keys.session(f"{key}.99999999999.{signed}") is None


def test_a_request_that_breaks_off_is_no_failure(memory: Recollect, caplog: pytest.LogCaptureFixture) -> None:
    """A page that moves on lets its requests go: the server logs no error, and answers the next."""
    caplog.set_level(logging.INFO, "recollect.access")
    with serving(memory) as base, httpx.Client(base_url=base, timeout=60) as http:
        host, port = base.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port))) as broken:
            head = f"POST /v1/spaces/me/memories/search HTTP/1.1\r\nHost: {host}:{port}\r\n"
            broken.sendall(f"{head}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{{".encode())
        assert until(lambda: any("memories/search 400" in one.getMessage() for one in list(caplog.records)))
        assert http.get("/v1/spaces/me/stats").status_code == 200
    assert [one.getMessage() for one in caplog.records if one.levelno >= logging.ERROR] == []


def test_the_page_says_whom_me_means(memory: Recollect) -> None:
    """On this machine it is the user that is set; a key for one user means that one, a key for all means nobody."""
    with serving(memory) as base, httpx.Client(base_url=base, timeout=60) as http:
        assert http.get("/ui/session").json()["user"] == memory.settings.user
        for user, options in (("ana", {"user": "ana"}), ("", {"admin": True})):
            _, secret = memory.keys.create(f"key of {user}", **options)
            assert http.post("/ui/session", json={"key": secret}).json()["user"] == user
