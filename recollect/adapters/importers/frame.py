"""Bringing another memory in: looked at first, newest first, resumable, each thing once, and where it comes from kept.

Every message and note has an id of its own in the format it comes from. What is kept is known by it, so a run that was
killed goes on where it was, and a later export brings only what is new. Notes pass the gate like everything else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime
from importlib import import_module
from pathlib import Path
from typing import Any

from recollect.adapters.importers.items import CoreBlock, Format, Note, Skipped, Talk
from recollect.adapters.naming import hashed
from recollect.errors import InvalidInput
from recollect.flows.keep.observe import Line, observe_many
from recollect.flows.keep.revise import correct
from recollect.front.space import Space, no_progress
from recollect.model.change import Enqueue, Write
from recollect.model.memory import Memory
from recollect.model.receipt import Receipt
from recollect.model.values import dataclass
from recollect.rules.gate.checks import LONGEST_NAME
from recollect.rules.gate.writing import LONGEST_CONTENT
from recollect.rules.window.edits import defaults
from recollect.store.base import Reading

FORMATS: tuple[str, ...] = (
    "chatgpt", "claude", "mem0", "letta", "zep", "langgraph", "notes", "mempalace", "anthropic",
)  # fmt: skip
_HOMES = {"anthropic": "files", "langgraph": "langgraph_items", "mem0": "mem0_memories"}
"""The formats whose module has another name."""
BATCH = 200
"""How many messages go to the store at once."""
EVERYBODY = "all"
"""Whose things come in when it shall be everybody's."""
SHOWN = 5
"""How many talks a preview names."""


@dataclass(frozen=True, slots=True)
class Preview:
    """What a file holds, before anything of it is kept."""

    format: str
    talks: int
    messages: int
    notes: int
    blocks: int
    left_out: int
    """Messages that are not brought in: hidden ones, results of tools, branches nobody went on with."""
    first: datetime | None
    last: datetime | None
    newest: tuple[str, ...]
    """The titles of the talks that come first."""
    known: int
    """How many messages are here already."""
    whose: Mapping[str, int] = field(default_factory=dict)
    """The users it belongs to, where the format tells them apart, and how many things each has."""
    empty: int = 0
    """Talks without a message that is brought in; they are not among `talks`."""
    files: tuple[str, ...] = ()
    """The files talks were read from, as seen from the folder or zip that was named."""
    wordless: int = 0
    """Messages without text, such as a picture alone; they are neither among `messages` nor `left_out`."""
    skipped: tuple[Skipped, ...] = ()
    """What is not as the format has it, and why: it is passed over."""


@dataclass(frozen=True, slots=True)
class Imported:
    """What became of everything a file held."""

    format: str
    talks: int = 0
    messages: int = 0
    notes: int = 0
    blocks: int = 0
    known: int = 0
    """What was here already: brought in before, or a duplicate by the gate's word."""
    refused: Mapping[str, int] = field(default_factory=dict)
    """How often what was not kept, by the reason."""
    empty: int = 0
    """Talks that had no message to keep."""
    wordless: int = 0
    """Messages that had no text."""
    skipped: tuple[Skipped, ...] = ()
    """What was passed over because it is not as the format has it, and why."""


