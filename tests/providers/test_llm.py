"""Asking models over real HTTP: whatever a provider does, the answer is one of five values."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from recollect import ConfigError, Recollect
from recollect.config import Settings, load
from recollect.model.asking import ROLES, Answer, Failed, Nothing, Question, Refused, Usage, Value
from recollect.model.proposals import Consolidated, Judged, Verdict
from recollect.providers import llm as port
from recollect.providers.llm import Llm, models, open_llm
from recollect.providers.llm.target import Address, Target
from recollect.testing.llm import Asked, Said, Saying, ScriptedLlm
from recollect.testing.loopback import Loopback, Request, Response
from tests.patience import PATIENCE, until

pytestmark = pytest.mark.usefixtures("forgetful")

FACT = {"content": "Ana lives in Lisbon.", "quote": "I live in Lisbon", "turn": 1}
GOOD: dict[str, Any] = {"facts": [FACT], "summary": "Ana spoke of Lisbon."}
KEY = "sk-very-secret"
SECRET = "the cat is called Mitzi"


@pytest.fixture
def server() -> Iterator[ScriptedLlm]:
    """Give a model that answers well unless told otherwise."""
    with ScriptedLlm(lambda asked: GOOD) as server:
        yield server


def settings(url: str, **given: Any) -> Settings:
    """Give settings for a model at an address."""
    fast = {"base_url": url, "timeout_seconds": PATIENCE, "retries": 1}
    return load(None, {"llm": "openai:small", "models": fast | given})


@pytest.fixture
def opened(server: ScriptedLlm) -> Iterator[Callable[..., Llm]]:
    """Open models at the server, and close them afterwards."""
    made: list[Llm] = []

    def opens(**given: Any) -> Llm:
        llm = open_llm(settings(server.url, **given), lambda problem: None)
        assert llm is not None
        made.append(llm)
        return llm

    yield opens
    for llm in made:
        llm.close()


def question(role: str = "extractor", **given: Any) -> Question:
    """Make a question about somebody's secret."""
    return Question(role, "Read this.", SECRET, given.pop("schema", Consolidated), **given)


def facts(answer: Answer) -> list[str]:
    """Give the contents of an answer that has a value."""
    assert isinstance(answer, Value), answer
    return [fact.content for fact in answer.value.facts]


def test_a_good_answer_is_a_value(server: ScriptedLlm, opened: Callable[..., Llm]) -> None:
    """The value has the schema's type, and the cost is what the provider says."""
    answer = opened().ask(question())
    assert isinstance(answer, Value)
    assert isinstance(answer.value, Consolidated)
    assert (facts(answer), answer.value.summary) == (["Ana lives in Lisbon."], "Ana spoke of Lisbon.")
    (asked,) = server.requests
    assert answer.usage == Usage(1, asked.prompt_tokens, asked.completion_tokens, 0, 1)
    assert (answer.model, answer.dropped, answer.mended) == ("openai:small", 0, False)
    assert (asked.mode, asked.system, asked.user, asked.model) == ("native", "Read this.", SECRET, "small")
    assert asked.body["response_format"]["json_schema"]["strict"] is True
    assert asked.body["response_format"]["json_schema"]["schema"]["required"] == ["facts", "summary"]


