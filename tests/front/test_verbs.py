"""The verbs, each through the front door."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from recollect import Conflict, InvalidInput, NotFound, Receipt, Recollect, Space
from recollect.testing import FixedClock

DAY = timedelta(days=1)


def ids(hits: Any) -> list[str]:
    """Give the ids of hits."""
    return [hit.memory.id for hit in hits]


# observe


def test_observe(ana: Space, clock: FixedClock) -> None:
    """A message is kept as it was said, with its session, and opens that session once."""
    said = clock() - DAY
    first = ana.observe("user", "  I moved to Lisbon.\n", at=said, attributes={"n": [1]}, actor="Ana")
    second = ana.observe("assistant", "How nice!")
    memory = ana.get(first.id)
    assert (first.outcome, first.op, first.rev, second.rev) == ("stored", "created", 1, 2)
    assert (memory.content, memory.role, memory.actor) == ("  I moved to Lisbon.\n", "user", "Ana")
    assert (memory.event_time, memory.created_at, memory.attributes) == (said, clock(), {"n": [1]})
    assert (memory.kind, memory.tier, memory.agent, memory.session) == ("episode", "long", "helper", "s1")
    assert [(one.id, one.first_seen, one.last_seen) for one in ana.sessions()] == [("s1", said, clock())]
    assert [job.name for job in ana.jobs()] == ["age", "consolidate"]


def test_a_corrected_message_stays_where_it_was_said(rc: Recollect, clock: FixedClock) -> None:
    """Whoever corrects a message, it stays in its session and at its time; before that, the old words hold."""
    monday, friday = (rc.space("ana", session=day) for day in ("monday", "friday"))
    said = clock() - DAY
    old = monday.observe("user", "I have a dog called Rex.", at=said, actor="Ana")
    clock.advance(days=1)
    new = monday.get(friday.correct(old.id, "I have a dog called Max.").id)
    assert (new.session, new.event_time, new.actor, new.valid_from) == ("monday", said, "Ana", clock())
    assert [one.id for one in monday.sessions()] == ["monday"]
    assert ids(friday.recall("dog", kinds=["episode"])) == [new.id]
    assert ids(friday.recall("dog", kinds=["episode"], as_of=clock() - DAY / 2)) == [old.id]


def test_messages_are_never_duplicates(ana: Space) -> None:
    """Saying the same twice is two messages."""
    assert ana.observe("user", "ok").id != ana.observe("user", "ok").id
    assert ana.stats().kinds == {"episode": 2}


def test_messages_are_found_when_asked_for(ana: Space) -> None:
    """Default recall and lists leave raw messages out; naming the kind brings them."""
    said = ana.observe("user", "My cat is called Miso.").id
    assert ana.recall("cat") == []
    assert ana.list() == []
    assert ids(ana.recall("cat", kinds="episode")) == [said]
    assert [memory.id for memory in ana.list(kinds=["episode"])] == [said]


# remember: every outcome of the gate


def test_remember_stores(ana: Space, clock: FixedClock) -> None:
    """A fact is kept with what was said about it, and with its kind's defaults for the rest."""
    receipt = ana.remember(
        "Ana prefers type hints.",
        topic=" code ",
        category="Preferences",
        tags=["#python", "python", " style "],
        confidence=0.5,
        actor="Bob",
        event_time=clock() - DAY,
        attributes={"a": 1},
    )
    memory = ana.get(receipt.id)
    assert (receipt.outcome, receipt.op, receipt.warnings) == ("stored", "created", ())
    assert (memory.kind, memory.tier, memory.importance, memory.decay_rate) == ("fact", "short", 5, 0.1)
    assert (memory.topic, memory.category, memory.tags) == ("code", "preferences", ("python", "style"))
    assert (memory.confidence, memory.actor, memory.source) == (0.5, "Bob", "user")
    assert (memory.event_time, memory.valid_from) == (clock() - DAY, clock() - DAY)


@pytest.mark.parametrize("again", ["Ana likes tea.", "  ana LIKES tea!! ", "“Ana likes tea”"])
def test_remember_duplicate(ana: Space, again: str) -> None:
    """The same text is not stored twice, in whatever tier the first one is by now, and counts as a use."""
    first = ana.remember("Ana likes tea.")
    receipt = ana.remember(again)
    assert (receipt.outcome, receipt.op, receipt.id, receipt.other) == ("duplicate", "none", first.id, first.id)
    assert "no action" in receipt.reason
    assert receipt.ok
    assert ana.stats().rev == 1


