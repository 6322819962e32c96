"""The pictures of the docs: every view of the page on the demo's data, taken by `python -m bench.page pictures`."""

from __future__ import annotations

import base64
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser

from bench.page import scenes
from recollect import Recollect, Space
from recollect.serve.cli.demo import Play, performed
from tests.doors.serving import serving
from tests.web.browsing import PHONE, Walker, browser, walking

PLACE = Path("docs/pictures")
DESK = (1280, 860)
QUALITY = 80
VIEWS = {
    "overview": "overview", "search": "search?q=what is she allergic to", "inbox": "inbox", "blocks": "blocks/human",
    "timeline": "timeline?day={day}", "sessions": "sessions", "session": "sessions/{session}", "people": "people/Miau",
    "graph": "people?tab=graph", "context": "context?prompt=What shall I cook for my guests tonight", "jobs": "jobs",
    "calls": "calls", "call": "calls/{call}", "bulk": "bulk?kind=fact&do=pin", "erase": "bulk?tab=erase",
    "owners": "admin", "keys": "admin?tab=keys", "settings": "admin?tab=settings", "health": "admin?tab=health",
    "backup": "admin?tab=backup", "memory": "memory/{memory}", "history": "memory/{memory}?tab=history",
}  # fmt: skip
PHONES = {"phone": "memory/{memory}", "phone-timeline": "timeline?day={day}", "phone-search": VIEWS["search"]}


def taken(out: Path) -> None:
    """Play the demo, and take a picture of every view."""
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="recollect-pictures-") as folder:
        url, play = f"sqlite:///{folder}/demo.db", Play(performed(), quiet=True)
        with Recollect(url, clock=play.clock) as memory:
            play.all(memory, play.script["user"], "")
        user = play.script["user"]
        scenes.asked(url, user, [f"{role}: {text}" for role, text in scenes.TALK], scenes.LEARNT, "demo-1")
        with Recollect(url, record=scenes.KEPT) as memory, serving(memory, per_minute=0) as base, browser() as started:
            lived = memory.space(user, "helper")
            lived.remember("Ana would rather be called Anna.", key="preferred_name", source="agent")
            for text in ("Ana lives in Berlin.", "Ana lives in Lisbon, with her cat Miau."):
                lived.blocks.rethink("human", text)
            memory.run_jobs()
            _all(started, base, lived, user, out)


def _all(started: Browser, base: str, lived: Space, user: str, out: Path) -> None:
    said = lived.list(kinds=["episode"], limit=1)[0]
    fact = next(one for one in lived.list(kinds=["fact"], states=["active"], limit=200) if lived.history(one.id)[1:])
    names = {
        "day": said.created_at.date().isoformat(), "session": said.session, "memory": fact.id,
        "call": lived.calls().calls[-1].id,
    }  # fmt: skip
    dresses: tuple[tuple[dict[str, str], dict[str, Any]], ...] = (
        (VIEWS, {"size": DESK}), (PHONES, {"size": PHONE}), ({"dark": "overview"}, {"size": DESK, "dark": True}),
    )  # fmt: skip
    for views, options in dresses:
        with walking(started, base, user, **options) as walker:
            for name, view in views.items():
                walker.go(view.format(**names))
                walker.page.wait_for_timeout(900)  # charts and graphs are drawn a moment later
                (out / f"{name}.webp").write_bytes(_picture(walker))
                print(f"{out / name}.webp")


def _picture(walker: Walker) -> bytes:
    """Take what the window shows, as WebP: Playwright itself knows larger forms only."""
    wish: dict[str, Any] = {"format": "webp", "quality": QUALITY}
    told = walker.page.context.new_cdp_session(walker.page).send("Page.captureScreenshot", wish)
    return base64.b64decode(told["data"])
