"""Drills for the archive: killed while it moves texts out, there and back again, and what is found when half are out.

    python -m bench.archive kill [--kills 20] [--memories 1000] [--engine sqlite] [--seed N] [--json]
    python -m bench.archive there --memories 100000 [--place folder|s3|URL] [--json]
    python -m bench.archive recall --data FILE [--json]

`there` archives everything and brings it back, in files of 500: `s3` is a server of its own on this machine (moto),
any other URL is a place of yours, with its credentials in the environment.

The exit code is 1 when a promise was broken: a memory lost, doubled or changed, a file that is not what it should be;
an NDCG below 0.97 of that before archiving.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import logging
import os
import random
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from time import perf_counter, process_time, sleep
from typing import IO, Any, cast

import boto3
from moto.server import ThreadedMotoServer

from bench.engines import SERVERS, throwaway
from recollect import Recollect, Space
from recollect.flows.admin.loading import stored
from recollect.flows.find.meaning import BATCH as EMBEDDED
from recollect.flows.life.archive import Chosen, move_out
from recollect.model.change import Change, Embed, Load, Patch, Seal, Write
from recollect.model.expectation import Version
from recollect.model.memory import Memory
from recollect.serve.bench.evaluate import Kept, Run, scorable
from recollect.serve.bench.formats import read
from recollect.serve.bench.synthetic import Synthetic
from recollect.store.sql.rows import to_row
from recollect.text.vectors import packed

BATCH, LOADED, PASSES = 20, 5000, 8
CHILD = """
import sys
from recollect import Recollect
with Recollect(sys.argv[1], embedder="none", archive={"url": sys.argv[2], "beyond": 0, "batch": int(sys.argv[3])},
               jobs={"lease_seconds": 0.5}) as rc:
    print("begun", flush=True)
    rc.space("ana").archive.run()
"""


def opened(url: str, archive: Path, **more: Any) -> Recollect:
    """Open a memory of which everything may be archived."""
    return Recollect(url, archive={"url": str(archive), "beyond": 0, "batch": BATCH, **more}, embedder="none")


def filled(rc: Recollect, many: int) -> None:
    """Remember so many passages, each longer than the line that stays of it."""
    ana, chance = rc.space("ana"), random.Random(7)
    for at in range(0, many, 500):
        ana.remember_many(
            [
                {
                    "content": f"Note {number}: " + " ".join(f"w{chance.randrange(5000)}" for _ in range(40)),
                    "kind": "passage",
                    "importance": 1 + number % 7,
                }
                for number in range(at, min(many, at + 500))
            ]
        )


class Sum:
    """A checksum of an export as it is written, line by line: it is never held in memory."""

    def __init__(self, told: Callable[[dict[str, Any]], object]) -> None:
        self._told, self._hash, self.lines = told, hashlib.sha256(), 0

    def write(self, text: str) -> None:
        """Take in a line, as far as it counts."""
        if (told := self._told(json.loads(text))) is not None:
            self._hash.update(json.dumps(told, sort_keys=True).encode())
            self.lines += 1

    @classmethod
    def of(cls, rc: Recollect, told: Callable[[dict[str, Any]], object]) -> tuple[int, str]:
        """Give how many lines of an export count, and their checksum."""
        made = cls(told)
        rc.export(cast("IO[str]", made))
        return made.lines, made._hash.hexdigest()


def state(rc: Recollect) -> tuple[int, str]:
    """Give how many memories an export holds, and a checksum of all that moving them must not change."""
    return Sum.of(rc, lambda one: {**one, "version": 0} if one["type"] in ("memory", "link", "entity") else None)


def texts(rc: Recollect) -> tuple[int, str]:
    """Give a checksum of every id with its text."""
    return Sum.of(rc, lambda one: (one["id"], one["content"]) if one["type"] == "memory" else None)


def loaded(rc: Recollect, many: int, embedder: Synthetic) -> list[str]:
    """Put in so many passages with made-up vectors, as rows; give some of their texts."""
    runtime, owner, chance = rc._runtime, rc.space("ana").owner, random.Random(7)
    rc.space("ana").remember("The first of very many.", importance=9)
    now = runtime.now()
    times: dict[str, Any] = dict.fromkeys(("created_at", "updated_at", "event_time", "valid_from"), now)
    passage = Memory(owner="", id="", kind="passage", content="", tier="long", decay_rate=0.0, **times)
    blank = to_row(passage) | {"tags": [], "attributes": {}}
    some: list[str] = []
    for at in range(0, many, LOADED):
        lines = [
            f"Note {number}: " + " ".join(f"w{chance.randrange(5000)}" for _ in range(40))
            for number in range(at, min(many, at + LOADED))
        ]
        ids = [runtime.new_id("passage", now) for _ in lines]
        rows = tuple(
            stored(runtime, "memories", {**blank, "id": id, "content": text, "importance": 1 + len(text) % 7})
            for id, text in zip(ids, lines, strict=True)
        )
        changes: list[Change] = [Load("memories", rows)]
        for first in range(0, len(ids), EMBEDDED):
            vectors = map(packed, embedder.matrix(lines[first : first + EMBEDDED]))
            pairs = tuple(zip(ids[first : first + EMBEDDED], vectors, strict=True))
            changes += (Embed(embedder.name, pairs), Seal(embedder.name))
        runtime.store.commit(Write(owner=owner, at=now, node="drill", changes=tuple(changes)))
        some += lines[:: LOADED // 5]
    return some


@contextmanager
def bucket() -> Iterator[str]:
    """Start a server that speaks S3 and give the URL of an empty bucket on it; address and keys go the usual way."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    own = {"AWS_ACCESS_KEY_ID": "me", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_DEFAULT_REGION": "us-east-1"}
    os.environ.update(own | {"AWS_ENDPOINT_URL": f"http://{host}:{port}"})
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    try:
        boto3.client("s3").create_bucket(Bucket="bucket")
        yield "s3://bucket/recollect"
    finally:
        server.stop()


