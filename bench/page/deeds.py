"""What is done in the second half of the page: timeline, sessions, people, jobs, calls, bulk and administration."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Browser

from bench.page.strolls import graded
from recollect import Recollect, Space
from tests.patience import until
from tests.web.browsing import Walker, walking


def cared(started: Browser, base: str, memory: Recollect, ana: Space, user: str) -> list[str]:
    """Do every action of the second half; give what did not come true, and what axe finds in the dialogs."""
    wrong: list[str] = []
    with walking(started, base, user) as walker:
        for deed in (_calls, _timeline, _people, _jobs, _sessions, _bulk, _erasing):
            wrong += [f"{deed.__name__.strip('_')}: {one}" for one in deed(walker, ana)]
        wrong += walker.troubles
    with walking(started, base, user) as walker:
        wrong += [f"administration: {one}" for one in _administration(walker, memory)]
    return wrong


def _dialog(walker: Walker, action: str) -> list[str]:
    """Look at the dialog that is open, and press its button."""
    box = walker.page.get_by_role("dialog")
    box.wait_for()
    found = graded(walker)
    box.get_by_role("button", name=action, exact=True).click()
    return found


def _true(told: str, happened: Callable[[], object]) -> list[str]:
    return [] if until(happened) else [told]


def _timeline(walker: Walker, ana: Space) -> list[str]:
    """Take a change back from the day it happened on."""
    made = ana.remember("Ana plays the oboe.", topic="music")
    walker.go("timeline?show=learnt")
    walker.sees("Ana plays the oboe.")
    walker.page.get_by_title("Take this change back").first.click()
    walker.sees("Taken back")
    return _true("the change stands", lambda: made.id not in [one.id for one in ana.list()])


def _people(walker: Walker, ana: Space) -> list[str]:
    """Rename somebody, unite two names, part them again, and grow the graph."""
    page = walker.page
    walker.go("people/Bob%20Stone")
    walker.press("Rename")
    page.get_by_label("Shown as").fill("Robert Stone")
    wrong = _dialog(walker, "Rename")
    page.get_by_role("heading", name="Robert Stone").wait_for()
    walker.press("Unite…")
    page.get_by_label("Part of the name").fill("Cy")
    page.get_by_role("dialog").get_by_role("button", name="Cy Lake").click()
    wrong += _dialog(walker, "Unite")
    page.get_by_role("heading", name="Cy Lake").wait_for()
    wrong += _true("they are two", lambda: (one := ana.entity("Robert Stone")) and one.entity.name == "Cy Lake")
    walker.press("Part…")
    page.get_by_label("Name", exact=True).fill("Robert Stone")
    wrong += _dialog(walker, "Part")
    wrong += _true("they are one", lambda: (one := ana.entity("Robert Stone")) and one.entity.name == "Robert Stone")
    walker.go("people?tab=graph")
    walker.page.locator(".graph-box[data-drawn]").wait_for()
    walker.page.locator(".grow-button").first.click()
    walker.settled()
    return wrong


def _jobs(walker: Walker, ana: Space) -> list[str]:
    """Try a job, run it, hold it back and let it go."""
    walker.go("jobs")
    walker.page.get_by_title("Try age without effect").click()
    wrong = _dialog(walker, "Close")
    walker.press("Run what is due")
    wrong += _dialog(walker, "Close")
    walker.page.get_by_role("button", name="Hold back").first.click()
    walker.page.get_by_role("button", name="Let go").first.click()
    walker.sees("Runs by itself again")
    return wrong


def _sessions(walker: Walker, ana: Space) -> list[str]:
    """Filter the list, learn from a conversation at once, and erase one."""
    told = ana.within("to go")
    told.observe("user", "Mallory Quint lives in Oslo.")
    walker.go("sessions")
    walker.page.get_by_label("Filter sessions").fill("to go")
    walker.page.get_by_role("link", name="to go", exact=True).click()
    walker.sees("Mallory Quint lives in Oslo.")
    walker.press("Learn from it now")
    walker.page.locator(".notice").first.wait_for()
    walker.press("Erase…")
    walker.page.get_by_label("Type erase to go on").fill("erase")
    wrong = _dialog(walker, "Erase")
    walker.page.get_by_role("heading", name="Sessions").wait_for()
    return wrong + _true("it is still there", lambda: "to go" not in [one.id for one in ana.sessions()])


def _calls(walker: Walker, ana: Space) -> list[str]:
    """Read what a model was asked and wrote, and erase the log; what it cost stays."""
    walker.go("calls")
    walker.sees("Calls by day")
    walker.page.get_by_role("tab", name="Questions and answers").click()
    walker.page.get_by_role("row").last.get_by_role("link").click()
    walker.sees("You keep the long-term memory of an assistant.")
    walker.sees("Ana told of her sister's visit")
    walker.page.locator(".crumb").click()
    walker.press("Erase all")
    wrong = _dialog(walker, "Erase for good")
    walker.sees("No model was asked yet")
    return wrong + _true("the log is there", lambda: not ana.calls().calls and ana.cost())


def _bulk(walker: Walker, ana: Space) -> list[str]:
    """Choose some by hand, change them, and take it back."""
    walker.go("bulk")
    walker.page.get_by_label("Topic", exact=True).fill("guests")
    walker.page.get_by_label("What to do").select_option("importance")
    walker.page.get_by_label("To", exact=True).select_option("9")
    walker.press("Set 1")
    wrong = _true("nothing was rated", lambda: [one.importance for one in ana.list(topic="guests")] == [9])
    walker.press("Undo")
    return wrong + _true("it was not undone", lambda: [one.importance for one in ana.list(topic="guests")] != [9])


def _erasing(walker: Walker, ana: Space) -> list[str]:
    """Erase a person, and read the receipt."""
    walker.go("bulk?erase=Cy%20Lake")
    walker.press("See what would go")
    walker.press("Erase for good…")
    walker.page.get_by_label("Type Cy Lake to go on").fill("Cy Lake")
    wrong = _dialog(walker, "Erase for good")
    walker.sees("nothing found")
    wrong += graded(walker)
    return wrong + _true("somebody still knows", lambda: ana.entity("Cy Lake") is None)


def _administration(walker: Walker, memory: Recollect) -> list[str]:
    """Find a setting, check the database, take a backup; make the first key, come in with it, and revoke another."""
    page = walker.page
    walker.go("admin?tab=settings")
    page.get_by_label("Find a setting").fill("record.calls")
    walker.sees("calls_days")
    walker.go("admin?tab=health")
    walker.press("Check again")
    walker.sees("All is well")
    walker.go("admin?tab=backup")
    with page.expect_download() as begun:
        page.get_by_role("link", name="Download").click()
    wrong = [] if begun.value.path().stat().st_size > 1000 else ["the backup is empty"]
    walker.go("admin?tab=keys")
    page.get_by_role("button", name="New key").first.click()
    page.get_by_label("Name").fill("laptop")
    wrong += _dialog(walker, "Make it")
    secret = page.locator(".secret").inner_text()
    wrong += _dialog(walker, "I have kept it")
    page.get_by_label("Your key").fill("rk_wrong")
    walker.press("Open")
    walker.sees("opens nothing")
    wrong += graded(walker)
    page.get_by_label("Your key").fill(secret)
    walker.press("Open")
    page.get_by_role("heading", name="Administration").wait_for()
    walker.press("New key")
    page.get_by_label("Name").fill("guest")
    page.get_by_label("For whom").fill("bob")
    page.get_by_label("only read").check()
    _dialog(walker, "Make it")
    _dialog(walker, "I have kept it")
    page.get_by_title("Revoke guest").click()
    wrong += _dialog(walker, "Revoke")
    keys = memory.keys
    wrong += _true("the key still opens", lambda: [one.name for one in keys()] == ["laptop"])
    walker.press("Sign out")
    page.get_by_label("Your key").wait_for()
    return wrong + [one for one in walker.troubles if "status of 401" not in one]
