"""What people ask of a memory in so many words: to remember, to forget, to put right, to call them something.

A command stands at the beginning of a sentence, behind words of politeness at most. What is quoted, pasted or code is
nobody's wish, and is not read.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Literal

from recollect.language.lexicon import Lexicon, one_of
from recollect.language.sentences import plain, sentences
from recollect.model.values import dataclass
from recollect.text.patterns import pattern

CommandName = Literal[
    "remember", "standing", "call", "tone", "goals", "forget", "back", "wrong", "correct", "private", "steps"
]  # fmt: skip
LONGEST, LONGEST_SENTENCE = 4000, 600
"""How many characters of a message are read for commands; what is longer was pasted. And how long a sentence may be."""
_NAME = r"[^\W\d_][\w'’-]*(?:\s[^\W\d_][\w'’-]*){0,2}?"
_VALUE = r"[\w$€£][^,;:!?\n]{0,50}?"
_END = r"[\s.!…)]*$"
_GAP = r"(?:[\s,:;!–—-]|\.\.\.)+"
_STEP = pattern(r"^\s*(?:\w{1,12}\s+)?(\d{1,2})[.):]\s+(\S.*?)\s*$", re.MULTILINE)
_INLINE = pattern(r"(?:^|[\s:;,])(\d{1,2})[.)]\s+(\S.*?)(?=[;,.]?\s+\d{1,2}[.)]\s|$)", re.DOTALL)
STEPS, LONGEST_STEP = range(2, 21), 300
MOST_WORDS = 4
"""How many words a value that is put right has at most."""
_WORD = pattern(r"\w+")


@dataclass(frozen=True, slots=True)
class Command:
    """One thing that is asked of the memory."""

    name: CommandName
    what: str = ""
    """What is to be kept or forgotten, the name somebody wants, or the value that is right."""
    old: str = ""
    """The value that is wrong, or the name that is not wanted any more; empty where only the right value is told."""
    quote: str = ""
    """The sentence that says so."""
    free: bool = False
    """Whether it is in words of somebody's own, so that what it means is to be judged."""
    sure: float = 1.0
    """How sure it is that this is asked at all."""


@dataclass(frozen=True, slots=True)
class _Forms:
    """The commands of one language as patterns."""

    found: tuple[tuple[CommandName, re.Pattern[str]], ...]
    idle: re.Pattern[str]
    not_names: frozenset[str]
    no_value: frozenset[str]
    """Words of somebody who speaks of himself, or is not sure."""


@cache
def _forms(lexicon: Lexicon) -> _Forms:
    lead = rf"^\W*(?:(?:{one_of(lexicon.phrases('polite'))}){_GAP})*"
    own = one_of(sorted(lexicon.words("own"), key=len, reverse=True))
    that = rf"(?:[,:]?\s+(?P<that>{one_of(sorted(lexicon.words('that')))})\s+|\s*[:–—]\s*|\s*,?\s+(?=(?:{own})\b))"

    flags = re.IGNORECASE | re.DOTALL

    def form(text: str) -> re.Pattern[str]:
        return re.compile(lead + text, flags)

    said = {name: one_of(lexicon.phrases(name)) for name in _PHRASES}
    apart = rf"(?:,?\s+(?:{said['call_not']})\s+(?P<old>{_NAME}))?"
    polite = rf"(?:,?\s+(?:{one_of(lexicon.phrases('polite'))}))*"
    ever, deeds = (one_of(sorted(lexicon.words(name), key=len, reverse=True)) for name in ("ever", "deeds"))
    found: list[tuple[CommandName, re.Pattern[str]]] = [
        ("call", form(rf"(?:{said['uncall']})\s+(?P<old>{_NAME}){polite}{_END}")),
        ("call", form(rf"(?:{said['call']})\s+(?P<what>{_NAME}){apart}{polite}{_END}")),
        ("back", form(rf"(?:{said['back']}){polite}{_END}")),
        ("wrong", form(rf"(?:{said['wrong']})(?:{_END}|[\s,.:;!–—-]+(?P<rest>.*)$)")),
        ("forget", form(rf"(?:{said['forget']})\s+(?P<what>\S.*?){_END}")),
        ("private", form(rf"(?:{said['private']}){polite}(?:{_END}|\s*[,:–—-]\s*(?P<what>.*)$)")),
        (
            "private",
            re.compile(rf"^(?P<what>.+)[,;:(–—-]\s*(?:\w+\s+){{0,2}}?(?:{said['private']}){polite}{_END}", flags),
        ),
        *(("correct", form(one + polite + _END)) for one in _corrections(lexicon)),
        ("tone", form(rf"(?:{said['tone']})\s+(?P<what>\w[^,.;!?]{{1,60}}?){polite}{_END}")),
        ("goals", form(rf"(?:{said['goal']})\s+(?P<what>\w.{{2,200}}?){_END}")),
        ("remember", form(rf"(?:{said['remember']}){polite}{that}(?P<what>\S.*?\S){_END}")),
        ("standing", form(rf"(?P<what>(?:{said['remember_to']}|{said['standing']})\b.*?){_END}")),
        (
            "standing",
            form(rf"(?P<what>(?:(?:{ever})\s+(?:{deeds})|(?:{deeds})(?:\s+\w+){{0,3}}?\s+(?:{ever}))\b.*?){_END}"),
        ),
    ]
    no_value = lexicon.words("own") | lexicon.words("doubts") | lexicon.words("address")
    return _Forms(tuple(found), form(f"(?:{said['idle']})"), lexicon.words("not_names"), no_value)


