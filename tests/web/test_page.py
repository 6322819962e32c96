"""The page, walked as a new user would: a wrong fact is found, corrected, taken back; a proposal is answered."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from recollect import Recollect, Space
from recollect.flows.asking import ask
from recollect.model.asking import Question
from recollect.model.change import Connect, Write
from recollect.model.memory import OUTDATED
from recollect.model.proposals import Consolidated
from recollect.testing.llm import ScriptedLlm
from tests.doors.serving import serving
from tests.engines import fresh
from tests.patience import until
from tests.web.browsing import Walker, browser, walking

HOSTILE = "<img src=x onerror=alert(1)><script>alert(2)</script> &lt;b&gt; \u202eevil"


def asked(url: str, space: Space) -> None:
    """Let a model be asked something hostile, and answer it."""
    with ScriptedLlm(lambda _: HOSTILE) as server:
        models = {"base_url": server.url, "retries": 0}
        with Recollect(url, embedder="none", llm="openai:small", models=models, record={"calls": True}) as other:
            ask(other._runtime, space.owner, Question("judge", "Judge this.", f"Say {HOSTILE}", Consolidated))


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def walked(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Walker, Space]]:
    """Give a browser before a memory with a conversation, a wrong fact, a proposal and something hostile."""
    url = fresh(request.param, tmp_path_factory.mktemp("page"))
    with (
        Recollect(url, embedder="none", record={"calls": True}) as memory,
        serving(memory) as base,
        browser() as started,
    ):
        ana = memory.space("ana", "helper", "s1")
        ana.observe("user", "I live in Porto and my dog is called Rex.", actor="Ana")
        ana.observe("assistant", "Noted.")
        ana.end()
        ana.remember("Ana's dog is called Max.", topic="pets")
        ana.remember("Ana lives in Porto.", key="city")
        ana.remember("Ana lives in Faro.", key="city", source="agent")
        ana.remember(HOSTILE)
        asked(url, ana)
        with walking(started, base, "ana") as walker:
            yield walker, ana


def test_a_wrong_fact_is_corrected_and_taken_back(walked: tuple[Walker, Space]) -> None:
    """Found by its words, opened, corrected, and the correction undone: the store says the same as the page."""
    walker, ana = walked
    walker.go("search")
    walker.page.get_by_label("Search memory").fill("dog called Max")
    found = walker.page.locator('[data-of="dog called Max"]')
    found.get_by_role("link", name="Ana's dog is called Max.").click()
    walker.page.get_by_role("heading", name="Ana's dog is called Max.").wait_for()
    walker.sees("saved by hand")
    walker.press("Correct")
    walker.page.get_by_label("What is true").fill("Ana's dog is called Rex.")
    walker.page.get_by_role("dialog").get_by_role("button", name="Correct").click()
    walker.page.get_by_role("heading", name="Ana's dog is called Rex.").wait_for()
    assert [hit.memory.content for hit in ana.recall("dog called", limit=1)] == ["Ana's dog is called Rex."]
    walker.press("Undo")
    walker.page.get_by_role("heading", name="Ana's dog is called Max.").wait_for()
    assert "Ana's dog is called Max." in [one.content for one in ana.list()]


def test_a_proposal_is_accepted_by_keyboard(walked: tuple[Walker, Space]) -> None:
    """In the inbox one key accepts; what gave way is history."""
    walker, ana = walked
    walker.go("inbox")
    walker.page.get_by_role("listitem").first.focus()
    walker.page.keyboard.press("a")
    walker.sees("Nothing waits for you")
    assert ana.inbox() == []
    assert "Ana lives in Faro." in [one.content for one in ana.list()]


def test_markup_stays_text_and_the_browser_has_no_complaint(walked: tuple[Walker, Space]) -> None:
    """Something hostile is shown letter by letter in every view that shows it; nothing ran, nothing was asked for."""
    walker, _ = walked
    for view in ("overview", "search", "context?prompt=evil", "blocks", "timeline", "sessions", "bulk"):
        walker.go(view)
    walker.go("search?q=evil")
    assert HOSTILE in walker.page.locator(".row-text").all_inner_texts()
    assert walker.page.locator("main img, main script, main iframe").count() == 0
    assert walker.troubles == []


def test_what_may_be_outdated_is_marked(walked: tuple[Walker, Space]) -> None:
    """Wherever memories are listed it is said that a newer one may have taken the place of one."""
    walker, ana = walked
    older, newer = (ana.remember(f"Ana's bike is {colour}.").id for colour in ("red", "blue"))
    doubted = (Connect(older, newer, OUTDATED, 1.0),)
    ana._runtime.store.commit(Write(owner=ana.owner, at=ana._runtime.now(), node="test", changes=doubted))
    for view in ("overview", "search", "search?q=bike"):
        walker.go(view)
        row = walker.page.locator("article.row", has_text="Ana's bike is red.").first
        row.get_by_text("may have taken its place").wait_for()
        assert row.get_by_role("link", name="A newer memory").get_attribute("href") == f"#/ana/memory/{newer}"


def test_it_begins_with_a_memory_that_is_there(walked: tuple[Walker, Space]) -> None:
    """Who opens the bare address and has no memory of his own is shown one that there is."""
    walker, _ = walked
    walker.page.goto("about:blank")
    walker.page.goto(f"{walker.base}/")
    walker.sees("What is remembered of ana.")
    assert walker.page.url.endswith("#/ana/overview")
    assert walker.troubles == []


def test_a_long_day_comes_in_parts(walked: tuple[Walker, Space]) -> None:
    """Of a day with more than a part holds the latest is shown, and a button brings what was before."""
    walker, ana = walked
    ana.remember_many([{"content": f"Crate {number} stands in hall {number * 7}."} for number in range(320)])
    walker.go("timeline")
    walker.press("Show earlier on this day")
    walker.sees("I live in Porto and my dog is called Rex.")
    assert walker.page.get_by_role("button", name="Show earlier on this day").count() == 0


def test_what_a_model_was_asked(walked: tuple[Walker, Space]) -> None:
    """A question and its answer can be read letter by letter, as text; erased, they are gone, and the cost is not."""
    walker, ana = walked
    walker.go("calls?tab=log")
    walker.page.get_by_role("row").last.get_by_role("link").click()
    walker.sees("Judge this.")
    shown = walker.page.locator("pre.whole").all_text_contents()
    assert (f"Say {HOSTILE}" in shown, HOSTILE in shown) == (True, True)
    walker.page.locator(".crumb").click()
    walker.press("Erase all")
    walker.page.get_by_role("dialog").get_by_role("button", name="Erase for good").click()
    walker.sees("No model was asked yet")
    assert ana.calls().calls == ()
    assert ana.cost()
    assert walker.troubles == []


def test_a_question_goes_with_its_view(walked: tuple[Walker, Space]) -> None:
    """Who leaves a view while it asks something has not said yes: the question is gone."""
    walker, _ = walked
    walker.go("admin?tab=keys")
    walker.page.get_by_role("button", name="New key").first.click()
    walker.page.locator("dialog[open]").wait_for()
    walker.go("overview")
    walker.page.locator("dialog[open]").wait_for(state="detached")
    assert walker.page.locator("dialog[open]").count() == 0


def test_care_by_hand(walked: tuple[Walker, Space]) -> None:
    """A name is changed and put back, many memories are pinned and unpinned, a job is tried, somebody is erased."""
    walker, ana = walked
    ana.remember("Bob Stone met Cy Lake.", topic="guests")
    page = walker.page
    walker.go("people/Bob%20Stone")
    walker.press("Rename")
    page.get_by_label("Shown as").fill("Robert Stone")
    page.get_by_role("dialog").get_by_role("button", name="Rename").click()
    page.get_by_role("heading", name="Robert Stone").wait_for()
    walker.press("Undo")
    page.get_by_role("heading", name="Bob Stone").wait_for()
    walker.go("bulk?topic=guests&do=pin")
    walker.press("Pin 1")
    walker.sees("Changed 1 memories.")
    assert [one.pinned for one in ana.list(topic="guests")] == [True]
    walker.press("Undo")
    assert until(lambda: [one.pinned for one in ana.list(topic="guests")] == [False])
    walker.go("jobs")
    page.get_by_title("Try age without effect").click()
    walker.sees("What would happen")
    walker.press("Close")
    walker.go("bulk?erase=Bob%20Stone")
    walker.press("See what would go")
    walker.press("Erase for good…")
    page.get_by_label("Type Bob Stone to go on").fill("Bob Stone")
    page.get_by_role("dialog").get_by_role("button", name="Erase for good").click()
    walker.sees("nothing found")
    assert ana.entity("Bob Stone") is None
    for view in (
        "people?tab=graph",
        "timeline",
        "sessions/s1",
        "calls",
        "admin",
        "admin?tab=settings",
        "admin?tab=health",
    ):
        walker.go(view)
    walker.sees("All is well")
    assert walker.troubles == []


LEAVING = """async (there) => {
  const field = document.querySelector("[data-find]");
  field.value = "half a wor";
  field.dispatchEvent(new InputEvent("input", { bubbles: true }));
  await new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn, 10)));
  location.hash = there;
  for (const end = Date.now() + 200; Date.now() < end; );
}"""
"""Types, follows a link before typing counts as done, and keeps the browser busy until it does."""


def test_who_follows_a_link_while_typing_gets_there(walked: tuple[Walker, Space]) -> None:
    """What was typed last no longer calls the search back."""
    walker, _ = walked
    walker.go("search")
    walker.page.evaluate(LEAVING, "#/ana/blocks")
    walker.page.get_by_role("heading", name="Blocks").first.wait_for(timeout=5_000)
    assert walker.page.url.endswith("#/ana/blocks")
