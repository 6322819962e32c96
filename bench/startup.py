"""What it costs to have Recollect in a program: the time of its import, and its memory at work.

python -m bench.startup [--json]
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from statistics import median
from time import perf_counter

from rich.console import Console
from rich.table import Table

HEAVY = ("typer", "rich", "pydantic", "numpy")
MOST_MB = 60.0
TIMES = 5
_LOADED = f"import sys, recollect; print(*(name for name in {HEAVY!r} if name in sys.modules))"
_WORK = """
import resource, tempfile
from recollect.serve.bench.corpus import Corpus
from recollect import Recollect
corpus = Corpus()
with tempfile.TemporaryDirectory() as folder, Recollect(folder + "/memory.db", embedder="none") as memory:
    space = memory.space("ana", session="s1")
    for text in corpus.messages(200):
        space.remember(text)
    for _ in range(200):
        space.recall(corpus.question())
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def _python(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, check=True, text=True)
    return done.stdout.strip()


def _seconds(code: str) -> float:
    begun = perf_counter()
    _python(code)
    return perf_counter() - begun


def measure() -> dict[str, object]:
    """Take the numbers, each in interpreters of their own."""
    return {
        "import recollect, ms": round(median(_seconds("import recollect") for _ in range(TIMES)) * 1000, 1),
        "from recollect import Recollect, ms": round(
            median(_seconds("from recollect import Recollect") for _ in range(TIMES)) * 1000, 1
        ),
        "interpreter alone, ms": round(median(_seconds("pass") for _ in range(TIMES)) * 1000, 1),
        "heavy modules loaded": _python(_LOADED).split(),
        "peak RSS of 200 facts and 200 recalls, MB": round(float(_python(_WORK)), 1),
    }


def main() -> int:
    """Measure and print; the exit code is 1 when a heavy module is loaded or the memory is too much."""
    parser = argparse.ArgumentParser(prog="python -m bench.startup", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    result = measure()
    if given.json:
        print(json.dumps(result, indent=2))
    else:
        table = Table("startup", "")
        for name, value in result.items():
            table.add_row(name, str(value) if value != [] else "none")
        Console().print(table)
    peak = result["peak RSS of 200 facts and 200 recalls, MB"]
    return int(bool(result["heavy modules loaded"]) or not isinstance(peak, float) or peak >= MOST_MB)


if __name__ == "__main__":
    sys.exit(main())
