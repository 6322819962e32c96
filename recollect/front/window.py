"""Facets of what a model sees: core blocks, the message window, and the states an agent saves of itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Any, Literal

from recollect.errors import Conflict
from recollect.model.block import Block
from recollect.model.clock import checked_time
from recollect.model.hit import Hit
from recollect.model.owner import Scope
from recollect.model.receipt import Receipt
from recollect.model.window import Checkpoint
from recollect.rules.gate import checks
from recollect.runtime import Runtime
from recollect.text.later import later

if TYPE_CHECKING:
    from recollect.flows.window import blocks, checkpoints, messages, projects, searching
    from recollect.flows.window import compact as compacting
    from recollect.flows.window import query as questions
    from recollect.flows.window import rerank as ordering
    from recollect.rules.window import edits, markup
else:
    blocks, checkpoints, messages, projects, searching = later(
        "recollect.flows.window", "blocks", "checkpoints", "messages", "projects", "searching"
    )
    compacting, questions, ordering = later("recollect.flows.window", "compact", "query", "rerank")
    edits, markup = later("recollect.rules.window", "edits", "markup")

LONGEST_BLOCK = 1_000_000
_PRESETS: dict[str, Literal["openlegion", "letta"]] = {"openlegion": "openlegion", "letta": "letta"}


def _text(name: str, value: object) -> str:
    return checks.text(name, value, LONGEST_BLOCK)


class Blocks:
    """Core blocks: texts with a label that always stand in the prompt. Called, it gives those the agent sees."""

    def __init__(self, runtime: Runtime, scope: Scope) -> None:
        self._runtime = runtime
        self._scope = scope

    def __call__(self) -> list[Block]:
        """Give the blocks the agent sees, `persona` and `human` first; the defaults while nobody has written one."""
        return blocks.blocks(self._runtime, self._scope)

    def get(self, label: str) -> Block:
        """Give one block."""
        return blocks.get(self._runtime, self._scope, label)

    def create(
        self,
        label: str,
        value: str = "",
        description: str = "",
        *,
        limit: int | None = None,
        read_only: bool = False,
        own: bool = False,
        request_id: str = "",
    ) -> Receipt:
        """Make a block, shared by the owner's agents or the agent's `own`, which hides a shared one of its label."""
        most = self._runtime.settings.blocks.limit if limit is None else limit
        made = Block(
            label,
            _text("value", value),
            _text("description", description),
            checks.whole("limit", most, 1, LONGEST_BLOCK),
            checks.flag("read_only", read_only),
            own=checks.flag("own", own),
        )
        return blocks.create(self._runtime, self._scope, made, blocks.Bound(request_id))

    def replace(
        self, label: str, old: str, new: str, *, every: bool = False, if_hash: str = "", request_id: str = ""
    ) -> Receipt:
        """Put one text in the place of another, which must stand there exactly once unless `every` one is meant."""
        before, after, all_of_them = _text("old", old), _text("new", new), checks.flag("every", every)
        return self._edit(
            label, lambda block: edits.replaced(block, before, after, every=all_of_them), if_hash, request_id
        )

    def append(self, label: str, text: str, *, if_hash: str = "", request_id: str = "") -> Receipt:
        """Add a text on a line of its own at the end."""
        more = _text("text", text)
        return self._edit(label, lambda block: edits.appended(block, more), if_hash, request_id)

    def insert(self, label: str, text: str, line: int = -1, *, if_hash: str = "", request_id: str = "") -> Receipt:
        """Put a text behind so many lines: 0 is the top, -1 the end."""
        more, at = _text("text", text), checks.whole("line", line, -(2**31), 2**31)
        return self._edit(label, lambda block: edits.inserted(block, more, at), if_hash, request_id)

    def rethink(self, label: str, value: str, *, if_hash: str = "", request_id: str = "") -> Receipt:
        """Write a block anew; one that is not there yet is made."""
        new = _text("value", value)
        if all(one.label != label for one in self()):
            if if_hash:
                raise Conflict(f"there is no block {label!r} any more: leave if_hash out to make it anew")
            return self.create(label, new, request_id=request_id)
        return self._edit(label, lambda block: new, if_hash, request_id)

    def patch(self, label: str, diff: str, *, if_hash: str = "", request_id: str = "") -> Receipt:
        """Apply a unified diff; an empty label takes a patch over several blocks, all of it or nothing."""
        text = _text("diff", diff)
        if not label:
            return blocks.patch(self._runtime, self._scope, text, blocks.Bound(request_id, if_hash))
        return self._edit(label, lambda block: edits.patched(block, text), if_hash, request_id)

    def configure(
        self,
        label: str,
        *,
        description: str | None = None,
        limit: int | None = None,
        read_only: bool | None = None,
        request_id: str = "",
    ) -> Receipt:
        """Change what is said about a block; what is left out stays."""
        given = {
            "description": None if description is None else _text("description", description),
            "limit": None if limit is None else checks.whole("limit", limit, 1, LONGEST_BLOCK),
            "read_only": None if read_only is None else checks.flag("read_only", read_only),
        }
        values = {name: value for name, value in given.items() if value is not None}
        return blocks.configure(self._runtime, self._scope, label, values, blocks.Bound(request_id))

    def rename(self, label: str, to: str, *, if_hash: str = "", request_id: str = "") -> Receipt:
        """Give a block another label."""
        return blocks.rename(self._runtime, self._scope, label, to, blocks.Bound(request_id, if_hash))

    def delete(self, label: str, *, if_hash: str = "", request_id: str = "") -> Receipt:
        """Take a block out of the prompt; `restore` brings one of its versions back."""
        return blocks.delete(self._runtime, self._scope, label, blocks.Bound(request_id, if_hash))

    def history(self, label: str, limit: int = 20) -> list[Block]:
        """Give the versions of a block, the newest first."""
        return blocks.history(self._runtime, self._scope, label, checks.whole("limit", limit, 1, 500))

    def restore(self, label: str, version: int, *, if_hash: str = "", request_id: str = "") -> Receipt:
        """Give a block the value it had at a version."""
        wanted = checks.whole("version", version, 1, 2**31)
        return blocks.restore(self._runtime, self._scope, label, wanted, blocks.Bound(request_id, if_hash))

    def compile(self) -> str:
        """Give all blocks as `<memory_blocks>` for the system prompt; it changes only when a block does."""
        return markup.compiled(self())

    def _edit(self, label: str, change: blocks.Edit, if_hash: str, request_id: str) -> Receipt:
        bound = blocks.Bound(request_id, checks.name("if_hash", if_hash))
        return blocks.edit(self._runtime, self._scope, label, change, bound)


class Messages:
    """The message window of a session: what of the conversation a model has in sight. Called, it gives that."""

    def __init__(self, runtime: Runtime, scope: Scope) -> None:
        self._runtime = runtime
        self._scope = scope

    def __call__(self) -> list[dict[str, Any]]:
        """Give the window as chat models take it: every call answered, nobody twice in a row, the summary first."""
        return messages.messages(self._runtime, self._scope)

    def append(
        self,
        role: str,
        content: str | Sequence[Mapping[str, Any]] | None = "",
        *,
        tool_calls: Sequence[Mapping[str, Any]] = (),
        tool_call_id: str = "",
        actor: str = "",
        at: datetime | None = None,
        request_id: str = "",
    ) -> Receipt:
        """Keep a message as a chat model has it, parts, calls and results included, and put it into the window."""
        given = {"role": role, "content": content, "tool_calls": list(tool_calls), "tool_call_id": tool_call_id}
        return messages.append(self._runtime, self._scope, {**given, "actor": actor}, at, request_id)

    def ids(self) -> list[str]:
        """Give the ids of the messages in sight, in order."""
        return messages.ids(self._runtime, self._scope)

    def set_ids(self, ids: Sequence[str]) -> Receipt:
        """Put exactly these messages into the window; the others stay stored, and are found by `search`."""
        return messages.choose(self._runtime, self._scope, ids)

    def tokens(self, model: str = "", *, system: str = "", tools: Sequence[Mapping[str, Any]] = ()) -> int:
        """Give how many tokens a request with this window takes, its system prompt and tools included."""
        asked = _asked(model, system, tools, 0)
        with self._runtime.store.view() as view:
            return messages.tokens(self._runtime, view, self._scope, self(), asked)

    def needs_compaction(self, tokens: int | None = None, *, model: str = "", max_tokens: int = 0) -> bool:
        """Tell whether a request of so many tokens, or the window as it is, has crossed the mark."""
        used = None if tokens is None else checks.whole("tokens", tokens, 0, 2**40)
        return compacting.needs_compaction(self._runtime, self._scope, used, _asked(model, "", (), max_tokens))

    def compact(
        self,
        *,
        model: str = "",
        system: str = "",
        tools: Sequence[Mapping[str, Any]] = (),
        max_tokens: int = 0,
        preset: str = "",
        force: bool = False,
    ) -> compacting.Compaction:
        """Do what is due: keep facts, sum up what is old, leave the last groups; nothing that was said is lost."""
        chosen = _PRESETS[checks.one_of("preset", preset, tuple(_PRESETS))] if preset else None
        asked = _asked(model, system, tools, max_tokens)
        return compacting.compact(self._runtime, self._scope, asked, chosen, force=checks.flag("force", force))

    def overflowed(self, model: str, real: int, estimated: int) -> float:
        """Learn from a request that took more tokens than estimated; gives the factor of the model's estimates."""
        numbers = (checks.whole("real", real, 1, 2**40), checks.whole("estimated", estimated, 1, 2**40))
        return messages.overflowed(self._runtime, self._scope, checks.name("model", model, empty=False), *numbers)

    def search(
        self,
        query: str = "",
        limit: int = 5,
        *,
        roles: Sequence[str] = (),
        start: datetime | date | None = None,
        end: datetime | date | None = None,
    ) -> searching.Conversation:
        """Search all that was said and all summaries, so many of each; days include both ends."""
        wanted = searching.Asked(
            checks.text("query", query, 100_000), checks.whole("limit", limit, 1, 1000), tuple(roles), start, end
        )
        return searching.conversation_search(self._runtime, self._scope, wanted)

    def enable(self, flag: bool | None) -> Receipt:
        """Switch memory on or off for this session; None leaves it to the settings."""
        return messages.enable(self._runtime, self._scope, None if flag is None else checks.flag("flag", flag))

    def shown(self, limit: int = 20) -> list[messages.Shown]:
        """Give the contexts laid out in this session, the newest first: what the model saw."""
        return messages.shown(self._runtime, self._scope, checks.whole("limit", limit, 1, 1000))

    def rebuilt(self, system: str) -> str:
        """Give a system prompt with the blocks as they are now; the same text when no block has changed."""
        return markup.rebuilt(_text("system", system), Blocks(self._runtime, self._scope).compile())


