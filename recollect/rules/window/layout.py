"""How memory is laid out for a prompt: how much of what, and what one memory looks like as a line."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from functools import cache

from recollect.model.memory import Memory
from recollect.model.values import bounded, dataclass
from recollect.rules.learn.lessons import in_short, newest, times
from recollect.rules.learn.notes import ASKED, is_note, shown, speaker
from recollect.rules.window.markup import untagged
from recollect.text.normal import words

CUT = "…"


@dataclass(frozen=True, slots=True)
class Enrichment:
    """What is looked up whenever a prompt matches a pattern."""

    pattern: str
    """A regular expression; where it matches the prompt, the query is asked."""
    query: str
    title: str = "Enrichment"
    limit: int = bounded(5, least=1, most=50)


@dataclass(frozen=True, slots=True)
class ContextPolicy:
    """How much of each sort `context` shows; the budget of tokens may allow less. See [the window](window.md)."""

    enabled: bool = True
    """Whether anything is laid out at all; a session and an agent can be switched off by themselves."""
    off_agents: tuple[str, ...] = ()
    """Agents for whom nothing is laid out."""
    profile: str = "default"
    """The form of a context unless the caller names one: default, letta, samaritan, extensions, spec, openlegion."""
    always: tuple[str, ...] = ("identity", "health", "family", "wish", "home", "work")
    """The topics or categories of facts that stand in every context, in the order of their weight."""
    always_tokens: int = bounded(150)
    """How many tokens they may take."""
    active: int = 15
    """How many fresh, important or pinned memories are shown where there is no prompt to find something for."""
    active_floor: int = 3
    """Below this importance, as it stands now, a memory is not shown by itself."""
    active_tokens: int = bounded(400)
    """How many tokens they may take."""
    relevant: int = 6
    """How many memories are shown because the prompt is about them."""
    cover: float = bounded(0.25, most=1)
    """Which share of the telling words of a prompt a memory must hold, where its meaning does not speak for it."""
    likely: float = bounded(0.15, most=1)
    """How likely something found must bear on the prompt to be shown; less shows more, of which more is beside it."""
    related: int = bounded(2)
    """How many memories linked with a shown one are shown below it."""
    waiting: int = 3
    """How many proposals that wait for the user's word are shown, so that an agent can ask; 0 shows none."""
    said: int = bounded(16)
    """How many messages of other sessions are shown because the prompt is about them; 0 shows none."""
    line_characters: int = bounded(400, least=20)
    """How much of one memory is shown; the rest is found by its id."""
    said_characters: int = 320
    """How much of a message is shown: of a long one the sentences the prompt is about."""
    turns: int = bounded(3, least=1)
    """How many of the last turns are searched for, where messages are given."""
    turn_characters: int = bounded(300, least=1)
    """How much of each."""
    good: int = bounded(5)
    """With fewer finds than this the user's own words are searched for once more."""
    unsure: float = bounded(0.5, most=1)
    """Below which confidence of an agent memory is asked on demand."""
    enrich: tuple[Enrichment, ...] = ()
    """What is looked up whenever a prompt matches, for the profile `samaritan`."""


SENTENCE = 5
"""From so many words on a slot's text speaks for itself."""


def flat(text: str) -> str:
    """Put a text on one line in which nothing is a tag: it comes from strangers, and must stay inside its line."""
    return untagged(" ".join(text.split()))


def shortened(text: str, most: int) -> str:
    """Cut a text that is too long, at a word where there is one."""
    if len(text) <= most:
        return text
    head = text[: most - 1]
    return (head.rsplit(" ", 1)[0] if " " in head[most // 2 :] else head).rstrip() + CUT


def excerpt(sentences: Sequence[str], weights: Sequence[float], most: int) -> str:
    """Give the sentences of a long text that weigh most, in their order and within so many characters."""
    order = sorted(range(len(sentences)), key=lambda at: (-weights[at], at))
    taken, used = list[int](), 0
    for at in order:
        if not taken or (used + len(sentences[at]) + 1 <= most and weights[at] > 0):
            taken.append(at)
            used += len(sentences[at]) + 1
    parts = list[str]()
    for at in sorted(taken):
        apart = (parts and at - 1 not in taken) or (not parts and at)
        parts.append(f"{CUT} {sentences[at]}" if apart else sentences[at])
    return shortened(" ".join(parts), most) + (f" {CUT}" if max(taken) < len(sentences) - 1 else "")


def as_kept(memory: Memory) -> str:
    """Give what a memory says on one line; a bare value is told with the name of its slot."""
    text = flat(shown(memory))
    said = words(memory.content)
    bare = memory.key and len(said) < SENTENCE and not {*words(memory.key.replace("_", " "))} <= {*said}
    return f"{flat(memory.key)}: {text}" if bare else text


def day(at: datetime) -> str:
    """Give a date as people write it: 4 May 2026."""
    return f"{at.day} {_month(at.year, at.month)}"


@cache
def _month(year: int, month: int) -> str:
    return f"{date(year, month, 1):%B %Y}"


def own_words(memory: Memory) -> bool:
    """Tell whether a memory is what somebody said, word for word."""
    return memory.kind == "episode" or is_note(memory)


def dated(memory: Memory, characters: int) -> str:
    """Give a memory as one line with its date: whose words they are, or what is known since when."""
    when = day(memory.event_time)
    if not own_words(memory):
        return f"{shortened(as_kept(memory), characters)} ({when}){trusted(memory)}"
    who = speaker(memory) if is_note(memory) else memory.actor or memory.role or "user"
    question = memory.attributes.get(ASKED) if is_note(memory) else ""
    after = f", asked “{_inner(str(question))}”" if question else ""
    return f"{flat(who)}, {when}{after}: “{shortened(_inner(memory.content), characters)}”{trusted(memory)}"


def _inner(text: str) -> str:
    """Give a text that stands between quotes, and cannot end them."""
    return flat(text).replace("“", "‘").replace("”", "’")


def words_of(text: str) -> str:
    """Give the words of a text in normal form, joined."""
    return " ".join(words(text))


def trusted(memory: Memory) -> str:
    """Give the label of a memory whose origin is not fully believed; nothing for one that is."""
    return "" if memory.trust >= 1 else f" [unverified, from {flat(memory.role or memory.source)}]"


def learnt(memory: Memory, characters: int) -> str:
    """Give a lesson as one line: what happened and what to do, how often it did, and when last."""
    count = times(memory)
    often = f"{count} times, last " if count > 1 else ""
    return f"{shortened(flat(in_short(memory)), characters)} ({often}{day(newest(memory))})"


def asking(memory: Memory, forgets: bool = False) -> str:
    """Give a proposal as a question for the user, with the id to answer it by; what may have to go is not told."""
    question = "May what lies there be forgotten, as was asked?" if forgets else f"Is this true? {as_kept(memory)}"
    return f"{question} (accept or reject {memory.id})"


def indexed(memory: Memory) -> str:
    """Give a memory as one line to fetch it by: its id, what it is about, and when."""
    return f"{memory.id} | {flat(memory.topic or memory.category)} | {memory.event_time.date().isoformat()}"
