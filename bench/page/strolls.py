"""Walks through the page: every view in every dress, every action, by keyboard alone, and before hostile texts."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from urllib.parse import quote

from axe_playwright_python.base import AXE_FILE_PATH
from playwright.sync_api import Browser, Dialog

from bench.page.scenes import HOSTILE
from recollect import Space
from tests.web.browsing import DESK, PHONE, Walker, walking

CALL, MEMORY = "{call}", "{memory}"
VIEWS = (
    "overview", "search", "search?q=Ana", "inbox", "blocks", "timeline", "timeline?show=learnt", "timeline?show=job",
    "sessions", "sessions/first", "people", "people?tab=graph", "people/Rita", "context?prompt=dinner",
    "context?tab=past", "jobs", "jobs?tab=runs", "calls", "calls?tab=log", f"calls/{CALL}", "bulk",
    "bulk?kind=fact&do=pin", "bulk?tab=erase", "admin", "admin?tab=keys", "admin?tab=settings", "admin?tab=health",
    "admin?tab=backup", f"memory/{MEMORY}", f"memory/{MEMORY}?tab=history", f"memory/{MEMORY}?tab=links",
    "nowhere",
)  # fmt: skip
"""Every view with its sections."""
DRESSES: dict[str, dict[str, Any]] = {
    "light": {"size": DESK},
    "dark": {"size": DESK, "dark": True},
    "phone": {"size": PHONE},
}
GRAVE = ("serious", "critical")
TABS = 400


def views_of(space: Space, part: str = "") -> list[str]:
    """Give the addresses of all views of a space, of a call and of a memory in which some words stand."""
    memory = next(one.id for one in space.list(kinds=["fact"], limit=1000) if part in one.content)
    calls = space.calls().calls
    known = [one for one in VIEWS if CALL not in one or calls]
    return [one.replace(CALL, calls[-1].id if calls else "").replace(MEMORY, memory) for one in known]


def named(view: str) -> str:
    """Give a view's address as the name of a file."""
    return re.sub(r"[^a-z]+", "-", re.sub(r"(call|fact|ep)_[0-9a-f]+", "one", view.lower())).strip("-")


def shown(started: Browser, base: str, ana: Space, user: str, out: Path) -> list[str]:
    """Go to every view in every dress, take its picture, and give what axe and the browser found wrong."""
    wrong: list[str] = []
    for dress, options in DRESSES.items():
        with walking(started, base, user, **options) as walker:
            for view in views_of(ana, "Rex"):
                walker.go(view)
                walker.page.screenshot(path=out / f"{dress}-{named(view)}.png", full_page=True)
                wrong += [f"{dress} {view}: {one}" for one in (*graded(walker), *overflowing(walker))]
            wrong += [f"{dress}: {one}" for one in walker.troubles]
    return wrong


def graded(walker: Walker) -> list[str]:
    """Give what axe finds grave about the view that is shown."""
    walker.page.evaluate(Path(AXE_FILE_PATH).read_text("utf-8"))
    found = walker.page.evaluate("axe.run()")
    return [
        f"axe {one['impact']}: {one['id']} ({one['nodes'][0]['html'][:120]})"
        for one in found["violations"]
        if one["impact"] in GRAVE
    ]


def overflowing(walker: Walker) -> list[str]:
    """Tell whether the view is wider than the window, so that it would have to be pushed about."""
    wide, window = walker.page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    return [f"{wide} pixels wide in a window of {window}"] if wide > window else []


def hostile(started: Browser, base: str, space: Space, user: str) -> list[str]:
    """Show sixty hostile texts in every view, and give whatever was not taken as text."""
    wrong: list[str] = []
    ids = [one.id for one in space.list(limit=1000)][:20]
    odd = [*(f"sessions/{quote(one.id, safe='')}" for one in space.sessions()), *_about(space)]
    with walking(started, base, user) as walker:
        asked: list[str] = []

        def refuse(one: Dialog) -> None:
            asked.append(one.message)
            one.dismiss()

        walker.page.on("dialog", refuse)
        views = [*views_of(space), *(f"memory/{one}" for one in ids), *odd, f"search?q={'<script>'}"]
        for view in views:
            walker.go(view)
            made = walker.page.locator(
                "main script, main iframe, main style, main object, main form[action], main base"
            ).count()
            if made or "owned" in walker.page.title():
                wrong.append(f"{view}: markup came to life")
            wrong += [f"{view}: {one}" for one in overflowing(walker)]
        walker.go("search")
        for _ in range(4):
            if (more := walker.page.get_by_role("button", name="Show more")).count():
                more.click()
                walker.settled()
        texts = walker.page.locator(".row-text").all_text_contents()
        there = sum(any(one.startswith(text.strip()[:30]) for one in texts) for text in HOSTILE)
        if there < len(HOSTILE) - 5:  # what only repeats another is folded by the gate
            wrong.append(f"only {there} of {len(HOSTILE)} hostile texts are shown as they are")
        wrong += walker.troubles + [f"a dialog opened: {one}" for one in asked]
    return wrong