def half(items: int) -> str:
    """Give an answer that breaks off in the middle of an item."""
    whole = json.dumps({"facts": [FACT | {"content": f"Ana has {n} cats."} for n in range(items + 1)]})
    return whole[: -len(json.dumps(FACT)) // 2]


ODD: dict[str, tuple[Saying, list[str]]] = {
    "a code fence": (f"```json\n{json.dumps(GOOD)}\n```", ["Ana lives in Lisbon."]),
    "a fence without a name": (f"Here you are:\n```\n{json.dumps(GOOD)}\n```\nGood luck!", ["Ana lives in Lisbon."]),
    "a fence that stays open": (f"```json\n{json.dumps(GOOD)}", ["Ana lives in Lisbon."]),
    "prose around": (f"Sure! {json.dumps(GOOD)} Anything else?", ["Ana lives in Lisbon."]),
    "thoughts before": (f"<think>{{hm}}</think>{json.dumps(GOOD)}", ["Ana lives in Lisbon."]),
    "a bare list": ([FACT], ["Ana lives in Lisbon."]),
    "JSON in a string": (json.dumps(json.dumps(GOOD)), ["Ana lives in Lisbon."]),
    "half a JSON": (half(2), ["Ana has 0 cats.", "Ana has 1 cats."]),
    "cut off by the limit": (Said(half(1), finish="length"), ["Ana has 0 cats."]),
    "bad items": ({"facts": [{"content": 5}, FACT, "text", None]}, ["Ana lives in Lisbon."]),
    "a bad field": ({"facts": [FACT | {"turn": "x"}]}, ["Ana lives in Lisbon."]),
    "numbers as texts": ({"facts": [FACT | {"turn": "3", "importance": "7"}]}, ["Ana lives in Lisbon."]),
    "numbers out of range": ({"facts": [FACT | {"importance": 99, "confidence": -1}]}, ["Ana lives in Lisbon."]),
    "nulls in an item": ({"facts": [FACT | {"topic": None, "entities": None}]}, ["Ana lives in Lisbon."]),
    "a date that is none": ({"facts": [FACT | {"event_time": "May"}]}, ["Ana lives in Lisbon."]),
    "fields nobody asked for": (GOOD | {"mood": "good"}, ["Ana lives in Lisbon."]),
    "any alphabet": ({"facts": [FACT | {"content": "Ана живёт в 東京 🏯."}]}, ["Ана живёт в 東京 🏯."]),
}


@pytest.mark.parametrize("name", ODD)
def test_what_can_be_saved_is(name: str, server: ScriptedLlm, opened: Callable[..., Llm]) -> None:
    """An answer in an odd form gives its good items in one request; what is dropped is counted."""
    said, expected = ODD[name]
    server.say(said)
    answer = opened().ask(question())
    assert facts(answer) == expected
    assert isinstance(answer, Value)
    assert answer.dropped == (3 if name == "bad items" else 0)
    assert answer.mended == (name in ("half a JSON", "cut off by the limit"))
    assert len(server.requests) == 1
    assert all(1 <= fact.importance <= 10 and 0 <= fact.confidence <= 1 for fact in answer.value.facts)


@pytest.mark.parametrize("said", ["null", "[]", {}, {"facts": []}, {"facts": [], "summary": " "}, "```\n[]\n```"])
def test_nothing_is_an_answer(said: Saying, server: ScriptedLlm, opened: Callable[..., Llm]) -> None:
    """A model that says there is nothing has answered; it did not fail, and is not asked again."""
    server.say(said)
    answer = opened().ask(question())
    assert isinstance(answer, Nothing)
    assert answer.shaped is (said not in ("null", {}))
    assert answer.usage.calls == len(server.requests) == 1


@pytest.mark.parametrize(
    "said",
    [
        Said(refusal="I must not."),
        Said(content="", finish="content_filter"),
        "I'm sorry, but I can't help with that.",
        "I cannot assist with this request.",
    ],
)
def test_a_refusal_is_told(said: Saying, server: ScriptedLlm, opened: Callable[..., Llm]) -> None:
    """A model that declines is not asked in another way, and no other is."""
    server.say(said)
    answer = opened(fallback=["openai:other"]).ask(question())
    assert isinstance(answer, Refused)
    assert answer.usage.calls == len(server.requests) == 1


BROKEN: dict[str, tuple[Saying, int, str]] = {
    "prose": ("Ana lives in Lisbon, I think.", 3, "answered in prose"),
    "an empty answer": (Said(content=None), 3, "gave an empty answer"),
    "blank": ("  \n ", 3, "gave an empty answer"),
    "only bad items": ({"facts": [{"content": 5}]}, 3, "gave 1 items, none of them in the right shape"),
    "a wrong field": ({"facts": "none", "summary": 5}, 3, "wrong shape"),
    "a number": ("7", 3, "gave int where an object was asked for"),
    "nested deeply": ("[" * 50_000, 3, "prose"),
    "half of what says nothing": ('{"summary": "", "facts": [{"content": "Ana', 3, "breaks off"),
    "half an item": ('{"facts": [{"content": "Ana', 3, "breaks off"),
    "half at the limit": (Said('{"facts": [{"content": "Ana', finish="length"), 1, "raise models.max_tokens"),
    "status 400": (400, 3, "refuses the request (status 400)"),
    "status 401": (401, 1, "refuses the key"),
    "status 403": (403, 1, "refuses the key"),
    "status 404": (404, 1, "has no such model"),
    "status 413": (413, 1, "too long"),
    "status 429": (429, 2, "asks for fewer requests (status 429)"),
    "status 500": (500, 2, "failed (status 500)"),
    "status 503": (503, 2, "failed (status 503)"),
    "status 302": (302, 1, "sends requests elsewhere"),
    "an empty body": (Said(raw=b""), 2, "no answer"),
    "not JSON": (Said(raw=b"<html>gateway\xff"), 2, "no answer"),
    "another JSON": (Said(raw=b'{"object": "list"}'), 2, "no answer"),
    "no choices": (Said(raw=b'{"choices": []}'), 2, "no answer"),
    "a scalar": (Said(raw=b"null"), 2, "no answer"),
    "a deep body": (Said(raw=b"[" * 100_000), 2, "no answer"),
    "a huge body": (Said(huge=True), 1, "sent more than 16 MB"),
    "hung up": (Said(drop=True), 2, "broke off the request"),
    "a hang": (Said(hang=PATIENCE), 2, "did not answer in 1 seconds"),
    "a trickle": (Said(json.dumps(GOOD), trickle=0.3), 2, "did not answer in 1 seconds"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_failure_is_told(name: str, server: ScriptedLlm, opened: Callable[..., Llm]) -> None:
    """Whatever is wrong, it is said in our own words after a bounded number of requests, each of them counted."""
    said, requests, words = BROKEN[name]
    server.say(*[said] * 9)
    answer = opened(timeout_seconds=1.0 if "seconds" in words else PATIENCE).ask(question())
    assert isinstance(answer, Failed), answer
    assert answer.reason.startswith("openai:small ")
    assert words in answer.reason
    assert SECRET not in answer.reason
    assert until(lambda: len(server.requests) >= requests)  # the server may hear of the last after we have given up
    assert answer.usage.calls == len(server.requests) == requests


def test_an_address_nobody_is_at() -> None:
    """A refused connection is a failure; it cost nothing."""
    with ScriptedLlm() as gone:
        url = gone.url
    llm = open_llm(settings(url), lambda problem: None)
    assert llm is not None
    assert llm.ask(question()) == Failed("openai:small cannot be reached", Usage())
    llm.close()


def test_it_passes(server: ScriptedLlm, opened: Callable[..., Llm]) -> None:
    """After failures that pass, the same model answers, and all that was asked is counted."""
    server.say(429, Said(raw=b""), 500)
    answer = opened(retries=3).ask(question())
    assert facts(answer) == ["Ana lives in Lisbon."]
    assert answer.usage.calls == 4


def test_the_pause_is_kept_to(server: ScriptedLlm, opened: Callable[..., Llm]) -> None:
    """A provider that asks for a second gets it; one that asks for an hour is not waited for."""
    slept: list[float] = []
    llm = opened()
    llm.ask(question())
    llm._models._sleep = slept.append  # type: ignore[attr-defined]
    server.say(Said(status=429, retry_after="1"))
    assert facts(llm.ask(question())) == ["Ana lives in Lisbon."]
    assert slept == [1.0]
    server.say(Said(status=429, retry_after="3600"))
    assert isinstance(llm.ask(question()), Failed)
    assert slept == [1.0]


def stubborn(mode: str, how: Saying) -> Callable[[Asked], Saying]:
    """Make a model that answers well in one mode only."""
    return lambda asked: GOOD if asked.mode == mode else how


@pytest.mark.parametrize("how", [400, 422, "I would rather chat."])
@pytest.mark.parametrize("mode", ["native", "tool", "prompted"])
def test_the_mode_that_works_is_remembered(mode: str, how: Saying) -> None:
    """The ways to a shape are tried in order, and the next question goes straight to the one that worked."""
    with ScriptedLlm(stubborn(mode, how)) as server:
        for asked in range(2):  # the second one is opened anew: what was learnt holds for the process
            llm = open_llm(settings(server.url), lambda problem: None)
            assert llm is not None
            assert facts(llm.ask(question())) == ["Ana lives in Lisbon."]
            if asked:
                llm.ask(question())
            llm.close()
        tried = ["native", "tool", "prompted"]
        assert [one.mode for one in server.requests] == [*tried[: tried.index(mode) + 1], mode, mode]
        assert ("JSON schema" in server.requests[-1].system) == (mode == "prompted")


def test_one_bad_answer_unlearns_nothing(server: ScriptedLlm, opened: Callable[..., Llm]) -> None:
    """A mode that worked is not given up because of one answer in prose."""
    llm = opened()
    llm.ask(question())
    server.say("Let me think aloud.")
    assert facts(llm.ask(question())) == ["Ana lives in Lisbon."]
    llm.ask(question())
    assert [one.mode for one in server.requests] == ["native", "native", "tool", "native"]


def test_others_are_asked(server: ScriptedLlm, opened: Callable[..., Llm]) -> None:
    """When the first does not answer the fallbacks do, in order, and the answer says who."""
    server.say(401, 500, 500)
    answer = opened(fallback=["openai:other", "openai:third", "openai:small"]).ask(question())
    assert isinstance(answer, Value)
    assert answer.model == "openai:third"
    assert [one.model for one in server.requests] == ["small", "other", "other", "third"]
    assert answer.usage.calls == 4
    server.say(*[401] * 3)
    failed = opened(fallback=["openai:other"]).ask(question())
    assert isinstance(failed, Failed)
    assert [part.split()[0] for part in failed.reason.split("; ")] == ["openai:small", "openai:other"]


def test_roles_have_their_models(server: ScriptedLlm, opened: Callable[..., Llm]) -> None:
    """Each role asks the model set for it, and what is set of its voice is sent along."""
    llm = opened(judge="openai:wise", temperature=0.5, top_p=0.25, max_tokens=77)
    assert llm.roles == frozenset(ROLES)
    for role in ROLES:
        llm.ask(question(role))
    assert [one.model for one in server.requests] == ["small", "small", "small", "small", "wise"]
    body = server.requests[0].body
    assert (body["temperature"], body["top_p"], body["max_completion_tokens"]) == (0.5, 0.25, 77)
    llm.ask(question(max_tokens=5))
    assert server.requests[-1].body["max_completion_tokens"] == 5


def test_a_role_without_a_model(server: ScriptedLlm) -> None:
    """With a model for one role alone, a question in another fails and says so."""
    llm = open_llm(load(None, {"models": {"judge": "openai:wise", "base_url": server.url}}), lambda problem: None)
    assert llm is not None
    assert llm.roles == {"judge"}
    assert llm.ask(question()) == Failed("no model is set for the role extractor")
    llm.close()


def test_too_many_items(server: ScriptedLlm, opened: Callable[..., Llm]) -> None:
    """Of 500 facts as many are taken as agreed, the others are counted."""
    server.say({"facts": [FACT | {"content": f"Ana has {n} cats."} for n in range(500)]})
    answer = opened().ask(question(max_items=40))
    assert isinstance(answer, Value)
    assert (len(answer.value.facts), answer.dropped) == (40, 460)


def test_verdicts(server: ScriptedLlm, opened: Callable[..., Llm]) -> None:
    """A verdict nobody knows is dropped, the others stand."""
    server.say({"verdicts": [{"pair": 1, "verdict": "same"}, {"pair": 2, "verdict": "perhaps"}]})
    answer = opened().ask(question("judge", schema=Judged))
    assert isinstance(answer, Value)
    assert (answer.value.verdicts, answer.dropped) == ([Verdict(1, "same")], 1)


def test_no_second_try_beyond_the_budget(server: ScriptedLlm, opened: Callable[..., Llm]) -> None:
    """A limit of tokens ends the tries, also when others could be asked."""
    server.say(*["Let me think aloud."] * 9)
    answer = opened(max_tokens=100, fallback=["openai:other"]).ask(question(), 900)
    assert isinstance(answer, Failed)
    assert len(server.requests) == 2
    assert "budget" in answer.reason


def test_a_provider_that_counts_nothing(server: ScriptedLlm, opened: Callable[..., Llm]) -> None:
    """Where the provider does not say what an answer took, it is estimated."""
    server.say(Said(json.dumps(GOOD), usage=False))
    usage = opened().ask(question()).usage
    assert usage.tokens_in >= 8
    assert usage.tokens_out >= 20


def test_half_characters_are_sent(server: ScriptedLlm, opened: Callable[..., Llm]) -> None:
    """Half of a surrogate pair in somebody's text breaks no request."""
    answer = opened().ask(Question("extractor", "Read.", "ab\ud800cd\x00", Consolidated))
    assert facts(answer) == ["Ana lives in Lisbon."]
    assert server.requests[0].user == "ab?cd\x00"


def test_many_ask_at_once() -> None:
    """Questions of many threads run side by side, each with its own answer: none is answered before all are asked."""
    all_here = threading.Barrier(10)

    def script(asked: Asked) -> Saying:
        if model.requests:  # the first one is alone
            all_here.wait(PATIENCE)
        return GOOD

    answers: list[Answer] = []
    with ScriptedLlm(script) as model:
        llm = open_llm(settings(model.url), lambda problem: None)
        assert llm is not None
        llm.ask(question())
        threads = [threading.Thread(target=lambda: answers.append(llm.ask(question()))) for _ in range(10)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        llm.close()
    assert [facts(answer) for answer in answers] == [["Ana lives in Lisbon."]] * 10


def test_closing(opened: Callable[..., Llm]) -> None:
    """Closed models answer that they are; closing twice is fine."""
    llm = opened()
    llm.ask(question())
    llm.close()
    llm.close()
    assert llm.ask(question()) == Failed("the models are closed")
    unused = opened()
    unused.close()
    assert unused.ask(question()) == Failed("the models are closed")


def test_closing_keeps_nobody_waiting(server: ScriptedLlm, opened: Callable[..., Llm]) -> None:
    """Whoever waits for an answer when the models are closed gets one at once."""
    llm = opened(timeout_seconds=9 * PATIENCE)
    llm.ask(question())
    server.say(Said(hang=9 * PATIENCE))
    answers: list[Answer] = []
    thread = threading.Thread(target=lambda: answers.append(llm.ask(question())))
    thread.start()
    assert until(lambda: len(server.requests) == 2)
    llm.close()
    thread.join(PATIENCE)
    assert [type(answer) for answer in answers] == [Failed]


def test_prices_are_known_at_the_providers_own_address(server: ScriptedLlm) -> None:
    """Money is counted by the list that came with the library: there, on one's own machine, and nowhere else."""
    prices = {}
    for provider, model, own in (("openai", "gpt-4o-mini", True), ("openai", "no-such-model", True),
                                 ("openai", "gpt-4o-mini", False), ("ollama", "small", True)):  # fmt: skip
        target = Target(model, Address(provider, server.url, own=own))
        llm = models.Models({"extractor": [target]}, port.build_model, settings(server.url).models)
        usage = llm.ask(question()).usage
        llm.close()
        prices[model, own] = (usage.money, usage.unpriced)
    assert prices["gpt-4o-mini", True][0] > 10
    assert [price[1] for price in prices.values()] == [0, 1, 1, 0]


# Keys and settings


def test_a_key_is_for_whom_it_was_given(monkeypatch: pytest.MonkeyPatch) -> None:
    """The usual key goes to the provider's own address alone; another one gets the key whose variable is named."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("MINE", "other-key")
    with ScriptedLlm(lambda asked: GOOD) as server:
        for variable, key in (("", "none"), ("MINE", "other-key"), ("OPENAI_API_KEY", KEY)):
            llm = open_llm(settings(server.url, key_variable=variable), lambda problem: None)
            assert llm is not None
            llm.ask(question())
            llm.close()
            assert server.requests[-1].key == key


def test_a_key_is_never_shown(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    """Neither an answer, nor the log, nor a printed part tells the key, though the endpoint quotes it."""
    monkeypatch.setenv("MINE", KEY)
    caplog.set_level(logging.DEBUG)
    with ScriptedLlm(lambda asked: 400) as server:
        chosen = settings(server.url, key_variable="MINE")
        llm = open_llm(chosen, lambda problem: None)
        assert llm is not None
        answer = llm.ask(question())
        assert server.requests[0].key == KEY
        shown = f"{answer} {chosen} {llm} {port.targets_of('judge', chosen, print)} {llm.__dict__}"
        llm.close()
    assert KEY not in shown
    assert KEY not in "".join(record.getMessage() for record in caplog.records if "recollect" in record.name)


def test_without_a_key_there_is_no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model whose key is missing is left out, with a word on where to put it; with none left there is no model."""
    for variable in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY", "GEMINI_API_KEY", "XAI_API_KEY"):
        monkeypatch.delenv(variable, raising=False)
    said: list[str] = []
    for provider in ("openai", "anthropic", "google", "xai"):
        assert open_llm(load(None, {"llm": f"{provider}:m"}), said.append) is None
        assert f"{provider}:m is not asked: put its key into the variable {provider.upper()}_API_KEY" in said[-1]
    fallback = {"fallback": ["ollama:m"]}
    llm = open_llm(load(None, {"llm": "openai:m", "models": fallback}), said.append)
    assert llm is not None
    monkeypatch.setenv("GEMINI_API_KEY", KEY)
    (target,) = port.targets_of("judge", load(None, {"llm": "google:m"}), said.append)
    assert (target.address.key, target.name) == (KEY, "google:m")


def test_without_settings_there_is_no_model(tmp_path: Any) -> None:
    """By default nobody is asked, and nothing of the libraries is loaded."""
    with Recollect(f"sqlite:///{tmp_path}/m.db", embedder="none") as rc:
        assert rc._runtime.llm is None


def test_an_address_is_for_one_provider(monkeypatch: pytest.MonkeyPatch) -> None:
    """The address and key that are set are for the provider of `llm`; a fallback of another keeps its own."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    chosen = load(None, {"llm": "openai:m", "models": {"base_url": "http://x/v1/", "fallback": ["anthropic:c"]}})
    first, second = port.targets_of("judge", chosen, print)
    assert (first.address.url, first.address.key, first.address.own) == ("http://x/v1", "", False)
    assert (second.address.url, second.address.key, second.address.own) == ("https://api.anthropic.com", KEY, True)


@pytest.mark.parametrize(
    "wrong",
    [
        {"llm": "gpt-5"},
        {"llm": "magic:m"},
        {"llm": "openai:"},
        {"llm": "openai: m"},
        {"models": {"judge": "m"}},
        {"models": {"fallback": ["openai:m", "m"]}},
        {"models": {"base_url": "ftp://x"}},
        {"models": {"base_url": "https://u:p@host/v1"}},
        {"models": {"key_variable": "sk-123 456"}},
        {"models": {"timeout_seconds": 0}},
        {"models": {"temperature": -1}},
        {"models": {"temperature": float("nan")}},
        {"models": {"top_p": 2}},
        {"models": {"max_tokens": 0}},
        {"models": {"retries": -1}},
        {"budget": {"tokens_per_day": -1}},
        {"budget": {"dollars_per_day": float("nan")}},
    ],
    ids=str,
)
def test_wrong_settings_are_named(wrong: dict[str, Any]) -> None:
    """A setting that cannot be used is named, and no key that was put in a wrong place is repeated."""
    with pytest.raises(ConfigError, match=r"llm|models|budget") as error:
        load(None, wrong)
    assert "sk-123" not in str(error.value)


def test_the_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    """Without the library, opening says what to install."""
    monkeypatch.setattr(port, "find_spec", lambda name: None)
    with pytest.raises(ConfigError, match=r"pip install 'recollect\[llm\]'"):
        Recollect(f"sqlite:///{tmp_path}/m.db", embedder="none", llm="ollama:m")


# The other languages


class Foreign(Loopback):
    """A server that speaks Anthropic's and Google's language, and keeps what it heard."""

    def __init__(self) -> None:
        self.heard: list[Request] = []
        self.status = 200
        super().__init__()

    def respond(self, request: Request) -> Response:
        """Answer in the language of the path."""
        self.heard.append(request)
        text = json.dumps(GOOD)
        usage = {"input_tokens": 11, "output_tokens": 7}
        anthropic = {
            "id": "m", "type": "message", "role": "assistant", "model": "m", "stop_reason": "end_turn",
            "content": [{"type": "text", "text": text}], "usage": usage,
        }  # fmt: skip
        if any("input_schema" in tool for tool in request.body.get("tools", ())):
            name = request.body["tools"][0]["name"]
            anthropic["content"] = [{"type": "tool_use", "id": "t", "name": name, "input": GOOD}]
        google = {
            "candidates": [{"content": {"role": "model", "parts": [{"text": text}]}, "finishReason": "STOP"}],
            "usageMetadata": {"promptTokenCount": 11, "candidatesTokenCount": 7},
        }
        body = anthropic if "messages" in request.path else google
        return Response(json.dumps(body if self.status == 200 else {"error": {"message": KEY}}).encode(), self.status)


@pytest.mark.parametrize("provider", ["anthropic", "google"])
def test_others_languages(provider: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Anthropic and Google are asked by their own libraries, with the key in its place, and fail as everybody does."""
    monkeypatch.setenv("MINE", KEY)
    with Foreign() as server:
        given = {"base_url": server.host, "key_variable": "MINE", "retries": 1}
        model = "claude-sonnet-5" if provider == "anthropic" else "gemini-2.5-flash"
        llm = open_llm(load(None, {"llm": f"{provider}:{model}", "models": given}), lambda problem: None)
        assert llm is not None
        answer = llm.ask(question())
        assert facts(answer) == ["Ana lives in Lisbon."]
        assert answer.usage == Usage(1, 11, 7, 0, 1)
        assert [heard.key for heard in server.heard] == [KEY]
        assert SECRET in str(server.heard[0].body)
        server.status = 503
        failed = llm.ask(question())
        assert isinstance(failed, Failed)
        assert "status 503" in failed.reason
        assert KEY not in failed.reason
        assert len(server.heard) == 3
        llm.close()