class Source:
    """One file of one format, read once, its talks newest first; of one user alone where one is named."""

    def __init__(self, format: str, path: str | Path, of: str = "") -> None:
        where = Path(path).expanduser()
        if not where.exists():
            raise InvalidInput(f"{where} does not exist: name {_format(format).TEXT}")
        self.format = format
        read = list(_format(format).read(where))
        self.skipped = tuple(one for one in read if isinstance(one, Skipped))
        found = [one for one in read if not isinstance(one, Skipped)]
        self.whose = Counter(one.whose for one in found if not isinstance(one, CoreBlock) and one.whose)
        self.of = of
        if of and of != EVERYBODY:
            if of not in self.whose:
                raise InvalidInput(f"{where} holds nothing of {of!r}, but of: {_counted(self.whose) or 'nobody named'}")
            found = [one for one in found if isinstance(one, CoreBlock) or one.whose in ("", of)]
        told = [one for one in found if isinstance(one, Talk)]
        every = sorted(map(_with_words, told), key=_age, reverse=True)
        self.wordless = sum(len(one.messages) for one in told) - sum(len(one.messages) for one in every)
        self.talks = [one for one in every if one.messages]
        self.empty, self.left_out = len(every) - len(self.talks), sum(one.left_out for one in every)
        self.files = tuple(sorted({one.file for one in every if one.file}))
        self.notes = [one for one in found if isinstance(one, Note)]
        self.blocks = [one for one in found if isinstance(one, CoreBlock)]
        if not self.total:
            raise InvalidInput(f"{where} holds nothing to bring in{self._only()}: name {_format(format).TEXT}")

    @property
    def total(self) -> int:
        """How many things there are to keep."""
        return sum(len(talk.messages) for talk in self.talks) + len(self.notes) + len(self.blocks)

    def _only(self) -> str:
        """Say what there is where there is nothing to keep."""
        only = f" but {self.empty:,} empty conversations" if self.empty else ""
        odd = [f"{one.what}: {one.why}" for one in self.skipped[:1]]
        more = f", and {len(self.skipped) - 1:,} more like it" if len(self.skipped) > 1 else ""
        return only + "".join(f" ({one}{more})" for one in odd)

    def settled(self) -> None:
        """Refuse to put what belongs to several users into one memory, unless that is what was asked for."""
        if len(self.whose) > 1 and not self.of:
            one = max(self.whose, key=self.whose.__getitem__)
            raise InvalidInput(
                f"this holds what belongs to several: {_counted(self.whose)}. Say whose comes in with --of {one}; "
                f"--of {EVERYBODY} brings everything into this one memory"
            )

    def lines(self, now: datetime) -> Iterator[Line]:
        """Give every message, the newest talk first, as the store takes it."""
        for talk in self.talks:
            last = talk.at or now
            for at, one in enumerate(talk.messages):
                last = one.at or last
                about = {"from": self.format, "id": one.id, **({"title": talk.title[:200]} if talk.title else {})}
                about |= {"whose": talk.whose} if talk.whose else {}
                yield Line(
                    f"{self.format}:{talk.id}"[:LONGEST_NAME],
                    one.role,
                    _sound(one.content),
                    min(last, now),
                    _request(self.format, talk.id, one.id or str(at)),
                    {**one.attributes, "imported": about},
                )

    def preview(self, space: Space) -> Preview:
        """Say what there is, and how much of it is here already."""
        runtime, scope = space._runtime, space._scope
        times = [one.at for talk in self.talks for one in talk.messages if one.at]
        ids = [
            runtime.new_id("episode", runtime.now(), (scope.owner, f"observe\n{line.request_id}", 0))
            for line in self.lines(runtime.now())
        ]
        with runtime.store.view() as view:
            known = sum(len(view.get(scope.owner, ids[at : at + 500])) for at in range(0, len(ids), 500))
        return Preview(
            self.format,
            len(self.talks),
            sum(len(talk.messages) for talk in self.talks),
            len(self.notes),
            len(self.blocks),
            self.left_out,
            min(times, default=None),
            max(times, default=None),
            tuple(talk.title for talk in self.talks[:SHOWN]),
            known,
            dict(self.whose),
            self.empty,
            self.files,
            self.wordless,
            self.skipped,
        )


