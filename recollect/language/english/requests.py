"""What the user asks to be kept, in so many words: `remember that …`, `call me …`, `always …`, `from now on …`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

from recollect.language.english.lexicon import IMPERATIVES, PAST, PAST_WEAK, THIRD
from recollect.language.english.orders import instructing
from recollect.language.english.person import UNNAMED, capital, inner, plain, third_person
from recollect.language.english.self_statements import sort_of
from recollect.model.values import dataclass
from recollect.text.patterns import pattern


@dataclass(frozen=True, slots=True)
class Request:
    """A wish to have something remembered, as a sentence in the third person."""

    content: str
    importance: int
    key: str = ""
    standing: bool = False
    """Whether it tells the assistant how to behave, not what is true."""


_POLITE = r"(?:(?:please|pls|also|and|ok|okay|hey|hi|so|btw|oh|by the way)[,!]?\s+)*"
_BEGS = (
    rf"^{_POLITE}(?:(?:can|could|will|would) you (?:please )?|i(?:'d| would) (?:like|want|rather) you (?:to )?"
    rf"|i want you to "
    r"|make sure (?:to|you) |you (?:should|must) )?(?:please )?(?:always )?"
)
_REMEMBER = pattern(
    _BEGS
    + r"(?P<word>remember|don't forget|do not forget|never forget|keep in mind|bear in mind|make a note|take note|note)"
    r"(?:(?: down)?(?: this| the following)?(?: for (?:later|next time|me))?\s*[:–—-]\s*|,? that\s+(?=\S+ \S)"
    r"|\s+(?=(?:i|i'm|i've|my|our|we)\b))(?P<what>.+)$",
    re.IGNORECASE | re.DOTALL,
)
_TO = pattern(
    _BEGS + r"(?:remember|do not forget|never forget) to (?P<what>(?P<verb>[\w-]+) .+)$", re.IGNORECASE | re.DOTALL
)
_ALSO = pattern(r",?\s+and (?:also )?that\s+(?=(?:i|i'm|i've|my|our|we|the|(?-i:[A-ZÀ-Þ])\w+)\s)", re.IGNORECASE)
_NO_STATEMENT = pattern(
    r"^(?:(?:one|last|first) )?(?:times?|day|night|evening|summer|winter|trip|song|movie|film|guy|girl|story|joke)\b"
    r"|^(?:for|in|on|at|next|from|about|as|too|please|because|since|and|or)\b",
    re.IGNORECASE,
)
"""What follows `remember that` where nothing is told: `that time in Rome`, `that for later`."""
_CALL = pattern(
    rf"^(?i:{_POLITE}(?:(?:can|could|will|would) you |please |you can |just |i(?:'d| would) (?:like|prefer) you to "
    r"|from now on,? )*call me )(?P<name>[A-ZÀ-Þ][\w'’-]*(?: [A-ZÀ-Þ][\w'’-]*){0,2})"
    r"(?:,? (?:from now on|please|instead|now|going forward|not \w+)|, (?:with|without|spelt|spelled|short for|as in"
    r"|like) [^,]{1,40})*$"
)
_KNOWN_AS = pattern(
    r"^(?i:(?:everyone|everybody) (?:just )?calls me |i (?:usually )?go by )(?P<name>[A-ZÀ-Þ][\w'’-]*)(?i:,? (?:though"
    r"|instead|anyway))?$"
)
_CALL_ANY = pattern(r"^call me ([^\W\d_][\w'’-]{1,30})(?: from now on| please)$", re.IGNORECASE)
_NOT_A_NAME = frozenset(
    "back later when tomorrow crazy maybe if at on a an the old today tonight again asap now".split()
)
_ALWAYS = pattern(rf"^{_POLITE}(always|never)\s+([\w-]+)\b(.*)$", re.IGNORECASE | re.DOTALL)
_NEVER_SUCH = pattern(
    r"^(?:never (?:mind|say never|be afraid|give up|stop|look back)|always be (?:yourself|happy))", re.IGNORECASE
)
_NOW_ON = pattern(
    rf"^{_POLITE}(?:from now on|going forward|in (?:the )?future)[,:]?\s+(?:please )?(?P<not>don't |do not |never "
    rf"|always )?"
    r"(?P<verb>[\w-]+)\b(?P<rest>.*)$",
    re.IGNORECASE | re.DOTALL,
)
_NOW_ON_LAST = pattern(
    rf"^{_POLITE}(?P<not>don't |do not )?(?P<verb>[\w-]+)\b(?P<rest>.*?),? (?:from now on|going forward)$",
    re.IGNORECASE | re.DOTALL,
)
_MORE = {
    "named": r",?\s+(?:but|and|so|though)\s+(?=(?:please |you can |just )*(?:call me|everyone (?:just )?calls me"
    r"|i go by)\s)",
    "wish": r",?\s+and\s+(?=(?:please )?(?:don['’]?t|do not|never|always)\s+\w+\s)",
    "never": r"^(?:please )?(?:don't|do not)(?P<ever> ever)? (?P<verb>[\w-]+)\b(?P<rest>.*)$",
    "remind": r"^(?:please |can you |could you |also |and )*remind me,? "
    r"(?:to|(?:that )?i (?:still )?(?:need|have|ought) to|(?:that )?i must) (?P<what>\w+ .+)$",
    "reported": r"^(?P<who>(?-i:[A-ZÀ-Þ])[\w-]+) (?P<verb>said|says|thinks|told me)(?: that)? (?P<what>(?:I|my)\b.+)$",
}
"""Wishes that are rarer, compiled when one is looked for."""
_ASKING = pattern(r"^(?:when|how|what|why|who|where|whether|if|me\b|us\b|correctly|right)", re.IGNORECASE)
_POINTING = pattern(r"\b(?:it|this|that|these|those|he|she|they|him|them|there|here)\b", re.IGNORECASE)
_POINTED = pattern(r"^(?:that|he|she|they)\b|\b(?:it|this|these|those|him|them|there|here)\b", re.IGNORECASE)
_THING = pattern(r"^(?:it|this|that)(?:'s)?\s+(?!\w+\s+(?:is|was|has|must|should)\b)", re.IGNORECASE)
"""A thing nobody names: `it is blue` says nothing a day later."""
_TO_OTHERS = pattern(r"\b(?:you|your|we|us|our|ours)\b", re.IGNORECASE)
_YOURS = pattern(r"\b(?:your|you|yourself)\s+", re.IGNORECASE)
_HEALTH = pattern(r"\b(?:allerg\w+|intoleran\w+|medication|diabet\w+|epilep\w+|pregnant|blood type)\b", re.IGNORECASE)
_CAN_YOU = pattern(rf"^{_POLITE}(?:can|could|will|would) you\b", re.IGNORECASE)
_SAYING = (
    frozenset(THIRD)
    | PAST
    | PAST_WEAK
    | {"is", "are", "was", "were", "has", "had", "will", "can", "cannot", "costs", "does", "did", "must", "should"}
    | {"may", "might", "would", "could"}
)
_DOES = pattern(r"[A-ZÀ-Þ][\w'-]+ [a-z]{2,}[^s\W]s\b")
"""Somebody named and what he does: `Tom owes`."""
_SLIPPED_IN = pattern(r"\b(?:remember|memori[sz]e|note) (?:that|this)\b", re.IGNORECASE)
LONGEST = 260
"""How many characters a memory of one's own words has at most: with its times made dates it still is short enough."""


