"""Looking over a memory as a whole: how much there is of what, and which topics may be one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from recollect.flows.asking import ask
from recollect.front.space import Space
from recollect.model.asking import Value
from recollect.rules.learn.topics import Merge, alike

PAGE = 1000
MOST = 50_000
LARGEST = 5
MOST_TOPICS = 200
BANDS = ((1, 3), (4, 7), (8, 10))


def memstats(space: Space) -> str:
    """Say how much is remembered, of which kinds and tiers, how it matters, and what waits."""
    stats, topics, importance = space.stats(), Counter[str](), Counter[int]()
    for topic, weight in _filed(space):
        topics[topic] += bool(topic)
        importance[weight] += 1
    largest = ", ".join(f"{name} ({many})" for name, many in topics.most_common(LARGEST) if name)
    bands = [(low, high, sum(importance[one] for one in range(low, high + 1))) for low, high in BANDS]
    dead = sum(job.state == "dead" for job in space.jobs())
    lines = [
        f"{stats.total} memories in {stats.sessions} sessions, {stats.entities} names, revision {stats.rev}",
        f"tiers: {_listed(stats.tiers)}",
        f"kinds: {_listed(stats.kinds)}",
        f"importance: {', '.join(f'{low}–{high}: {many}' for low, high, many in bands)}",
        f"topics: {sum(bool(name) for name in topics)}{f', the largest {largest}' if largest else ''}",
        f"meaning: {space.coverage().text}",
        f"waiting: {len(space.inbox())} for your word, {dead} jobs that failed for good",
    ]
    return "\n".join(lines)


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{many} {name}" for name, many in counts.items()) or "none"


def _filed(space: Space) -> list[tuple[str, int]]:
    found, cursor = list[tuple[str, int]](), ""
    while len(found) < MOST:
        page = space.page("oldest", PAGE, cursor)
        found += [(one.topic, one.importance or 0) for one in page.memories]
        cursor = page.next
        if not cursor:
            break
    return found


def topic_merges(space: Space) -> list[Merge]:
    """Propose which topics may be one: a model where one is set, else by how they are written. Nothing is changed."""
    counts = Counter(topic for topic, _ in _filed(space) if topic)
    runtime = space._runtime
    if len(counts) > 1 and runtime.llm is not None:
        listed = "\n".join(f"{name}: {many}" for name, many in counts.most_common(MOST_TOPICS))
        said = ask(runtime, space.owner, runtime.prompt("topics").question(topics=listed), session=space._scope.session)
        if isinstance(said, Value):
            return _known([Merge(one.into, tuple(one.topics)) for one in said.value.merges], counts)
    return alike(counts)


def _known(merges: Sequence[Merge], counts: Counter[str]) -> list[Merge]:
    """Leave out what is no topic of this memory, and what would stand for itself."""
    found = []
    for one in merges:
        others = tuple(topic for topic in dict.fromkeys(one.topics) if topic in counts and topic != one.into)
        if others:
            found.append(Merge(one.into, others))
    return found


def merged(space: Space, merge: Merge) -> int:
    """Give all memories of some topics another; give how many were changed. Each change is journaled."""
    changed = 0
    for topic in merge.topics:
        while found := [one for one in space.list(limit=PAGE, topic=topic) if one.topic == topic]:
            done = [space.update(one.id, topic=merge.into) for one in found]
            changed += sum(receipt.ok for receipt in done)
            if not any(receipt.ok for receipt in done):
                break
    return changed
