"""A small talkative corpus in several scripts, and questions about it, the same at every run."""

from __future__ import annotations

from itertools import cycle, islice
from typing import Any

from recollect import Recollect
from recollect.testing import FixedClock

PEOPLE = ("Ana", "José", "Łukasz", "Zoë", "Mehmet", "Ольга", "李雷", "محمد", "Ünal", "O'Brien")
PLACES = ("Lisbon", "São Paulo", "Köln", "Warszawa", "İstanbul", "Москва", "東京", "القاهرة", "Reykjavík", "Zürich")
THINGS = (
    "green tea", "café crème", "Straßenbahn", "pâté", "naïve résumé", "чёрный чай", "绿茶", "お茶", "قهوة", "jalapeño",
    "🎉 party", "C++ templates", "e-mail", "3.14 pies", "o'clock", "smørrebrød", "한국어 수업", "mother-in-law",
)  # fmt: skip
SHAPES = (
    "{who} moved to {where} and bought {what}.",
    "Yesterday {who} told me about {what} in {where}",
    "In {where} nobody likes {what}, says @{who} #{tag}",
    "{what} {what} {what} for {who} 👩‍👩‍👧‍👦",
    "{who}: «{what}» — {where}!",
    "我在{where}喝{what}，{who}也来了。",
    "ذهب {who} إلى {where} من أجل {what}",
)
TAGS = ("tea", "Café", "работа", "家", "trip_2025", "x-y")


def _mixed(number: int) -> dict[str, str]:
    """Give the parts of one text; the strides share no factor, so the parts meet in ever new company."""
    return {
        "who": PEOPLE[number * 3 % len(PEOPLE)],
        "where": PLACES[number * 7 % len(PLACES)],
        "what": THINGS[number * 5 % len(THINGS)],
        "tag": f"tag{number % 4}",
    }


def fill(rc: Recollect, clock: FixedClock, many: int = 260) -> None:
    """Let one user say and save many things, correct, forget and use some of them; another user says a little."""
    space = rc.space("ana", agent="helper", session="s0")
    for number in range(many):
        clock.advance(minutes=17)
        text = SHAPES[number % len(SHAPES)].format(**_mixed(number))
        if number % 3:
            rc.space("ana", session=f"s{number // 40}").observe(("user", "assistant")[number % 2], f"{text} ({number})")
            continue
        kept = space.remember(
            f"{text} Note {number}.",
            topic=THINGS[number % len(THINGS)],
            tags=[TAGS[number % len(TAGS)]],
            importance=number % 10 + 1,
            key=f"slot {number % 7}" if number % 5 == 0 else "",
        )
        if number % 12 == 0:
            space.correct(kept.id, f"{text} Corrected {number}.")
        elif number % 21 == 0:
            space.forget(kept.id)
        elif number % 15 == 0:
            space.pin(kept.id)
    rc.space("ana ", tenant="t/1").remember("Another Ana drinks green tea in Lisbon.")


def queries() -> list[tuple[str, dict[str, Any]]]:
    """Give two hundred questions: known words, typos, parts, phrases, tags, filters, several scripts."""
    plain = [*PEOPLE, *PLACES, *THINGS]
    typos = [word[:2] + word[3:] for word in plain if len(word) > 4] + [word[1:] for word in plain if len(word) > 5]
    parts = [word[: max(2, len(word) // 2)] for word in plain] + [word[2:6] for word in plain if len(word) > 6]
    phrases = [" ".join(_mixed(number).values()) for number in range(30)]
    odd = [
        "",
        "the",
        "Straße strasse",
        "CAFÉ creme",
        "ISTANBUL istanbul",
        "喝绿茶",
        "٣",
        "🎉",
        "👩‍👩‍👧‍👦",
        "%",
        "_",
        "'; --",
        "Note 12",
    ]
    conditions: tuple[dict[str, Any], ...] = (
        {}, {"kinds": []}, {"kinds": "episode"}, {"tags": ["tea"]}, {"tags": ["Café", "家"], "any_tag": True},
        {"topic": "чай"}, {"importance_min": 5}, {"sessions": ["s1", "s2"]}, {"states": [], "kinds": []},
        {"pinned": True}, {"role": "assistant", "kinds": "episode"}, {"topic": "CAFÉ"},
    )  # fmt: skip
    texts = [*plain, *typos, *parts, *phrases, *odd, *plain]
    return list(islice(zip(texts, cycle(conditions[:2] + conditions), strict=False), 200)) + [
        (text, condition) for text in ("tea", "Lisbon", "绿茶") for condition in conditions
    ]
