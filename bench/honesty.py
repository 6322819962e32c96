"""Whether only what is true is kept: junk, inventions, changed facts and bad writing, all through the public verbs.

A scripted model on this machine proposes over HTTP what it should not, and a little of what it should; conversations
are observed, ended and looked at as any program would. Each requirement is kept or broken; broken, the exit is 1.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from bench import changes
from bench.extraction import parts, statement_figures
from bench.proposals import inventions, junk, talks
from bench.scripted import Figures, Step
from recollect.language import open_reader
from recollect.rules.gate.writing import WritingPolicy, mended, violations
from recollect.serve.bench.progress import bar

ENGLISH = open_reader("english")

EXAMPLE = "example: python -m bench.honesty --misses    (about a minute and a half; what went wrong is printed too)"
WAYS = ("remembered", "remembered, minilm", "remembered, judge", "said in talks, judge")
"""How changed facts are told: by words alone unless minilm is named, by rules alone unless a judge is."""
PROMISES: tuple[tuple[str, str, str, float, float], ...] = (
    ("4", "junk", "stored as new", 0, 0),
    ("4", "junk", "genuine learnt", 1, 1),
    ("4", "inventions", "baseless stored", 0, 0),
    ("4", "inventions", "distorted stored", 0, 0.05),
    ("4", "inventions", "true stored", 0.85, 1),
    ("4", "changes", "both facts learnt", 0.95, 1),
    ("4", "changes", "precision", 0.97, 1),
    ("4", "changes", "recall", 0.9, 1),
    ("4", "changes", "new before old", 0.95, 1),
    ("4", "changes", "new first of all", 0.95, 1),
    ("5", "writing, rules", "well at first", 0.95, 1),
    ("5", "writing, model", "against the rules and stored", 0, 0),
)
"""By requirement: the drills, a figure of theirs, and between what it must lie."""
ASKED = {"4": "junk, inventions and changes", "5": "the writing rules"}
INNER = ("misses", "proposed", "ill")


def figures(folder: Path, step: Step) -> dict[str, Figures]:
    """Run every drill, whole."""
    changed, apart = changes.rows("changed"), changes.rows("apart")
    found = {
        "junk, rules": junk(folder, asking=False, step=step),
        "junk, model": junk(folder, asking=True, step=step),
        "inventions, model": inventions(folder, step, talks()),
    }
    for at, way in enumerate(WAYS):
        url = f"sqlite:///{folder}/changes{at}.db"
        found[f"changes, {way}"] = changes.figures(url, way, step, changed, apart)
    return found | writing(found)


def steps() -> int:
    """Say how many steps all drills have together."""
    return 4 + len(talks()) + len(WAYS) * (len(changes.rows("changed")) + len(changes.rows("apart")))


def writing(found: dict[str, Figures]) -> dict[str, Figures]:
    """Count how candidates are written before the gate: what the rules take down, and what the model proposed."""
    rules = [statement_figures(part) for part in parts("statements")]
    many = sum(one["taken down"] for one in rules)
    proposed = [text for one in found.values() for text in one["proposed"]]
    saved = [text for text in proposed if _well(text) or _well(mended(text, WritingPolicy(), ENGLISH)[0])]
    ill = [text for one in found.values() for text in one["ill"]]
    by_rules: Figures = {"candidates": many}
    for when in ("at first", "when mended"):
        by_rules[f"well {when}"] = sum(one["taken down"] * one[f"written well {when}"] for one in rules) / many
    by_model: Figures = {
        "candidates": len(proposed),
        "well at first": sum(map(_well, proposed)) / max(1, len(proposed)),
        "well when mended": len(saved) / max(1, len(proposed)),
        "against the rules and stored": len(ill),
        "misses": [f"stored: {text!r}" for text in ill],
    }
    return {"writing, rules": by_rules, "writing, model": by_model}


def _well(text: str) -> bool:
    return not violations(text, "semantic", WritingPolicy(), ENGLISH)


def broken(found: dict[str, Figures]) -> dict[str, list[str]]:
    """Give the figures that break a promise, by requirement; one that no drill speaks of is broken, too."""
    out: dict[str, list[str]] = {asked: [] for asked in ASKED}
    for asked, drill, figure, least, most in PROMISES:
        of = {name: results[figure] for name, results in found.items() if name.startswith(drill)}
        out[asked] += [] if of else [f"{drill}: nobody measured {figure}"]
        out[asked] += [f"{name}: {figure} is {_told(one)}" for name, one in of.items() if not least <= one <= most]
    return out


def _told(value: Any) -> str:
    return f"{value:.1%}" if isinstance(value, float) else str(value)


def show(found: dict[str, Figures], misses: bool, console: Console) -> None:
    """Print the figures as a table, what went wrong when asked to, and a line for each requirement."""
    for name, results in found.items():
        table = Table(title=name, title_justify="left", box=None, show_header=False)
        for figure, value in results.items():
            if figure not in INNER:
                table.add_row(figure, _told(value))
        console.print(table)
    for name, results in found.items():
        for miss in results.get("misses", ()) if misses else ():
            console.print(f"{name}: {miss}", markup=False, highlight=False, soft_wrap=True)
    for asked, wrong in broken(found).items():
        told = f"broken: {'; '.join(wrong)}" if wrong else "kept"
        console.print(f"({asked}) {ASKED[asked]}: {told}", highlight=False, soft_wrap=True)


def main(argv: list[str] | None = None) -> int:
    """Run the drills from the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.honesty", description=(__doc__ or "").splitlines()[0], epilog=EXAMPLE
    )
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--misses", action="store_true", help="also print every miss, with the reason")
    given = parser.parse_args(argv)
    quiet = nullcontext(lambda done: None)
    with (
        tempfile.TemporaryDirectory(prefix="recollect-honesty-") as folder,
        quiet if given.json else bar("honesty", steps()) as step,
    ):
        found = figures(Path(folder), step)
    wrong = broken(found)
    if given.json:
        shown = {name: {k: v for k, v in one.items() if k not in INNER[1:]} for name, one in found.items()}
        print(json.dumps({"figures": shown, "broken": wrong}, ensure_ascii=False, indent=1))
    else:
        show(found, given.misses, Console())
    return int(any(wrong.values()))


if __name__ == "__main__":
    raise SystemExit(main())
