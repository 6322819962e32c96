"""Finding names by spaCy's small model: people, organisations, places and works, in English."""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from recollect.errors import ConfigError
from recollect.language.values import Cues
from recollect.model.entity import Mention
from recollect.providers.entities.regex import LONGEST_NAME, LONGEST_SCANNED, MOST_MENTIONS
from recollect.text.patterns import pattern
from recollect.text.terms import fold

CONFIDENCE = 0.75
KEPT = 512
"""Of how many texts the answer is kept."""
LABELS = {
    "PER": "person",
    "PERSON": "person",
    "ORG": "organization",
    "LOC": "location",
    "GPE": "location",
    "FAC": "location",
    "MISC": "other",
    "PRODUCT": "other",
    "EVENT": "other",
    "WORK_OF_ART": "other",
}
"""What spaCy's labels are to us; dates and numbers are left to the patterns."""
_UNUSED = ["tok2vec", "tagger", "parser", "attribute_ruler", "lemmatizer", "senter"]
_END = pattern(r"(?:['’]s|['’]|[\s.,;:!?\"“”)(\[\]-])+$")
_START = pattern(r"^[\s.,;:!?\"“”)(\[\]@#'’-]+")
_ADDRESS = pattern(r"[@#/\\<>_=|]|\d{3}")


class SpacyFinder:
    """Reads texts with a model of spaCy, of which only the part that finds names is loaded."""

    def __init__(self, package: str, cues: Cues) -> None:
        try:
            self._model: Any = import_module(package).load(exclude=_UNUSED)
        except (ImportError, AttributeError, OSError, ValueError) as error:
            raise ConfigError(
                f"spaCy or its model {package} cannot be loaded ({type(error).__name__}): "
                "pip install 'recollect[entities]', or name another in entities.spacy_model"
            ) from error
        self._cues = cues
        before = "|".join(map(re.escape, cues.articles))
        self._rims = (_START, pattern(rf"(?:{before})\s+", re.IGNORECASE)) if before else (_START,)
        self._known: OrderedDict[str, list[Mention]] = OrderedDict()
        self._guard = threading.Lock()  # the model is not made for several threads at once

    def find(self, texts: Sequence[str]) -> list[list[Mention]]:
        """Give the mentions of each text."""
        with self._guard:
            answers = []
            for text in texts:
                if text not in self._known:
                    self._known[text] = self._read(text)
                self._known.move_to_end(text)
                answers.append(self._known[text])
            while len(self._known) > KEPT:
                self._known.popitem(last=False)
            return answers

    def _read(self, text: str) -> list[Mention]:
        try:
            read = self._model(text[:LONGEST_SCANNED])
        except (ValueError, RuntimeError, MemoryError) as error:
            raise ConfigError(f"spaCy could not read a text ({type(error).__name__})") from error
        found = (self._mention(text, one.start_char, one.end_char, LABELS.get(one.label_, "")) for one in read.ents)
        return [mention for mention in found if mention is not None][:MOST_MENTIONS]

    def _mention(self, text: str, start: int, end: int, type: str) -> Mention | None:
        """Give a find as a mention, without articles and signs around it; None for what is no name."""
        if not type:
            return None
        for rim in self._rims:
            if opening := rim.match(text[start:end]):
                start += opening.end()
        if closing := _END.search(text[start:end]):
            end = start + closing.start()
        name = " ".join(text[start:end].split())
        proper = any(letter.isupper() for letter in name) or not name.isascii()
        common = fold(name) in self._cues.common or len(name) < 2 or len(fold(name).encode()) > LONGEST_NAME
        stands = proper and not common and not _ADDRESS.search(name)
        return Mention(name, type, start, end, CONFIDENCE) if stands else None
