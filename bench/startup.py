"""What it costs to have Recollect in a program: the CPU time until a first answer, and its memory at work.

python -m bench.startup [--json]
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from rich.console import Console
from rich.table import Table

HEAVY = ("typer", "rich", "pydantic", "numpy")
MOST_MB = 60.0
TIMES = 5
FIRST, STATUS, HELP = "open, remember, recall by words", "recollect status", "recollect --help"
MOST_SECONDS = {FIRST: 0.30, STATUS: 0.35, HELP: 0.35}
_LOADED = f"import sys, recollect; print(*(name for name in {HEAVY!r} if name in sys.modules))"
_FIRST = """
import sys
from recollect import Recollect
with Recollect(sys.argv[1], embedder="none") as memory:
    ana = memory.space("ana")
    ana.remember("Ana lives in Lisbon.")
    assert ana.recall("where does Ana live?")
"""
_COMMAND = "from recollect.serve.cli import main; main()"
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


def _python(code: str, *given: str) -> str:
    cached = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run(
        [sys.executable, "-c", code, *given], stdout=subprocess.PIPE, check=True, text=True, env=cached
    )
    return done.stdout.strip()


def _spent() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _seconds(code: str, *given: str) -> float:
    """Give the CPU time of a process, user and system: the median of five, after one that leaves its bytecode."""
    _python(code, *given)
    taken = []
    for _ in range(TIMES):
        before = _spent()
        _python(code, *given)
        taken.append(_spent() - before)
    return round(median(taken), 3)


def measure() -> dict[str, object]:
    """Take the numbers, each in interpreters of their own."""
    with tempfile.TemporaryDirectory() as folder:
        db = str(Path(folder) / "memory.db")
        return {
            FIRST: _seconds(_FIRST, db),
            STATUS: _seconds(_COMMAND, "status", "--db", db),
            HELP: _seconds(_COMMAND, "--help"),
            "interpreter alone": _seconds("pass"),
            "import numpy": _seconds("import numpy"),
            "heavy modules `import recollect` loads": _python(_LOADED).split(),
            "peak RSS of 200 facts and 200 recalls, MB": round(float(_python(_WORK)), 1),
        }


def broken(result: dict[str, object]) -> list[str]:
    """Name what takes more than was promised; the seconds are meant for a quiet machine."""
    late = [name for name, most in MOST_SECONDS.items() if float(str(result[name])) > most]
    heavy = [name for name in ("heavy modules `import recollect` loads",) if result[name]]
    large = [name for name in result if name.startswith("peak RSS") and float(str(result[name])) >= MOST_MB]
    return [*late, *heavy, *large]


def main() -> int:
    """Measure and print; the exit code is 1 when something takes more than was promised."""
    parser = argparse.ArgumentParser(prog="python -m bench.startup", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    result = measure()
    missed = broken(result)
    if given.json:
        print(json.dumps(result, indent=2))
    else:
        table = Table("CPU seconds, median of 5", "", "promised")
        for name, value in result.items():
            most = MOST_SECONDS.get(name, MOST_MB if name.startswith("peak") else None)
            table.add_row(name, str(value) if value != [] else "none", "" if most is None else f"at most {most:g}")
        Console().print(table)
        Console().print("kept" if not missed else f"broken: {', '.join(missed)}")
    return int(bool(missed))


if __name__ == "__main__":
    sys.exit(main())
