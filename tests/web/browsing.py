"""A real browser for the page: Debian's Chromium, without the network, that remembers everything that went wrong."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from playwright.sync_api import Browser, Page, Route, sync_playwright

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
DESK, PHONE = (1360, 900), (390, 844)
GONE = "status of 404"
"""What a browser logs of an answer the page asked for on purpose: something may be gone by now."""
PATIENCE = 60_000
"""Milliseconds a step waits at most: a busy machine is slow, and no reason to fail."""
WATCH = "document.addEventListener('securitypolicyviolation', (e) => console.error('CSP ' + e.violatedDirective))"


@dataclass
class Walker:
    """One page of a browser at one address, and what it complained about."""

    page: Page
    base: str
    user: str
    troubles: list[str] = field(default_factory=list)

    def go(self, view: str) -> None:
        """Go to a view, and wait until it has loaded."""
        self.page.goto(f"{self.base}/ui/#/{self.user}/{view}")
        self.settled()

    def settled(self) -> None:
        """Wait until nothing is loading any more."""
        self.page.locator("main h1, main .empty").first.wait_for()
        for _ in range(PATIENCE // 50):
            self.page.wait_for_timeout(50)
            if not self.page.locator(".wait").count():
                return
        raise AssertionError("the view never finished loading")

    def sees(self, text: str) -> bool:
        """Wait until a text is on the page."""
        self.page.get_by_text(text).first.wait_for()
        return True

    def press(self, name: str) -> None:
        """Press the button of a name, wherever it stands."""
        self.page.get_by_role("button", name=name, exact=True).last.click()


def chromium() -> str:
    """Give where the browser is."""
    found = shutil.which("chromium")
    assert found, "the page is tried in Debian's chromium: `make servers` installs it"
    return found


@contextmanager
def browser() -> Iterator[Browser]:
    """Start the browser for as long as it is needed."""
    with sync_playwright() as playing:
        started = playing.chromium.launch(executable_path=chromium(), args=FLAGS)
        try:
            yield started
        finally:
            started.close()


@contextmanager
def walking(
    started: Browser, base: str, user: str, *, dark: bool = False, size: tuple[int, int] = DESK
) -> Iterator[Walker]:
    """Open a page that reaches nothing but the server; every complaint of the browser is written down."""
    context = started.new_context(
        viewport={"width": size[0], "height": size[1]}, color_scheme="dark" if dark else "light"
    )
    context.set_default_timeout(PATIENCE)
    walker = Walker(context.new_page(), base, user)
    walker.page.add_init_script(WATCH)

    def only_here(route: Route) -> None:
        if route.request.url.startswith((base, "data:")):
            route.continue_()
        else:
            walker.troubles.append(f"asked for {route.request.url}")
            route.abort()

    context.route("**/*", only_here)
    walker.page.on(
        "console",
        lambda told: walker.troubles.append(told.text) if told.type == "error" and GONE not in told.text else None,
    )
    walker.page.on("pageerror", lambda error: walker.troubles.append(str(error)))
    try:
        yield walker
    finally:
        context.close()