def _asked(model: str, system: str, tools: Sequence[Mapping[str, Any]], max_tokens: int) -> messages.Request:
    return messages.Request(
        checks.name("model", model),
        checks.text("system", system, 10_000_000),
        tuple(tools),
        checks.whole("max_tokens", max_tokens, 0, 2**40),
    )


class Checkpoints:
    """States an agent saves of itself, by session, with their history. Called, it lists them."""

    def __init__(self, runtime: Runtime, scope: Scope) -> None:
        self._runtime = runtime
        self._scope = scope

    def __call__(self, ns: str | None = None, limit: int = 20, before: str = "") -> list[Checkpoint]:
        """Give the states saved in the session, the newest first: of one namespace or all, before an id or all."""
        where = None if ns is None else checks.name("ns", ns)
        return checkpoints.listed(self._runtime, self._scope, where, checks.whole("limit", limit, 1, 10_000), before)

    def save(self, data: Any, ns: str = "", id: str = "", *, keep: int = 0) -> Receipt:
        """Save a state, plain JSON data; `keep` lets only so many of the newest stay."""
        most = checks.whole("keep", keep, 0, 1_000_000)
        return checkpoints.save(self._runtime, self._scope, data, checks.name("ns", ns), id, most)

    def load(self, ns: str = "", id: str = "") -> Checkpoint | None:
        """Give the state saved last, or the one with an id."""
        return checkpoints.load(self._runtime, self._scope, checks.name("ns", ns), id)

    def delete(self, ns: str | None = None, id: str = "") -> Receipt:
        """Take states away: all of the session, those of a namespace, or one."""
        where = None if ns is None else checks.name("ns", ns)
        return checkpoints.delete(self._runtime, self._scope, where, id)


