"""Which memories and which messages a request of the owner means: what says it, what was left by what he just said."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from recollect.flows.find.words import best_matches
from recollect.flows.learn import free
from recollect.flows.learn.asked import ASKED, before
from recollect.flows.learn.free import LEFT, STANDING, sorts
from recollect.flows.learn.pages import Talk
from recollect.language.commands import Command
from recollect.language.telling import Told
from recollect.model.filter import Filter
from recollect.model.memory import COVERS, Memory
from recollect.model.owner import Scope
from recollect.model.turn import Turn
from recollect.rules.learn.notes import CORRECTS, is_note, speaker
from recollect.runtime import Runtime
from recollect.store.base import Reading, Searching
from recollect.text.normal import EDGES
from recollect.text.roles import is_machine
from recollect.text.stopwords import common
from recollect.text.terms import fold, terms

LOOKED_AT = 50
"""How many memories are held against what is to be forgotten or put right."""
SURE = 0.8
"""How sure the judge must be that two texts say the same."""
FEWEST = 2
"""Of fewer telling words a memory is not known again in what an assistant said."""
DATED = 2
"""Of how many words a date is whose order may change: 4 May, May 4."""
SHORT = 80
"""Up to how many characters a sentence says one thing."""
MOSTLY = 0.4
"""From which share of its telling words on a message says what is to be forgotten, and not much else."""
LONGEST_SAID = 600
"""A message of more characters is not put out of sight as a whole without asking."""
Group = tuple[Memory, ...]
"""A claim and the notes it covers: what happens to one happens to all."""


def memories(runtime: Runtime, view: Searching, scope: Scope, talk: Talk, turn: Turn, command: Command) -> list[Group]:
    """Give the memories a request may mean, each with what goes with it."""
    last = before(talk, turn)
    if command.free and command.name in ("forget", "correct"):
        found = free.meant(runtime, view, scope, turn, command)
    elif command.name == "call":
        slot = view.slot(scope.owner, "", "fact", "preferred_name")
        found = [slot] if slot is not None and fold(command.old) in fold(slot.content) else []
    elif command.name == "correct":
        near = _near(runtime, view, scope, command.old) if command.old else []
        # The sentence that puts it right names the old value, too, and so does a lesson drawn from it.
        others = (one for one in near if one.attributes.get("turn") != turn.id and one.kind != "lesson")
        found = [one for one in others if value_in(command.old).search(one.content)]
    elif command.name == "forget":
        found = _saying(runtime, view, scope, command)
    elif command.name == "wrong" and last is not None and is_machine(last.role):
        found = _said_by(runtime, view, scope, last)
    elif command.name == "private" and _of_itself(runtime, turn, command):
        found = []  # what is told in the same message was not noted
    elif command.name in ("back", "private", "wrong"):
        found = _left_by(view, scope, talk, turn)
    else:
        found = []
    return _grouped(view, scope.owner, found)


def _near(runtime: Runtime, view: Searching, scope: Scope, text: str, kinds: Sequence[str] = LEFT) -> list[Memory]:
    """Give the memories of some kinds that share words with a text."""
    policy = runtime.settings.terms
    where = Filter(owner=scope.owner, now=runtime.now(), kinds=tuple(kinds), states=STANDING)
    wanted = list(terms(text, policy)) or text.casefold().split()
    docs = best_matches(view, where, wanted, policy, LOOKED_AT).tolist()
    return list(view.documents(scope.owner, docs).values())


def _saying(runtime: Runtime, view: Searching, scope: Scope, command: Command) -> list[Memory]:
    """Give the memories that say what is to be forgotten: all its telling words, else all its names and numbers, or
    the same by the judge's word."""
    what, language = command.what, runtime.reader.told(command.quote).language
    wanted = runtime.reader.told(what, language)
    near = _near(runtime, view, scope, what)
    told = {one.id: runtime.reader.told(f"{speaker(one)} {one.content}", language) for one in near}
    named = _named(what, wanted)
    found = [one for one in near if one.id in _holding(told, wanted, named)]
    if found or named or runtime.judge is None or not near:
        return found
    verdicts = runtime.judge.relation([(one.content, what) for one in near])
    return [one for one, said in zip(near, verdicts, strict=True) if said.label == "same" and said.sure >= SURE]


def _named(what: str, wanted: Told) -> frozenset[str]:
    """Give the names and numbers of what is to be forgotten."""
    large = {fold(word.strip(EDGES)) for word in what.split()[1:] if word[:1].isupper()}
    return wanted.names | wanted.numbers | large


def _holding(told: Mapping[str, Told], wanted: Told, named: frozenset[str]) -> set[str]:
    """Give those of some texts that hold all telling words of what is to be forgotten, else all its names."""
    whole = {id for id, said in told.items() if _says(said, wanted)}
    return whole or {id for id, said in told.items() if named and named <= said.words | said.numbers}


