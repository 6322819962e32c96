"""The message window: what of a conversation a model has in sight, kept as ids of what was said."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from recollect.errors import InvalidInput, NotFound
from recollect.flows.keep.observe import carried_out, observe
from recollect.flows.window.scene import text_of
from recollect.model.change import SetWindow, Write
from recollect.model.expectation import Sighted
from recollect.model.memory import Memory
from recollect.model.owner import Scope
from recollect.model.receipt import Receipt
from recollect.model.values import dataclass
from recollect.model.window import Window
from recollect.providers.tokenizers import tokenizer
from recollect.rules.gate import checks
from recollect.rules.window.counting import learnt, named, request_tokens, window
from recollect.rules.window.grouping import Message, acceptable
from recollect.runtime import Runtime
from recollect.store.base import Reading

NODE = "window"
MOST = 100_000
"""How many messages of a session are looked at."""
PAGE = 2000
WIRE = "message"
"""The attribute that holds what a message is beside its text."""
NO_TEXT = "(no text)"
SUMMARY_HEAD = "## Conversation Summary (auto-compacted)"
PLACEHOLDER = {"type": "text", "text": "(an image that is not kept)"}


@dataclass(frozen=True, slots=True)
class Shown:
    """A context that was laid out in a session: when, in which form, how long, and which memories it showed."""

    at: datetime
    profile: str
    tokens: int
    ids: tuple[str, ...]


def append(runtime: Runtime, scope: Scope, message: Mapping[str, Any], at: datetime | None, request_id: str) -> Receipt:
    """Keep a message as a chat model has it, with its calls, results and parts, and put it into the window."""
    session(scope)
    role = checks.name("role", message.get("role"), empty=False)
    content = message.get("content")
    text = text_of(content)
    more = {name: message[name] for name in ("tool_calls", "tool_call_id", "name") if message.get(name)}
    if not isinstance(content, str) and content:
        more["content"] = content
    if not text.strip():
        more["empty"] = True
    _check_calls(more)
    kept = {WIRE: _fitting(more)} if more else {}
    actor = str(message.get("actor", "") or "")
    again = carried_out(runtime, scope, request_id)
    receipt = observe(runtime, scope, role, text if text.strip() else NO_TEXT, at, kept, actor, request_id)
    with runtime.store.view() as view:
        seen = view.window(scope.owner, scope.session)
        chosen = None if seen is None else seen.messages
        passed = again and chosen is not None and _passed(view, scope, chosen, receipt.id)
    if chosen is not None and receipt.id not in chosen and not passed:
        _shown(runtime, scope, lambda ids: ids if receipt.id in ids else (*ids, receipt.id))
    return receipt


def _passed(view: Reading, scope: Scope, chosen: Sequence[str], message: str) -> bool:
    """Tell whether the window has gone past a message: later ones are in sight, so this one was taken out."""
    order = [one.id for one in said(view, scope)]
    return message not in order or not set(chosen).isdisjoint(order[order.index(message) + 1 :])


def _check_calls(more: Mapping[str, Any]) -> None:
    calls = more.get("tool_calls", [])
    if not isinstance(calls, list) or not all(isinstance(one, Mapping) and one.get("id") for one in calls):
        raise InvalidInput("tool_calls must be a list of calls with an id each, as OpenAI's chat models give them")


def _fitting(more: dict[str, Any]) -> dict[str, Any]:
    """Leave out the images of a message that is too large to keep beside its text."""
    parts = more.get("content")
    if (
        isinstance(parts, list)
        and len(json.dumps(more, ensure_ascii=False, default=str)) > checks.LONGEST_ATTRIBUTES // 2
    ):
        more["content"] = [
            PLACEHOLDER if isinstance(part, Mapping) and "image" in str(part.get("type", "")) else part
            for part in parts
        ]
    return more


def session(scope: Scope) -> str:
    """Give the session, or say that one is needed."""
    if not scope.session:
        raise InvalidInput("a window belongs to a session: name the session")
    return scope.session


def read(memory: Memory) -> Message:
    """Read a stored message, or the summary that stands for several."""
    if memory.kind == "summary":
        return Message(memory.id, "user", f"{SUMMARY_HEAD}\n{memory.content}", summary=True)
    wire = memory.attributes.get(WIRE)
    wire = wire if isinstance(wire, Mapping) else {}
    content: Any = wire.get("content", "" if wire.get("empty") else memory.content)
    calls = wire.get("tool_calls")
    answers = str(wire.get("tool_call_id", ""))
    return Message(memory.id, memory.role, content, tuple(calls) if isinstance(calls, list) else (), answers)


def in_sight(view: Reading, scope: Scope) -> tuple[Window | None, list[Memory]]:
    """Give the session's window and the messages in it: those that were chosen, or all of the session."""
    seen = view.window(scope.owner, session(scope))
    if seen is not None and seen.messages is not None:
        return seen, [
            one for one in view.get(scope.owner, list(seen.messages)) if one.state in ("active", "superseded")
        ]
    return seen, said(view, scope)


