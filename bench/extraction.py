"""How well the rules extract, without a model: statements, grounds, changes, echoes and writing, on drills of our own.

    python -m bench.extraction [--json] [--misses]

Each drill has a part the rules were tuned on, a part held out, and most have a third written after the tuning; `chat`
is the way people write to an assistant, written before the rules for it, and `later` the same, written after them.
What showed a plain mistake in these was mended afterwards; what they gave at first sight is in the tests.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from recollect.language import open_reader
from recollect.language.english.claim_check import unfounded
from recollect.language.english.conflict import compare
from recollect.language.english.echo import Echo
from recollect.language.english.statements import statements
from recollect.language.values import StatementsPolicy
from recollect.model.candidate import Candidate
from recollect.model.turn import Turn
from recollect.rules.gate.writing import WritingPolicy, mended, violations
from recollect.text.terms import TermsPolicy, terms

ENGLISH = open_reader("english")

FIXTURES = Path(__file__).parent.parent / "tests" / "fixtures"
PARTS = ("tuned", "held", "fresh", "chat", "later")
AT = datetime(2026, 5, 20, 10, 0, tzinfo=UTC)  # a Wednesday
Figures = dict[str, Any]


def load(name: str) -> dict[str, Any]:
    """Read a drill."""
    found: dict[str, Any] = json.loads((FIXTURES / f"{name}.json").read_text("utf-8"))
    return found


def parts(name: str) -> tuple[str, ...]:
    """Give the parts a drill has."""
    return tuple(part for part in PARTS if part in load(name))


def turn(said: str, at: int = 0) -> Turn:
    """Make the user's message of a text."""
    return Turn(f"t{at}", "user", "Ana", said, AT + timedelta(minutes=at))


def alike(found: str, wanted: str) -> bool:
    """Tell whether a statement says what was expected: most of its words, and every number and name."""
    one, two = terms(found, TermsPolicy()).keys(), terms(wanted, TermsPolicy()).keys()
    digits = [sorted(word for word in words if any(char.isdigit() for char in word)) for words in (one, two)]
    negated = [any(f" {no} " in f" {text.lower()} " for no in ("not", "never", "no")) for text in (found, wanted)]
    return len(one & two) >= 0.75 * len(one | two) and digits[0] == digits[1] and negated[0] == negated[1]


def statement_figures(part: str) -> Figures:
    """Measure the offline extraction: precision, recall, silence where nothing is to be found, first-try writing."""
    policy, writing = StatementsPolicy(), WritingPolicy()
    right = given = wanted = silent = quiet = written = mendable = founded = 0
    misses: list[str] = []
    for at, row in enumerate(load("statements")[part]):
        said = turn(row["said"], at)
        found = statements([said], policy, "Ana")
        left = list(row["facts"])
        for candidate in found:
            match = next((fact for fact in left if alike(candidate.content, fact)), None)
            if match:
                left.remove(match)
                right += 1
            else:
                misses.append(f"wrong: {candidate.content!r} from {row['said']!r}")
            kind = "episodic" if candidate.kind == "event" else "semantic"
            fine = not violations(candidate.content, kind, writing, ENGLISH)
            written += fine
            mendable += fine or not violations(mended(candidate.content, writing, ENGLISH)[0], kind, writing, ENGLISH)
            reason = "" if candidate.explicit else unfounded(candidate, [said], ("Ana",))
            founded += not reason
            misses += [f"refused: {candidate.content!r}: {reason}"] if reason else []
        misses += [f"missed: {fact!r} in {row['said']!r}" for fact in left]
        given, wanted = given + len(found), wanted + len(row["facts"])
        silent += not row["facts"]
        quiet += not row["facts"] and not found
    return {
        "taken down": given,
        "precision": right / given,
        "recall": right / wanted,
        "silent where nothing is": quiet / silent,
        "written well at first": written / given,
        "written well when mended": mendable / given,
        "founded": founded / given,
        "misses": misses,
    }


