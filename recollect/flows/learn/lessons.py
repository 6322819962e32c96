"""Lessons from work: failed tools, corrections and praise are kept, counted, shown, and let go when they are over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from recollect.errors import InvalidInput, NotFound
from recollect.flows.gate.commit import Origin, Resolution, commit
from recollect.flows.gate.gate import index
from recollect.flows.gate.verdict import Verdict, supersede
from recollect.model.change import Change, Enqueue, Patch, SaveCheckpoint
from recollect.model.clock import iso
from recollect.model.event import Lesson, Outcome
from recollect.model.expectation import Expectation, Fresh, Version
from recollect.model.filter import Filter
from recollect.model.job import Job
from recollect.model.kinds import KINDS
from recollect.model.memory import Memory
from recollect.model.owner import Scope, seen_from
from recollect.model.receipt import Receipt
from recollect.model.values import dataclass
from recollect.model.window import Checkpoint
from recollect.rules.gate import checks
from recollect.rules.gate.trust import trust_of
from recollect.rules.learn import lessons as rules
from recollect.rules.privacy.secrets import redacted, warned
from recollect.runtime import Runtime
from recollect.store.base import Reading
from recollect.text.normal import content_hash, jaccard, words

NODE = JOB = "lessons"
KIND = "lesson"
OUTCOMES = "recollect.outcomes"
"""The session under which the outcomes of tools are kept, a namespace a tool."""
MOST = 1000
"""How many lessons of one sort are looked at."""
LONGEST_TEXT = 20_000
ARCHIVE = "archive"
LIVING = ("core", "short", "long")


@dataclass(frozen=True, slots=True)
class Learnt:
    """Something to learn, before it is held against what is known."""

    sort: str
    fields: Mapping[str, str]
    tool: str = ""
    arguments: str = ""
    kind: str = ""
    role: str = "tool"
    warnings: tuple[str, ...] = ()
    turn: str = ""
    """The message it was learnt from."""
    at: datetime | None = None


def failure(runtime: Runtime, tool: object, args: Any, error: object, context: object, lesson: object) -> Learnt:
    """Check what is told of a failed call, and take secrets out of it."""
    policy = runtime.settings.lessons
    name = checks.name("tool", tool, empty=False).strip()
    told, kinds = redacted(checks.text("error", error, LONGEST_TEXT, empty=False))
    around, more = redacted(checks.text("context", context, LONGEST_TEXT))
    given, others = redacted(checks.text("lesson", lesson, LONGEST_TEXT))
    fields = {
        rules.TOOL: name,
        rules.FAILED: told[: policy.context_characters],
        rules.CONTEXT: around[: policy.context_characters],
        rules.LESSON: given or told[: policy.said_characters],
    }
    found = warned(dict.fromkeys((*kinds, *more, *others)))
    return Learnt(rules.ERROR, fields, name, _digest(args), rules.kind_of(name, told), warnings=found)


def _digest(args: Any) -> str:
    try:
        return rules.arguments_hash(args)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput(f"args must be plain data, such as a mapping of names to values: {error}") from error


def tool_failed(
    runtime: Runtime, scope: Scope, told: Learnt, request_id: str = "", job: Job | None = None, run: str = ""
) -> Receipt:
    """Keep that a call failed, and what it teaches: one lesson for all failures of a kind, with a count."""
    request = checks.request(request_id, NODE, told.tool)

    def plan(view: Reading) -> Resolution:
        return _learnt(runtime, view, scope, told, request, _outcome(runtime, scope, told, success=False))

    return replace(commit(runtime, Origin(scope, NODE, scope.agent or NODE, request, job, run), plan), parts=())


def said(runtime: Runtime, scope: Scope, told: Learnt, job: Job) -> Receipt:
    """Keep what a user said of an agent's work."""
    request = f"{NODE}\n{told.turn}"

    def plan(view: Reading) -> Resolution:
        return _learnt(runtime, view, scope, told, request, ())

    return commit(runtime, Origin(scope, NODE, NODE, request, job), plan)


