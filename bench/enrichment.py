"""How well memories are read again: names found by type, one person never taken for another, and what it costs.

python -m bench.enrichment [--db URL] [--json]

Two hundred sentences of our own, with what each names, are kept as messages of one user; the job `enrich` reads them as
it does at night, with spaCy alone. Then it says what the job answers where neither spaCy nor a model is at hand.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from recollect import Recollect
from recollect.flows.people.naming import readers
from recollect.model.filter import Filter
from recollect.text.terms import fold

FILE = Path(__file__).with_name("enrichment_sentences.txt")
TYPES = {"p": "person", "o": "organization", "l": "location", "t": "project", "x": "other"}
_MARK = re.compile(r"\[([^|\]]+)\|(\w)(?:=(\w+))?(?:\|([^\]]+))?\]")


@dataclass(frozen=True, slots=True)
class Gold:
    """One name a sentence has: how it may be given, what it is, and who is meant."""

    names: tuple[str, ...]
    type: str
    who: str


def sentences() -> list[tuple[str, list[Gold]]]:
    """Give each sentence with what it names."""
    lines = [line for line in FILE.read_text("utf-8").splitlines() if line and not line.startswith("#")]
    return [(_MARK.sub(lambda found: found[1], line), list(_golds(line))) for line in lines]


def _golds(line: str) -> Iterator[Gold]:
    for surface, type, who, other in _MARK.findall(line):
        names = tuple(fold(name) for name in (surface, other) if name)
        yield Gold(names, TYPES[type], who or f"{type}:{fold(surface)}")


def run(url: str, progress: Progress) -> dict[str, Any]:
    """Keep the sentences, let the job read them, and compare what it found."""
    told = sentences()
    with Recollect(url, embedder="none") as rc:
        space = rc.space("enrichment")
        ids = [space.observe("user", text).id for text, _ in told]
        if not readers(rc._runtime):
            return {"skipped": rc.run_jobs(["enrich"])[0].skipped}
        _ = rc._runtime.finder  # loading is paid once a process
        bar = progress.add_task("reading again", total=len(told))
        read, begun = 0, time.process_time()
        while step := rc.run_jobs(["enrich"])[0].changed:
            read += step
            progress.update(bar, completed=read)
        cpu = time.process_time() - begun
        found = links(rc, ids)
        unsound = [finding.check for finding in rc.doctor() if not finding.ok]
    return {
        "sentences": len(told),
        "read": read,
        "cpu_ms_per_memory": round(cpu * 1000 / max(read, 1), 2),
        "types": scored(told, ids, found),
        "wrong_merges": merges(told, ids, found),
        "doctor": unsound,
        "without": without(),
    }


def links(rc: Recollect, ids: Sequence[str]) -> dict[str, list[tuple[str, str, tuple[str, ...]]]]:
    """Give the entities of each memory: id, type and all folded names."""
    runtime = rc._runtime
    owner = rc.space("enrichment").owner
    with runtime.store.view() as view:
        names: dict[str, set[str]] = defaultdict(set)
        for row in view.dump(owner, "names"):
            names[row["entity_id"]].add(row["folded"])
        types = {row["id"]: row["type"] for row in view.dump(owner, "entities")}
        assert view.count(Filter(owner=owner, now=runtime.now(), kinds=("episode",))) == len(ids)
        out: dict[str, list[tuple[str, str, tuple[str, ...]]]] = defaultdict(list)
        for row in view.dump(owner, "links"):
            if row["type"] == "mentions":
                entity = row["to_id"]
                out[row["from_id"]].append((entity, types[entity], tuple(sorted(names[entity]))))
    return out


def scored(told: Sequence[tuple[str, list[Gold]]], ids: Sequence[str], found: Any) -> dict[str, dict[str, float]]:
    """Count by type: a name is found when its memory is linked to an entity that bears it and has its type."""
    right: Counter[str] = Counter()
    wanted: Counter[str] = Counter()
    given: Counter[str] = Counter()
    for id, (_, golds) in zip(ids, told, strict=True):
        given.update(type for _, type, _ in found[id] if type in TYPES.values())
        taken: set[str] = set()
        for gold in {(one.names, one.type, one.who): one for one in golds}.values():
            wanted[gold.type] += 1
            fits = [
                entity
                for entity, type, names in found[id]
                if type == gold.type and not set(gold.names).isdisjoint(names) and entity not in taken
            ]
            right[gold.type] += bool(fits)
            taken.update(fits[:1])
        wanted["other"] += 0
    table = {type: _score(right[type], given[type], wanted[type]) for type in TYPES.values()}
    return {**table, "all": _score(right.total(), given.total(), wanted.total())}


def _score(right: int, given: int, wanted: int) -> dict[str, float]:
    return {
        "wanted": wanted,
        "found": right,
        "precision": round(right / given, 3) if given else 0.0,
        "recall": round(right / wanted, 3) if wanted else 0.0,
    }


def merges(told: Sequence[tuple[str, list[Gold]]], ids: Sequence[str], found: Any) -> list[list[str]]:
    """Give the entities under which different ones were put together, by who is meant."""
    meant: dict[str, set[str]] = defaultdict(set)
    for id, (_, golds) in zip(ids, told, strict=True):
        for entity, type, names in found[id]:
            same = [gold for gold in golds if not set(gold.names).isdisjoint(names)]
            if type in TYPES.values() and same:
                meant[entity].update(gold.who for gold in same)
    return sorted(sorted(who) for who in meant.values() if len(who) > 1)


def without() -> str:
    """Say what the job answers where neither spaCy nor a model is at hand."""
    with (
        tempfile.TemporaryDirectory() as folder,
        Recollect(Path(folder) / "m.db", embedder="none", entities={"spacy_model": "no_such_model"}) as rc,
    ):
        rc.space("enrichment").observe("user", "I met Ana Silva.")
        report = rc.run_jobs(["enrich"])[0]
    return f"{report.status}: {report.skipped}"


def main() -> None:
    """Run it and print what came of it."""
    asked = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    asked.add_argument("--db", default="", help="an empty database; a file in a temporary folder by default")
    asked.add_argument("--json", action="store_true", help="print JSON")
    given = asked.parse_args()
    console = Console(stderr=True)
    with tempfile.TemporaryDirectory() as folder, Progress(console=console, disable=given.json) as progress:
        told = run(given.db or f"sqlite:///{folder}/m.db", progress)
    if given.json or "skipped" in told:
        print(json.dumps(told, indent=2) if given.json else f"skipped: {told['skipped']}")
        return
    table = Table("type", "wanted", "found", "precision", "recall")
    for type, score in told["types"].items():
        table.add_row(type, *(str(score[part]) for part in ("wanted", "found", "precision", "recall")))
    Console().print(table)
    print(f"{told['read']} of {told['sentences']} sentences read again, {told['cpu_ms_per_memory']} ms of CPU each")
    print(f"wrong merges: {told['wrong_merges'] or 'none'}; doctor: {told['doctor'] or 'all is well'}")
    print(f"without spaCy and a model: {told['without']}")


if __name__ == "__main__":
    main()
