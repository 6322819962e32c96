"""Words people write small: `python -m train.small` counts them in the corpus and writes the list the reader uses.

A word that begins a sentence is written large whatever it is. Whether it is a name is told by whether people write it
small elsewhere.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from recollect.text.patterns import pattern
from recollect.text.stopwords import WRITTEN_SMALL
from recollect.text.terms import fold

FOLDERS = ("corpus", "pairs", "worlds")
LEAST, SHORTEST = 2, 3
"""How often a word must stand there, and of how many letters."""
_WORD = pattern(r"[^\W\d_]+|[.!?:\n…]")


def said(value: Any) -> Iterator[str]:
    """Give every text in what was read from JSON."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from said(inner)


def counted(texts: Iterator[str]) -> tuple[Counter[str], Counter[str]]:
    """Count how often each word is written small, and large where it does not begin a sentence."""
    small, large = Counter[str](), Counter[str]()
    for text in texts:
        begins = True
        for word in _WORD.findall(text):
            if word.islower():
                small[fold(word)] += 1
            elif word[:1].isupper() and not begins:
                large[fold(word)] += 1
            begins = not word[:1].isalpha()
    return small, large


def main() -> None:
    """Count, and write the list."""
    here = Path(__file__).parent
    lines = (line for name in FOLDERS for path in sorted((here / name).glob("*.jsonl")) for line in path.open("rb"))
    small, large = counted(text for line in lines for text in said(json.loads(line)))
    words = sorted(one for one in small if small[one] >= LEAST and len(one) >= SHORTEST and small[one] > large[one])
    WRITTEN_SMALL.write_text("\n".join(words) + "\n", "utf-8")
    sys.stdout.write(f"{len(words)} words are written small\n")


if __name__ == "__main__":
    main()
