"""Kill a reindex again and again: `python -m bench.reindex [--messages 1500] [--kills 10]`.

A database is embedded by MiniLM and re-embedded by the bundled model, once undisturbed and once by processes that are
killed after ever more batches. The exit code is 1 unless the old vectors served until the end and both end equal.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from recollect import Recollect
from recollect.providers.bundled.encoder import NAME
from recollect.serve.bench.corpus import Corpus

LIFE = "import sys; from bench.reindex import life; life(sys.argv[1])"


def life(url: str) -> None:
    """Reindex, saying after every batch how far it has come, and wait for a word to go on."""
    with Recollect(url) as rc:

        def told(done: int) -> None:
            print(done, flush=True)
            sys.stdin.readline()

        rc.reindex(told)


def filled(url: str, many: int) -> None:
    """Make a database that MiniLM has embedded."""
    texts = Corpus(3).messages(many)
    with Recollect(url, embedder="minilm") as rc:
        space = rc.space("ana", session="s")
        for at, text in enumerate(texts):
            space.observe("user", text, actor=("Ana", "Tom")[at % 2])
        rc.run_jobs(["embed"])


def killed(url: str, after: int) -> None:
    """Let a reindex come so many batches far and kill it."""
    with subprocess.Popen(
        [sys.executable, "-c", LIFE, url], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for _ in range(after):
            if not process.stdout.readline():
                break
            process.stdin.write("\n")
            process.stdin.flush()
        process.kill()


def vectors(url: str) -> tuple[str, dict[int, bytes]]:
    """Give the model that serves, and every vector of it."""
    with Recollect(url) as rc, rc._runtime.store.view() as view:
        (owner,) = view.owners()
        model = view.counters(owner).model
        return model, view.embeddings(owner, model, range(1, 1 + sum(view.stats(owner).states.values())))


def drill(many: int, kills: int) -> dict[str, object]:
    """Run the drill and give what it found."""
    with tempfile.TemporaryDirectory() as room:
        first, second = (str(Path(room) / name) for name in ("calm.db", "killed.db"))
        filled(first, many)
        shutil.copy(first, second)
        before = vectors(second)[0]
        with Recollect(first) as rc:
            rc.reindex()
        serving = []
        for _ in range(kills):
            killed(second, 1)
            serving.append(vectors(second)[0])
        with Recollect(second) as rc:
            rest = rc.reindex().memories
        calm, ended = vectors(first), vectors(second)
    return {
        "messages": many,
        "kills": kills,
        "served meanwhile": sorted({before, *serving}),
        "left for the last run": rest,
        "ends equal": calm == ended
        and calm[0] == NAME
        and len(calm[1]) == many
        and (not rest or set(serving) == {before}),
    }


def main() -> int:
    """Run the drill and print what it found."""
    parser = argparse.ArgumentParser(prog="python -m bench.reindex", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--messages", type=int, default=1500)
    parser.add_argument("--kills", type=int, default=10)
    given = parser.parse_args()
    found = drill(given.messages, given.kills)
    print(json.dumps(found, indent=1))
    return int(not found["ends equal"])


if __name__ == "__main__":
    sys.exit(main())