def _about(space: Space) -> list[str]:
    """Give views whose address holds hostile texts: names, topics to be changed, and what is to be erased."""
    names = [one.name for one in space.entities(limit=10)]
    texts = [quote(one.strip()[:60], safe="") for one in HOSTILE[::7]]
    return [
        *(f"people/{quote(one, safe='')}" for one in names),
        *(f"bulk?topic={one}&do=pin" for one in texts),
        *(f"bulk?erase={one}" for one in texts),
        *(f"people?part={one}" for one in texts),
        *(f"calls/{one.id}" for one in space.calls().calls),
    ]


def by_keyboard(started: Browser, base: str, space: Space, user: str) -> list[str]:
    """Reach everything that can be pressed in every view with Tab alone, and go about with shortcuts."""
    wrong: list[str] = []
    with walking(started, base, user) as walker:
        for view in views_of(space):
            walker.go(view)
            left = _unreached(walker)
            wrong += [f"{view}: not reached by Tab: {one}" for one in left]
        walker.go("overview")
        keyboard = walker.page.keyboard
        keyboard.press("Control+k")
        keyboard.type("inbox")
        keyboard.press("Enter")
        walker.page.get_by_role("heading", name="Inbox").wait_for()
        keyboard.press("g")
        keyboard.press("s")
        walker.page.get_by_role("heading", name="Search").wait_for()
        walker.page.get_by_label("Search memory").wait_for()
        keyboard.press("Escape")
        wrong += walker.troubles
    return wrong


MARKED = """() => {
  const all = 'main a[href], main button, main input, main select, main textarea, main summary';
  const seen = [...document.querySelectorAll(all)].filter(
    (one) => one.checkVisibility() && !one.disabled && one.tabIndex >= 0);
  seen.forEach((one, at) => { one.dataset.walk = at; });
  document.activeElement?.blur();
  return seen.length;
}"""
LEFT = """() => [...document.querySelectorAll('[data-walk]')].map(
  (one) => [one.dataset.walk, one.outerHTML.slice(0, 100)])"""


def _unreached(walker: Walker) -> list[str]:
    many = int(walker.page.evaluate(MARKED))
    seen: set[str] = set()
    for _ in range(min(many + 60, TABS)):
        walker.page.keyboard.press("Tab")
        at = walker.page.evaluate("document.activeElement?.dataset.walk ?? ''")
        seen.add(str(at))
    if many > TABS - 60:
        return []
    told = walker.page.evaluate(LEFT)
    return [html for at, html in told if at not in seen]


def acted(started: Browser, base: str, ana: Space, user: str) -> list[str]:
    """Do what a new user would: find, trace, correct, undo, confirm, pin, forget, restore, move, answer, preview."""
    wrong: list[str] = []
    with walking(started, base, user) as walker:
        page = walker.page
        walker.go("search?q=dog called Rex")
        page.get_by_role("link", name="Ana's dog is called Rex.").click()
        walker.settled()
        for button, said in (("Confirm", "Confirmed"), ("Pin", "Pinned"), ("Forget", "Forgotten")):
            walker.press(button)
            walker.sees(said)
        walker.press("Restore")
        walker.sees("Restored")
        walker.press("Move")
        page.get_by_role("textbox", name="Project").fill("harbour")
        page.get_by_role("dialog").get_by_role("button", name="Move").click()
        walker.sees("Moved to harbour")
        page.get_by_role("tab", name="History").click()
        walker.sees("Ana's dog is called")
        walker.go("inbox")
        walker.press("Amend")
        page.get_by_label("What is true").fill("Ana lives in Lisbon.")
        page.get_by_role("dialog").get_by_role("button", name="Accept").click()
        walker.sees("Nothing waits for you")
        walker.go("blocks/human")
        page.get_by_label("Text").fill("Ana, Rita, Rex and Miau.")
        walker.press("Save")
        walker.sees("Saved")
        walker.go("context?prompt=Where does Ana live?")
        walker.sees("Ana lives in Lisbon.")
        if "Ana lives in Lisbon." not in [one.content for one in ana.list()]:
            wrong.append("what was amended did not become true")
        wrong += walker.troubles
    return wrong
