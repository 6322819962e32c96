"""Finding what a name is by the word beside it: my sister Joanna, Dr. Nowak, Project Apollo."""

from __future__ import annotations

from collections.abc import Iterator

from recollect.model.entity import Mention
from recollect.text.patterns import pattern

CONFIDENCE = 0.8
LONGEST_SCANNED = 20_000
_WORD = r"[A-ZÀ-ÖØ-ÞČĆĐŁŚŠŹŻŽİ][\w’'-]*[\w]"
_NAME = rf"(?P<name>{_WORD}(?: {_WORD}){{0,2}})"
_CLOSE = (
    "mother|father|mum|mom|dad|sister|brother|cousin|aunt|uncle|nephew|niece|son|daughter|wife|husband|partner|fiancée?"
    "|girlfriend|boyfriend|friend|neighbou?r|colleague|co-?worker|boss|manager|teacher|doctor|dentist|lawyer|therapist"
    "|roommate|flatmate|landlord|landlady|grandmother|grandfather|grandma|grandpa|trainer|coach|nanny|tutor"
)
_PERSON = pattern(rf"\b(?:[Mm]y|[Oo]ur|[Hh]is|[Hh]er|[Tt]heir) (?:\w+ )?(?:{_CLOSE}),? {_NAME}")
_TITLED = pattern(rf"\b(?:Dr|Mr|Mrs|Ms|Prof)\.? {_NAME}")
_PROJECT = pattern(rf"\b(?P<word>[Pp]roject) {_NAME}")


def cued(text: str) -> Iterator[Mention]:
    """Give the names whose neighbour tells what they are."""
    text = text[:LONGEST_SCANNED]
    for form in (_PERSON, _TITLED):
        for match in form.finditer(text):
            name = _bare(match["name"])
            start = match.start("name")
            if not name.startswith(("Dr ", "Mr ", "Mrs ", "Ms ", "Prof ")) and name not in ("Dr", "Mr", "Mrs", "Ms"):
                yield Mention(name, "person", start, start + len(name), CONFIDENCE)
    for match in _PROJECT.finditer(text):
        start = match.start("word") if match["word"] == "Project" else match.start("name")
        name = _bare(text[start : match.end("name")])
        yield Mention(name, "project", start, start + len(name), CONFIDENCE)


def _bare(name: str) -> str:
    return name.removesuffix("'s").removesuffix("’s")
