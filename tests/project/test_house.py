"""The house rules, held: and shown to fail when one is broken on purpose."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests import house

ROOT = Path(__file__).parent.parent.parent
PACKAGE = ROOT / "recollect"
RULES: tuple[Callable[[Path], list[str]], ...] = (
    house.import_cycles,
    house.hidden_imports,
    house.oversized,
    house.swallowed_errors,
    house.outside_world,
    house.undocumented,
    house.bad_names,
    house.readers_opened,
    house.word_lists,
    house.repeated_names,
    house.crowded,
)
BROKEN_ON_PURPOSE: dict[str, dict[str, str]] = {
    "import_cycles": {
        "rules/one.py": "from recollect.rules.two import b\n",
        "rules/two.py": "from recollect.rules.one import a\n",
    },
    "hidden_imports": {"flows/walk.py": "def walk():\n    import json\n"},
    "oversized": {"rules/long.py": "def f(a, b, c, d, e, f, g, h):\n    pass\n"},
    "swallowed_errors": {"flows/walk.py": "try:\n    pass\nexcept Exception:\n    pass\n"},
    "outside_world": {"rules/now.py": "import os\nx = os.environ['HOME']\n"},
    "undocumented": {"rules/mute.py": "def judge():\n    pass\n"},
    "bad_names": {"flows/memory_manager.py": "x = 1\n"},
    "readers_opened": {"flows/walk.py": "from recollect.language.questions import form\n"},
    "word_lists": {"rules/words.py": "GREETINGS = 'hello hi hey thanks please'.split()\n"},
    "repeated_names": {"flows/gate/conflicts.py": "", "flows/life/conflicts.py": "", "jobs/conflicts.py": ""},
    "crowded": {f"rules/gate/number{number}.py": "" for number in range(23)},
}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_the_package_keeps_the_rule(rule: Callable[[Path], list[str]]) -> None:
    """The package breaks none of the house rules."""
    assert rule(PACKAGE) == []


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_the_rule_can_fail(rule: Callable[[Path], list[str]], tmp_path: Path) -> None:
    """Each rule finds a tree that breaks it on purpose."""
    for name, text in BROKEN_ON_PURPOSE[rule.__name__].items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    assert rule(tmp_path) != []


WORDY = (
    "DAYS = ('monday', 'tuesday', 'wednesday', 'thursday')\n",
    "YES = frozenset({'yes', 'yeah', 'sure', 'of course'})\n",
    "MOODS = {'happy': 1, 'sad': 2, 'angry': 3}\n",
    "PRONOUNS = ['er', 'sie', 'wir', 'ihr']\n",
    "VERBS = ('remember', 'forget', 'keep', 'confirm')\n",
    "TIMES = ('soon', 'today', 'then', 'later', 'yesterday')\n",
    "import re\nASKS = re.compile(r'\\b(?:who|what|when|where)\\b')\n",
    "def asks(text, word):\n    return search(rf'(?:please|kindly|maybe) {word}', text)\n",
    "СЛОВА = 'да нет может быть'.split()\n",
)


def test_words_of_a_language_are_found_in_every_form(tmp_path: Path) -> None:
    """A list, a set, a dictionary, a text to be split and a pattern of words are found, in any language."""
    package = shutil.copytree(
        PACKAGE, tmp_path / "recollect", ignore=shutil.ignore_patterns("__pycache__", "*.txt", "*.onnx")
    )
    names = [f"found{number}.py" for number in range(len(WORDY))]
    for name, text in zip(names, WORDY, strict=True):
        (package / "rules" / name).write_text(text)
    assert sorted(one.partition(":")[0] for one in house.word_lists(package)) == [f"rules/{name}" for name in names]
    for name in names:
        (package / "rules" / name).rename(package / "language" / name)
    assert house.word_lists(package) == []


def test_words_of_the_code_are_no_words_of_a_language(tmp_path: Path) -> None:
    """A list of what the code itself names, like the fields of a class, is none of a human language."""
    (tmp_path / "rules").mkdir()
    fields = "class Memory:\n    kind: str\n    tier: str\n    state: str\n"
    (tmp_path / "rules" / "words.py").write_text(f"{fields}COLUMNS = ('kind', 'tier', 'state')\n")
    assert house.word_lists(tmp_path) == []


def linted(folder: Path) -> subprocess.CompletedProcess[str]:
    """Hold the package in a folder against the floors that pyproject.toml draws."""
    program = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    options = ["--config", str(ROOT / "pyproject.toml"), "--no-cache", "--no-logo"]
    return subprocess.run([sys.executable, "-c", program, *options], cwd=folder, capture_output=True, text=True)


def test_imports_go_down_the_floors() -> None:
    """No room sees one above it, or beside it on its floor."""
    done = linted(ROOT)
    assert done.returncode == 0, done.stdout


CROSSED = {
    "up": ("model/thing.py", "from recollect.store import base\n", "recollect.model.thing -> recollect.store"),
    "sideways": ("store/peek.py", "import recollect.providers\n", "recollect.store.peek -> recollect.providers"),
    "by the front door": ("flows/walk.py", "from recollect import Recollect\n", "recollect.flows.walk -> recollect "),
    "around a corner": (
        "rules/hidden.py",
        "def f():\n    from recollect.jobs import run\n",
        "recollect.rules.hidden -> recollect.jobs",
    ),
}


@pytest.mark.parametrize("way", CROSSED)
def test_a_crossed_floor_is_seen(way: str, tmp_path: Path) -> None:
    """A package with the same floors and one wrong import, hidden in a function or not, does not pass."""
    for room in {path.stem for path in PACKAGE.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}:
        folder = tmp_path / "recollect" / room.removeprefix("__init__")
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "__init__.py").touch()
    assert linted(tmp_path).returncode == 0
    path, text, told = CROSSED[way]
    (tmp_path / "recollect" / path).write_text(text)
    done = linted(tmp_path)
    assert (done.returncode, told in done.stdout) == (1, True), done.stdout


def test_a_name_may_be_used_on_another_floor(tmp_path: Path) -> None:
    """The walk and the job that takes it may have one name; two rooms of a floor may not."""
    for path in ("flows/life/age.py", "jobs/age.py", "flows/life/__init__.py", "flows/gate/__init__.py"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).touch()
    assert house.repeated_names(tmp_path) == []
    (tmp_path / "flows" / "gate" / "age.py").touch()
    assert house.repeated_names(tmp_path) == ["flows/gate/age.py and flows/life/age.py have one name"]


@pytest.mark.parametrize("folder", ["tests", "bench"])
def test_no_folder_is_crowded_outside_either(folder: str) -> None:
    """Tests and benchmarks stand in rooms too."""
    assert house.crowded(ROOT / folder) == []


def test_every_test_says_what_must_hold() -> None:
    """Every test carries a sentence and something that can fail."""
    assert house.silent_tests(ROOT / "tests") == []
    assert house.silent_tests(PACKAGE / "testing") == []


def test_nothing_names_a_machine_or_a_registry() -> None:
    """No file kept in the project holds an absolute path of a machine or the host of a package registry."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    bad = re.compile(rb"pypi\.org|pythonhosted|index-url|find-links|/root/|/work/|/home/\w+/")
    allowed = {"tests/project/test_house.py", "Makefile", "SECURITY.md"}
    told = "train/corpus/"  # people who were made up speak of their own machines
    found = [
        name
        for name in listed.decode().split("\0")
        if name and name not in allowed and not name.startswith(told) and bad.search((ROOT / name).read_bytes())
    ]
    assert found == []


def test_decisions_against_the_obvious_are_written_down() -> None:
    """Each decision against the obvious has its page with a measurement."""
    pages = {page.stem for page in (ROOT / "docs" / "why").glob("*.md")}
    assert {"no-orm", "own-word-index", "own-jobs", "sync-core", "derived-forgetting"} <= pages
    assert all(re.search(r"\d", page.read_text("utf-8")) for page in (ROOT / "docs" / "why").glob("*.md"))
