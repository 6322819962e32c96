"""Retention: rules that fit topics, lengths of time, and rules that cannot be followed."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from recollect import config
from recollect.errors import ConfigError
from recollect.rules.life.retention import RetentionPolicy, RetentionRule, problem, rule_of, span
from recollect.testing.contract import make

CATEGORIES = ("work", "general")


@pytest.mark.parametrize(
    ("text", "hours"), [("12h", 12), ("30d", 720), ("2w", 336), (" 1.5 d ", 36), ("0.5h", 0.5), ("36500d", 876_000)]
)
def test_lengths_of_time(text: str, hours: float) -> None:
    """Hours, days and weeks are read, whole or not."""
    assert span(text) == timedelta(hours=hours)


@pytest.mark.parametrize("text", ["", "12", "h", "1m", "1y", "-1d", "0d", "1d2h", "one day", "99999d", "1e3d"])
def test_what_is_no_length_of_time(text: str) -> None:
    """Anything else is refused, with the text and an example."""
    with pytest.raises(ValueError, match=r"out of range|12h, 30d or 2w"):
        span(text)


@pytest.mark.parametrize(
    ("rule", "fields", "fits"),
    [
        ({"topic": "work/*"}, {"topic": "work/plans"}, True),
        ({"topic": "WORK/*"}, {"topic": "Work/Plans/x"}, True),
        ({"topic": "work/*"}, {"topic": "work"}, False),
        ({"topic": "work?"}, {"topic": "works"}, True),
        ({"topic": "a.c"}, {"topic": "abc"}, False),
        ({"topic": "*"}, {"topic": ""}, True),
        ({"category": "Work"}, {"category": "work"}, True),
        ({"category": "work"}, {"category": "general"}, False),
        ({"kind": "event"}, {"kind": "fact"}, False),
    ],
)
def test_what_a_rule_fits(rule: dict[str, Any], fields: dict[str, Any], fits: bool) -> None:
    """Stars and question marks stand for other characters, capitals do not matter, all else is literal."""
    policy = RetentionPolicy(rules=(RetentionRule(**rule, never=True),))
    assert (rule_of(make("fact_1", **fields), policy) is not None) == fits


def test_the_first_rule_counts() -> None:
    """Of several rules that fit, the first decides."""
    first, second = RetentionRule("work/*", age_after="1d"), RetentionRule("*", never=True)
    policy = RetentionPolicy(rules=(first, second))
    assert rule_of(make("fact_1", topic="work/x"), policy) == first
    assert rule_of(make("fact_1", topic="home"), policy) == second


@pytest.mark.parametrize(
    ("rules", "says"),
    [
        ([{"topic": " ", "never": True}], "rule 1 .*no pattern"),
        ([{"topic": "work/[ab]", "never": True}], "brackets"),
        ([{"age_after": "30"}], "age_after: '30'"),
        ([{"expire_after": "1 year"}], "expire_after: '1 year'"),
        ([{"never": True, "expire_after": "1d"}], "never cannot stand"),
        ([{"topic": "a"}], "says nothing"),
        ([{"topic": "a", "never": True}, {"topic": "A", "age_after": "1d"}], "rule 2 .*same as rule 1"),
        ([{"kind": "facts", "never": True}], "no kind 'facts'"),
        ([{"category": "job", "never": True}], "no category 'job'"),
        ([{"age_after": "2d", "expire_after": "1d"}], "shorter"),
    ],
)
def test_rules_that_cannot_be_followed(rules: list[dict[str, Any]], says: str) -> None:
    """Each is named by its number and topic, with what is wrong and how to mend it."""
    with pytest.raises(ConfigError, match=says):
        config.load(None, {"retention": {"rules": rules}, "categories": {"names": list(CATEGORIES)}})


def test_rules_from_a_file(tmp_path: Path) -> None:
    """Rules are tables in a list; what a rule does not know, and a number of the wrong kind, are refused."""
    file = tmp_path / "recollect.toml"
    file.write_text('[[retention.rules]]\ntopic = "work/*"\nage_after = "30d"\n[[retention.rules]]\nnever = true\n')
    rules = config.load(file).retention.rules
    assert rules == (RetentionRule("work/*", age_after="30d"), RetentionRule(never=True))
    file.write_text('[[retention.rules]]\ntopic = "work/*"\nexpires = "30d"\n')
    with pytest.raises(ConfigError, match="rule 1 has no setting 'expires': use topic"):
        config.load(file)
    file.write_text("[[retention.rules]]\nage_after = 30\n")
    with pytest.raises(ConfigError, match=r"retention.rules.0.age_after is 30"):
        config.load(file)
    file.write_text('[retention]\nrules = "work"\n')
    with pytest.raises(ConfigError, match=r"retention\.rules"):
        config.load(file)
    assert problem(RetentionPolicy(), CATEGORIES) == ""
