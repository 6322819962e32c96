"""Reading texts for names: quickly as they are written, and again at night by everybody who can."""

from __future__ import annotations

import re
from collections.abc import Sequence

from recollect.errors import ConfigError
from recollect.flows.asking import ask
from recollect.language.values import Cues
from recollect.model.asking import Nothing, OverBudget, Value
from recollect.model.entity import Mention
from recollect.model.proposals import Thing
from recollect.model.values import dataclass
from recollect.prompts.quoting import turns
from recollect.providers.entities import LONGEST_SCANNED, extract, own_finder, spacy_at_hand
from recollect.rules.people.mentions import is_own, resolve, widened
from recollect.rules.people.names import whole
from recollect.runtime import Runtime

PROMPT = "entities"
CONFIDENCE = 0.9
LONGEST_ASKED = 2000
"""How many characters of a memory are put before a model."""
MISSING = "neither spaCy nor a model is at hand: pip install 'recollect[entities]', or set llm"


def fast(runtime: Runtime, text: str) -> tuple[Mention, ...]:
    """Give what a text names, by those who may read it as it is written."""
    policy = runtime.settings.entities
    found = extract(text, cues_of(runtime)) if "regex" in policy.fast else []
    if "spacy" in policy.fast:
        found = resolve([*found, *runtime.finder.find([text])[0]])
    for name in policy.fast:
        if is_own(name):
            found = resolve([*found, *(_own(name, [text])[0][0] or ())])
    return tuple(found)


def cues_of(runtime: Runtime) -> Cues:
    """Give the words by which names are found in this memory's language."""
    return runtime.reader.cues(runtime.settings.terms.language)


def readers(runtime: Runtime) -> tuple[str, ...]:
    """Give who is at hand to read again, patterns left out: they have read it already."""
    return tuple(name for name in runtime.settings.entities.accurate if _at_hand(runtime, name))


def anybody(runtime: Runtime) -> bool:
    """Tell whether there is anybody to read again; every message asks this."""
    return any(_at_hand(runtime, name) for name in runtime.settings.entities.accurate)


def _at_hand(runtime: Runtime, name: str) -> bool:
    if is_own(name):
        return True
    if name == "spacy":
        return spacy_at_hand(runtime.settings.entities)
    return name == "llm" and runtime.llm is not None and runtime.prompt(PROMPT).role in runtime.llm.roles


@dataclass(frozen=True, slots=True)
class NamesFound:
    """What texts name, None for one nobody could read; and what went wrong, by reader."""

    mentions: tuple[tuple[Mention, ...] | None, ...]
    problems: tuple[str, ...] = ()
    spent: bool = False
    """Whether somebody could not be asked because the budget is spent."""


def read(runtime: Runtime, owner: str, texts: Sequence[str], by: Sequence[str]) -> NamesFound:
    """Read texts by everybody named; one who fails is passed over, and of overlapping finds the surest stands."""
    cues, cued = cues_of(runtime), runtime.reader.cued
    runs = [extract(text, cues) for text in texts]
    found: list[list[Mention]] = [[*seen, *cued(text)] for seen, text in zip(runs, texts, strict=True)]
    was_read = [False] * len(texts)
    problems: dict[str, None] = {}
    spent = False
    for name in by:
        if name == "spacy":
            answers, problem = _spacy(runtime, texts)
        elif is_own(name):
            answers, problem = _own(name, texts)
        else:
            answers, problem, spent = _llm(runtime, owner, texts)
        if problem:
            problems[f"{name}: {problem}"] = None
        for at, answer in enumerate(answers):
            if answer is not None:
                found[at].extend(widened(answer, runs[at]) if name == "spacy" else answer)
                was_read[at] = True
    kept = (
        tuple(whole([one for one in resolve(mentions) if one.type != "name"])) if done else None
        for mentions, done in zip(found, was_read, strict=True)
    )
    return NamesFound(tuple(kept), tuple(problems), spent)


Answers = list[list[Mention] | None]


def _spacy(runtime: Runtime, texts: Sequence[str]) -> tuple[Answers, str]:
    answers: Answers = []
    problem = ""
    for text in texts:
        try:
            answers.append(runtime.finder.find([text])[0])
        except ConfigError as error:
            answers.append(None)
            problem = str(error)
    return answers, problem


_FAILS = (ConfigError, ArithmeticError, AttributeError, LookupError, OSError, RuntimeError, TypeError, ValueError)
"""What code that is not ours may raise."""


def _own(name: str, texts: Sequence[str]) -> tuple[Answers, str]:
    """Let somebody's own reader read, and believe only what stands where it says; one that fails is passed over."""
    try:
        read = zip(own_finder(name).find(texts), texts, strict=True)
        return [[one for one in some if text[one.start : one.end].strip()] for some, text in read], ""
    except _FAILS as error:
        return [None] * len(texts), f"{type(error).__name__}: {error}"


def _llm(runtime: Runtime, owner: str, texts: Sequence[str]) -> tuple[Answers, str, bool]:
    """Put texts before a model, several in one question; what it could not answer stays unread."""
    answers: Answers = []
    problem, spent, size = "", False, runtime.settings.entities.per_question
    for at in range(0, len(texts), size):
        some = [text[:LONGEST_ASKED] for text in texts[at : at + size]]
        laid_out = turns((number, "memory", "", text) for number, text in enumerate(some, 1))
        answer = ask(runtime, owner, runtime.prompt(PROMPT).question(memories=laid_out), job="enrich")
        if isinstance(answer, Value):
            answers.extend(
                [
                    mention
                    for thing in answer.value.things
                    if thing.memory == number
                    for mention in _located(thing, text)
                ]
                for number, text in enumerate(some, 1)
            )
        elif isinstance(answer, Nothing):
            answers.extend([] for _ in some)
        else:
            answers.extend(None for _ in some)
            problem, spent = answer.reason, isinstance(answer, OverBudget)
        if spent:
            break
    return answers, problem, spent


def _located(thing: Thing, text: str) -> list[Mention]:
    """Find what a model named where the text has it, as words of their own; under its fuller name if that is there."""
    name = " ".join(thing.text.split())
    full = " ".join((thing.canonical or "").split())
    known = full if full and _place(full, text) else name
    place = _place(name, text)
    if not place or len(name) < 2 or len(known.encode()) > 200:
        return []
    return [Mention(known, thing.type, *place, CONFIDENCE)]


def _place(name: str, text: str) -> tuple[int, int] | None:
    spaced = r"\s+".join(re.escape(word) for word in name.split())
    found = re.search(rf"(?<!\w){spaced}(?!\w)", text[:LONGEST_SCANNED]) if spaced else None
    return found.span() if found else None
