"""The evidence check: a claim must rest on words that were said, and say no more than they do. No model is asked.

A claim that fails is not false, only unfounded: it is better kept apart with the reason than believed.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from recollect.model.candidate import Candidate
from recollect.model.turn import Turn
from recollect.rules.assertion import Assertion, Subject, assertion, has_self, spoken_subject
from recollect.rules.clauses import clauses_of, main_part, sentences_of, without_lead
from recollect.rules.corrections import corrects
from recollect.rules.evidence import allowed_times, forms, kin, names_in, numbers_in, stems_of
from recollect.rules.lexicon import RELATIONS, THIRD
from recollect.rules.marks import MACHINES
from recollect.rules.person import ADVERBS, FILLERS, plain
from recollect.rules.terms import fold

COVERED, SUBSTITUTED = 0.6, 0.8
"""Which share of a claim's words must be in its quote: where it only adds words, and where it puts others in their
place. Measured on the drill: below these, inventions pass; above, ordinary paraphrase is refused."""
LONGEST_CLAIM, LONGEST_QUOTE = 1000, 4000
LONGEST = 20_000
"""How many characters of a turn are looked at beside the quote."""

_SAME_MARKS = str.maketrans(
    dict.fromkeys("‘’‚", "'")
    | dict.fromkeys("“”„«»", '"')
    | dict.fromkeys("–—‐‑\u2212", "-")
    | {"\u00ad": "", "\u200b": ""}
)
_ELLIPSIS = re.compile(r"\s*(?:…|\.{3,}|\[\.\.\.\])\s*")
_PIECES = re.compile(
    r",?\s+(?:and|but)\s+(?=(?:does|did|is|was|has|have|had|never|not|no longer|will|can|cannot|"
    + "|".join(sorted(THIRD))
    + r")\b)|;\s*"
)
_ASKS = re.compile(r"[?？]\s*[\"')”]*$")
_ASKED = re.compile(r"\b(?:ask|wonder|want|curious|interest|question)\w*", re.IGNORECASE)
_OVER = re.compile(r"\b(\w+)\s+(?:over|to|than|rather than|instead of)\s+(\w+)")
_AUXILIARY = frozenset(
    "am is are was were be been have has had do does did not will would can could cannot can't may might".split()
)


@dataclass(frozen=True, slots=True)
class _Source:
    """Where a quote was found."""

    turn: Turn
    near: str
    """The turn and its direct neighbours."""
    quote: str
    """The words quoted; where some were left out, all from the first to the last."""


def unfounded(candidate: Candidate, turns: Sequence[Turn], exempt: Sequence[str] = ()) -> str:
    """Say why a claim is not borne out by its quote; empty when it is. Names in `exempt` need no evidence."""
    if not candidate.quote.strip():
        return "it has no quote"
    if len(candidate.content) > LONGEST_CLAIM or len(candidate.quote) > LONGEST_QUOTE:
        return "it is too long to be checked: one fact, one quote"
    source = _source(candidate, turns)
    if source is None:
        return "its quote does not occur in the conversation"
    if not candidate.content.strip():
        return "it says nothing"
    own = {word for name in (*exempt, source.turn.actor, "user") for word in re.findall(r"\w+", fold(name))}
    stray = _strays(candidate, source, own)
    if stray:
        return stray
    if _ASKS.search(candidate.quote.strip()) and not _ASKED.search(candidate.content):
        return "its quote is a question"
    for said in sentences_of(candidate.content):
        subject = _subject(said, own)
        for piece in _PIECES.split(said):
            if piece and (reason := _misread(piece, subject, source, own)):
                return reason
    return _other_speaker(candidate, source, exempt)


def normal(text: str) -> str:
    """Fold a text for finding quotes in it: case, white space, quotation marks and dashes do not count."""
    return fold(unicodedata.normalize("NFKC", text).translate(_SAME_MARKS))


def _source(candidate: Candidate, turns: Sequence[Turn]) -> _Source | None:
    parts = [part.strip(" \"'.,;:!?") for part in _ELLIPSIS.split(normal(candidate.quote))]
    parts = [part for part in parts if part]
    if not parts:
        return None
    order = sorted(range(len(turns)), key=lambda at: turns[at].id != candidate.turn)
    for at in order:
        if span := _stretch(normal(turns[at].content), parts):
            beside = turns[max(0, at - 1) : at + 2]
            near = "\n".join(turn.content[:LONGEST] for turn in (turns[at], *beside))
            return _Source(turns[at], near, candidate.quote if len(parts) == 1 else span[:LONGEST])
    return _corrected(parts, turns)


def _corrected(parts: Sequence[str], turns: Sequence[Turn]) -> _Source | None:
    """Find a sentence and its correction in two messages of one person: both together are what was said."""
    if len(parts) < 2 or not corrects(parts[-1]):
        return None
    for at, turn in enumerate(turns):
        if (late := _stretch(normal(turn.content), parts[-1:])) and turn.role not in MACHINES:
            for before in turns[:at]:
                same = (before.role, before.actor) == (turn.role, turn.actor)
                if same and (early := _stretch(normal(before.content), parts[:-1])):
                    return _Source(turn, f"{before.content[:LONGEST]}\n{turn.content[:LONGEST]}", f"{early}. {late}")
    return None


def _stretch(text: str, parts: Sequence[str]) -> str:
    """Give the stretch of a text that holds the parts in their order, each at the edges of words; empty if none."""
    begin, start = 0, -1
    for part in parts:
        at = text.find(part, begin)
        while at >= 0 and _inside_word(text, at, at + len(part)):
            at = text.find(part, at + len(part))
        if at < 0:
            return ""
        start = at if start < 0 else start
        begin = at + len(part)
    return text[start:begin]


def _inside_word(text: str, start: int, end: int) -> bool:
    ascii_edge = text[start : start + 1].isascii() and text[end - 1 : end].isascii()
    before = start > 0 and text[start - 1].isalnum() and text[start].isalnum()
    after = end < len(text) and text[end].isalnum() and text[end - 1].isalnum()
    return ascii_edge and (before or after)


def _strays(candidate: Candidate, source: _Source, own: set[str]) -> str:
    """Find a name or a number that nobody said."""
    content = plain(candidate.content)
    times = _times(source)
    near = normal(source.near)
    said = set(re.findall(r"\w+", near))
    numbers = numbers_in(near)
    for name in names_in(content):
        if name not in own and name not in said and name not in times and not forms(name, said):
            return f"nobody said {name.capitalize()}"
    for number in numbers_in(content):
        if number not in numbers and number not in times:
            return f"nobody said {number}"
    return ""


def _times(source: _Source) -> frozenset[str]:
    """Give the words of all dates that the times of a quote and its turn come to."""
    at = source.turn.at
    return allowed_times(source.quote, at) | allowed_times(source.turn.content, at)


def _subject(said: str, own: set[str]) -> Subject:
    """Find whom a claim in the third person is about."""
    words = re.findall(r"[^\W_][\w'-]*", plain(said))
    if words[:1] == ["The"] and words[1:2] and words[1].lower().removesuffix("'s") == "user":
        words = words[1:]
    if not words:
        return Subject("none")
    first = words[0].lower()
    if first.removesuffix("'s") in own:
        if not first.endswith("'s"):
            return Subject("self")
        noun = next((kin(word.lower()) for word in words[1:4] if word.lower() in RELATIONS), "")
        return Subject("relation", noun) if noun else Subject("self")
    if words[0][:1].isupper() and first not in ("the", "a", "an", "some", "every", "all", "there", "it", "its"):
        return Subject("name", first.removesuffix("'s"))
    return Subject("none", first)


def _misread(piece: str, subject: Subject, source: _Source, own: set[str]) -> str:
    """Say what one statement of a claim makes of its quote that the quote does not say."""
    claim = plain(piece)
    times = _times(source)
    times |= {stem for word in times for stem in stems_of(word)}
    wanted = stems_of(claim) - {stem for word in own for stem in stems_of(word)} - times
    clause, rest = _nearest(wanted, plain(source.quote))
    if (shorter := main_part(clause)) and not (stems_of(clause) - stems_of(shorter)) & wanted:
        clause = shorter  # a remark behind it, like "so no sugar please", has a sense of its own
    reason = _other_subject(subject, clause, claim, source) or _other_sense(
        assertion(claim.lower()), assertion(clause.lower()), claim
    )
    if reason:
        return reason
    if _swapped(claim, clause):
        return "it turns round what was said"
    if subject.sort == "self" and wanted and _of_another(wanted, clause):
        return "it is said of somebody else"
    known = stems_of(clause)
    missing = {stem for stem in wanted if stem not in known and not forms(stem, known)}
    if missing and rest:
        missing = {stem for stem in missing if stem not in rest and not forms(stem, rest)}
    unsaid = {stem for stem in known if stem not in wanted and not forms(stem, wanted)}
    share = 1 - len(missing) / len(wanted) if wanted else 1.0
    if share < (SUBSTITUTED if missing and unsaid else COVERED):
        return "its quote does not say " + ", ".join(sorted(missing)[:4])
    return ""


def _nearest(wanted: set[str], quote: str) -> tuple[str, set[str]]:
    """Find the clause of a quote a claim rests on, and the words of the others."""
    every = [without_lead(clause) for said in sentences_of(quote) for clause in clauses_of(without_lead(said))][:40]
    every = every or [quote]
    stems = [stems_of(clause) for clause in every]
    shared = [len({stem for stem in wanted if stem in known or forms(stem, known)}) for known in stems]
    at = max(range(len(every)), key=lambda one: (shared[one], -one))
    rest = {stem for one, known in enumerate(stems) if one != at for stem in known}
    return every[at], rest


def _other_sense(claim: Assertion, said: Assertion, text: str) -> str:
    """Compare for and against, sure and unsure, planned and done."""
    low = text.lower()
    if claim.negative != said.negative and not (said.ended and claim.negative):
        return "it denies what was said" if claim.negative else "it leaves out a negation"
    if said.unsure and not claim.unsure and not claim.planned:
        return "it makes a certainty of a guess"
    going = re.search(r"\bis \w+ing\b", low)
    if said.planned and not (claim.planned or claim.unsure or going):
        return "it makes a fact of a plan"
    if said.ended and not (claim.ended or claim.past or claim.negative):
        return "it makes the present of the past"
    return ""


def _swapped(claim: str, clause: str) -> bool:
    """Tell whether `tea over coffee` became `coffee over tea`, or `from Rome to Bonn` the way back."""
    one, two = _OVER.search(claim.lower()), _OVER.search(clause.lower())
    if one and two and one[1] == two[2] and one[2] == two[1]:
        return True
    here, there = _placed(claim), _placed(clause)
    both = set(here.values()) & set(there.values())
    return any(name in both and there.get(before, name) in both - {name} for before, name in here.items())


def _placed(text: str) -> dict[str, str]:
    """Give the names of a text by the word before each."""
    return {before.lower(): name for before, name in re.findall(r"\b(\w+) (?=([A-ZÀ-Þ]\w+))", text)}


def _of_another(wanted: set[str], clause: str) -> bool:
    """Tell whether all that is claimed stands in a clause about somebody else: `Carla, who is a lawyer`."""
    before, who, _ = re.sub(r"\b(?:who|whose)\b", "\0", clause, count=1).partition("\0")
    known = stems_of(before)
    return bool(who) and not any(stem in known or forms(stem, known) for stem in wanted)


def _other_subject(subject: Subject, clause: str, claim: str, source: _Source) -> str:
    """Tell a claim about another person than the one spoken of."""
    if subject.sort == "self":
        return _not_of_speaker(spoken_subject(clause), claim, source.turn.role in MACHINES)
    if subject.sort in ("relation", "name"):
        return _not_of_other(subject, spoken_subject(clause), clause, claim, source)
    return ""


def _not_of_speaker(spoken: Subject, claim: str, machine: bool) -> str:
    if spoken.sort in ("relation", "name"):
        claimed = {kin(word) for word in re.findall(r"[\w-]+", claim.lower())}
        return "" if kin(spoken.word) in claimed else f"it is said of {spoken.word}, not of the speaker"
    if spoken.sort == "third" or (spoken.sort == "other" and not machine):
        return "it is said of somebody else"
    return "the assistant says it of itself" if spoken.sort == "self" and machine else ""


def _not_of_other(subject: Subject, spoken: Subject, clause: str, claim: str, source: _Source) -> str:
    named = _mentions(subject, clause)
    if spoken.sort == "self":
        return f"it is said of the speaker, not of {subject.word}" if not named or _same_verb(claim, clause) else ""
    another = spoken.sort == "relation" and subject.sort == "relation" and kin(spoken.word) != kin(subject.word)
    if another or (spoken.sort == "name" and not named):
        return f"it is said of {spoken.word}, not of {subject.word}"
    if spoken.sort == "third" and not _mentions(subject, normal(source.near)):
        return f"nobody spoke of {subject.word}"
    if spoken.sort == "none" and not named and not has_self(clause):
        return f"it is not said of {subject.word}"
    return ""


def _mentions(subject: Subject, clause: str) -> bool:
    words = {kin(word) for word in re.findall(r"[\w-]+", clause.lower().replace("'s", ""))}
    return kin(subject.word) in words


def _same_verb(claim: str, clause: str) -> bool:
    """Tell whether a claim has given the speaker's own deed to somebody else."""
    spoken = clause.lower().split()
    begin = next((at + 1 for at, word in enumerate(spoken) if word in ("i", "we")), None)
    if begin is None:
        return False
    verb = next((word for word in spoken[begin:] if word not in _AUXILIARY | ADVERBS | FILLERS), "")
    told = claim.lower().split()[1:7]
    deed = {stem for word in told[:4] if word not in RELATIONS for stem in stems_of(word)}
    return bool(verb) and verb not in ("have", "own", "call", "know", "named") and bool(stems_of(verb) & deed)


def _other_speaker(candidate: Candidate, source: _Source, exempt: Sequence[str]) -> str:
    """Tell a claim that gives one known speaker's words to another."""
    actor = fold(source.turn.actor)
    known = {fold(name) for name in exempt}
    first = fold(candidate.content.split(" ", 1)[0]).removesuffix("'s")
    if actor in known and first in known and first != actor and has_self(candidate.quote):
        return f"{source.turn.actor} said it of himself or herself"
    return ""