def test_remember_near_duplicate(ana: Space) -> None:
    """The same words but for endings and articles are the same fact; any other word may be the point."""
    first = ana.remember("the user likes to drink green tea every single day")
    assert ana.remember("user liked to drink green teas every single day").id == first.id
    for other in (
        "the user likes to drink green tea every day",
        "the user likes never to drink green tea every single day",
        "the user likes to drink green tea 3 times every single day",
        "the user likes to drink green tea every single day in Porto",
    ):
        assert ana.remember(other).outcome == "stored"
    assert ana.get(first.id).state == "active"


def test_first_words_are_names_too(ana: Space) -> None:
    """Two people with the same habit are two facts."""
    ana.remember("Ana likes to drink green tea in the morning.")
    assert ana.remember("Bob likes to drink green tea in the morning.").outcome == "stored"


def test_kinds_do_not_shadow_each_other(ana: Space) -> None:
    """The same text as a fact and as a passage is two memories."""
    assert ana.remember("Tea is served at four.").outcome == "stored"
    assert ana.remember("Tea is served at four.", kind="passage").outcome == "stored"


def test_remember_slot(ana: Space, rc: Recollect) -> None:
    """A key holds one value: the same is a duplicate, another supersedes it, for all agents."""
    first = ana.remember("Europe/Lisbon", key="timezone")
    assert ana.remember("europe/lisbon", key="timezone").outcome == "duplicate"
    second = rc.space("ana", agent="other").remember("Europe/Paris", key="timezone")
    assert (second.outcome, second.id != first.id, second.other) == ("superseded", True, first.id)
    assert [memory.content for memory in ana.list(key="timezone")] == ["Europe/Paris"]
    assert ana.get(first.id).state == "superseded"
    assert ("supersedes", second.id, first.id) in [(one.type, one.from_id, one.to_id) for one in ana.links(first.id)]


def test_blocks_keep_their_limit(ana: Space) -> None:
    """A block is refused when it is too long, saved or corrected, and comes back by its key as it was given."""
    block = ana.remember("I am helpful.", kind="block", key=" persona ")
    verbs: list[Callable[[], Receipt]] = [
        lambda: ana.remember("x" * 20_001, kind="block", key="persona"),
        lambda: ana.correct(block.id, "x" * 20_001),
    ]
    for verb in verbs:
        with pytest.raises(InvalidInput, match="20001"):
            verb()
    for key in ("persona", " persona "):
        assert [memory.id for memory in ana.list(key=key)] == [block.id]


def test_tags_in_a_query(ana: Space) -> None:
    """A tag in a query finds what bears it, in any case and before a full stop."""
    tagged = ana.remember("Bought a kettle.", tags=["Kitchen"]).id
    for query in ("#kitchen", "#KITCHEN?", "what is (#kitchen)", "#kitchen, please"):
        assert ids(ana.recall(query)) == [tagged]


def test_private_slots_shadow_shared_ones(ana: Space, rc: Recollect) -> None:
    """An agent's private value stands beside the shared one and touches no other agent's."""
    shared = ana.remember("formal", key="tone")
    private = ana.remember("casual", key="tone", private=True)
    other = rc.space("ana", agent="other").remember("dry", key="tone", private=True)
    assert {shared.outcome, private.outcome, other.outcome} == {"stored"}
    assert [memory.content for memory in ana.list(key="tone", agent="helper")] == ["casual"]
    assert [memory.content for memory in ana.list(key="tone", agent="")] == ["formal"]
    assert ana.remember("warm", key="tone", private=True).other == private.id


def test_remember_rejects_bad_extractions(ana: Space) -> None:
    """What a session's extraction proposes against the writing policy is rejected with the reason."""
    for content, says in (
        ("I like tea.", "first person"),
        ("x" * 300, "300 characters"),
        ("yesterday", "nothing is left"),
    ):
        receipt = ana.remember(content, source="session")
        assert (receipt.outcome, receipt.id, receipt.ok) == ("rejected", "", False)
        assert says in receipt.reason
    assert ana.stats().rev == 0


def test_an_explicit_save_is_kept_as_given(ana: Space) -> None:
    """What somebody asked to save is stored word for word, with a warning where it breaks a rule."""
    text = "  I like “tea” today. " + "x" * 300
    receipt = ana.remember(text)
    assert receipt.outcome == "stored"
    assert ana.get(receipt.id).content == text
    assert any("characters" in warning for warning in receipt.warnings)


def test_an_extraction_is_tidied(ana: Space) -> None:
    """An extracted fact loses its today and its odd quotes."""
    receipt = ana.remember("Ana likes “tea” today .", source="session")
    assert ana.get(receipt.id).content == 'Ana likes "tea".'


def test_an_unknown_category_is_general(ana: Space) -> None:
    """Nobody invents a category by using it."""
    receipt = ana.remember("Ana likes tea.", category="gossip")
    assert ana.get(receipt.id).category == "general"
    assert "general" in receipt.warnings[0]


