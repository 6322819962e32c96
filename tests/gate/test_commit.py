"""One commit of verdicts: what it writes, what it expects, and how it answers what was asked before."""

from __future__ import annotations

from recollect import Receipt, Recollect, Space
from recollect.flows.find.meaning import Vectors
from recollect.flows.gate.commit import Origin, Resolution, commit
from recollect.flows.gate.gate import draft, judged
from recollect.flows.gate.verdict import Verdict
from recollect.store.base import View


def _saved(space: Space, text: str, sources: tuple[str, ...] = (), request: str = "") -> Receipt:
    """Let one fact through the gate, resting on messages."""
    runtime, scope = space._runtime, space._scope
    given, vectors = draft(text, {}, runtime), Vectors(runtime)

    def plan(view: View) -> Resolution:
        verdicts = judged(runtime, view, scope, [given], request, vectors)
        read = view.get(scope.owner, sources)
        return Resolution(Receipt(outcome="stored", op="batch"), verdicts, [sources], read=read)

    return commit(runtime, Origin(scope, "test", "tester", request), plan, vectors)


def test_a_memory_is_linked_to_what_it_rests_on(rc: Recollect) -> None:
    """Sources become links of what was admitted; a duplicate gets none, and the journal names who wrote."""
    ana = rc.space("ana", "helper", "s1")
    first, second = (ana.observe("user", text).id for text in ("I keep bees.", "Bees are what I keep."))
    done = _saved(ana, "Ana keeps bees.", (first,)).parts[0]
    known = _saved(ana, "Ana keeps bees.", (second,)).parts[0]
    links = [(one.from_id, one.to_id) for one in ana.links(done.id) if one.type == "derived_from"]
    assert (done.outcome, known.outcome, links) == ("stored", "duplicate", [(done.id, first)])
    assert {(one.node, one.actor) for one in ana.history(done.id)} == {("test", "tester")}


def test_what_was_read_must_be_the_same_still(rc: Recollect) -> None:
    """A message changed between the look and the write makes the plan look again, and the second look counts."""
    ana, looks = rc.space("ana", "helper", "s1"), list[int]()
    said = ana.observe("user", "I keep bees.").id
    runtime, scope = ana._runtime, ana._scope

    def plan(view: View) -> Resolution:
        read = view.get(scope.owner, [said])
        looks.append(read[0].version)
        if len(looks) == 1:
            ana.rate(said, 9)
        return Resolution(Receipt(outcome="stored", op="batch"), read=read)

    assert commit(runtime, Origin(scope, "test", ""), plan).ok
    assert len(looks) == 2
    assert looks[0] < looks[1]


def test_nothing_to_write_takes_no_revision_but_a_request_is_kept(rc: Recollect) -> None:
    """A verdict without changes is answered without a write, unless a request has to be known again."""
    ana = rc.space("ana")
    runtime, scope, asked = ana._runtime, ana._scope, list[str]()

    def plan(view: View) -> Verdict:
        asked.append("")
        return Verdict(Receipt(outcome="duplicate", op="none", reason="known"))

    assert commit(runtime, Origin(scope, "test", ""), plan).rev == 0
    first = commit(runtime, Origin(scope, "test", "", "r"), plan)
    assert (first.rev, commit(runtime, Origin(scope, "test", "", "r"), plan)) == (1, first)
    assert len(asked) == 2