def bring(space: Space, source: Source, progress: Callable[[int], None] = no_progress) -> Imported:
    """Keep all a source holds, and say what became of it: notes and blocks first, then talks, the newest first."""
    source.settled()
    done, new = _Tally(progress), set[str]()
    for block in source.blocks:
        done.add("blocks", _block(space, source.format, block))
    for note in source.notes:
        done.add("notes", _note(space, source.format, note))
    for batch in _batches(source.lines(space._runtime.now())):
        for line, receipt in zip(batch, observe_many(space._runtime, space._scope, batch), strict=True):
            done.sessions.add(line.session)
            done.add("messages", receipt)
            if receipt.ok and receipt.outcome != "duplicate":
                new.add(line.session)
    _over(space, sorted(new))
    told = done.told(source.format)
    return replace(told, empty=source.empty, wordless=source.wordless, skipped=source.skipped)


def _over(space: Space, sessions: Sequence[str]) -> None:
    """Make talks that were brought in due to be worked through: they are over, nobody waits for a next message."""
    now = space._runtime.now()
    due = tuple(Enqueue("consolidate", now, one) for one in sessions)
    if due:
        space._runtime.store.commit(Write(owner=space.owner, at=now, node="import", changes=due))


class _Tally:
    """Counts what became of things."""

    def __init__(self, progress: Callable[[int], None]) -> None:
        self._progress = progress
        self._kept: Counter[str] = Counter()
        self._refused: Counter[str] = Counter()
        self._seen = self._known = 0
        self.sessions: set[str] = set()

    def add(self, what: str, receipt: Receipt) -> None:
        self._seen += 1
        if receipt.outcome in ("rejected", "failed"):
            self._refused[receipt.reason] += 1
        elif receipt.outcome == "duplicate":
            self._known += 1
        else:
            self._kept[what] += 1
        self._progress(self._seen)

    def told(self, format: str) -> Imported:
        messages, notes, blocks = (self._kept[name] for name in ("messages", "notes", "blocks"))
        refused = dict(self._refused)
        return Imported(format, len(self.sessions), messages, notes, blocks, self._known, refused)


def _format(name: str) -> Format:
    if name not in FORMATS:
        raise InvalidInput(f"there is no format {name!r}: use one of {', '.join(FORMATS)}")
    module: Any = import_module(f"recollect.adapters.importers.{_HOMES.get(name, name)}")
    return module  # type: ignore[no-any-return]


def described() -> dict[str, str]:
    """Give the formats, each with what to pass."""
    return {name: _format(name).TEXT for name in FORMATS}


def _with_words(talk: Talk) -> Talk:
    return replace(talk, messages=tuple(one for one in talk.messages if one.content.strip()))


def _age(talk: Talk) -> float:
    times = [one.at for one in talk.messages if one.at]
    last = max(times, default=talk.at)
    return last.timestamp() if last else 0.0


def _batches(lines: Iterable[Line]) -> Iterator[list[Line]]:
    batch: list[Line] = []
    for line in lines:
        for part in _parts(line):
            batch.append(part)
            if len(batch) >= BATCH:
                yield batch
                batch = []
    if batch:
        yield batch


def _parts(line: Line) -> Iterator[Line]:
    """Give a message, or as many pieces of it as fit what one memory may hold."""
    most = LONGEST_CONTENT // 4  # characters, whatever they take
    if len(line.content) <= most:
        yield line
        return
    for at in range(0, len(line.content), most):
        yield replace(line, content=line.content[at : at + most], request_id=f"{line.request_id}.{at}")


def _counted(whose: Mapping[str, int]) -> str:
    return ", ".join(f"{name} ({many:,})" for name, many in sorted(whose.items(), key=lambda one: -one[1]))


def _request(*parts: str) -> str:
    return f"import-{hashed(*parts)}"