def test_what_ran_out_can_be_saved_again(ana: Space, clock: FixedClock) -> None:
    """A memory past its valid_until is no longer known, so the same text is stored anew, in slots too."""
    first = ana.remember("The shop is closed.", valid_until=clock() + DAY)
    slot = ana.remember("closed", key="shop", valid_until=clock() + DAY)
    assert ana.remember("The shop is closed.").id == first.id
    clock.advance(days=2)
    again = ana.remember("The shop is closed.")
    assert again.outcome == "stored"
    assert ids(ana.recall("shop closed"))[0] == again.id
    assert ana.remember("closed", key="shop").other == slot.id
    assert [memory.content for memory in ana.list(key="shop")] == ["closed"]


def test_valid_until(ana: Space, clock: FixedClock) -> None:
    """What has run out is hidden from every look but stays on record and in the past."""
    receipt = ana.remember("The shop is closed.", valid_until=clock() + DAY)
    before = clock()
    assert ids(ana.recall("shop")) == [receipt.id]
    clock.advance(days=1)
    assert ana.recall("shop") == []
    assert ana.list() == []
    assert "shop" not in str(ana.context("shop"))
    assert ana.get(receipt.id).content == "The shop is closed."
    assert ids(ana.recall("shop", as_of=before)) == [receipt.id]
    with pytest.raises(InvalidInput):
        ana.remember("Too late.", valid_until=clock() - DAY)


# remember_many


def test_remember_many(ana: Space) -> None:
    """One commit, a receipt each: duplicates inside the batch are seen and one bad item sinks no other."""
    known = ana.remember("Ana has a cat.")
    receipts = ana.remember_many(
        [
            {"content": "Ana likes green tea with honey and lemon."},
            {"content": "ana likes green tea with honey and lemon"},
            {"content": "Ana likes green teas with honey and a lemon."},
            {"content": "Ana has a cat."},
            {"content": ""},
            {"content": "Ana has a dog.", "importance": 11},
            {"content": "Ana has a dog.", "colour": "brown"},
            {"topic": "no content"},
            {"content": "cat", "key": "pet"},
            {"content": "dog", "key": "pet"},
        ]
    )
    outcomes = [receipt.outcome for receipt in receipts]
    assert outcomes == ["stored", *["duplicate"] * 3, *["rejected"] * 4, "stored", "rejected"]
    assert receipts[1].id == receipts[2].id == receipts[0].id
    assert receipts[3].id == known.id
    assert {receipt.rev for receipt in receipts} == {2}
    assert all(receipt.reason for receipt in receipts if not receipt.ok)
    assert ana.stats().total == 3


@pytest.mark.parametrize("item", ["a text", 5, None, ["content"], {1: 2}, b"x"])
def test_odd_items_sink_no_others(ana: Space, item: Any) -> None:
    """An item that is not even a mapping is rejected like any other."""
    receipts = ana.remember_many([item, {"content": "Ana likes tea."}])
    assert [receipt.outcome for receipt in receipts] == ["rejected", "stored"]


def test_remember_nothing(ana: Space) -> None:
    """An empty batch is no write; something that is no list is refused."""
    assert ana.remember_many([]) == []
    assert ana.stats().rev == 0
    for wrong in (None, 5, "text"):
        with pytest.raises(InvalidInput):
            ana.remember_many(wrong)  # type: ignore[arg-type]


# changing


def test_correct(ana: Space, clock: FixedClock) -> None:
    """A correction takes the old one's place and all that was known about it; the old is never recalled again."""
    old = ana.remember(
        "Ana lives in Lisbon.", topic="home", tags=["city"], importance=8, pinned=True, category="profile"
    )
    before = clock()
    clock.advance(days=1)
    new = ana.correct(old.id, "Ana lives in Porto.")
    memory = ana.get(new.id)
    assert (new.outcome, new.other) == ("superseded", old.id)
    assert (memory.topic, memory.tags, memory.importance, memory.pinned) == ("home", ("city",), 8, True)
    assert (memory.category, memory.valid_from, memory.version) == ("profile", clock(), 1)
    assert ids(ana.recall("Ana lives Lisbon")) == [new.id]
    assert ids(ana.recall("Ana lives", as_of=before)) == [old.id]
    assert ids(ana.recall("Ana lives", as_of=clock())) == [new.id]
    assert [(ana.get(old.id).state, ana.get(old.id).valid_until)] == [("superseded", clock())]
    assert ana.correct(new.id, "ana lives in PORTO").outcome == "duplicate"
    with pytest.raises(NotFound, match=new.id):
        ana.correct(old.id, "Ana lives in Faro.")