def tool_succeeded(
    runtime: Runtime, scope: Scope, tool: object, args: Any, request_id: str = "", job: Job | None = None
) -> Receipt:
    """Keep that a call succeeded, and let go of lessons that it shows to be over."""
    name = checks.name("tool", tool, empty=False).strip()
    told = Learnt(rules.ERROR, {}, name, _digest(args))
    request = checks.request(request_id, f"{NODE}.ok", name)

    def plan(view: Reading) -> Verdict:
        since = [one for one in outcomes_in(view, scope, name, MOST) if one.success]
        over = [one for one in _of_tool(runtime, view, scope, name) if _over(runtime, one, told, since)]
        changes = [retired(one, runtime.now(), "the tool has succeeded since") for one in over]
        receipt = Receipt(outcome="stored", op="succeeded", id=over[0].id if over else "", count=len(over))
        expect = tuple(Version(one.id, one.version) for one in over)
        return Verdict(receipt, (*_outcome(runtime, scope, told, success=True), *changes), expect)

    return commit(runtime, Origin(scope, NODE, scope.agent or NODE, request, job), plan)


def _over(runtime: Runtime, lesson: Memory, told: Learnt, successes: Sequence[Outcome]) -> bool:
    """Tell whether a success shows that a failure is over: the same call, or enough others since."""
    args, last = rules.about(lesson).get("arguments"), rules.newest(lesson)
    same = isinstance(args, list) and told.arguments in args
    return same or 1 + sum(one.at >= last for one in successes) >= runtime.settings.lessons.succeeded


def retired(memory: Memory, at: datetime, reason: str) -> Patch:
    """Let a lesson go: it is not shown or found any more, and stays on record."""
    told = {**rules.about(memory), "retired": reason}
    until = max(memory.valid_from, at)
    values = {
        "state": "superseded",
        "valid_until": until,
        "attributes": {**memory.attributes, rules.ATTRIBUTE: told},
    }
    return Patch(memory.id, values, "retired", {"reason": reason})


def retire(runtime: Runtime, scope: Scope, memory_id: str, reason: str, request_id: str) -> Receipt:
    """Let a lesson go because somebody says so."""
    request = checks.request(request_id, f"{NODE}.retire", str(memory_id))
    why = checks.text("reason", reason, 1000).strip() or "it does not hold any more"

    def plan(view: Reading) -> Verdict:
        found = view.get(scope.owner, [checks.name("memory id", memory_id, empty=False)])
        if not found or found[0].kind != KIND:
            raise NotFound(f"there is no lesson {memory_id!r}: the list of lessons names those there are")
        if found[0].state != "active":
            return Verdict(Receipt(outcome="duplicate", op="none", id=found[0].id, reason="it is retired already"))
        receipt = Receipt(outcome="stored", op="retired", id=found[0].id)
        return Verdict(receipt, (retired(found[0], runtime.now(), why),), (Version(found[0].id, found[0].version),))

    return commit(runtime, Origin(scope, NODE, scope.agent, request), plan)


def _where(runtime: Runtime, scope: Scope, **more: Any) -> Filter:
    return Filter(owner=scope.owner, now=runtime.now(), kinds=(KIND,), projects=(scope.project,), **more)


def _of_tool(runtime: Runtime, view: Reading, scope: Scope, tool: str) -> list[Memory]:
    found = view.page(_where(runtime, scope, tags=(tool_tag(tool),)), "recent", MOST)
    return [one for one in found if rules.about(one).get("tool") == tool]


def tool_tag(tool: str) -> str:
    """Give the tag lessons of a tool are found by."""
    return f"tool:{rules.kind_of(tool, '')}"


def _learnt(
    runtime: Runtime, view: Reading, scope: Scope, told: Learnt, request: str, also: Sequence[Change]
) -> Resolution:
    """Decide what becomes of something to learn: counted once more, or a lesson of its own."""
    known = _known(runtime, view, scope, told)
    same = known[0] if known and _same(known[0], told) else None
    if same is not None and same.state == "active":
        receipt = Receipt(outcome="merged", op="repeated", id=same.id, other=same.id, warnings=told.warnings)
        return Resolution(receipt, (Verdict(receipt, (*also, _again(runtime, same, told)), _unchanged([same])),))
    olds = [one for one in known if one.state == "active"]
    count = rules.times(same) + 1 if same is not None else 1
    put = index(runtime, _memory(runtime, scope, told, request, count))
    changes: list[Change] = [*also, *(supersede(olds, put) if olds else (put,))]
    changes += _rotated(runtime, view, scope, told.sort, put.memory)
    if runtime.llm is not None and told.fields[rules.LESSON] in _bare(told):
        changes.append(Enqueue(JOB, runtime.now(), put.memory.id))
    outcome = Receipt(
        outcome="superseded" if olds else "stored",
        op="superseded" if olds else "created",
        id=put.memory.id,
        other=olds[0].id if olds else "",
        warnings=told.warnings,
    )
    expect: list[Expectation] = [Fresh(KIND, view.counters(scope.owner).rev), *_unchanged(olds)]
    return Resolution(outcome, (Verdict(outcome, tuple(changes), tuple(expect), put),))


