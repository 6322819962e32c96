"""The workspace measured: random edits with kills, what a sync costs, and how well sections are found.

`python -m bench.workspace drill [ROUNDS] [SEED]`: two processes and a hand edit one folder, one of them is killed now
and then; no edit is lost, no file is torn, clashes are told, and both sides come to the same.
`python -m bench.workspace cost [FILES] [MEGABYTES]`: a sync after one change of a large folder.
`python -m bench.workspace search FOLDER QUESTIONS.jsonl [EMBEDDER]`: lines of {"question", "file", "heading"}; the
share of questions whose section comes first, and among the first five.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import re
import resource
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from recollect import Recollect

WORD = re.compile(r"mark-\w+")
SETTINGS: dict[str, Any] = {"embedder": "none", "workspace": {"quiet_seconds": 0.0}}
STORE_EDITS = 3


def _store_side(url: str, folder: str, seed: int, steps: int, log: str) -> None:
    """Edit sections, facts and files in the store, and sync, in a process that may be killed at any moment."""
    rng = random.Random(seed)
    with Recollect(url, **SETTINGS) as rc, open(log, "a", encoding="utf-8") as out:
        ana = rc.space("ana")
        for step in range(steps):
            mark = f"mark-s{seed}x{step}"
            sections = ana.list(kinds="document", limit=200)
            if sections and rng.random() < 0.6:
                one = rng.choice(sections)
                head = one.content.split("\n")[0]
                done = ana.correct(one.id, f"{head}\n\nstore {mark}") if head.startswith("#") else None
            else:
                done = ana.remember(f"Fact {mark} of the store.")
            if done is not None and done.ok:
                out.write(mark + "\n")
                out.flush()
                os.fsync(out.fileno())
            if rng.random() < 0.7:
                ana.workspace.sync(folder)


def _hand(rng: random.Random, folder: Path, number: int) -> tuple[str, set[str]]:
    """Edit a file as people's editors do: a new file in the place of the old. Gives the mark that was written, and
    those the hand itself has written over."""
    mark = f"mark-h{number}"
    path = folder / f"note{rng.randrange(4)}.md"
    text = path.read_text("utf-8") if path.exists() else ""
    parts = [part for part in re.split(r"(?m)^(?=# )", text) if part.strip()]
    over: set[str] = set()
    at = rng.randrange(len(parts) + 1)
    if parts and at < len(parts) and rng.random() < 0.5:
        over = set(WORD.findall("\n".join(parts[at].splitlines()[1:])))
        parts[at] = f"{parts[at].splitlines()[0]}\n\nhand {mark}\n\n"
    else:
        parts.insert(at, f"# Head {mark}\n\nhand\n\n")
    made = folder / f".edit{number}"
    made.write_text("".join(parts), "utf-8")
    seen = path.read_text("utf-8") if path.exists() else ""
    if seen != text:  # the file changed while the person was writing: editors ask then, and he looks again
        made.unlink()
        return "", set()
    os.replace(made, path)
    return mark, over


def drill(rounds: int = 20, seed: int = 1, steps: int = 6) -> dict[str, int]:
    """Let a hand and two processes edit one folder, kill one of them now and then, and look for what was lost."""
    rng = random.Random(seed)
    home = Path(tempfile.mkdtemp(prefix="recollect-workspace-"))
    url, folder, logs = f"sqlite:///{home}/m.db", home / "space", []
    killed, written = 0, set[str]()
    with Recollect(url, **SETTINGS) as rc:
        rc.space("ana").workspace.init(folder)
    context = multiprocessing.get_context("spawn")
    number = 0
    for round_ in range(rounds):
        workers = []
        for one in range(2):
            log = str(home / f"log{round_}-{one}")
            logs.append(log)
            args = (url, str(folder), seed * 100_000 + round_ * 10 + one, steps, log)
            workers.append(context.Process(target=_store_side, args=args))
        for worker in workers:
            worker.start()
        until = time.monotonic() + 30
        victim = rng.random() < 0.5
        death = time.monotonic() + rng.uniform(0.3, 2.0)
        while any(worker.is_alive() for worker in workers) and time.monotonic() < until:
            number += 1
            mark, over = _hand(rng, folder, seed * 100_000 + number)
            written = (written - over) | ({mark} if mark else set())
            time.sleep(rng.uniform(0.0, 0.15))
            pid = workers[0].pid
            if victim and pid and workers[0].is_alive() and time.monotonic() > death:
                os.kill(pid, signal.SIGKILL)
                killed += 1
                victim = False
        for worker in workers:
            worker.join()
    told = _looked(url, folder, written, logs)
    shutil.rmtree(home)
    return {"rounds": rounds, "edits": len(written), "killed": killed, **told}


def _looked(url: str, folder: Path, written: set[str], logs: list[str]) -> dict[str, int]:
    """Sync until nothing changes, and count what was lost, torn or not in step."""
    stored = {line for log in logs if Path(log).exists() for line in Path(log).read_text("utf-8").split()}
    with Recollect(url, **SETTINGS) as rc:
        ana = rc.space("ana")
        for _ in range(10):
            if not ana.workspace.sync(folder).changed:
                break
        states = ("active", "superseded", "deleted", "merged")
        kept = {
            mark
            for kind in ("document", "fact")
            for state in states
            for page in range(20)
            for one in ana.list("oldest", 1000, page * 1000, kinds=kind, states=state)
            for mark in WORD.findall(one.content)
        }
        on_disk = {path.name: path.read_text("utf-8") for path in folder.glob("*.md")}
        apart = sum(ana.workspace.read(name) != text for name, text in on_disk.items() if ana.workspace.read(name))
        left = len(list(folder.glob(".recollect-*")))
        clashes = len(ana.workspace.conflicts(200))
        doctor = sum(not one.ok for one in rc.doctor())
    return {
        "stored": len(stored),
        "lost": len((written | stored) - kept),
        "apart": apart,
        "left behind": left,
        "clashes": clashes,
        "findings of the doctor": doctor,
    }


def cost(files: int = 10_000, megabytes: int = 200) -> dict[str, float]:
    """Measure what a sync takes after one change by hand, after one of the store, and after none, in CPU seconds."""
    home = Path(tempfile.mkdtemp(prefix="recollect-workspace-"))
    folder = home / "space"
    _laid(folder, files, megabytes * 1_000_000 // files)
    told: dict[str, float] = {"files": files, "megabytes": sum(p.stat().st_size for p in folder.rglob("*.md")) / 1e6}
    steps = list[int]()
    with Recollect(f"sqlite:///{home}/m.db", embedder="none") as rc:
        ana = rc.space("ana")
        told["first sync"] = _timed(lambda: ana.workspace.adopt(folder, progress=lambda done, of: steps.append(done)))
        told["times progress was told"] = len(steps)
        told["most memory, MB"] = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3)
        told["nothing changed"] = _timed(lambda: ana.workspace.sync(folder))
        one = folder / "d7" / "n7.md"
        one.write_text(one.read_text("utf-8").replace("# Part 0 of 7", "# Part nought"), "utf-8")
        told["one change by hand"] = _timed(lambda: ana.workspace.sync(folder))
        ana.correct(ana.workspace.search("part nought")[0].id, "# Part nought\n\nshort")
        told["one change of the store"] = _timed(lambda: ana.workspace.sync(folder))
    shutil.rmtree(home)
    return told


def _laid(folder: Path, files: int, size: int) -> None:
    """Write a folder of files of about so many characters, in sections of up to 4,000, each a line again and again."""
    rng = random.Random(1)
    pages = sorted((Path(__file__).parent.parent / "docs").rglob("*.md"))
    lines = [line for page in pages for line in page.read_text("utf-8").splitlines()]
    sentences = [line.lower() for line in lines if len(line) > 60 and line[0].isalpha()]
    for number in range(files):
        path = folder / f"d{number % 100}" / f"n{number}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        text = ""
        for part in range(max(1, round(size / 4000))):
            text += f"# Part {part} of {number}\n\n"
            line = f"{rng.choice(sentences)}\n"
            text += line * (min(size, 3900) // len(line)) + "\n"
        path.write_text(text, "utf-8")


def _timed(act: Any) -> float:
    begin = time.process_time()
    act()
    return round(time.process_time() - begin, 3)


def search(folder: str, questions: str, embedder: str = "recollect-1") -> dict[str, Any]:
    """Ask questions about a folder: how often the right section comes first, and among the first five."""
    asked = [json.loads(line) for line in Path(questions).read_text("utf-8").splitlines() if line.strip()]
    home = Path(tempfile.mkdtemp(prefix="recollect-workspace-"))
    first = five = 0
    missed: list[str] = []
    with Recollect(f"sqlite:///{home}/m.db", embedder=embedder) as rc:
        ana = rc.space("ana")
        ana.workspace.adopt(folder)
        rc.run_jobs(["embed"])
        for one in asked:
            found = [(hit.file, hit.heading) for hit in ana.workspace.search(one["question"], 5)]
            right = [_right(one, *place) for place in found]
            first, five = first + (right[:1] == [True]), five + any(right)
            if right[:1] != [True]:
                missed.append(
                    f"{one['question']} → {found[0] if found else 'nothing'}, not {one['file']} § {one['heading']}"
                )
    shutil.rmtree(home)
    many = max(1, len(asked))
    return {
        "questions": len(asked),
        "first": round(first / many, 3),
        "of five": round(five / many, 3),
        "missed": missed,
    }


def _right(asked: dict[str, Any], file: str, heading: str) -> bool:
    """Tell whether a section is the one that was asked for: by its own heading, or with those above it."""
    places = ((asked["file"], asked["heading"]), *asked.get("also", ()))
    for where, above in places:
        wanted = above.strip().lstrip("#").strip()
        if file == where and wanted in (heading, heading.split(" > ")[-1], ""):
            return True
    return False


def main(args: list[str]) -> None:
    """Run what was named."""
    run = {"drill": drill, "cost": cost, "search": search}[args[0]]
    given: list[Any] = args[1:] if args[0] == "search" else [int(one) for one in args[1:]]
    print(json.dumps(run(*given), indent=1, ensure_ascii=False))  # type: ignore[operator]


if __name__ == "__main__":
    main(sys.argv[1:])