def test_history_across_a_chain(ana: Space) -> None:
    """From any link of a chain the whole story is told, oldest first."""
    first = ana.remember("Ana lives in Lisbon.")
    second = ana.correct(first.id, "Ana lives in Porto.")
    third = ana.correct(second.id, "Ana lives in Faro.")
    ana.remember("Another story altogether.")
    ana.forget(third.id)
    stories = [ana.history(one.id) for one in (first, second, third)]
    assert stories[0] == stories[1] == stories[2]
    told = [(entry.op, entry.memory_id) for entry in stories[0] if entry.op != "linked"]
    assert told == [
        ("created", first.id),
        ("superseded", first.id),
        ("created", second.id),
        ("superseded", second.id),
        ("created", third.id),
        ("deleted", third.id),
    ]


def test_confirm(ana: Space) -> None:
    """A confirmed memory is certain and no longer decays."""
    one = ana.remember("Ana likes tea.", confidence=0.4)
    assert ana.confirm(one.id).op == "confirmed"
    memory = ana.get(one.id)
    assert (memory.confidence, memory.decay_rate, memory.version) == (1.0, 0.0, 2)
    assert ana.history(one.id)[-1].before == {"confidence": 0.4, "decay_rate": 0.1}


def test_pin_and_rate(ana: Space) -> None:
    """Pins go in and out, importance is what was said last, and both are journaled."""
    one = ana.remember("Ana likes tea.")
    assert ana.pin(one.id).op == "pinned"
    assert ana.get(one.id).pinned
    assert ana.pin(one.id, False).op == "unpinned"
    assert not ana.get(one.id).pinned
    ana.rate(one.id, 9)
    assert ana.get(one.id).importance == 9
    assert [entry.op for entry in ana.history(one.id)] == ["created", "pinned", "unpinned", "updated"]


def test_forget_and_restore(ana: Space) -> None:
    """What is forgotten is out of every sight, and comes back whole."""
    one = ana.remember("Ana likes tea.", tags=["drinks"], importance=7)
    ana.forget(one.id)
    assert (ana.recall("tea"), ana.list(), ana.stats().total) == ([], [], 0)
    assert "tea" not in str(ana.context("tea"))
    profile = ana.entity("Ana")
    assert profile is None or profile.memories == ()
    with pytest.raises(NotFound, match="restore"):
        ana.pin(one.id)
    assert ana.restore(one.id).op == "restored"
    assert ids(ana.recall("tea", tags="drinks")) == [one.id]
    assert ana.restore(one.id).outcome == "duplicate"


def test_restore_meets_what_came_after(ana: Space) -> None:
    """A text saved again is not doubled by a restore; a slot taken meanwhile is not overwritten."""
    one = ana.remember("Ana likes tea.")
    ana.forget(one.id)
    again = ana.remember("Ana likes tea.")
    assert again.outcome == "stored"
    assert (ana.restore(one.id).outcome, ana.restore(one.id).id) == ("duplicate", again.id)
    slot = ana.remember("Lisbon", key="city")
    ana.forget(slot.id)
    ana.remember("Porto", key="city")
    with pytest.raises(Conflict, match="city"):
        ana.restore(slot.id)
    old = ana.remember("Ana has a dog.")
    ana.correct(old.id, "Ana has two dogs.")
    with pytest.raises(Conflict, match="superseded"):
        ana.restore(old.id)


def test_merge(ana: Space, clock: FixedClock) -> None:
    """The whole has the greatest importance, all tags, the oldest time and every protection of its parts."""
    first = ana.remember("Ana likes tea.", tags=["a"], importance=7, event_time=clock() - DAY)
    ana.confirm(first.id)
    second = ana.remember("Ana likes black tea a lot.", tags=["b", "a"], importance=4, pinned=True)
    whole = ana.merge([first.id, second.id])
    memory = ana.get(whole.id)
    assert (whole.outcome, whole.count) == ("merged", 2)
    assert memory.content == "Ana likes black tea a lot."
    assert (memory.importance, memory.pinned, set(memory.tags)) == (7, True, {"a", "b"})
    assert (memory.event_time, memory.decay_rate, memory.confidence) == (clock() - DAY, 0.0, 1.0)
    assert ids(ana.recall("tea")) == [whole.id]
    assert [ana.get(one.id).state for one in (first, second)] == ["merged", "merged"]
    assert {entry.memory_id for entry in ana.history(first.id)} == {first.id, second.id, whole.id}