def _bare(told: Learnt) -> tuple[str, ...]:
    """Give the texts a lesson has while nobody has worded one."""
    said = told.fields.get(rules.FAILED, "") or told.fields.get(rules.SAID, "")
    return said, said[: max(1, len(told.fields[rules.LESSON]))]


def _unchanged(memories: Sequence[Memory]) -> tuple[Expectation, ...]:
    return tuple(Version(one.id, one.version) for one in memories)


def _known(runtime: Runtime, view: Reading, scope: Scope, told: Learnt) -> list[Memory]:
    """Give what is known of the same: the lesson of this kind of failure, or corrections on the same matter."""
    if told.sort == rules.ERROR:
        where = _where(runtime, scope, tags=(f"failure:{told.kind}",), states=("active", "superseded"))
        return view.page(where, "recent", 1)
    where = _where(runtime, scope, tags=(f"lesson:{told.sort}",), tiers=LIVING)
    said = words(told.fields[rules.SAID])
    found: list[Memory] = []
    for one in view.page(where, "recent", MOST):
        other = words(rules.fields_of(one.content).get(rules.SAID, ""))
        if _same(one, told) or (told.sort == rules.CORRECTION and _alike(runtime, said, other)):
            found.append(one)
    return sorted(found, key=lambda one: not _same(one, told))


def _alike(runtime: Runtime, one: Sequence[str], other: Sequence[str]) -> bool:
    return jaccard(one, other) >= runtime.settings.lessons.alike


def _same(memory: Memory, told: Learnt) -> bool:
    """Tell whether a lesson says what is to be learnt already."""
    if told.sort == rules.ERROR:
        return rules.about(memory).get("kind") == told.kind
    known = rules.fields_of(memory.content)
    names = (rules.SAID,) if told.sort == rules.CORRECTION else (rules.SAID, rules.CONTEXT)
    return all(content_hash(known.get(name, "")) == content_hash(told.fields.get(name, "")) for name in names)


def _again(runtime: Runtime, memory: Memory, told: Learnt) -> Patch:
    """Count a lesson once more."""
    about = rules.about(memory)
    args = [one for one in about.get("arguments", ()) if one != told.arguments]
    kept = {**about, "count": rules.times(memory) + 1, "last": iso(told.at or runtime.now())}
    if told.arguments:
        kept["arguments"] = [*args, told.arguments][-10:]
    values = {"attributes": {**memory.attributes, rules.ATTRIBUTE: kept}}
    return Patch(memory.id, values, "repeated", {"count": kept["count"]})


def _memory(runtime: Runtime, scope: Scope, told: Learnt, request: str, count: int) -> Memory:
    now, kind = runtime.now(), KINDS[KIND]
    at = told.at or now
    about: dict[str, Any] = {"sort": told.sort, "count": count, "last": iso(at)}
    tags = [f"lesson:{told.sort}"]
    if told.tool:
        about |= {"tool": told.tool, "kind": told.kind, "arguments": [told.arguments]}
        tags += [tool_tag(told.tool), f"failure:{told.kind}"]
    return Memory(
        owner=scope.owner,
        id=runtime.new_id(KIND, now, (scope.owner, request, 0) if request else None),
        kind=KIND,
        content=rules.written(told.fields, told.sort),
        created_at=now,
        updated_at=now,
        event_time=at,
        valid_from=min(at, now),
        tier=kind.tier,
        agent=scope.agent,
        session=scope.session,
        role=told.role,
        source="tool" if told.role == "tool" else "session",
        trust=trust_of(told.role, ""),
        project=scope.project,
        importance=kind.importance,
        decay_rate=kind.decay,
        tags=tuple(tags),
        attributes={rules.ATTRIBUTE: about, **({"turn": told.turn} if told.turn else {})},
    )