@cache
def _more(name: str) -> re.Pattern[str]:
    return re.compile(_MORE[name], re.IGNORECASE | re.DOTALL)


def wishes_of(sentences: Iterable[str]) -> Iterator[str]:
    """Give sentences, those that hold two wishes or a name and a wish in two: `I'm Ana but call me Bo`."""
    for said in sentences:
        wishes = _more("wish").split(said)
        for one in wishes if len(wishes) > 1 and request_of(wishes[0], "") else [said]:
            yield from (piece for piece in _more("named").split(one) if piece.strip())


def requests_of(sentence: str, name: str, after: bool = False) -> list[Request]:
    """Read the wishes of a sentence; what is to be remembered may be two things: `that … and that …`."""
    found = _REMEMBER.match(plain(" ".join(sentence.split())))
    if found is None:
        pieces = [sentence]
    else:
        first, *others = _ALSO.split(found["what"])
        pieces = [sentence if not others else found[0][: found.start("what")] + first]
        pieces += [f"remember that {one}" for one in others]
    return [wish for one in pieces if (wish := request_of(one, name, after))]


def request_of(sentence: str, name: str, after: bool = False) -> Request | None:
    """Read a sentence as a wish to have something remembered; `after` says that another wish came before it."""
    said = plain(" ".join(sentence.split())).rstrip(" .!?…")
    called = _CALL.match(said) or _CALL_ANY.match(said) or _KNOWN_AS.match(said)
    if called:
        wanted = called[1] if called.re is _CALL_ANY else called["name"]
        if wanted.lower() in _NOT_A_NAME:
            return None
        return Request(capital(f"{name or UNNAMED} prefers to be called {capital(wanted)}."), 9, "preferred_name")
    asks = "?" in sentence[-3:] and not _CAN_YOU.match(said)
    if (to_do := _TO.match(said)) and not asks:
        return _to_do(to_do, name)
    remind = _more("remind").match(said)
    if remind and not _POINTING.search(remind["what"]):
        return Request(
            capital(f"{name or UNNAMED} wants to be reminded to {inner(remind['what'], name or UNNAMED)}."), 8
        )
    if _SLIPPED_IN.search(said) and not _REMEMBER.match(said) and instructing(said):
        return _verbatim(said, name)  # kept apart behind the screen, where it is seen
    return _standing(said, name, after) or _told(said, asks, name)