def _says(said: Told, wanted: Told) -> bool:
    """Tell whether a text holds every telling word and number of what is to be forgotten."""
    return bool(wanted.stems) and wanted.stems | wanted.numbers <= said.stems | said.numbers


def messages(
    runtime: Runtime,
    view: Searching,
    scope: Scope,
    talk: Talk,
    turn: Turn,
    command: Command,
    meant: Sequence[Group] = (),
) -> tuple[list[Memory], list[Memory]]:
    """Give the messages that say what is to be forgotten and not much else, and those that also say other things.

    `meant` are the memories that are to be forgotten.
    """
    if command.name == "forget" and command.free:
        found = _messages_meant(runtime, view, scope, turn, command, [one for group in meant for one in group])
    elif command.name == "forget":
        found = _messages_saying(runtime, view, scope, turn, command)
        told = _messages_of(view, scope, [one for group in meant for one in group])
        found += [(one, clear) for one, clear in told if clear and one.id not in {known.id for known, _ in found}]
    elif command.name == "private" and _of_itself(runtime, turn, command):
        found = [(one, True) for one in view.get(scope.owner, [turn.id])]
    elif command.name in ("back", "private"):
        found = [(one, len(one.content) <= LONGEST_SAID) for one in _said_last(runtime, view, scope, talk, turn)]
    else:
        found = []
    standing = [(one, clear) for one, clear in found if one.state == "active"]
    return [one for one, clear in standing if clear], [one for one, clear in standing if not clear]


def _of_itself(runtime: Runtime, turn: Turn, command: Command) -> bool:
    """Tell whether a message that is not to be kept is the one that says so: it says more than that."""
    return bool(command.what) or len(runtime.reader.sentences(turn.content)) > 1


def _messages_meant(
    runtime: Runtime, view: Searching, scope: Scope, turn: Turn, command: Command, meant: Sequence[Memory]
) -> list[tuple[Memory, bool]]:
    """Give the messages of the memories that are meant, and whether they say little else; where none is meant, the
    messages that may be."""
    if meant:
        return _messages_of(view, scope, meant)
    said = free.messages_meant(runtime, view, scope, turn, command)
    return [(one, len(said) == 1 and len(runtime.reader.sentences(one.content)) == 1) for one in said]


def _messages_of(view: Reading, scope: Scope, meant: Sequence[Memory]) -> list[tuple[Memory, bool]]:
    """Give the messages some memories were learnt from, and of each whether it says little else."""
    told = {str(one.attributes.get("turn", "")): len(one.content) for one in meant}
    found = view.get(scope.owner, sorted(told.keys() - {""}))
    return [(one, told[one.id] >= MOSTLY * len(one.content)) for one in found]


def _messages_saying(
    runtime: Runtime, view: Searching, scope: Scope, turn: Turn, command: Command
) -> list[tuple[Memory, bool]]:
    """Give the messages that say something, and of each whether it says little else; requests are none of them."""
    reader = runtime.reader
    language = reader.told(command.quote).language
    wanted = reader.told(command.what, language)
    near = _near(runtime, view, scope, command.what, ("episode",))
    spoken = [one for one in near if one.id != turn.id and not _requests(runtime, one.content)]
    told = {one.id: reader.told(one.content, language) for one in spoken}
    held = _holding(told, wanted, _named(command.what, wanted))
    return [
        (one, len(wanted.stems) >= MOSTLY * len(told[one.id].stems) or _short(runtime, one))
        for one in spoken
        if one.id in held
    ]


def _short(runtime: Runtime, message: Memory) -> bool:
    """Tell whether a message is one short sentence: it says one thing."""
    return len(message.content) <= SHORT and len(runtime.reader.sentences(message.content)) == 1


def _requests(runtime: Runtime, text: str) -> bool:
    names = {one.name for one in runtime.reader.commands(text)}
    return "correct" not in names and not names.isdisjoint(ASKED)


def _said_last(runtime: Runtime, view: Reading, scope: Scope, talk: Talk, turn: Turn) -> list[Memory]:
    """Give the message the speaker said before that is no request; with one that put a value right, the wrong one."""
    mine = [one for one in talk.turns if (one.role, one.actor) == (turn.role, turn.actor)]
    at = next((at for at, one in enumerate(mine) if one.id == turn.id), 0)
    last = [one.id for one in mine[max(0, at - 1) : at] if not _requests(runtime, one.content)]
    links = [one for one in view.links(scope.owner, last) if one.type == "derived_from"] if last else []
    left = view.get(scope.owner, [one.from_id for one in links if one.to_id in last])
    wrong = [id for one in left for id in one.attributes.get(CORRECTS, ()) if isinstance(id, str)]
    told = [one for one in view.links(scope.owner, wrong) if one.type == "derived_from"] if wrong else []
    ids = dict.fromkeys((*last, *wrong, *(one.to_id for one in told if one.from_id in wrong)))
    return [one for one in view.get(scope.owner, list(ids)) if one.kind == "episode"]