def _rotated(runtime: Runtime, view: Reading, scope: Scope, sort: str, new: Memory) -> list[Change]:
    """Put the older half of a sort into the archive as soon as it takes too much room."""
    held = [new, *living(runtime, view, scope, sort)]
    size = sum(len(one.content.encode("utf-8", "surrogatepass")) for one in held)
    if size <= runtime.settings.lessons.bytes:
        return []
    old = held[max(1, len(held) // 2) :]
    return [Patch(one.id, {"tier": ARCHIVE}, "archived", {"reason": "rotated"}) for one in old]


def living(runtime: Runtime, view: Reading, scope: Scope, sort: str) -> list[Memory]:
    """Give the lessons of a sort that stand and are not in the archive, the newest first; those of no project too."""
    return [one for one in standing(runtime, view, scope) if rules.sort_of(one) == sort]


def standing(runtime: Runtime, view: Reading, scope: Scope) -> list[Memory]:
    """Give the lessons of every sort that stand and are not in the archive, the newest first."""
    where = replace(_where(runtime, scope, tiers=LIVING), projects=seen_from(scope.project))
    found = view.page(where, "recent", MOST)
    return sorted(found, key=lambda one: (rules.newest(one), one.id), reverse=True)


def _outcome(runtime: Runtime, scope: Scope, told: Learnt, *, success: bool) -> tuple[Change, ...]:
    now = told.at or runtime.now()
    kept = {
        "tool": told.tool,
        "arguments": told.arguments,
        "success": success,
        "kind": "" if success else told.kind,
        "session": scope.session,
    }
    id = runtime.new_id("document", runtime.now()).partition("_")[2]
    saved = Checkpoint(OUTCOMES, rules.kind_of(told.tool, ""), id, "", kept, now)
    return (SaveCheckpoint(saved, runtime.settings.lessons.outcomes),)


def outcomes_in(view: Reading, scope: Scope, tool: str, limit: int) -> list[Outcome]:
    """Give how the last calls of a tool, or of all, ended, the newest first."""
    ns = rules.kind_of(tool, "") if tool else None
    found: list[Outcome] = []
    for one in view.checkpoints(scope.owner, OUTCOMES, ns, limit):
        kept = one.data
        found.append(
            Outcome(
                kept["tool"], kept["arguments"], kept["success"], one.created_at, kept["session"], kept.get("kind", "")
            )
        )
    return found


def outcomes(
    runtime: Runtime, scope: Scope, tool: str, arguments: str, success: bool | None, limit: int
) -> list[Outcome]:
    """Give how the last calls ended, narrowed to a tool, to arguments, or to those that succeeded or failed."""
    with runtime.store.view() as view:
        found = outcomes_in(view, scope, tool, 1_000_000)
    wanted = [one for one in found if (not arguments or one.arguments == arguments)]
    return [one for one in wanted if success is None or one.success is success][:limit]


def lessons(runtime: Runtime, scope: Scope, sort: str, limit: int, *, all_of_them: bool) -> list[Lesson]:
    """Give what was learnt, the newest first; with all, what was archived and retired too."""
    states = ("active", "superseded") if all_of_them else ("active",)
    tiers = () if all_of_them else LIVING
    where = replace(_where(runtime, scope, states=states, tiers=tiers), projects=seen_from(scope.project))
    with runtime.store.view() as view:
        found = view.page(where, "recent", MOST)
    listed = [_read(one) for one in found if not sort or rules.sort_of(one) == sort]
    # A row that another took the place of is its older wording, not a lesson of its own.
    standing = [one for one in listed if one.state != "retired" or one.reason]
    return sorted(standing, key=lambda one: (one.last, one.id), reverse=True)[:limit]


def _read(memory: Memory) -> Lesson:
    about, told = rules.about(memory), rules.fields_of(memory.content)
    archived = "archived" if memory.tier == ARCHIVE else "active"
    return Lesson(
        memory.id,
        rules.sort_of(memory),
        memory.content,
        told.get(rules.LESSON, ""),
        str(about.get("tool", told.get(rules.TOOL, ""))),
        rules.times(memory),
        memory.event_time,
        rules.newest(memory),
        archived if memory.state == "active" else "retired",
        str(about.get("retired", "")),
    )
