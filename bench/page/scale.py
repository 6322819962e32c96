"""How quick the page is before 100,000 memories and 5,000 people, and how much of it travels."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from statistics import median
from time import perf_counter

from playwright.sync_api import Browser

from recollect.serve.web.assets import files
from tests.web.browsing import Walker, walking

TRIES = 7
WEIGHT = 150 * 1024
"""Bytes, compressed, that all scripts, styles and pictures of the page may weigh."""
WANTED = {"first view usable": 1500.0, "search after typing stops": 150.0, "neighbourhood after a click": 200.0}
"""Milliseconds, as medians on an idle machine."""
TYPED = ("Person77 harbour", "matter 1234", "Person4000", "met at the harbour about matter 7", "Person12 Person13")
PAINTED = """(query) => new Promise((done) => {
  const began = performance.now();
  const look = () => {
    const told = document.querySelector('main section[aria-label="Results"]');
    if (told && told.dataset.of === query) requestAnimationFrame(() => done(performance.now() - began));
    else setTimeout(look, 2);
  };
  look();
})"""
"""Waits until the results of a query are painted."""
CLICKED = """() => new Promise((done) => {
  const graph = document.querySelector('.graph-box'), before = graph?.dataset.drawn, began = performance.now();
  const grown = [...document.querySelectorAll('.grow-button[aria-pressed="false"]')].at(-1);
  grown?.click();
  const look = () => {
    const spent = performance.now() - began;
    if (graph?.dataset.drawn !== before) requestAnimationFrame(() => done(performance.now() - began));
    else if (spent > 5000) done(-1);
    else setTimeout(look, 2);
  };
  look();
})"""
"""Grows the graph by a click, and waits until it is drawn anew."""


def weighed() -> dict[str, int]:
    """Give the compressed bytes of every file of the page that a browser loads."""
    return {path: len(gzip.compress(one.plain, 9)) for path, one in files().items() if not path.endswith(".txt")}


def timed(started: Browser, base: str, user: str) -> dict[str, float]:
    """Give the medians of what a user waits for, in milliseconds."""
    told = {"first view usable": _several(lambda: _first(started, base, user))}
    with walking(started, base, user) as walker:
        walker.go("search")
        told["search after typing stops"] = median([_search(walker, one) for one in TYPED * 2][1:])
        grown = [_grown(walker, f"Person{number * 77}") for number in range(1, TRIES + 1)]
        told["neighbourhood after a click"] = median([one for one in grown if one >= 0] or [-1])
    return {name: round(value, 1) for name, value in told.items()}


def _several(measure: Callable[[], float]) -> float:
    return median([measure() for _ in range(TRIES)])


def _first(started: Browser, base: str, user: str) -> float:
    """Time a cold browser from the address to the first numbers."""
    with walking(started, base, user) as walker:
        begun = perf_counter()
        walker.page.goto(f"{base}/ui/#/{user}/overview")
        walker.page.locator(".figures").wait_for()
        return (perf_counter() - begun) * 1000


def _grown(walker: Walker, name: str) -> float:
    """Time from a click on a neighbour to the larger graph; -1 where there was nothing more around it."""
    walker.go(f"people/{name}")
    walker.page.locator(".graph-box[data-drawn]").wait_for()
    return float(walker.page.evaluate(CLICKED))


def _search(walker: Walker, text: str) -> float:
    """Time from the last letter to the painted results of exactly this query."""
    walker.page.get_by_label("Search memory").fill(text)
    return float(walker.page.evaluate(PAINTED, text))