class Asking:
    """Questions an agent asks its memory: inside its categories, only when in doubt, and in the archive."""

    _runtime: Runtime
    _scope: Scope

    def query(
        self,
        query: str,
        categories: str | Sequence[str] = (),
        *,
        filters: Mapping[str, Any] | None = None,
        top_k: int = 3,
        returns: str = "bullets",
        budget_tokens: int = 512,
        threshold: float | None = None,
        rerank: str | Callable[[str, Sequence[str]], Sequence[float]] = "",
    ) -> list[questions.Bullet]:  # long because these are the parameters others' agents know
        """Ask for bullets `[category] text`, inside what the agent may see; `returns="full"` adds the memories."""
        named = checks.several("category", categories) if categories else ()
        asked = questions.Query(
            checks.text("query", query, 100_000),
            named,
            filters,
            checks.whole("top_k", top_k, 1, 1000),
            checks.one_of("returns", returns, ("bullets", "full")) == "full",
            checks.whole("budget_tokens", budget_tokens, 1, 10_000_000),
            None if threshold is None else checks.share("threshold", threshold),
            rerank,
        )
        return questions.query(self._runtime, self._scope, asked)

    def on_demand(
        self, query: str, confidence: float, *, top_k: int = 3, budget_tokens: int = 512
    ) -> questions.OnDemand:
        """Ask memory only where the agent is unsure, by its own `confidence`; how often that is, is counted."""
        asked = questions.Query(
            checks.text("query", query, 100_000),
            top_k=checks.whole("top_k", top_k, 1, 1000),
            budget_tokens=checks.whole("budget_tokens", budget_tokens, 1, 10_000_000),
        )
        return questions.on_demand(self._runtime, self._scope, asked, confidence)

    def on_demand_rate(self, since: datetime | None = None) -> float:
        """Give in which share of the turns of the last 30 days, or since a moment, memory was asked on demand."""
        begin = self._runtime.now() - timedelta(days=30) if since is None else checked_time("since", since)
        return questions.on_demand_rate(self._runtime, self._scope, begin)

    def archival_insert(self, content: str, tags: Sequence[str] | str = (), request_id: str = "") -> Receipt:
        """Put a passage into the archive; tags are a list, or one text with commas."""
        return searching.archival_insert(self._runtime, self._scope, content, tags, request_id)

    def archival_search(
        self,
        query: str,
        top_k: int = 5,
        tags: Sequence[str] | str = (),
        *,
        rerank: str | Callable[[str, Sequence[str]], Sequence[float]] = "",
    ) -> list[Hit]:
        """Find passages of the archive; of several tags any will do."""
        most = checks.whole("top_k", top_k, 1, 1000)
        text = checks.text("query", query, 100_000)
        if not rerank:
            return searching.archival_search(self._runtime, self._scope, text, most, tags)
        found = searching.archival_search(self._runtime, self._scope, text, min(1000, most * 4), tags)
        return ordering.rerank(self._runtime, self._scope, text, found, rerank)[:most]

    def move(self, memory_id: str, project: str = "", request_id: str = "") -> Receipt:
        """Put a memory into another project, or into none, where it is found from everywhere."""
        return projects.move(self._runtime, self._scope, memory_id, checks.project(project), request_id)
