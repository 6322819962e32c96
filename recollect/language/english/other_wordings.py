"""How else a fact may have been put: the words by which an older one about the same attribute is found.

`Ana joined Globex` and `Ana works at Acme` share no word but the name, and are about one thing all the same.
"""

from __future__ import annotations

from recollect.language.english.attributes import claim_of

_WORDS = {
    "home": "lives moved relocated based",
    "employer": "works joined left",
    "job": "works became job",
    "left": "works job",
    "marital": "single married divorced engaged dating",
    "diet": "vegan vegetarian pescatarian omnivore eats meat",
    "age": "years old",
    "name": "called name",
    "taste": "likes loves hates enjoys dislikes",
    "does use": "uses switched drives drinks plays",
    "possesses": "owns sold has",
    "gave up": "eats drinks smokes likes loves",
    "does drive": "drives switched sold",
    "does learn": "learning gave",
    "does play": "plays gave",
    "dies": "called named",
    "does own": "has sold",
    "does sell": "has owns drives",
}


def other_wordings(text: str) -> str:
    """Give words that older facts about the same attribute may hold; empty where the text cannot be read."""
    claim = claim_of(text)
    if claim is None:
        return ""
    return " ".join(_WORDS[name] for name in (claim.attribute, *claim.ends) if name in _WORDS)
