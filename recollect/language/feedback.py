"""What people say to an agent about its work, and how tools say that they failed: by how a text begins."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from recollect.language.lexicon import Lexicon
from recollect.language.values import Feedback
from recollect.text.normal import words
from recollect.text.patterns import pattern

LONGEST = 4000
"""A message longer than this was pasted: nobody says so much to put a thing right."""
LINES = 400
"""How much of a line of a tool's message is looked at."""
DEPTH = 4
"""Behind how many colons of it."""
_RAISED = pattern(r"(?:[\w.]+\.)?\w*(?:Error|Exception|Fault)\b\s*[:(]")
"""How programs write what was raised, whatever the language of their words."""
_PARTS = ("corrects", "praises", "fails")


@cache
def _begins(known: tuple[Lexicon, ...], group: str) -> re.Pattern[str]:
    """Give the pattern of a text that begins with one of a group's phrases, the longest first."""
    phrases = sorted({phrase for one in known for phrase in one.phrases(group)}, key=len, reverse=True)
    told = "|".join(re.escape(one).replace(r"\ ", r"\s+").replace("'", "['’]?") for one in phrases) or r"(?!)"
    return re.compile(rf"^[\s\W]*?(?P<sign>{told})(?P<rest>(?!\w).*)$", re.IGNORECASE | re.DOTALL)


def feedback(text: str, known: Sequence[Lexicon]) -> Feedback:
    """Say whether a message puts an agent right or praises it; what adds nothing to a bare no does neither."""
    if not known or len(text) > LONGEST:
        return ""
    every = tuple(known)
    if found := _begins(every, _PARTS[0]).match(text):
        spare = frozenset().union(*(one.words("filling") | one.common for one in every))
        return "correction" if re.search(r"\w", found["rest"]) and set(words(found["rest"])) - spare else ""
    return "praise" if _begins(every, _PARTS[1]).match(text) else ""


def refuses(text: str, known: Sequence[Lexicon]) -> bool:
    """Tell whether a text begins with a plain no, which may answer a question instead of putting something right."""
    first = words(text[:40])[:1]
    return any(first == words(phrase) for one in known for phrase in one.phrases("no"))


def failure(text: str, known: Sequence[Lexicon]) -> str:
    """Give the line in which a tool's message says that the tool failed: its first or its last; empty for none."""
    lines = [line.strip()[:LINES] for line in text.strip().splitlines() if line.strip()]
    ends = dict.fromkeys((*lines[-1:], *lines[:1]))  # behind a trace the last line says what it was
    begins = _begins(tuple(known), _PARTS[2])
    return next((line for line in ends if _RAISED.match(line) or any(map(begins.match, _parts(line)))), "")


def _parts(line: str) -> list[str]:
    """Give a line and what stands behind each colon of it: `sh: run: command not found`."""
    pieces = line.split(": ")
    return [": ".join(pieces[at:]) for at in range(min(len(pieces), DEPTH))]