_ASKS = ("?", "？")
_PHRASES = (
    "call", "uncall", "back", "wrong", "forget", "tone", "goal", "remember", "remember_to", "standing", "call_not",
    "private", "idle",
)  # fmt: skip
_CORRECTING = ("denying", "instead", "saying", "meant")
_NEGATED = 200
"""Up to how many characters a message with nothing but a negation in it may put something right."""


def _corrections(lexicon: Lexicon) -> list[str]:
    """Give the patterns by which one value is put in another's place, the surest first.

    `not 4 May, it is 11 April`, with what it is about before it; `I said 41, but I meant 42`; `Tim, not Tom`; and
    `I meant Tim`, where the wrong value was said just before.
    """
    denying, instead, saying, meant = (one_of(lexicon.phrases(name)) for name in _CORRECTING)
    old, new, apart = rf"(?P<old>{_VALUE})", rf"(?P<what>{_VALUE})", r"\s*[,;:–—-]\s*"
    other = rf"(?:{apart}|\s+)(?:(?:{instead})\s+)?(?:(?:{instead}|{meant})\s+)"
    return [
        *(_template(one) for one in lexicon.phrases("correct")),
        rf"(?:[^\s,;:!?]+\s+){{0,8}}?(?:{denying})\s+{old}{other}{new}",
        rf"(?:{denying})\s+{old}{apart}{new}",
        rf"(?:{saying})\s+{old}{other}{new}",
        rf"(?:(?:{instead}|{meant})\s+)?{new}{apart}(?:{denying})\s+{old}",
        rf"(?:{meant})\s+{new}",
    ]


def _template(text: str) -> str:
    """Give the pattern of a phrase that holds two values: `not {old}, {new}`."""
    values = {"{old}": rf"(?P<old>{_VALUE})", "{new}": rf"(?P<what>{_VALUE})", ",": r"\s*[,;:–—-]\s*"}
    parts = [part.strip() for part in re.split(r"(\{old\}|\{new\}|,)", text) if part.strip()]
    out = ""
    for at, part in enumerate(parts):
        close = not at or "," in (part, parts[at - 1])
        out += ("" if close else r"\s+") + (values.get(part) or one_of([part]))
    return out


@cache
def _signs(known: tuple[Lexicon, ...]) -> tuple[dict[str, list[Lexicon]], dict[str, list[Lexicon]]]:
    """Give the rarest word of each phrase, with its languages, and the words by which values are denied."""
    rare: dict[str, list[Lexicon]] = {}
    denying: dict[str, list[Lexicon]] = {}
    for lexicon in known:
        phrases = (one for name in _PHRASES if name not in ("call_not", "idle") for one in lexicon.phrases(name))
        for phrase in (*phrases, *sorted(lexicon.words("ever"))):
            words = _WORD.findall(phrase)
            rare.setdefault(max(words, key=lambda word: (word not in lexicon.common, len(word))), []).append(lexicon)
        for phrase in (one for name in ("correct", "denying", "saying", "meant") for one in lexicon.phrases(name)):
            words = _WORD.findall(re.sub(r"\{\w+\}", " ", phrase))
            denying.setdefault(max(words, key=lambda word: (word not in lexicon.common, len(word))), []).append(lexicon)
    return rare, denying


def hinted(text: str, known: Sequence[Lexicon]) -> tuple[Lexicon, ...]:
    """Give at a glance the languages in which a message may hold a command."""
    if not known:
        return ()
    words = _WORD.findall(text[:LONGEST].lower())
    rare, denying = _signs(tuple(known))
    found = [one for word in words if word in rare for one in rare[word]]
    if len(text) <= _NEGATED:
        found += [one for word in words if word in denying for one in denying[word]]
    return tuple(one for one in known if one in found) if found else ()