def test_merge_refuses(ana: Space) -> None:
    """One memory, different kinds, slots and what is gone cannot be merged."""
    fact = ana.remember("Ana likes tea.").id
    event = ana.remember("Ana drank tea with Bob.", kind="event").id
    slot = ana.remember("tea", key="drink").id
    gone = ana.remember("Ana likes milk.").id
    ana.forget(gone)
    for wrong in ([fact], [fact, fact], [fact, event], [fact, slot], [fact, gone], [fact, "fact_x"], fact, []):
        with pytest.raises((InvalidInput, NotFound)):
            ana.merge(wrong)
    assert ana.merge([fact, ana.remember("Ana has a cat.").id], "Ana likes tea and cats.").outcome == "merged"


# recall


def test_recall_ranks_and_explains(ana: Space) -> None:
    """The best match comes first, and every hit says which channel found it."""
    tea = ana.remember("Ana drinks green tea every morning.").id
    ana.remember("Ana has a green bicycle.")
    hits = ana.recall("Which tea does she drink?")
    assert ids(hits) == [tea]
    assert hits[0].why["words"].rank == 1
    assert hits[0].score > 0


def test_recall_finds_typos_and_parts(ana: Space) -> None:
    """A slip of the pen or a part of a word still finds, but only where the word itself is unknown."""
    cluster = ana.remember("The cluster runs Kubernetes.").id
    port = ana.remember("The port was closed by the harbour master.").id
    passport = ana.remember("The passport expires in autumn.").id
    assert ids(ana.recall("kubernetse")) == [cluster]
    assert ids(ana.recall("kuber")) == [cluster]
    assert ids(ana.recall("port")) == [port]
    assert ids(ana.recall("passpor")) == [passport]


def test_long_queries_keep_their_known_words(ana: Space) -> None:
    """A pasted page of unknown words does not drown the one that is known."""
    home = ana.remember("Ana lives in Lisbon.").id
    query = " ".join(f"unheard{chr(97 + n % 26)}{chr(97 + n // 26)}" for n in range(300)) + " lisbon"
    assert ids(ana.recall(query)) == [home]


def test_recall_any_script(ana: Space) -> None:
    """What was saved in any script is found by a word of it."""
    texts = {
        "咖啡": "她每天早上喝咖啡。",
        "القهوة": "تحب القهوة كثيرا",
        "чай": "Она любит чай.",
        "🎉": "Party 🎉 tonight",
    }
    saved = {word: ana.remember(text).id for word, text in texts.items()}
    for word, memory_id in saved.items():
        assert ids(ana.recall(word))[0] == memory_id


def test_recall_nothing(ana: Space) -> None:
    """An empty query lists the newest first; operators, stop words and signs find nothing and never raise."""
    first, second = ana.remember("Ana likes tea.").id, ana.remember("Ana has a cat.").id
    assert ids(ana.recall("")) == ids(ana.recall(" \n")) == [second, first]
    for query in ('NOT AND "*', "the of and", "***", "()", "-", "%", "_"):
        assert ana.recall(query) == []


def test_recall_counts_as_use(ana: Space, rc: Recollect) -> None:
    """What recall returns is used; what a context shows as active memory is not."""
    tea, cat = ana.remember("Ana likes tea.").id, ana.remember("Ana has a cat.").id
    ana.recall("tea")
    ana.context()
    rc.doctor()  # writes what is buffered
    assert (ana.get(tea).access_count, ana.get(cat).access_count) == (1, 0)


def test_recall_conditions(ana: Space, rc: Recollect, clock: FixedClock) -> None:
    """Every condition narrows both recall and list."""
    other = rc.space("ana", agent="other", session="s2")
    tea = ana.remember("We had tea.", topic="Drinks", tags=["hot"], importance=8, category="goals", pinned=True).id
    middle = clock.advance(days=1)
    clock.advance(days=1)
    cake = other.remember("Ana had cake with tea.", kind="event", tags=["cold"], source="session", actor="Bob").id
    cases: list[tuple[dict[str, Any], list[str]]] = [
        ({"agent": "helper"}, [tea]),
        ({"kinds": "event"}, [cake]),
        ({"tiers": ["short"]}, [cake, tea]),
        ({"tiers": "archive"}, []),
        ({"states": "deleted"}, []),
        ({"categories": "goals"}, [tea]),
        ({"topic": "drink"}, [tea]),
        ({"tags": "hot"}, [tea]),
        ({"tags": ["hot", "cold"]}, []),
        ({"tags": ["hot", "cold"], "any_tag": True}, [cake, tea]),
        ({"sessions": "s2"}, [cake]),
        ({"exclude_session": "s2"}, [tea]),
        ({"exclude_session": "s1"}, [cake, tea]),
        ({"event_after": middle}, [cake]),
        ({"event_before": middle}, [tea]),
        ({"created_after": middle}, [cake]),
        ({"updated_before": middle}, [tea]),
        ({"importance_min": 8}, [tea]),
        ({"importance_max": 4}, [cake]),
        ({"pinned": True}, [tea]),
        ({"actor": "Bob"}, [cake]),
        ({"role": "user"}, []),
        ({"as_of": middle}, [tea]),
    ]
    for conditions, wanted in cases:
        assert sorted(ids(ana.recall("tea", **conditions))) == sorted(wanted), conditions
        assert [memory.id for memory in ana.list(**conditions)] == wanted, conditions