def _note(space: Space, format: str, note: Note) -> Receipt:
    """Keep a note through the gate; what is no fact by its form is kept as the passage it is."""
    if not note.content.strip():
        return Receipt(outcome="rejected", reason="there is no text in it")
    content = _sound(note.content)
    from_where = {"from": format, "id": note.id[:200], "text": hashed(content)[:16]}
    about = {**note.details.get("attributes", {}), "imported": from_where}
    details: dict[str, Any] = {"source": "import", **note.details, "attributes": about}
    now = space._runtime.now()
    if details.get("event_time", now) > now:
        del details["event_time"]
    request = _request(format, "note", note.id)
    before = _before(space, request) or _before(space, f"{request}.passage")
    if before is not None:
        return _again(space, before, request, content, details)
    return _first(space, content, details, request)


def _sound(text: str) -> str:
    """Give a text that can be kept: one bad character of an export is no reason to lose a message."""
    return text.replace("\0", "").encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _first(space: Space, content: str, details: Mapping[str, Any], request: str) -> Receipt:
    receipt = _asked(space, content, details, request)
    if receipt.outcome == "rejected" and details.get("kind", "fact") != "passage":
        return _asked(space, content, {**details, "kind": "passage"}, f"{request}.passage")
    return receipt


def _asked(space: Space, content: str, details: Mapping[str, Any], request: str) -> Receipt:
    try:
        return space.remember(content, request_id=request, **details)
    except InvalidInput as error:
        return Receipt(outcome="rejected", reason=str(error))


def _before(space: Space, request: str) -> Receipt | None:
    """Give what became of a note when it came in, if it did."""
    with space._runtime.store.view() as view:
        known = view.replay(space.owner, f"remember\n{request}")
    first = known.parts[0] if known is not None and known.parts else known
    return first if first is not None and first.ok else None


def _again(space: Space, before: Receipt, request: str, content: str, details: Mapping[str, Any]) -> Receipt:
    """Judge a note that came in before: what it says by now takes its place, and what is forgotten stays so."""
    known = replace(before, outcome="duplicate")
    with space._runtime.store.view() as view:
        stands = _standing(view, space.owner, before.id)
    if stands is None or stands.state != "active":
        return known
    told, says = stands.attributes.get("imported", {}).get("text"), details["attributes"]["imported"]["text"]
    if told == says:
        return known
    now = hashed(request, says, stands.id)
    if told is None:  # another memory that said the same stands here: this one is no longer its duplicate
        return _first(space, content, details, f"import-{now}")
    try:
        also = {"attributes": details["attributes"]}
        return correct(space._runtime, space._scope, stands.id, content, f"import-{now}", also)
    except InvalidInput as error:
        return Receipt(outcome="rejected", reason=str(error))


def _standing(view: Reading, owner: str, id: str) -> Memory | None:
    """Give the memory that stands where one was put: itself, or what has taken its place since."""
    seen: set[str] = set()
    while id and id not in seen:
        seen.add(id)
        found = view.get(owner, [id])
        if not found or found[0].state != "superseded":
            return found[0] if found else None
        newer = (link for link in view.links(owner, [id]) if link.type == "supersedes" and link.to_id == id)
        id = next((link.from_id for link in newer), "")
    return None


def _block(space: Space, format: str, block: CoreBlock) -> Receipt:
    """Make a block where there is none of its label; one that stands is not touched, and the text becomes a passage."""
    standing = {one.label: one for one in space.blocks()}
    own = standing.get(block.label)
    if own is not None and own.value.strip() == block.value.strip():
        return Receipt(outcome="duplicate", reason="the block says so already")
    request = _request(format, "block", block.id)
    try:
        if own is None:
            return space.blocks.create(block.label, block.value, block.description, request_id=request)
        if not own.value.strip() or own.value == _default(space, block.label):
            return space.blocks.rethink(block.label, block.value, request_id=request)
    except InvalidInput as error:
        return Receipt(outcome="rejected", reason=str(error))
    return _note(space, format, Note(block.id, block.value, {"kind": "passage", "topic": f"block {block.label}"}))


def _default(space: Space, label: str) -> str | None:
    """Give what stands in a block while nobody has written it."""
    return next((one.value for one in defaults(space._runtime.settings.blocks) if one.label == label), None)
