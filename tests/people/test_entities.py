"""Entities: names found by pattern in any script, and never one person inside another's name."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect import Recollect
from recollect.language import open_reader
from recollect.model.entity import Mention
from recollect.providers.entities import LONGEST_SCANNED, MOST_MENTIONS, extract, resolve

ENGLISH = open_reader("words")
CUES = ENGLISH.cues("english")


def found(text: str, type: str) -> list[str]:
    """Give the names of one type in a text."""
    return [mention.name for mention in extract(text, CUES) if mention.type == type]


@pytest.mark.parametrize(
    ("text", "type", "names"),
    [
        ("ask @ana and @Bob-2, not a@b", "person", ["ana", "Bob-2"]),
        ("ask @анна and @山田", "person", ["анна", "山田"]),
        ("see #green-tea and #проект #2x, not #1 nor &#38;", "project", ["green-tea", "проект", "2x"]),
        ("write to Ana.B+x@Example.org.", "email", ["ana.b+x@example.org"]),
        ("(mail ana@example.org)", "email", ["ana@example.org"]),
        ("@corp in ana@corp.example", "email", ["ana@corp.example"]),
        ("see HTTPS://Example.org/A/b?Q=C#Frag.", "url", ["https://example.org/A/b?Q=C#Frag"]),
        ("(http://example.org/a), <http://example.org/b>", "url", ["http://example.org/a", "http://example.org/b"]),
        ("on 2023-05-01 and 1.5.2023", "date", ["2023-05-01", "2023-05-01"]),
        ("May 1st, 2023; 1 May 2023; the 2nd of June", "date", ["2023-05-01", "2023-05-01", "--06-02"]),
        ("in May 2023 or Sept. 2024", "date", ["2023-05", "2024-09"]),
        ("on 2023-13-45 or 31.02.2023 or 2023-02-30-1", "date", []),
        ("we may 5x it", "date", []),
        ("I met Maria da Silva in Lisbon.", "name", ["Maria da Silva", "Lisbon"]),
        ("Ana lives there. Élodie's cat", "name", ["Ana", "Élodie"]),
        ("вчера Анна Петрова приехала", "name", ["Анна Петрова"]),
        ("On Monday I said OK to Bob", "name", ["Bob"]),
    ],
)
def testextract(text: str, type: str, names: list[str]) -> None:
    """Each pattern finds what it should, in any script, without the sentence's own signs."""
    assert found(text, type) == names


def test_what_contains_wins() -> None:
    """A handle inside an address and a tag inside a URL belong to the address and the URL."""
    assert [mention.type for mention in extract("ana@corp.example http://x.example/#frag", CUES)] == ["email", "url"]


def test_resolve() -> None:
    """Of overlapping mentions the surer wins, then the longer, then the earlier; touching is no overlap."""
    sure, long = Mention("a", "x", 0, 3, 0.9), Mention("b", "x", 1, 9, 0.5)
    assert resolve([long, sure]) == [sure]
    short = Mention("c", "x", 8, 10, 0.5)
    assert resolve([short, long]) == [long]
    assert resolve([Mention("d", "x", 3, 5, 0.5), sure]) == [sure, Mention("d", "x", 3, 5, 0.5)]
    bridge = Mention("e", "x", 2, 9, 0.5)
    assert resolve([Mention("f", "x", 8, 12, 0.9), bridge, sure]) == [sure, Mention("f", "x", 8, 12, 0.9)]


def test_a_lone_capital_is_tentative() -> None:
    """One capitalised word at a sentence's start makes no entity by itself."""
    assert [mention.tentative for mention in extract("Tea, please", CUES)] == [True]
    assert [mention.tentative for mention in extract("Ana likes it", CUES)] == [False]


def test_bounded() -> None:
    """However long a text, the scan and the number of mentions have an end."""
    assert len(extract(" ".join(f"@user{n}" for n in range(500)), CUES)) == MOST_MENTIONS
    assert extract(" " * LONGEST_SCANNED + "@ana", CUES) == []


@pytest.mark.parametrize("text", ["", "@", "#", "@@@", "://", "http://", "a@", "\0", "'s", "’", "--", "٣ May", "  \n "])
def test_odd_texts(text: str) -> None:
    """Scraps of patterns name nothing that is empty."""
    assert all(mention.name for mention in extract(text, CUES))


def test_german_nouns_are_no_names() -> None:
    """Where every noun has a capital, capitals are not taken for names."""
    assert extract("Das Haus am See", ENGLISH.cues("german")) == []


def test_ann_is_not_joanna(tmp_path: Path) -> None:
    """Ann and Joanna are two people: in profiles, in recall by name, and with signs of LIKE in a name."""
    with Recollect(str(tmp_path / "m.db")) as rc:
        ana = rc.space("ana")
        first = ana.remember("Yesterday @Ann brought cake.").id
        second = ana.remember("Then @Joanna took some tea.").id
        third = ana.remember("The project #a_b is late again.").id
        fourth = ana.remember("The project #axb is on time.").id
        for name, wanted in (("ann", first), ("JOANNA", second), ("@Joanna", second), ("a_b", third), ("#axb", fourth)):
            profile = ana.entity(name)
            assert profile is not None
            assert [memory.id for memory in profile.memories] == [wanted]
            assert profile.entity.mentions == 1
        assert ana.entity("jo") is None
        assert ana.entity("nobody") is None
        assert [hit.memory.id for hit in ana.recall("what did Joanna take?")] == [second]
        hit = ana.recall("Ann")[0]
        assert hit.memory.id == first
        assert "names" in hit.why


def test_aliases_and_known_names(tmp_path: Path) -> None:
    """A handle with and without its sign is one person, and a known name counts at a sentence's start."""
    with Recollect(str(tmp_path / "m.db")) as rc:
        ana = rc.space("ana")
        ana.remember("Please ask @Żółć about the garden.")
        ana.remember("ŻÓŁĆ, of all people, grows melons.")
        profile = ana.entity("@żółć")
        assert profile is not None
        assert (profile.entity.name, profile.entity.type, profile.entity.mentions) == ("Żółć", "person", 2)
        assert profile.entity.aliases == ("@żółć", "żółć")
        assert [memory.content[:4] for memory in profile.memories] == ["ŻÓŁĆ", "Plea"]