def _to_do(found: re.Match[str], name: str) -> Request | None:
    """Read what is to be done: `remember to buy milk`; `remember to always …` is an order."""
    what = found["what"]
    if found["verb"].lower() in ("always", "never") and (order := _standing(what, name)):
        return order
    if _POINTING.search(what) or _TO_OTHERS.search(what) or re.search(r"\bme\b", what, re.IGNORECASE):
        return _verbatim(f"to {what}", name)  # who is to do it, and for whom, is told by the words alone
    return Request(capital(f"{name or UNNAMED} wants to be reminded to {inner(what, name or UNNAMED)}."), 8)


def _told(said: str, asks: bool, name: str) -> Request | None:
    found = _REMEMBER.match(said)
    if found is None:
        return None
    what = found["what"].strip(" ,")
    if reported := _more("reported").match(what):
        return _reported(reported, name)
    if _ASKING.match(what) or asks or _THING.match(what):
        return None
    standing = _standing(what, name)
    if standing:
        return standing
    ours = re.sub(r"^our\s+", "my ", what, flags=re.IGNORECASE)
    if not _says(ours) or _TO_OTHERS.search(ours) or _POINTED.search(ours):
        return _verbatim(what, name) if found["word"].lower() not in ("note", "take note") else None
    sort = sort_of(ours, False)
    return Request(third_person(ours, name) + ".", 10 if _HEALTH.search(ours) else 9, sort.key if sort else "")


def _verbatim(what: str, name: str) -> Request | None:
    """Keep in the user's own words what cannot be put in the third person for sure."""
    if _NO_STATEMENT.match(what) or not re.search(r"[^\W\d_]{2}", what):
        return None
    begins = f'{capital(name or UNNAMED)} asked to remember: "'
    most = LONGEST - len(begins) - 2
    told = capital(what) + "."
    if len(told) > most:
        told = told[: most - 2].rpartition(" ")[0] + " …"
    return Request(f'{begins}{told}"', 10 if _HEALTH.search(what) else 9)


def _reported(found: re.Match[str], name: str) -> Request | None:
    """Read what somebody named said of the speaker: `Tom said I owe him 50 euros`."""
    who, what = found["who"], re.sub(r"\b(?:him|her)\b(?! \w*[a-z] )", found["who"], found["what"])
    if _POINTING.search(what) or re.search(r"\b(?:you|your|we|us|our|his|her)\b", what, re.IGNORECASE):
        return None
    verb = f"told {name or UNNAMED}" if found["verb"].lower() == "told me" else found["verb"].lower()
    told = third_person(what, name or UNNAMED)
    return Request(f"{who} {verb} {told if name else told[:1].lower() + told[1:]}.", 9)


def _says(what: str) -> bool:
    """Tell whether a text has a verb in it, so that it can be true or false."""
    words = [word.strip(",.;:").lower() for word in what.split()]
    does = _DOES.match(what) is not None
    return len(words) > 1 and (does or words[0] in ("i", "my") or any(word in _SAYING for word in words[1:]))


def _standing(said: str, name: str, after: bool = False) -> Request | None:
    """Read how the assistant is to behave; only what begins like an order to it."""
    who = name or UNNAMED
    if _NEVER_SUCH.match(said):
        return None
    always = _ALWAYS.match(said)
    if always and always[2].lower() in IMPERATIVES:
        order = f"{always[1].lower()} {always[2].lower()}{always[3]}"
        return _order(order, who, "")
    never = _more("never").match(said)
    if never and (never["ever"] or after) and never["verb"].lower() in IMPERATIVES and not _NOW_ON_LAST.match(said):
        return _order(f"{'never' if never['ever'] else 'not'} {never['verb'].lower()}{never['rest']}", who, "")
    now_on = _NOW_ON.match(said) or _NOW_ON_LAST.match(said)
    if now_on and now_on["verb"].lower() in IMPERATIVES:
        word = (now_on["not"] or "").strip().lower()
        before = {"": "", "always": "always "}.get(word, "never " if word == "never" else "not ")
        return _order(f"{before}{now_on['verb'].lower()}{now_on['rest']}", who, " from now on")
    return None


def _order(order: str, who: str, ending: str) -> Request | None:
    order = re.sub(r"\byour\s+", "", order, flags=re.IGNORECASE).strip()
    if _POINTING.search(order) or _YOURS.search(order + " ") or len(order.split()) < 3 or len(order) > 200:
        return None
    marked, _, rest = order.partition(" ")
    wish = f"not to {rest}" if marked == "not" else f"to {order}"
    language = re.search(r"\b(?:answer|reply|respond|write|speak|talk)\b.* in ([A-Z]\w+(?: [A-Z]\w+)?)$", order)
    key = "language" if language and marked not in ("never", "not") else ""
    return Request(capital(f"{who} wants the assistant {inner(wish, who)}{ending}."), 8, key, standing=True)