def said(view: Reading, scope: Scope) -> list[Memory]:
    """Give all messages of the session, in order."""
    found: list[Memory] = []
    after = 0
    while len(found) < MOST and (page := view.said(scope.owner, scope.session, after, PAGE)):
        found += [one for _, one in page]
        after = page[-1][0]
    return found


def messages(runtime: Runtime, scope: Scope) -> list[dict[str, Any]]:
    """Give the window as chat models take it."""
    with runtime.store.view() as view:
        return acceptable([read(one) for one in in_sight(view, scope)[1]])


def ids(runtime: Runtime, scope: Scope) -> list[str]:
    """Give the ids of what is in sight."""
    with runtime.store.view() as view:
        return [one.id for one in in_sight(view, scope)[1]]


def choose(runtime: Runtime, scope: Scope, wanted: Sequence[str]) -> Receipt:
    """Put exactly these messages into the window; those left out stay stored and are found."""
    session(scope)
    chosen = tuple(dict.fromkeys(checks.several("message id", list(wanted))))
    with runtime.store.view() as view:
        known = {one.id: one for one in view.get(scope.owner, list(chosen))}
    odd = [id for id in chosen if id not in known or known[id].kind not in ("episode", "summary")]
    if odd:
        raise NotFound(f"{odd[0]} is no message of this owner: list the messages to see those there are")
    return _shown(runtime, scope, lambda _: chosen)


def _shown(runtime: Runtime, scope: Scope, change: Any) -> Receipt:
    """Change the window, looking again when others change it meanwhile."""

    def plan(view: Reading) -> Write:
        seen, now = in_sight(view, scope)
        before = None if seen is None else seen.messages
        made = SetWindow(scope.session, scope.agent, messages=change(tuple(one.id for one in now)))
        return write(runtime, scope, made, Sighted(scope.session, before))

    return runtime.store.decide(scope.owner, plan, runtime.now())


def write(runtime: Runtime, scope: Scope, change: SetWindow, *expect: Sighted) -> Write:
    """Give the write of a window that changes and nothing else."""
    receipt = Receipt(outcome="stored", op="window", count=len(change.messages or ()))
    return Write(
        owner=scope.owner,
        at=runtime.now(),
        node=NODE,
        changes=(change,),
        expect=expect,
        actor=scope.agent,
        session=scope.session,
        receipt=receipt,
    )


def enable(runtime: Runtime, scope: Scope, flag: bool | None) -> Receipt:
    """Switch memory on or off for the session; None leaves it to the settings."""
    change = SetWindow(session(scope), scope.agent, notes={"enabled": flag})
    done = runtime.store.commit(write(runtime, scope, change))
    assert done.receipt is not None
    return done.receipt


def shown(runtime: Runtime, scope: Scope, limit: int) -> list[Shown]:
    """Give the contexts laid out in the session, the newest first."""
    runtime.store.flush()
    with runtime.store.view() as view:
        rows = view.laid(scope.owner, session(scope), limit)
    found: dict[datetime, Shown] = {}
    for at, op, profile, memory_id, tokens in rows:
        known = found.get(at, Shown(at, profile, 0, ()))
        seen = (*known.ids, memory_id) if op == "shown" and memory_id else known.ids
        found[at] = Shown(at, profile, tokens if op == "laid" else known.tokens, seen)
    return sorted(found.values(), key=lambda one: one.at, reverse=True)[:limit]


@dataclass(frozen=True, slots=True)
class Request:
    """What a model is asked beside the messages, as far as it takes room."""

    model: str = ""
    system: str = ""
    tools: tuple[Mapping[str, Any], ...] = ()
    max_tokens: int = 0


def tokens(runtime: Runtime, view: Reading, scope: Scope, wire: Sequence[Mapping[str, Any]], asked: Request) -> int:
    """Give how many tokens a request takes, raised by what real overflows of the model have taught."""
    model = named(asked.model or runtime.settings.window.model)
    factor = factors(view, scope).get(model, 1.0)
    return request_tokens(wire, model, tokenizer(model), asked.system, asked.tools, factor)


def room(runtime: Runtime, asked: Request) -> int:
    """Give how many tokens the window of a model has."""
    policy = runtime.settings.window
    return window(asked.model or policy.model, policy.models, asked.max_tokens or policy.max_tokens)


def factors(view: Reading, scope: Scope) -> dict[str, float]:
    """Give what overflows have taught, by model; it belongs to the owner and outlives every session."""
    kept = view.window(scope.owner, "")
    noted = kept.notes.get("factors", {}) if kept else {}
    return {str(name): float(value) for name, value in noted.items()} if isinstance(noted, Mapping) else {}


def overflowed(runtime: Runtime, scope: Scope, model: str, real: int, estimated: int) -> float:
    """Learn from a request that was longer than estimated: estimates of the model rise, and never fall again."""
    name = named(model)

    def plan(view: Reading) -> Write:
        known = factors(view, scope)
        now = learnt(known.get(name, 1.0), estimated, real)
        change = SetWindow("", notes={"factors": {**known, name: round(now, 4)}})
        return write(runtime, Scope(scope.owner, scope.agent), change)

    runtime.store.decide_locked(scope.owner, plan, runtime.now())
    with runtime.store.view() as view:
        return factors(view, scope).get(name, 1.0)