def test_explicit_facts_are_never_excluded(ana: Space) -> None:
    """Leaving a session out leaves out what was said and extracted in it, not what somebody asked to save."""
    asked = ana.remember("Ana likes tea with milk.", source="user").id
    ordered = ana.remember("Always offer tea first.", source="directive").id
    ana.remember("Tea was mentioned twice by Ana.", source="session")
    ana.observe("user", "tea please")
    found = ana.recall("tea", kinds=["fact", "episode"], exclude_session="s1")
    assert sorted(ids(found)) == sorted([asked, ordered])


def test_low_weight_kinds_come_later(ana: Space) -> None:
    """An insight matches with half the weight of a fact."""
    insight = ana.remember("Ana seems fond of tea.", kind="insight").id
    fact = ana.remember("Ana is fond of tea.").id
    assert ids(ana.recall("fond of tea")) == [fact, insight]


def test_as_of_refuses_states(ana: Space) -> None:
    """Asking for a time and for states at once is a contradiction."""
    with pytest.raises(InvalidInput):
        ana.recall("x", as_of=ana.now, states="active")


# looking


def test_list_orders(ana: Space, clock: FixedClock) -> None:
    """Every order there is gives what it says, and pages follow each other."""
    a = ana.remember("Ana likes tea.", importance=9, event_time=clock() - DAY).id
    clock.advance(minutes=1)
    b = ana.remember("Ana has a cat.", importance=3, event_time=clock() - 3 * DAY).id
    clock.advance(minutes=1)
    c = ana.remember("Ana rides a bike.", importance=6, event_time=clock() - 2 * DAY).id
    clock.advance(minutes=1)
    ana.pin(a)
    orders = {
        "recent": [c, b, a],
        "oldest": [a, b, c],
        "importance": [a, c, b],
        "updated": [a, c, b],
        "event": [a, c, b],
    }
    for order, wanted in orders.items():
        assert [memory.id for memory in ana.list(order=order)] == wanted
        assert [memory.id for memory in ana.list(order=order, limit=1, offset=2)] == wanted[2:]
    odd: list[Any] = ["best", "", None, [], 5]
    for wrong in odd:
        with pytest.raises(InvalidInput):
            ana.list(order=wrong)


def test_stats(ana: Space, clock: FixedClock) -> None:
    """Counts are of active memories, states of all."""
    assert (ana.stats().total, ana.stats().latest) == (0, None)
    ana.observe("user", "hello")
    one = ana.remember("Ana likes tea.").id
    ana.correct(one, "Ana likes coffee.")
    stats = ana.stats()
    assert (stats.kinds, stats.tiers) == ({"episode": 1, "fact": 1}, {"long": 1, "short": 1})
    assert (stats.states, stats.sessions, stats.rev) == ({"active": 2, "superseded": 1}, 1, 3)
    assert stats.latest == clock()


def test_entity(ana: Space) -> None:
    """A profile shows the entity and its memories, the newest first, without those that no longer stand."""
    first = ana.remember("We met @bob in Lisbon.").id
    second = ana.remember("Later @Bob moved away.").id
    third = ana.remember("Then @bob came back again.").id
    ana.forget(third)
    profile = ana.entity("Bob")
    assert profile is not None
    assert [memory.id for memory in profile.memories] == [second, first]
    assert [memory.id for memory in (ana.entity("bob", limit=1) or profile).memories] == [second]
    assert ana.entity("Lisbon") is not None
    assert ana.entity("bob", type="project") is None


def test_journal(ana: Space) -> None:
    """The journal tells after a revision what happened, with agent and session."""
    one = ana.remember("Ana likes tea.").id
    ana.pin(one)
    assert [entry.op for entry in ana.journal()] == ["created", "pinned"]
    (entry,) = ana.journal(since=1)
    assert (entry.rev, entry.op, entry.actor, entry.session, entry.before) == (
        2,
        "pinned",
        "helper",
        "s1",
        {"last_accessed": None, "pinned": 0},
    )


# context


def test_context_keeps_the_session_out(ana: Space, rc: Recollect) -> None:
    """What was extracted from the conversation at hand is not repeated as relevant; in the next one it is."""
    ana.remember("The lighthouse was painted red.", kind="passage", source="session")
    assert "lighthouse" not in str(ana.context("lighthouse"))
    assert "lighthouse" in str(rc.space("ana", session="s2").context("lighthouse"))


