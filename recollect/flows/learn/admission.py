"""What comes of candidates: those within the caps go on to the gate, and everything is counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, time

from recollect.flows.learn.screen import Screened
from recollect.model.asking import Usage
from recollect.model.filter import Filter
from recollect.model.memory import Memory
from recollect.model.options import Draft
from recollect.model.owner import Scope
from recollect.model.receipt import Receipt
from recollect.model.values import dataclass
from recollect.rules.gate.caps import Count
from recollect.rules.gate.similarity import same
from recollect.runtime import Runtime
from recollect.store.base import Reading

KINDS_LEARNT = ("fact", "event", "procedure")
STANDING = ("active", "proposed", "quarantined")
COUNTED = (*STANDING, "superseded", "merged")
BACK = ("taken back", "put right", "put out of sight")
"""What words that take back or put right come to."""
DECIDED = "it was read before, and somebody has decided on it since"


@dataclass(frozen=True, slots=True)
class Learnt:
    """What became of candidates, counted, and what reading them cost."""

    saved: int = 0
    duplicates: int = 0
    quarantined: int = 0
    queued: int = 0
    rejected: int = 0
    dropped: int = 0
    accepted: int = 0
    declined: int = 0
    taken_back: int = 0
    put_right: int = 0
    hidden: int = 0
    calls: int = 0
    tokens: int = 0
    reasons: tuple[str, ...] = ()
    """Why something was rejected, one for each."""
    proposed: tuple[str, ...] = ()
    """What was proposed, by its id: what the same talk has answered since waits no longer."""

    def __add__(self, other: Learnt) -> Learnt:
        return Learnt(*(getattr(self, name) + getattr(other, name) for name in Learnt.__dataclass_fields__))

    @classmethod
    def of(cls, parts: Sequence[Receipt], usage: Usage | None = None) -> Learnt:
        """Count receipts by what they say."""
        word = [part.op for part in parts]
        many = [part.outcome for part in parts if part.op not in ("accepted", "rejected", *BACK)]
        return cls(
            accepted=word.count("accepted"),
            declined=word.count("rejected"),
            taken_back=word.count("taken back"),
            put_right=word.count("put right"),
            hidden=word.count("put out of sight"),
            saved=sum(many.count(outcome) for outcome in ("stored", "superseded", "merged")),
            duplicates=many.count("duplicate"),
            quarantined=word.count("quarantined"),
            reasons=tuple(part.reason for part in parts if part.outcome in ("rejected", "failed") and part.reason),
            queued=word.count("proposed"),
            proposed=tuple(part.id for part in parts if part.op == "proposed"),
            rejected=many.count("rejected") + many.count("failed"),
            calls=usage.calls if usage else 0,
            tokens=usage.tokens if usage else 0,
        )

    def numbers(self) -> dict[str, int]:
        """Give the counts by name."""
        return {
            name: getattr(self, name) for name in Learnt.__dataclass_fields__ if name not in ("reasons", "proposed")
        }

    def waiting(self, view: Reading, owner: str) -> Learnt:
        """Count of what was proposed only what waits still."""
        found = view.get(owner, list(dict.fromkeys(self.proposed))) if self.proposed else []
        return replace(self, queued=sum(one.state == "proposed" for one in found))

    def _mostly(self) -> str:
        reasons = Counter(self.reasons).most_common(1)
        often = "mostly" if len(set(self.reasons)) > 1 else "for"
        return f", {often}: {reasons[0][0]}" if reasons else ""

    def told(self) -> list[str]:
        """Say what was not saved, and what reading cost."""
        words: Mapping[str, str] = {
            "quarantined": "{} quarantined.",
            "queued": "{} wait(s) for consent.",
            "rejected": f"{{}} rejected{self._mostly()}.",
            "accepted": "{} proposal(s) accepted by the user's word.",
            "declined": "{} proposal(s) rejected by the user's word.",
            "taken_back": "{} forgotten: the speaker took it back.",
            "put_right": "{} put right in the speaker's words.",
            "hidden": "{} message(s) put out of sight: the speaker asked not to keep them.",
            "dropped": "{} too many or without the right shape.",
        }
        said = [text.format(getattr(self, name)) for name, text in words.items() if getattr(self, name)]
        return [*said, *([f"{self.calls} call(s), {self.tokens:,} tokens."] if self.calls else [])]


def kept(
    runtime: Runtime,
    view: Reading,
    scope: Scope,
    passed: Sequence[Screened],
    by: str,
    caps: Sequence[Count],
) -> list[Draft | Receipt]:
    """Give screened drafts with a note of who read them, `by`; those beyond the caps become receipts."""
    if not passed:
        return []
    left = {cap: cap.most - _already(runtime, view, scope, cap) for cap in caps}
    past = _past(view, scope.owner, [one.candidate.turn for one in passed if isinstance(one.result, Draft)])
    out: list[Draft | Receipt] = []
    for screened in passed:
        candidate, one = screened.candidate, screened.result
        if isinstance(one, Draft):
            one = replace(one, attributes={"by": by, **one.attributes})
            old = next((was for was in past.get(candidate.turn, ()) if _again(runtime, was, one)), None)
            if old is not None:
                one = Receipt(outcome="duplicate", op="none", id=old.id, other=old.id, reason=DECIDED)
        if isinstance(one, Draft) and not candidate.explicit:
            full = next((cap for cap in caps if left[cap] <= 0), None)
            if full is not None:
                one = Receipt(outcome="rejected", reason=full.reason)
            else:
                left = {cap: many - 1 for cap, many in left.items()}
        out.append(one)
    return out


def _past(view: Reading, owner: str, turns: Sequence[str]) -> dict[str, list[Memory]]:
    """Give what was learnt from turns before and stands no longer: changed, forgotten, rejected or run out since."""
    wanted = [turn for turn in dict.fromkeys(turns) if turn]
    links = [one for one in view.links(owner, wanted) if one.type == "derived_from"] if wanted else []
    gone = {one.id: one for one in view.get(owner, [one.from_id for one in links]) if one.state not in STANDING}
    out: dict[str, list[Memory]] = {}
    for link in links:
        if link.from_id in gone:
            out.setdefault(link.to_id, []).append(gone[link.from_id])
    return out


def _again(runtime: Runtime, was: Memory, draft: Draft) -> bool:
    """Tell whether a draft is what its turn gave before; how the user is called may have changed its words."""
    if (was.kind, was.key) != (draft.kind, draft.key):
        return False
    same_words = bool(draft.key) and was.attributes.get("quote") == draft.attributes.get("quote")
    return same_words or same(was.content, draft.content, runtime.reader)


def _already(runtime: Runtime, view: Reading, scope: Scope, cap: Count) -> int:
    """Count what has been learnt in the session, or today, also what waits; what was asked for does not count."""
    now = runtime.now()
    where = Filter(owner=scope.owner, now=now, kinds=KINDS_LEARNT, states=COUNTED, source="session")
    if cap.over == "session":
        where = replace(where, sessions=(scope.session,))
    else:
        where = replace(where, created_after=datetime.combine(now.date(), time(), now.tzinfo))
    return view.count(where)
