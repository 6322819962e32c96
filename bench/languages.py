"""How well the language of short texts is told, and at what cost: `python -m bench.languages [ours|py3langid|lingua]`.

Each is measured in a process of its own. Lingua is no dependency of ours: it is measured where it is installed.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from recollect.language.english.other_languages import language

TEXTS: dict[str, list[str]] = json.loads(
    (Path(__file__).parent.parent / "tests" / "fixtures" / "languages.json").read_text("utf-8")
)
CODES = {
    "english": "en", "german": "de", "french": "fr", "spanish": "es", "italian": "it", "portuguese": "pt",
    "dutch": "nl", "russian": "ru",
}  # fmt: skip
ROUNDS = 10


def _ours() -> Callable[[str], str]:
    return lambda text: CODES.get(language(text), "")


def _py3langid() -> Callable[[str], str]:
    langid = import_module("py3langid.langid")
    identifier = langid.LanguageIdentifier.from_model_file(langid.MODEL_FILE)
    return lambda text: str(identifier.classify(text)[0])


def _lingua() -> Callable[[str], str]:
    detector = import_module("lingua").LanguageDetectorBuilder.from_all_languages().build()
    return lambda text: (
        str(getattr(detector.detect_language_of(text), "iso_code_639_1", None)).rpartition(".")[2].lower()
    )


WAYS: dict[str, Callable[[], Callable[[str], str]]] = {"ours": _ours, "py3langid": _py3langid, "lingua": _lingua}


def measure(name: str) -> str:
    """Give one line of figures on one way to tell languages."""
    memory, begun = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    tell = WAYS[name]()
    tell(TEXTS["en"][0])
    loaded = time.process_time() - begun
    told = [(code, tell(text)) for code, texts in TEXTS.items() for text in texts]
    begun = time.process_time()
    for _ in range(ROUNDS):
        for texts in TEXTS.values():
            for text in texts:
                tell(text)
    each = (time.process_time() - begun) / ROUNDS / len(told)
    right = sum(code == found for code, found in told)
    english = sum((code == "en") == (found == "en") for code, found in told)
    talks = sum(tell(" ".join(texts)) == code for code, texts in TEXTS.items())
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory) / 1024
    return (
        f"{name}: {right} of {len(told)} right, English told from others {english}, whole talks {talks} of "
        f"{len(TEXTS)}; ready after {loaded:.2f} s of CPU, {each * 1e6:.0f} µs a text, {grown:.0f} MB at most"
    )


def main() -> None:
    """Measure the way that is named, or each that is installed."""
    if sys.argv[1:]:
        print(measure(sys.argv[1]))
        return
    for name in WAYS:
        if name == "ours" or find_spec(name):
            subprocess.run([sys.executable, "-m", "bench.languages", name], check=True)


if __name__ == "__main__":
    main()