def test_context_shows_what_was_said_elsewhere(ana: Space, rc: Recollect) -> None:
    """Messages of other sessions about the prompt are shown on one line each, but not those a shown fact tells."""
    monday = rc.space("ana", "helper", "monday")
    told = monday.observe("user", "The plumber comes on Friday\n# at nine, he says.", actor="Ana")
    monday.observe("user", "My plumber is called Rui. " + "He is late. " * 40)
    rc.space("ana", "helper", "now").observe("user", "When does the plumber come?")
    now = rc.space("ana", "helper", "now")
    now.context()  # the first of a session shows how the last one ended
    (said,) = [part for part in now.context("When does the plumber come?").sections if part.name == "said"]
    lines = said.text.splitlines()
    assert lines[0] == "## Said earlier"
    assert any("“The plumber comes on Friday # at nine, he says.”" in line for line in lines)
    assert len(lines) == 3
    assert lines[2].endswith("…”")
    ana.remember("The plumber comes on Friday at nine.", attributes={"turn": told.id})
    assert told.id not in now.context("When does the plumber come?").ids
    assert "Said earlier" not in str(now.context("xylophone"))
    monday.observe("user", "My dentist is Dr Alves, by the way.")
    assert "Alves" in str(now.context("Who is my dentist?"))
    ana.correct(ana.remember("Ana's dentist is Dr Alves.").id, "Ana's dentist is Dr Pinto.")
    texts = [part.text for part in now.context("Who is my dentist?").sections if part.name == "said"]
    assert "Alves" not in str(texts)


def test_context_uses_only_what_it_shows(ana: Space, rc: Recollect) -> None:
    """Passages that were found for the prompt but not shown are not counted as used; those shown count once."""
    saved = [ana.remember(f"Lighthouse number {n} stands on a rock.", kind="passage").id for n in range(19)]
    for _ in range(3):
        shown = ana.context("lighthouse", budget_tokens=5000).ids
    rc.doctor()
    used = {one for one in saved if ana.get(one).access_count}
    assert used == set(shown) & set(saved)
    assert len(used) == 6
    assert {ana.get(one).access_count for one in used} == {1}


def test_importance_nine_stays_in_context(ana: Space, rc: Recollect, clock: FixedClock) -> None:
    """An important fact is shown in every future session; an ordinary one fades out."""
    ana.remember("Ana is allergic to nuts.", importance=9)
    ana.remember("Ana had toast.", importance=4)
    clock.advance(days=400)
    rc.run_jobs(["age"])
    text = str(rc.space("ana", session="later").context())
    assert "nuts" in text
    assert "toast" not in text


# requests


def verbs(ana: Space, one: str, two: str, gone: str) -> dict[str, Callable[[str], Any]]:
    """Give every verb that takes a request id, ready to be called twice."""
    return {
        "observe": lambda r: ana.observe("user", "hello there", request_id=r),
        "remember": lambda r: ana.remember("Ana plays the cello.", request_id=r),
        "remember_many": lambda r: ana.remember_many([{"content": "A first thing."}, {"content": ""}], request_id=r),
        "correct": lambda r: ana.correct(one, "Ana likes coffee.", request_id=r),
        "confirm": lambda r: ana.confirm(one, request_id=r),
        "pin": lambda r: ana.pin(one, request_id=r),
        "rate": lambda r: ana.rate(one, 9, request_id=r),
        "forget": lambda r: ana.forget(one, request_id=r),
        "restore": lambda r: ana.restore(gone, request_id=r),
        "merge": lambda r: ana.merge([one, two], request_id=r),
    }


@pytest.mark.parametrize("verb", sorted(verbs(None, "", "", "")))  # type: ignore[arg-type]
def test_retries(ana: Space, clock: FixedClock, dump: Callable[[], str], verb: str) -> None:
    """A verb sent again with its request id answers as before and writes nothing, even a day later."""
    one, two = ana.remember("Ana likes tea.").id, ana.remember("Ana has a cat.").id
    gone = ana.remember("Ana rides a bike.").id
    ana.forget(gone)
    call = verbs(ana, one, two, gone)[verb]
    first = call("req-1 ✓")
    before = dump()
    clock.advance(days=1)
    assert call("req-1 ✓") == first
    assert dump() == before