def kill(given: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Kill a process that archives, again and again; after each death nothing is lost, doubled or changed."""
    chance, problems, archive = random.Random(given.seed), list[str](), folder / "archive"
    with ExitStack() as stack:
        url = f"sqlite:///{folder}/memory.db"
        if given.engine != "sqlite":
            server = throwaway(given.engine)
            stack.callback(server.stop)
            url = server.url
        with opened(url, archive) as rc:
            filled(rc, given.memories)
            before = state(rc)
        moved = 0
        for number in range(given.kills):
            _life(url, archive, chance)
            with opened(url, archive) as rc:
                ana = rc.space("ana")
                if state(rc) != before:
                    problems.append(f"after death {number} the export differs")
                problems += [one.problem for one in ana.archive.verify() if one.problem]
                if (now := ana.stats().tiers.get("archive", 0)) == given.memories:  # all is out: begin anew
                    ana.archive.restore(everything=True)
                    back = [Patch(one.id, {"tier": "long"}) for one in ana.list(limit=given.memories)]
                    rc._runtime.store.commit(
                        Write(owner=ana.owner, at=rc._runtime.now(), node="drill", changes=tuple(back))
                    )
                    before = state(rc)
                moved = max(moved, now)
        with opened(url, archive) as rc:
            ana = rc.space("ana")
            ana.archive.run()
            everything = ana.stats().tiers.get("archive", 0)
            same = state(rc) == before
            ana.archive.restore(everything=True)
            whole = state(rc)[0] == before[0] and not ana.stats().tiers.get("archive")
            sound = all(finding.ok for finding in rc.doctor())
    problems += (
        [] if same and whole and sound else ["after all, the export, the restored memories or the doctor differ"]
    )
    return {"deaths": given.kills, "archived": everything, "most at a death": moved, "problems": problems}


def _life(url: str, archive: Path, chance: random.Random) -> None:
    """Let a process archive and kill it somewhere on the way."""
    child = subprocess.Popen([sys.executable, "-c", CHILD, url, str(archive), str(BATCH)], stdout=subprocess.PIPE)
    assert child.stdout is not None
    child.stdout.readline()
    there, more = len(list(archive.rglob("*"))), chance.randrange(1, 6)
    while child.poll() is None and len(list(archive.rglob("*"))) < there + more:  # somewhere behind the next few files
        sleep(0.002)
    sleep(chance.uniform(0, 0.1))
    child.kill()
    child.wait()
    sleep(0.6)  # until the lease of the dead is over


def there(given: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Move everything into an archive somewhere and back, and compare the exports."""
    with ExitStack() as stack:
        place = str(folder / "archive") if given.place == "folder" else given.place
        if given.place == "s3":
            place = stack.enter_context(bucket())
        settings, embedder = {"url": place, "beyond": 0, "batch": 500}, Synthetic()
        with Recollect(folder / "there.db", archive=settings, embedder=embedder) as rc:
            some, ana = loaded(rc, given.memories, embedder), rc.space("ana")
            before, was, found = state(rc), texts(rc), _found(ana, some)
            begun = perf_counter(), process_time()
            ana.archive.run()
            moved, out = ana.stats().tiers.get("archive", 0), _since(begun)
            same, files = state(rc) == before and _found(ana, some) == found, ana.archive.verify()
            begun = perf_counter(), process_time()
            ana.archive.restore(everything=True)
            back, lost = _since(begun), ana.stats().tiers.get("archive", 0)
            whole = texts(rc) == was and _found(ana, some) == found
    problems = [one.problem for one in files if one.problem]
    problems += [] if same and whole and not lost and moved == given.memories else ["the exports differ"]
    peak = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
    figures = {"out": out, "back": back, "peak RSS MB": peak}
    return {"memories": given.memories, "archived": moved, "files": len(files), **figures, "problems": problems}


def _since(begun: tuple[float, float]) -> str:
    return f"{perf_counter() - begun[0]:.1f} s, of them {process_time() - begun[1]:.1f} s CPU"


def _found(space: Space, texts: list[str]) -> list[str]:
    """Give what is found first of texts asked for: by words and by their vectors."""
    return [hit.memory.id for text in texts for hit in space.recall(text, limit=1, preview=True)]


def recall(given: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Ask the questions of a file of conversations before and after every second message was archived."""
    conversations = scorable(read(Path(given.data), "locomo"), ("message",))[: given.conversations]
    run = Run(lambda clock, fusion: _opened(folder, "half", clock), "t", lambda step: None)
    with run.opener(run.watch, {}) as rc:
        kept = [run.put_in(rc, f"u{number}", one) for number, one in enumerate(conversations)]
        rc.backup(folder / "whole.db")
        moved = sum(_half(rc, rc.space(one.user, tenant="t"), sorted(one.ids)) for one in kept)
    with _opened(folder, "whole", run.watch) as whole, _opened(folder, "half", run.watch) as half:
        before, after = _scored(run, (whole, half), kept)
    bad = after["ndcg"] < 0.97 * before["ndcg"]
    return {"moved": moved, "before": before, "after": after, "problems": ["NDCG fell below 0.97"] if bad else []}


def _opened(folder: Path, name: str, clock: Any) -> Recollect:
    return Recollect(folder / f"{name}.db", clock=clock, archive={"url": str(folder / "archive")})


def _half(rc: Recollect, space: Space, ids: list[str]) -> int:
    """Archive every second message, long or short."""
    runtime, half = rc._runtime, ids[::2]
    for at in range(0, len(half), BATCH):
        with runtime.store.view() as view:
            memories = view.get(space.owner, half[at : at + BATCH])
        held = Version(memories[0].id, memories[0].version)
        move_out(runtime, space.owner, Chosen(memories, {}, 0), "archive", "", held)
    return len(half)


def _scored(run: Run, both: tuple[Recollect, Recollect], kept: list[Kept]) -> list[dict[str, float]]:
    """Ask two memories in turn, since a machine is not always as fast; of each the least of several times counts."""
    for rc in both:
        run._asked(rc, kept, ("message",))  # what is kept in memory is warm for both
    spent: dict[Recollect, list[float]] = {rc: [] for rc in both}
    ndcg: dict[Recollect, float] = {}
    for rc in both * PASSES:
        begun = process_time()
        scores = run._asked(rc, kept, ("message",))["message"]
        spent[rc].append(1000 * (process_time() - begun) / len(scores))
        ndcg[rc] = sum(one.ndcg for _, one in scores) / len(scores)
    return [{"ndcg": round(ndcg[rc], 4), "cpu_ms": round(min(spent[rc]), 2)} for rc in both]


def main() -> int:
    """Run the drill the command line names and say how it went."""
    parser = argparse.ArgumentParser(prog="python -m bench.archive", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("drill", choices=["kill", "there", "recall"])
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--memories", type=int, default=1000)
    parser.add_argument("--engine", choices=["sqlite", *SERVERS], default="sqlite")
    parser.add_argument("--data", help="for recall: conversations with questions, in the format of LoCoMo")
    parser.add_argument("--conversations", type=int, default=3)
    parser.add_argument("--place", default="folder", help="for there: folder, s3, or a URL")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    if given.drill == "recall" and not given.data:
        parser.error("recall needs --data FILE")
    with tempfile.TemporaryDirectory() as folder:
        told = {"kill": kill, "there": there, "recall": recall}[given.drill](given, Path(folder))
    if given.json:
        print(json.dumps(told))
    else:
        for name, value in told.items():
            print(f"{name}: {value}")
    return 1 if told["problems"] else 0


if __name__ == "__main__":
    sys.exit(main())
