"""How times are said in English: finds the words of a time in a sentence, and tells them from their false friends.

What such a time comes to on the calendar is in `moments`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from recollect.model.values import dataclass
from recollect.text.patterns import pattern
from recollect.text.stopwords import stop_words

_COUNT = "one two three four five six seven eight nine ten eleven twelve"
NUMBERS = {name: (at, at) for at, name in enumerate(_COUNT.split(), 1)}
NUMBERS |= {"a": (1, 1), "an": (1, 1), "couple": (1, 3), "few": (2, 5), "several": (3, 8)}
"""How few and how many a word may mean."""
_TENS = "twenties thirties forties fifties sixties seventies eighties nineties"
DECADES = {name: 10 * at for at, name in enumerate(_TENS.split(), 2)}
"""The decades by their names."""
AGO = ("ago", "back", "earlier")
ENDLESS = ("until", "till", "through")
_GUESSES = frozenset("couple few several recently lately other".split())

_YEAR = r"(?:19[0-9][0-9]|20[0-9][0-9]|2100)\b(?![.:/][0-9]|%)"
_OF_YEAR = rf"(?:[.,]? (?:of )?{_YEAR})?"
_DAY = r"[0-3]?[0-9](?:st|nd|rd|th)?\b(?![.:][0-9]|%)"
_DAYS = rf"{_DAY}(?:[-–]{_DAY})?"
_UNIT = r"(?:minute|min|hour|day|week|weekend|fortnight|month|quarter|year|decade)"
_HOURS = r"(?: (?:morning|afternoon|evening|night)\b)?"
_WEEKDAY = r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|mon|tues?|wed|thu(?:rs?)?|fri|sat|sun)\b"
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may\b(?! (?:be|have|not|well|also)\b)|june?|july?"
    r"|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b"
)
_COUNTED = (
    r"(?! (?:calories|kcal|steps|dollars|euros|pounds|people|users|words|tokens|characters|lines|rows|pages|files|items"
    r"|games?|points|times|percent|miles|meters|metres|km|mg|ml|kg|hours|minutes|days|square)\b)"
)
# The first that matches wins. A blank stands for any white space; the empty group after each tells which it was.
_KINDS = {
    "iso": r"[12][0-9]{3}-[01][0-9](?:-[0-3][0-9](?:[t\x20][0-2][0-9]:[0-5][0-9](?::[0-5][0-9](?:\.[0-9]{1,6})?)?"
    r"(?:z|[+-][0-2][0-9]:?[0-5][0-9])?)?)?(?![0-9-])",
    "slash": r"(?:[0-3]?[0-9]/[0-3]?[0-9]/[12][0-9]{3}|[12][0-9]{3}/[01]?[0-9]/[0-3]?[0-9])(?![0-9/])",
    "month": rf"(?:{_WEEKDAY},? (?:the )?)?(?:{_DAYS} (?:of )?{_MONTH}{_OF_YEAR}"
    rf"|{_MONTH}(?:\.?(?: the)? {_DAYS})?{_OF_YEAR})",
    "count": rf"(?:[0-9]{{1,4}}|couple of|{'|'.join(NUMBERS)}) {_UNIT}s?\b(?: (?:{'|'.join(AGO)})\b)?",
    "quarter": rf"(?:q[1-4]\b{_OF_YEAR}|{_YEAR}[\x20-]q[1-4]\b)",
    "decade": rf"(?:(?:(?:19|20)[0-9]|[0-9])0s|{'|'.join(DECADES)})\b",
    "year": _YEAR + _COUNTED,
    "day": rf"(?:tonight|this (?:morning|afternoon|evening)|last (?:night|evening)"
    rf"|(?:day before yesterday|day after tomorrow|yesterday|today|tomorrow)\b{_HOURS})\b",
    "unit": rf"{_UNIT}\b(?: before last\b)?",
    "weekday": rf"{_WEEKDAY}{_HOURS}",
    "season": rf"(?:spring\b(?! (?:boot|framework)\b)|summer|autumn|fall\b(?! of [a-z])|winter)\b{_OF_YEAR}",
    "holiday": r"(?:christmas(?: eve)?|new year(?:['’]?s)? (?:eve|day)|halloween|valentine(?:['’]?s)? day|boxing day)\b"
    + _OF_YEAR,
    "nth": r"[0-3]?[0-9](?:st|nd|rd|th)\b",
    "lately": r"(?:recently|lately|other day)\b",
    "now": r"(?:now|present)\b",
}
# Every time has one of these in it. A search that begins with a set of characters leaps over the insides of words.
_HINT = pattern(
    r"[^a-z0-9](?:a(?:fterno|pr|u[gt])|chris|d(?:ays?\b|ec(?:\b|em|ad))|eveni|f(?:all\b|eb|ort|ri(?:\b|d))|h(?:allow|our)"
    r"|j(?:an(?:\b|u)|u[nl])|lately|m(?:ar(?:\b|ch)|ay\b|in(?:s?\b|u)|on(?:\b|d|t)|orni)|n(?:ov(?:\b|em)|ight)|oct"
    r"|q(?:[1-4]|uart)|recently|s(?:at(?:\b|u)|ep(?:\b|t)|prin|umm|un(?:\b|d))|t(?:hu(?:\b|r)|o(?:da|mo|ni)|ue)"
    r"|w(?:e(?:d(?:\b|n)|ek)|int)|ye(?:ar|st)|[12][0-9]{3}|[0-9]+(?:/|0s|st|nd|rd|th)|(?:twen|thir|for|fif|six|seven|eigh|nine)ties)"
)
_PIECE = pattern(r"[a-z]+|[0-9]+")
_NEXT = pattern(r"\s+(\w+)")
_ON = ("on", "by", "since", "from", "after", "before", "between", *ENDLESS)
_CLOSE = pattern(r"\s*(?:$|[^\w\s])")
_FOLLOWED = pattern(rf"\s+(?:of\s+)?(?:last|this|next)\s+year\b|(?:\s+to\s+|\s*[-–]\s*){_MONTH}")
_GLUE = "#@/\\$€£="  # a tag, a path or a sum of money, not a time

_SLOTS = {
    "relation": "in during throughout from between for within over at on since after before by until till through",
    "which": "last past this next",
    "part": "early mid late start end",
    "vague": "around roughly approximately circa almost nearly about some",
    "article": "the a",
    "led": "of year",
    "side": "earlier later back",
    "never": "every each per",
}
_LEADS = {word: (slot, word) for slot, words in _SLOTS.items() for word in words.split()}
_LEADS |= {"previous": ("which", "last"), "current": ("which", "this"), "coming": ("which", "next")}
_LEADS |= {"early-": ("part", "early"), "mid-": ("part", "mid"), "late-": ("part", "late"), "middle": ("part", "mid")}
_LEADS |= {"beginning": ("part", "start")}
_JOINS = dict.fromkeys(("to", "up to", "-", "–", "—"), "to")
_JOINS |= dict.fromkeys(("and", "or", ",", ", and", ", or", "&"), "and")
_JOINS |= {"": "next"}


@cache
def _time() -> re.Pattern[str]:
    # It takes some milliseconds to compile: with the first query that hints at a time, not with every import.
    return re.compile(
        r"\W(?:" + "|".join(f"{it}(?P<{kind}>)" for kind, it in _KINDS.items()).replace(" ", r"\s+") + ")"
    )


@dataclass(frozen=True, slots=True)
class TimeSaid:
    """A time as it was said: of which kind, in which words and numbers, and what the words before it say of it."""

    kind: str
    text: str
    pieces: tuple[str, ...]
    begin: int
    end: int
    slots: dict[str, str]
    """What led to it: relation (since), which (last), part (early), vague (around), side (earlier)."""
    join: str = ""
    """How it hangs on the time before: `to`, `and`, `next` when it follows at once."""
    year: int | None = None

    @property
    def loose(self) -> bool:
        """Tell whether it comes again and again, so that what stands beside it can say which is meant."""
        again = self.kind in ("month", "quarter", "season", "holiday", "weekday")
        return again and self.year is None and "which" not in self.slots

    @property
    def exact(self) -> bool:
        """Tell whether its ends were said."""
        return "vague" not in self.slots and "part" not in self.slots and self.pieces[0] not in _GUESSES


def times_said(text: str) -> Iterator[TimeSaid]:
    """Find the times in a text, in order; the text begins with a blank."""
    low = text.lower()
    if not _HINT.search(low):
        return
    if len(low) != len(text):  # a letter that grows when made small would move all that follows
        low = "".join(char.lower() if len(char.lower()) == 1 else char for char in text)
    done = 0
    for match in _time().finditer(low):
        start, end, kind = match.start() + 1, match.end(), match.lastgroup or ""
        begin, slots = _lead(low, done, start, kind)
        join = _JOINS.get(" ".join(low[done:begin].split()), "") if done and begin - done < 9 else ""
        if join == "next" and slots.get("relation") in ENDLESS:
            join = "to"
        pieces = tuple(_PIECE.findall(low, start, end))
        year = next((int(piece) for piece in pieces if len(piece) == 4 and piece.isdigit()), None)
        said = TimeSaid(kind, low[start:end], pieces, begin, end, slots, join, year)
        if low[start - 1] not in _GLUE and _meant(said, low, text[start].isupper()):
            yield said
            done = end


def _lead(low: str, done: int, start: int, kind: str) -> tuple[int, dict[str, str]]:
    """Read backwards what leads to a time, like `until around the end of last`: where it begins and what it says."""
    slots: dict[str, str] = {}
    begin = start
    for word in reversed(low[max(done, start - 48) : start].split()[-6:]):
        bare = word.lstrip("(\"'“‘[")
        slot, value = _LEADS.get(bare, ("", ""))
        if not slot or (slot in slots and slot != "article") or (bare in ("about", "some") and kind != "count"):
            break
        if ("relation" in slots and slot != "side") or ("led" in slots and slot == "which"):
            break
        slots[slot] = value
        begin = low.rindex(bare, 0, begin)
        if bare != word:
            break
    return begin, slots


def _meant(said: TimeSaid, low: str, capital: bool) -> bool:
    """Tell whether words that have other meanings too are meant as a time here."""
    slots, word, relation = said.slots, said.pieces[0], said.slots.get("relation", "")
    led = said.join in ("to", "and") or not slots.keys().isdisjoint(("led", "part", "vague"))
    which = slots.get("which", "")
    if "never" in slots:  # every Monday is no time
        return False
    if said.kind == "year":
        return led or relation not in ("", "for", "within", "over", "at", "on")
    if said.kind == "nth":
        return "article" in slots and (relation in _ON or not relation) and _nothing_follows(said, low)
    if said.kind == "decade":
        return said.year is not None or led or "article" in slots or low[said.begin - 1] in "'’"
    if said.kind == "now":
        return said.join == "to"
    if said.kind == "unit":
        return bool(which) or word == "weekend" or said.pieces[-1] == "last"
    if said.kind == "season" and said.year is None:
        return led or bool(which) or relation not in ("", "on")
    if said.kind == "weekday" and not word.endswith("day"):
        named = bool(which) or relation in ("on", "since", *ENDLESS)
        return named and (word != "sun" or not _verb(said, low, capital))
    if said.kind == "month" and len(said.pieces) == 1:
        return _month_meant(said, low, capital, led or bool(which) or relation not in ("", "on", "at", "over"))
    return True


def _nothing_follows(said: TimeSaid, low: str) -> bool:
    """Tell whether a day of the month stands for itself: `the 2nd floor` and `his 17th birthday` are no days."""
    following = _NEXT.match(low, said.end)
    return following is None or following[1] in stop_words("english")


def _month_meant(said: TimeSaid, low: str, capital: bool, led: bool) -> bool:
    """Tell whether the bare name of a month is one: May and March are verbs too, April and June people."""
    word = said.pieces[0]
    if len(word) > 3 and word not in ("march", "april", "june", "august", "sept"):
        return True
    if word in ("may", "march", "mar") and _verb(said, low, capital):
        return False
    return led or _FOLLOWED.match(low, said.end) is not None


def _verb(said: TimeSaid, low: str, capital: bool) -> bool:
    """Tell whether `this may` and `and march` are no months: in small letters, where the sentence goes on."""
    loose = said.slots.get("which") == "this" or (said.join == "and" and "relation" not in said.slots)
    return loose and not capital and _CLOSE.match(low, said.end) is None
