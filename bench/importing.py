"""Ten years of talk brought in: how long it takes, what a kill costs, and when the first useful answer comes.

python -m bench.importing [--messages 20000] [--kills 10] [--embed]
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import closing, suppress
from pathlib import Path

from recollect import Recollect
from recollect.testing.exports import chatgpt_export
from recollect.text.terms import TermsPolicy, terms

MARK = "Since May we rent a small flat in Lisbon, with a view of the river."
QUESTION = "In which city is my home?"
"""They share no word that is searched for: what answers has been embedded."""


def run(database: Path, export: Path, embedder: str = "none") -> subprocess.Popen[bytes]:
    """Start the command line as a person would."""
    program = [sys.executable, "-c", "from recollect.serve.cli import main; main()", "import-from", "chatgpt"]
    environment = {**os.environ, **({"RECOLLECT_EMBEDDER": embedder} if embedder else {})}
    return subprocess.Popen(
        [*program, str(export), "--db", str(database), "--user", "ana", "--yes", "--json"],
        stdout=subprocess.DEVNULL,
        env=environment,
    )


def written(database: Path) -> int:
    """Count the messages that are kept, without standing in anybody's way."""
    if not database.exists():
        return 0
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection, suppress(sqlite3.Error):
        return int(connection.execute("SELECT count(*) FROM memories WHERE kind = 'episode'").fetchone()[0])
    return 0


def killed(folder: Path, export: Path, messages: int, kills: int) -> dict[str, object]:
    """Kill the import at points chosen by chance, go on each time, and look for anything twice or missing."""
    database, points = folder / "killed.db", list[int]()
    for number in range(kills):
        process, wanted = run(database, export), messages * (number + 1) // (kills + 1)
        while process.poll() is None and written(database) < wanted:
            time.sleep(0.2)
        process.send_signal(signal.SIGKILL)
        process.wait()
        points.append(written(database))
    assert run(database, export).wait() == 0
    with Recollect(str(database), embedder="none") as rc:
        space = rc.space("ana")
        ids: list[str] = []
        while page := space.list(kinds=["episode"], limit=1000, offset=len(ids), order="oldest"):
            ids += [one.attributes["imported"]["id"] for one in page]
        sound = [one for one in rc.doctor() if not one.ok]
    return {"kept at each kill": points, "messages": len(ids), "twice": len(ids) - len(set(ids)),
            "missing": messages - len(set(ids)), "doctor": [str(one) for one in sound]}  # fmt: skip


def first_answer(folder: Path, export: Path) -> dict[str, float]:
    """Bring everything in with the embedder, and ask until what the newest talk says is answered by meaning."""
    assert not terms(MARK, TermsPolicy()).keys() & terms(QUESTION, TermsPolicy()).keys()
    begun = time.monotonic()
    with Recollect(str(folder / "answer.db")) as rc:
        space = rc.space("ana")
        assert run(folder / "answer.db", export, embedder="").wait() == 0
        imported = time.monotonic() - begun
        with rc.worker():
            while not any(MARK in hit.memory.content for hit in space.recall(QUESTION, kinds=["episode"], limit=3)):
                time.sleep(0.5)
            answered = time.monotonic() - begun
    return {"imported after seconds": round(imported, 1), "answered after seconds": round(answered, 1)}


def main() -> None:
    """Measure and tell, as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=20_000)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--embed", action="store_true", help="also the time to the first useful answer, with embedding")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        talks = chatgpt_export(asked.messages)
        newest = talks[-1]["mapping"]
        first = next(one for one in newest.values() if one["message"])
        first["message"]["content"]["parts"] = [MARK]
        export = folder / "conversations.json"
        export.write_text(json.dumps(talks))
        begun, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
        assert run(folder / "plain.db", export).wait() == 0
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        told: dict[str, object] = {"messages": asked.messages, "cpu seconds": round(cpu, 1),
                                   "seconds": round(time.monotonic() - begun, 1)}  # fmt: skip
        print(json.dumps(told), flush=True)
        if asked.kills:
            print(json.dumps(killed(folder, export, asked.messages, asked.kills)), flush=True)
        if asked.embed:
            print(json.dumps(first_answer(folder, export)), flush=True)


if __name__ == "__main__":
    main()
