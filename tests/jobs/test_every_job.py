"""Every job: its dry run says what the run then does, a second run does nothing, and undo gives back what was."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from bench.drills.undoing import SETTINGS, story
from recollect import Recollect, Report, Space
from recollect.jobs.registry import tasks
from recollect.model.change import Connect, Cut, Dequeue, Enqueue, Reach, Write
from recollect.store.cache import blocks
from recollect.testing import FixedClock
from recollect.testing.conversations import good_model, ordinary
from recollect.testing.judge import PlainJudge
from recollect.testing.llm import Asked, Saying, ScriptedLlm
from tests.life.test_undo import remembered
from tests.patience import PATIENCE

pytestmark = pytest.mark.usefixtures("forgetful", "passing", "small_blocks")

WHOLE = ("status", "changed", "numbers", "text", "steps")
"""What a dry run tells where nobody has to be asked."""
OLDER, NEWER = "Ana and her uncle sell maps near the harbour.", "Ana and her uncle sell lamps near the harbour."
LIVES = 12
"""How many lives are lived here; `python -m bench.jobs undo` lives more."""
Setting = Callable[[Recollect, Space, FixedClock], None]


@dataclass(frozen=True)
class Case:
    """A state in which a job has something to do, and what is expected of its run."""

    job: str
    prepare: Setting
    settings: dict[str, Any] = field(default_factory=dict)
    known: tuple[str, ...] = WHOLE
    model: bool = False
    """Whether a model is asked; then its bill is left when all else is undone."""
    away: bool = False
    """Whether the model is away until the job runs."""
    final: str = ""
    """What undo says where nothing can be put back."""
    named: bool = True
    """Whether there is a run that undo can be told."""
    undone: int = 0
    """How many memories are as they were, at the least."""


def toast(rc: Recollect, ana: Space, clock: FixedClock) -> None:
    """Keep trifles, and use none of them."""
    for number in range(3):
        ana.remember(f"Ana had toast number {number}.", importance=3, topic="home")


def after(days: float, what: Setting = toast, *jobs: str) -> Setting:
    """Let days pass, run jobs, and let as many days pass again."""

    def prepare(rc: Recollect, ana: Space, clock: FixedClock) -> None:
        what(rc, ana, clock)
        clock.advance(days=days)
        for job in jobs:
            rc.run_jobs([job])
            clock.advance(days=days)

    return prepare


def proposed(rc: Recollect, ana: Space, clock: FixedClock) -> None:
    """Propose what only the owner may say."""
    assert ana.remember("The user lives in Faro.", key="city", source="session").outcome == "queued"


def loosely_linked(rc: Recollect, ana: Space, clock: FixedClock) -> None:
    """Link pairs twice, and link something to what was merged since."""
    texts = ("Ana drinks tea.", "The office is in Lisbon.", "Our office has a view.", "Ana orders rolls in cafes.")
    first, second, third, fourth = (ana.remember(text).id for text in texts)
    pairs = ((first, second, 0.5), (second, first, 0.6), (third, first, 0.7))
    links = tuple(Connect(one, other, "related_to", strength) for one, other, strength in pairs)
    rc._runtime.store.commit(Write(owner=ana.owner, at=clock(), node="test", changes=links))
    clock.advance(hours=1)
    ana.merge([first, fourth])
    clock.advance(hours=1)


def near(rc: Recollect, ana: Space, clock: FixedClock) -> None:
    """Keep what means nearly the same while nobody compares meaning."""
    for text in ("Ana likes green tea in the morning.", "Ana drinks green tea every morning at work."):
        ana.remember(text)


def named(rc: Recollect, ana: Space, clock: FixedClock) -> None:
    """Name people and places, one of them by two names."""
    for text in (
        "Yesterday I met Ana Silva in Lisbon with people from Google.",
        "Bob works at Siemens in Berlin.",
        "Robert Smith is also known as Bob.",
        "At work Robert Smith is also known as Bob.",
        "Maria Gomez, nicknamed Mimi, lives in Madrid.",
        "I like tea.",
    ):
        ana.observe("user", text)
    clock.advance(hours=1)


def corrected(rc: Recollect, ana: Space, clock: FixedClock) -> None:
    """Put an agent right, and praise it."""
    for role, text in (
        ("assistant", "I wrote the tests with unittest."),
        ("user", "No, use pytest not unittest"),
        ("assistant", "I moved them to pytest."),
        ("user", "Perfect, thank you!"),
    ):
        ana.observe(role, text)
    clock.advance(minutes=5)


def talked(rc: Recollect, ana: Space, clock: FixedClock) -> None:
    """Tell of oneself in two sessions, the second changing what the first told."""
    ana.remember("Ana lives in Faro.", topic="home")
    for text in ("I live in Lisbon.", "My dog is called Rex.", "I work at Acme with @bob.", "I prefer tea."):
        ana.observe("user", text, actor="Ana")
    second = rc.space("ana", "helper", "s2")
    for text in ("I moved to Porto.", "I prefer coffee now.", "My dog is called Rex.", "Call me Anita, please."):
        second.observe("user", text, actor="Ana")
    clock.advance(minutes=5)


def chatted(rc: Recollect, ana: Space, clock: FixedClock) -> None:
    """Have a conversation a model can read."""
    for role, text in ordinary(12):
        ana.observe(role, text, actor="Ana" if role == "user" else "")
    clock.advance(minutes=5)


def misread(rc: Recollect, ana: Space, clock: FixedClock) -> None:
    """Work a conversation through while the model is away, and let its messages wait for it."""
    runtime = rc._runtime
    chatted(rc, ana, clock)
    with runtime.store.view() as view:
        upto = view.said(ana.owner, "s1", 0, 50)[-1][0]
    page = {"session": "s1", "after": 0, "upto": upto}
    again = (Reach("s1", upto), Enqueue("reread", clock(), "s1", page))
    runtime.store.commit(Write(owner=ana.owner, at=clock(), node="test", changes=again))


def asked(rc: Recollect, ana: Space, clock: FixedClock) -> None:
    """Ask for something to be remembered."""
    ana.observe("user", "Please remember that my locker is number 77.", actor="Ana")


def unsure(rc: Recollect, ana: Space, clock: FixedClock) -> None:
    """Keep pairs that rules cannot tell apart, of which the model calls one the same and one replaced."""
    ana.remember("Ana and her sister bake bread for the kitchen downtown.", tags=["bread"])
    ana.remember("Ana and her uncle sell old maps near the harbour downtown.")
    clock.advance(days=1)
    ana.remember("Ana and her sister bake bread for the kitchen uptown.", tags=["uptown"])
    ana.remember("Ana and her uncle sell old maps near the harbour uptown.")


def outdated(rc: Recollect, ana: Space, clock: FixedClock) -> None:
    """Keep a pair of which the learnt judge takes the newer for the later state."""
    ana.remember(OLDER)
    clock.advance(days=1)
    ana.remember(NEWER)


def forgetting(rc: Recollect, ana: Space, clock: FixedClock) -> None:
    """Ask to forget what was saved before."""
    ana.remember("Ana's boss is Tom.")
    clock.advance(days=1)
    ana.observe("user", "Forget that my boss is Tom.")


def searched(rc: Recollect, ana: Space, clock: FixedClock) -> None:
    """Leave events behind."""
    toast(rc, ana, clock)
    ana.recall("toast")
    rc._runtime.store.flush()


def purged(rc: Recollect, ana: Space, clock: FixedClock) -> None:
    """Leave journal lines of what is gone, and its traces in the files."""
    after(61, toast, "ttl")(rc, ana, clock)
    assert [one.changed for one in rc.run_jobs(["purge"])] == [3]


def knows(asked: Asked) -> Saying:
    """Answer whatever is asked."""
    if "insights" in asked.system:
        return {"insights": [{"summary": "Ana seems to be content.", "sources": [1], "confidence": 0.7}]}
    if "You describe people" in asked.system:
        return {"portraits": [{"entity": 1, "text": "Jonas Weber eats toast."}]}
    if "You keep the digest" in asked.system:
        return {"sentences": [{"text": "Jonas Weber eats toast.", "sources": [1, 2]}]}
    if "look back on a week" in asked.system:
        told = ("Ana had toast.", "It was much the same.", "Little else happened.")
        return {"sentences": [{"text": text, "sources": [1]} for text in told]}
    pairs = re.findall(r"\[\d+\] OLD[^:]*: (.*)\n", asked.user)
    if not pairs:
        return good_model(asked)
    said = ("same" if "bread" in old else "newer_replaces" for old in pairs)
    return {"verdicts": [{"pair": number, "verdict": one} for number, one in enumerate(said, 1)]}


def plenty(rc: Recollect, ana: Space, clock: FixedClock) -> None:
    """Have more in the long tier than may stay there."""
    for number in range(4):
        ana.remember(
            f"Ana had toast number {number}. " + "It was rather long and of little interest. " * 5, importance=3
        )
    clock.advance(days=3)
    assert rc.run_jobs(["age"])[0].changed == 4


def left_behind(rc: Recollect, ana: Space, clock: FixedClock) -> None:
    """Leave the text of something purged in a file of the archive."""
    plenty(rc, ana, clock)
    assert rc.run_jobs(["archive"])[0].changed == 3
    clock.advance(days=61)
    assert rc.run_jobs(["ttl"])[0].changed == 4
    clock.advance(days=61)
    assert [one.changed for one in rc.run_jobs(["purge"])] == [4]


def overlooked(rc: Recollect, ana: Space, clock: FixedClock) -> None:
    """Keep what is alike and was never compared."""
    outdated(rc, ana, clock)
    runtime = rc._runtime
    with runtime.store.view() as view:
        found = [one for one in view.links(ana.owner, [one.id for one in ana.list()]) if one.type == "compared"]
    cut = tuple(Cut(one.from_id, one.to_id, one.type) for one in found)
    runtime.store.commit(Write(owner=ana.owner, at=clock(), node="test", changes=(*cut, Dequeue("judge"))))


def felt(rc: Recollect, ana: Space, clock: FixedClock) -> None:
    """Say and save something a model can read between the lines of."""
    ana.observe("user", "Thank you, that was kind of you.")
    toast(rc, ana, clock)


def spoken_of(rc: Recollect, ana: Space, clock: FixedClock) -> None:
    """Know much of somebody."""
    for number in range(5):
        assert ana.remember(f"Jonas Weber eats toast number {number}.").ok


def filed(rc: Recollect, ana: Space, clock: FixedClock) -> None:
    """Have a folder of memory, and much to know."""
    with TemporaryDirectory() as folder:
        ana.workspace.init(folder)
    for number in range(12):
        assert ana.remember(f"Jonas Weber eats toast number {number}. {'It is rather good. ' * 8}").ok


def many(rc: Recollect, ana: Space, clock: FixedClock) -> None:
    """Keep more than one block of documents."""
    toasts = [{"content": f"Ana ate toast {at}."} for at in range(1 + 2**blocks.BITS)]
    assert all(one.ok for one in ana.remember_many(toasts))


ARCHIVE: dict[str, Any] = {"archive": {"url": "FOLDER", "beyond": 1}}
WEEK: dict[str, Any] = {"record": {"journal_days": 7, "events_days": 7}}
CASES = {
    "age": Case("age", after(3), undone=3),
    "forget": Case("forget", after(40), undone=3),
    "ttl": Case("ttl", after(61), undone=3),
    "expire": Case("expire", after(90, proposed), undone=1),
    "purge": Case("purge", after(61, toast, "ttl"), final="a run of purge cannot be undone"),
    "relate": Case("relate", loosely_linked),
    "embed": Case("embed", near, {"embedder": "minilm"}, known=("status", "changed")),
    "enrich": Case("enrich", named, {"entities": {"accurate": ("regex", "spacy")}}),
    "consolidate": Case("consolidate", talked),
    "consolidate, asking": Case("consolidate", chatted, known=("status",), model=True),
    "reread": Case("reread", misread, known=("status",), model=True, away=True),
    "learn": Case("learn", asked),
    "lessons": Case("lessons", corrected),
    "learn, asking": Case("learn", chatted, {"learning": {"mode": "all"}}, known=("status",), model=True),
    "judge": Case("judge", unsure, known=("status",), model=True, undone=2),
    "judge, learnt": Case("judge", outdated),
    "learn, forgetting": Case("learn", forgetting, undone=1),
    "trim, journal": Case("trim", after(8, purged), WEEK, final="a run of trim cannot be undone"),
    "trim, events": Case("trim", after(8, searched), {"record": {"events_days": 7}}, named=False),
    "archive": Case("archive", plenty, ARCHIVE, undone=3),
    "merge": Case("merge", overlooked),
    "reflect": Case("reflect", toast, known=("status",), model=True),
    "portray": Case("portray", spoken_of, known=("status", "changed"), model=True),
    "curate": Case("curate", filed, known=("status", "changed"), model=True),
    "infer": Case("infer", felt, known=("status",), model=True),
    "shred": Case("shred", left_behind, ARCHIVE, known=("status", "changed"), named=False),
    "pack": Case("pack", many, known=("status", "changed"), named=False),
    "scrub": Case("scrub", purged, known=("status", "changed"), named=False),
}


@pytest.fixture
def server() -> Iterator[ScriptedLlm]:
    """Give a model that knows what is asked here."""
    with ScriptedLlm(knows) as started:
        yield started


def exported(rc: Recollect) -> str:
    """Give everything as text."""
    out = io.StringIO()
    rc.export(out)
    return out.getvalue()


def kept(text: str) -> list[str]:
    """Give what must be the same after undo: all but versions, times of change, journal, jobs, and the bill."""
    return [line for line in remembered(text) if json.loads(line)["type"] != "spent"]


def effect(case: Case, reports: list[Report]) -> list[tuple[Any, ...]]:
    """Give what a dry run and a run must agree on."""
    return [(one.job, one.owner, *(getattr(one, part) for part in case.known)) for one in reports]


def test_every_job_has_a_case() -> None:
    """Whoever adds a job adds a state here in which it has something to do."""
    assert {case.job for case in CASES.values()} == set(tasks())


def settings_in(folder: Path, case: Case) -> dict[str, Any]:
    """Give the settings of a case, its archive in a folder that goes away."""
    found: dict[str, Any] = json.loads(json.dumps(case.settings).replace("FOLDER", str(folder / "archive")))
    return found


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_rehearsed_run_and_undone(
    database: str, clock: FixedClock, server: ScriptedLlm, case: Case, tmp_path: Path
) -> None:
    """The dry run equals the run, a second run changes nothing, and undo gives back the export of before."""
    settings = settings_in(tmp_path, case)
    chosen = {"base_url": server.url, "timeout_seconds": PATIENCE, "retries": 0}
    asking: dict[str, Any] = {"llm": "openai:small", "models": chosen} if case.model else {}
    first = {name: value for name, value in settings.items() if name != "embedder"}
    with Recollect(database, clock=clock, **({} if case.away else asking), **first) as rc:
        rc._runtime.own_judge = PlainJudge({(OLDER, NEWER): "replaces"})
        case.prepare(rc, rc.space("ana", "helper", "s1"), clock)
    with Recollect(database, clock=clock, **asking, **settings) as rc:
        rc._runtime.own_judge = PlainJudge({(OLDER, NEWER): "replaces"})
        ana, before = rc.space("ana"), exported(rc)
        shown = rc.run_jobs([case.job], dry=True)
        assert exported(rc) == before
        assert server.requests == []
        done = rc.run_jobs([case.job])
        assert effect(case, shown) == effect(case, done)
        assert {one.status for one in done} == {"ok"}
        assert sum(one.changed for one in done) > 0
        again = rc.run_jobs([case.job])  # it may still cut the marks of pairs that need no judge any more
        assert [one.changed for one in again if one.changed] == []
        runs = [one.run for one in (*done, *again) if one.run]
        assert bool(runs) == case.named
        told = [ana.jobs.undo(run) for run in reversed(runs)]
        if case.final:
            assert [(one.status, one.changed) for one in told] == [("skipped", 0)]
            assert case.final in told[0].text
            assert told == [ana.jobs.undo(run) for run in runs]
            return
        assert [one.numbers["left"] for one in told] == [0] * len(runs)
        assert sum(one.numbers["restored"] for one in told) >= case.undone
        assert kept(exported(rc)) == kept(before)
        assert all(finding.ok for finding in rc.doctor())
        second = [ana.jobs.undo(run) for run in runs]
        assert all("undone before" in one.skipped and one.changed == 0 for one in second)


def test_any_run_in_any_life(tmp_path: Path, clock: FixedClock) -> None:
    """Whatever somebody did before, a run is as it was rehearsed, and undo gives back what was before it."""
    with Recollect(tmp_path / "memory.db", clock=clock, **SETTINGS) as rc:
        told = [story(rc, clock, seed) for seed in range(LIVES)]
        assert [problem for _, problems in told for problem in problems] == []
        assert sum(counts.total() for counts, _ in told) > LIVES
        assert all(finding.ok for finding in rc.doctor())


def test_a_vector_never_rests_on_a_message_that_changed(
    database: str, clock: FixedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When the message before one is forgotten while it is embedded, its vector is made anew without that."""
    from recollect.flows.find.meaning import made
    from recollect.flows.find.neighbours import joined
    from recollect.jobs import embed as job

    anew: list[tuple[list[str], list[str]]] = []

    def slowly(*given: Any) -> Any:
        if ana.get(first).state == "active":
            ana.forget(first)
        return joined(*given)

    def again(embedder: Any, memories: Any, before: Any) -> Any:
        anew.append(([one.id for one in memories], list(before)))
        return made(embedder, memories, before)

    monkeypatch.setattr(job, "joined", slowly)
    monkeypatch.setattr(job, "made", again)
    with Recollect(database, clock=clock, embedder="recollect-1") as rc:
        ana = rc.space("ana", session="s1")
        first = ana.observe("user", "Shall we meet at the harbour?").id
        second = ana.observe("user", "Yes, at noon.").id
        assert rc.run_jobs(["embed"])[0].status == "ok"
    assert anew == [([second], [])]


def test_what_stands_behind_many_forgotten_messages_is_looked_at_once(
    ana: Space, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One write reads the vectors once, however many messages it takes away."""
    from recollect.store.sql import apply
    from recollect.store.sql.vectors import embed_anew

    looked: list[int] = []

    def once(work: Any, docs: list[int]) -> None:
        looked.append(len(docs))
        embed_anew(work, docs)

    monkeypatch.setattr(apply, "embed_anew", once)
    for number in range(6):
        ana.observe("user", f"Message number {number}.")
    assert ana.bulk("forget", {"kinds": "episode"}).changed == 6
    assert len(looked) == 1