def test_a_request_id_belongs_to_one_request(ana: Space) -> None:
    """One request id may serve several verbs and targets of a turn; another text under it is refused, not lost."""
    one = ana.observe("user", "hello", request_id="r1").id
    two = ana.remember("Ana likes tea.", request_id="r1").id
    three = ana.remember("Ana has a cat.", request_id="r2").id
    assert ana.pin(two, request_id="r1").op == "pinned"
    assert ana.forget(two, request_id="r1").id == two
    assert ana.forget(three, request_id="r1").id == three
    assert [part.outcome for part in ana.remember_many([{"content": "Ana sings."}], request_id="r1")] == ["stored"]
    assert ana.observe("user", "hello", request_id="r1").id == one
    for wrong in (
        lambda: ana.observe("user", "goodbye", request_id="r1"),
        lambda: ana.remember("Ana has a dog.", request_id="r2"),
        lambda: ana.remember_many([{"content": "a"}, {"content": "b"}], request_id="r1"),
    ):
        with pytest.raises(InvalidInput, match="request_id"):
            wrong()


def test_a_revision_that_changed_nothing_is_answered_the_same_again(ana: Space) -> None:
    """A correction that was none stays none under its request id, whatever happened since."""
    one = ana.remember("Ana likes tea.").id
    first = ana.correct(one, "Ana likes tea!", request_id="r")
    assert first.outcome == "duplicate"
    ana.correct(one, "Ana likes milk.")
    assert ana.correct(one, "Ana likes tea!", request_id="r") == first


def test_request_ids_are_per_owner(ana: Space, rc: Recollect) -> None:
    """Two owners may use the same request id."""
    mine = ana.remember("Ana likes tea.", request_id="r")
    other = rc.space("bob").remember("Bob likes beer.", request_id="r")
    assert {mine.outcome, other.outcome} == {"stored"}
    assert mine.id != other.id


def test_a_duplicate_is_answered_the_same_again(ana: Space) -> None:
    """The receipt of a duplicate is kept for its request too."""
    first = ana.remember("Ana likes tea.")
    again = ana.remember("Ana likes tea.", request_id="r")
    ana.forget(first.id)
    assert ana.remember("Ana likes tea.", request_id="r") == again


# jobs


def test_age(ana: Space, rc: Recollect, clock: FixedClock) -> None:
    """After 48 hours unused facts leave the short tier, once, and protected ones never."""
    plain = ana.remember("Ana had toast.").id
    pinned = ana.remember("Ana has a cat.", pinned=True).id
    vital = ana.remember("Ana is allergic to nuts.", importance=8).id
    ana.observe("user", "hello")
    clock.advance(hours=47)
    report = next(report for report in rc.run_jobs() if report.job == "age")
    assert (report.status, report.changed) == ("ok", 0)
    assert rc.run_jobs() == []
    clock.advance(hours=2)
    (report,) = rc.run_jobs(["age"])
    assert report.changed == 1
    assert "48h" in report.text
    assert [ana.get(one).tier for one in (plain, pinned, vital)] == ["long", "short", "short"]
    assert ana.history(plain)[-1].before == {"tier": "short"}
    assert rc.run_jobs(["age"])[0].changed == 0
    assert ids(ana.recall("toast")) == [plain]


def test_use_keeps_young(ana: Space, rc: Recollect, clock: FixedClock) -> None:
    """A memory recalled yesterday does not age today."""
    one = ana.remember("Ana had toast.").id
    clock.advance(hours=40)
    ana.recall("toast")
    clock.advance(hours=20)
    assert rc.run_jobs(["age"])[0].changed == 0
    assert ana.get(one).tier == "short"
    assert rc.run_jobs(["age"], now=clock() + 3 * DAY)[0].changed == 1


def test_jobs_by_name(rc: Recollect) -> None:
    """An unknown job is refused; with no owner there is nothing to do."""
    with pytest.raises(InvalidInput, match="age"):
        rc.run_jobs(["dream"])
    assert rc.run_jobs(["age"]) == []
    assert rc.run_jobs() == []


def test_a_new_session_makes_ageing_due(rc: Recollect) -> None:
    """Each new session enqueues ageing once, and a named run takes it."""
    for session in ("a", "b"):
        rc.space("ana", session=session).observe("user", "hello")
    assert [job.name for job in rc.space("ana").jobs()] == ["age", "consolidate", "consolidate"]
    assert sorted(report.job for report in rc.run_jobs()) == ["age", "consolidate"]
    rc.space("ana", session="a").observe("user", "hello again")
    assert "age" not in [job.name for job in rc.space("ana").jobs()]


def test_receipts_are_plain_data(ana: Space) -> None:
    """A receipt turns into plain data and back without loss."""
    receipts = ana.remember_many([{"content": "Ana likes tea.", "category": "x"}, {"content": ""}])
    whole = Receipt(outcome="stored", parts=tuple(receipts))
    assert Receipt.from_json(whole.to_json()) == whole