def value_in(text: str) -> re.Pattern[str]:
    """Give the pattern by which a value is found in a text: the parts of a date may stand the other way around."""
    parts = [re.escape(part) for part in bare_value(text).split()]
    dated = len(parts) == DATED and any(part.strip("\\.").isdecimal() for part in parts)
    ways = "|".join(r"[\s,]+".join(way) for way in ([parts, parts[::-1]] if dated else [parts]))
    return re.compile(rf"(?<![\w-])(?:{ways})(?![\w-])", re.IGNORECASE)


def bare_value(text: str) -> str:
    """Leave out small words before a value: `on Friday` is Friday, `l'11 aprile` is 11 aprile."""
    parts = re.sub(r"^\w{1,2}['’](?=\w)", "", text).split()
    while len(parts) > 1 and fold(parts[0]) in common():
        parts.pop(0)
    return " ".join(parts)


def wrong_value(runtime: Runtime, talk: Talk, turn: Turn, right: str) -> str:
    """Give the one value the speaker said just before that is of the right one's sort: a name, a date, a number."""
    mine = [one for one in talk.turns if (one.role, one.actor) == (turn.role, turn.actor)]
    at = next((at for at, one in enumerate(mine) if one.id == turn.id), 0)
    if not at:
        return ""
    language = runtime.reader.told(f"{mine[at - 1].content} {turn.content}").language  # a value alone tells none
    values = bare_value(right).split()
    wanted = sorts(runtime, values, language)
    if not any(wanted):
        return ""
    parts = mine[at - 1].content.split()
    kinds = sorts(runtime, parts, language)
    kinds[:1] = [kinds[0] if kinds[0] != "name" or fold(parts[0].strip(EDGES)) not in common() else ""] if kinds else []
    many = len(wanted)
    # A word of no sort, such as a measure, is the same in both.
    kept = [kind or fold(word.strip(EDGES)) for word, kind in zip(values, wanted, strict=True)]
    said = [kind or fold(word.strip(EDGES)) for word, kind in zip(parts, kinds, strict=True)]
    found = {
        " ".join(parts[place : place + many]).strip(EDGES)
        for place in range(len(parts) - many + 1)
        if said[place : place + many] == kept
    }
    return found.pop() if len(found) == 1 else ""


def message_with(runtime: Runtime, view: Searching, scope: Scope, turn: Turn, value: str) -> Memory | None:
    """Give the last message of a person, before a turn, that holds a value."""
    found = [
        one
        for one in _near(runtime, view, scope, value, ("episode",))
        if one.id != turn.id
        and one.event_time <= turn.at
        and not is_machine(one.role)
        and value_in(value).search(one.content)
        and not runtime.reader.commands(one.content)
    ]
    return max(found, key=lambda one: one.event_time, default=None)


def _said_by(runtime: Runtime, view: Searching, scope: Scope, turn: Turn) -> list[Memory]:
    """Give the memories an assistant has just told of: all their telling words are in what it said."""
    said = runtime.reader.told(turn.content)
    near = _near(runtime, view, scope, turn.content)
    found = []
    for one in near:
        # Whom it is about is the one who is spoken to.
        first, _, rest = one.content.partition(" ")
        told = runtime.reader.told(one.content if is_note(one) or not first[:1].isupper() else rest, said.language)
        known = told.stems <= said.stems | said.words and told.numbers <= said.numbers
        found += [one] if known and len(told.stems) >= FEWEST else []
    return found


def _left_by(view: Reading, scope: Scope, talk: Talk, turn: Turn) -> list[Memory]:
    """Give what was learnt of the message the speaker said before."""
    mine = [one.id for one in talk.turns if (one.role, one.actor) == (turn.role, turn.actor)]
    last = mine[mine.index(turn.id) - 1 : mine.index(turn.id)] if turn.id in mine[1:] else []
    links = [one for one in view.links(scope.owner, last) if one.type == "derived_from"] if last else []
    found = view.get(scope.owner, [one.from_id for one in links if one.to_id in last])
    return [one for one in found if one.kind in LEFT and one.state in STANDING]


def _grouped(view: Reading, owner: str, found: Iterable[Memory]) -> list[Group]:
    """Put claims and the notes they cover together."""
    once = {one.id: one for one in found}
    links = [one for one in view.links(owner, list(once)) if one.type == COVERS] if once else []
    groups: dict[str, list[str]] = {}
    head = {link.to_id: link.from_id for link in links}
    for one in once:
        groups.setdefault(head.get(one, one), []).append(one)
    for link in links:
        if link.from_id in groups:
            groups[link.from_id] += [end for end in (link.from_id, link.to_id) if end not in groups[link.from_id]]
    missing = [id for ids in groups.values() for id in ids if id not in once]
    once |= {one.id: one for one in view.get(owner, missing)}
    return [tuple(once[id] for id in ids if id in once and once[id].state in STANDING) for ids in groups.values()]