def commands(text: str, known: Sequence[Lexicon]) -> list[Command]:
    """Give what a message asks of the memory, in order; what it quotes or pastes asks for nothing."""
    known = hinted(text, known) if len(text) <= LONGEST else ()
    if handed_on(text, known):
        return []  # what somebody else wrote is no wish of who hands it on
    if known and (steps := _steps(text, known)):
        return [steps]
    out: list[Command] = []
    for said in sentences(plain(text), known) if known else ():
        bare = said.strip()
        if not bare or len(bare) > LONGEST_SENTENCE:
            continue
        if not bare.endswith(_ASKS):
            out += _read(bare, known)
        elif any(_begging(one).match(bare) for one in known):
            out += [one for one in _read(bare.rstrip("".join(_ASKS)), known) if one.name == "back"]
    return out


@cache
def _begging(lexicon: Lexicon) -> re.Pattern[str]:
    """Give how a question begins that asks to take back what was said: `can you`, what is polite in two words."""
    begins = [one for one in lexicon.phrases("polite") if " " in one]
    return re.compile(rf"\W*(?:{one_of(begins)})\b" if begins else r"(?!)", re.IGNORECASE)


def handed_on(text: str, known: Sequence[Lexicon]) -> bool:
    """Tell whether a message hands on what somebody else wrote."""
    return any(_handed_on(one).search(text) for one in known)


@cache
def _handed_on(lexicon: Lexicon) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{one_of(lexicon.phrases('handing_on'))})", re.IGNORECASE)


def _read(said: str, known: Sequence[Lexicon]) -> list[Command]:
    for lexicon in known:
        forms = _forms(lexicon)
        for name, form in forms.found:
            found = form.match(said)
            if found is None or (name in ("remember", "standing") and forms.idle.match(said)):
                continue
            parts = found.groupdict()
            command = Command(name, (parts.get("what") or "").strip(" \"“”'"), (parts.get("old") or "").strip(), said)
            if (name == "call" and not _names(command, forms)) or (
                name == "correct" and not _values(command, forms, lexicon)
            ):
                continue
            if parts.get("that") and not lexicon.data["clauses"]:
                command = replace(command, what=said)  # words of a clause stand in another order: kept as it was said
            rest = (parts.get("rest") or "").strip()
            return [command, *(_read(rest, known) if rest else ())]
    return []


def _names(command: Command, forms: _Forms) -> bool:
    """Tell whether what somebody wants to be called is a name: `call me back` names nobody."""
    return all(
        one.split()[0].casefold() not in forms.not_names and (one[0].isupper() or " " not in one)
        for one in (command.what, command.old)
        if one
    )


def _values(command: Command, forms: _Forms, lexicon: Lexicon) -> bool:
    """Tell whether two values are told apart: a few words each, both names or numbers or neither, which tell.

    Nobody speaks of himself in them; `no worries, Jon` puts no Jon in the place of worries.
    """
    values = [one.casefold().split() for one in (command.what, command.old) if one]
    parts = [re.split(r"[\s'’]+", one) for one in (command.what, command.old) if one]
    named = {any(not part[:1].islower() for part in one if part) for one in parts}
    return (
        len(named) == 1
        and values[0] not in values[1:]
        and all(
            len(one) <= MOST_WORDS and forms.no_value.isdisjoint(one) and not lexicon.common.issuperset(one)
            for one in values
        )
    )


def _steps(text: str, known: Sequence[Lexicon]) -> Command | None:
    """Read steps somebody asks to be kept, from a numbered list behind the request."""
    for lexicon in known:
        asked = re.search(str(lexicon.data["orders"]["steps"]), text, re.IGNORECASE)
        if asked is None:
            continue
        found = _STEP.findall(text[asked.start() :]) or _INLINE.findall(text[asked.start() :])
        steps = [" ".join(said.split()).rstrip(".;,") for _, said in found]
        ordered = [int(number) for number, _ in found] == list(range(1, len(found) + 1))
        if ordered and len(steps) in STEPS and all(len(step) <= LONGEST_STEP for step in steps):
            title = asked[0].partition(":")[0].strip()
            lines = [f"{at}. {step[:1].upper()}{step[1:]}." for at, step in enumerate(steps, 1)]
            return Command("steps", "\n".join([f"{title[:1].upper()}{title[1:]}:", *lines]), quote=asked[0].strip())
    return None