def ground_figures(part: str) -> Figures:
    """Measure the evidence check: what is refused of inventions and distortions, what passes of the truth."""
    out: Figures = {"misses": []}
    for sort, rows in load("grounds")[part].items():
        passed = 0
        for row in rows:
            candidate = Candidate(content=row["claim"], quote=row["quote"], turn="t0")
            reason = unfounded(candidate, [turn(row["said"])], ("Ana",))
            passed += not reason
            if bool(reason) == (sort == "true"):
                out["misses"].append(f"{sort}: {row['claim']!r} from {row['said']!r}: {reason or 'passed'}")
        out[f"{sort} pass"] = passed / len(rows)
    return out


def change_figures(part: str) -> Figures:
    """Measure what `compare` calls changed."""
    rows = load("changes")[part]
    misses: list[str] = []
    told: dict[str, int] = {}
    for sort in ("changed", "apart"):
        told[sort] = 0
        for row in rows[sort]:
            relation = compare(row["old"], row["new"])
            told[sort] += relation.name == "changed"
            if (relation.name == "changed") != (sort == "changed"):
                misses.append(f"{sort}: {row['old']!r} {row['new']!r}: {relation.name}, {relation.reason}")
    said = told["changed"] + told["apart"]
    return {
        "precision": told["changed"] / max(1, said),
        "recall": told["changed"] / len(rows["changed"]),
        "misses": misses,
    }


def _telling(word: str) -> bool:
    """Tell whether a sentence without this word says something else."""
    return word in ("not", "never", "cannot") or any(char.isdigit() for char in word)


def edits(known: list[str]) -> list[str]:
    """Repeat known texts as they come back: quoted, in another case, one word less, among others, in another order."""
    out: list[str] = []
    for at, text in enumerate(known):
        words = text.rstrip(".").split()
        less = words[: len(words) // 2] + words[len(words) // 2 + 1 :]
        follows = known[(at + 7) % len(known)]
        out += [
            f"> {text}",
            f"“{text.upper()}”",
            f"As you know: {text}",
            f"- {follows}\n- {text}",
            " ".join(words if _telling(words[len(words) // 2]) else less),
        ]
    return out


def echo_figures(part: str) -> Figures:
    """Measure the echo guard: nothing repeated is fresh, everything said anew is."""
    rows = load("echoes")[part]
    echo = Echo(rows["known"])
    repeated = [*edits(rows["known"]), *rows["edited"]]
    fresh = [text for text in repeated if not echo.repeats(text)]
    lost = [text for text in rows["genuine"] if echo.repeats(text) or echo.fresh(text) != text]
    return {
        "echoes": len(repeated),
        "echoes taken for fresh": len(fresh) / len(repeated),
        "genuine kept": 1 - len(lost) / len(rows["genuine"]),
        "misses": [f"fresh: {text!r}" for text in fresh] + [f"lost: {text!r}" for text in lost],
    }


DRILLS: dict[str, Callable[[str], Figures]] = {
    "statements": statement_figures,
    "grounds": ground_figures,
    "changes": change_figures,
    "echoes": echo_figures,
}


def figures() -> dict[str, dict[str, Figures]]:
    """Run every drill on each of its parts."""
    return {name: {part: drill(part) for part in parts(name)} for name, drill in DRILLS.items()}


def show(found: dict[str, dict[str, Figures]], misses: bool, console: Console) -> None:
    """Print the figures as a table, and what went wrong when asked to."""
    table = Table("drill", "figure", *PARTS)
    for name, results in found.items():
        for figure in results[PARTS[0]]:
            if figure != "misses":
                values = [results[part][figure] if part in results else "" for part in PARTS]
                table.add_row(name, figure, *(f"{v:.1%}" if isinstance(v, float) else str(v) for v in values))
    console.print(table)
    for name, results in found.items():
        for part, result in results.items() if misses else ():
            for miss in result["misses"]:
                console.print(f"{name} {part}: {miss}", markup=False, highlight=False, soft_wrap=True)


def main(argv: list[str] | None = None) -> int:
    """Run the drills from the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--misses", action="store_true", help="also print every miss")
    given = parser.parse_args(argv)
    found = figures()
    if given.json:
        print(json.dumps(found, ensure_ascii=False, indent=1))
    else:
        show(found, given.misses, Console())
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
