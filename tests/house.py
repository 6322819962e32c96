"""The house rules as functions over a source tree: each gives the places where a rule is broken.

That imports go down the floors is held by import-linter, which pyproject.toml tells of the floors: `lint-imports`.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from recollect.text.stopwords import common

LAZY_IMPORTS = {
    "config.py",
    "runtime.py",
    "jobs/registry.py",
    "language/__init__.py",
    "language/telling.py",
    "providers/archives/__init__.py",
    "providers/embedders/__init__.py",
    "providers/judges/__init__.py",
    "providers/llm/__init__.py",
    "testing/servers.py",
}
CATCH_ALL = {
    "adapters/wrapping.py", "store/writer.py", "jobs/run.py", "jobs/worker.py", "front/subscribing.py",
    "serve/rest/guard.py",
    "serve/rest/threads.py",
}  # fmt: skip
"""The writer and the worker: a thread that dies in silence leaves everybody waiting. The doors: they report it."""
CLOCKS = {"runtime.py"}
CLOCK_CALLS = re.compile(r"(?:datetime\.now|datetime\.utcnow|time\.time|random\.\w+|secrets\.\w+|uuid\.\w+)")
BAD_NAMES = re.compile(r"(?:manager|helper|util|utils|_v\d+|common_utils)", re.IGNORECASE)
SPOKEN = ("language/", "testing/")
"""The rooms that may hold words of a human language: who reads them, and what tests say."""
TECHNICAL: dict[str, str] = {
    "adapters/importers/chatgpt.py": "code",
    "adapters/importers/frame.py": (
        "anthropic chatgpt claude langgraph letta mem0 mempalace notes zep talks messages blocks"
    ),
    "adapters/importers/langgraph_items.py": "memory text data content value",
    "adapters/importers/mem0_memories.py": "hash memory categories id metadata",
    "adapters/importers/zep.py": "edges episodes nodes",
    "adapters/langgraph_saver.py": "at channel path task value",
    "adapters/looking.py": "at id",
    "adapters/mem0.py": "fact insight lesson passage procedure event",
    "adapters/mem0_filters.py": "contains eq gt gte icontains in lt lte ne nin and not or",
    "adapters/mem0_shapes.py": "event hash memory role url id metadata",
    "adapters/wrapping.py": "anthropic asyncanthropic asyncopenai openai",
    "agent/toolset.py": "core db drive memory search",
    "config.py": "anthropic google ollama openai xai",
    "flows/find/relating.py": "opened parted ran united unlinked unnamed",
    "flows/window/delta.py": "deleted merged restored",
    "flows/window/compact.py": "covers model previous window from to",
    "flows/window/sections.py": "categorised days delta enrichment files insight lessons metadata salient",
    "flows/window/workspace/renderings.py": "file heading order place tail",
    "rules/learn/lessons.py": (
        "correction error errors exception failed failure false ok status stderr succeeded success win"
    ),
    "rules/window/files.py": "aux com con lpt nul prn",
    "jobs/lessons.py": "merged stored superseded",
    "flows/learn/admission.py": "merged stored superseded",
    "flows/learn/own_agent.py": "insight procedure",
    "flows/learn/screen.py": "developer function tool",
    "flows/learn/meant.py": "back call correct forget private wrong month weekday number name",
    "jobs/judge.py": "left parted same",
    "providers/judges/__init__.py": "numpy onnxruntime tokenizers",
    "providers/judges/heads.py": "hidden mask types",
    "providers/judges/judge.py": (
        "chat code event family fiction habit health home identity irony others plan "
        "possession preference project question quotation roleplay supposition task wish work "
        "adds contradicted notsaid otherperson replaces resembles same supported "
        "nothing forget back private correct remember"
    ),
    "rules/learn/evidence.py": "contradicted notsaid otherperson",
    "rules/learn/notes.py": ("event family habit health home identity plan possession preference project wish work"),
    "flows/keep/bulk.py": "forget pin unpin update",
    "flows/life/undo.py": "erased purged trimmed parted removed restored",
    "model/kinds.py": "archive core long deleted merged superseded import tool",
    "model/proposals.py": "city goals language location organization other person project pronouns same timezone tone",
    "model/receipt.py": "merged stored superseded id op other",
    "prompts/__init__.py": "graded judged ranked regrouped resumed thought distilled inferred",
    "providers/archives/drive.py": "fields files includeitemsfromalldrives orderby pagesize q",
    "providers/archives/remote.py": "abfs az gcs gs",
    "providers/embedders/__init__.py": "numpy onnxruntime tokenizers minilm ollama openai",
    "providers/entities/spacy.py": "lemmatizer parser senter tagger",
    "providers/llm/__init__.py": "anthropic google ollama openai xai",
    "providers/llm/call.py": "native prompted tool format support",
    "rules/agent/looping.py": "assets decisions initiatives tasks",
    "rules/find/columns.py": "after before facets part talk until",
    "rules/find/fusion.py": "answers cover date long meaning numbered person personal speaker timed",
    "rules/find/marks.py": "numbered person personal timed",
    "rules/find/signals.py": "long numbered person personal timed",
    "rules/gate/categories.py": (
        "activity constraints goals history interests knowledge preferences "
        "procedural profile projects relationships style tasks tone"
    ),
    "rules/gate/consent.py": "agree apply nothing propose replace",
    "rules/life/retention.py": "expiring fading lasting",
    "rules/life/salience.py": "family health identity wish wishes city pronouns preferred_name home language",
    "serve/cli/life.py": "expiring fading lasting",
    "text/normal.py": "cc cf mn zl zp zs",
    "rules/gate/trust.py": ("ai assistant bot developer function human tool directive file import mail web workspace"),
    "rules/gate/writing.py": "open episodic lesson none procedure semantic",
    "rules/people/mentions.py": "location organization other person project",
    "rules/people/speakers.py": "admin anonymous demo guest main me test",
    "rules/window/layout.py": "family health home identity wish work",
    "rules/window/profiles.py": "extensions letta openlegion samaritan spec",
    "runtime.py": "mariadb postgres postgresql",
    "serve/bench/corpus.py": "about did what",
    "serve/bench/formats.py": "locomo longmemeval retrieval",
    "serve/bench/loader.py": "at before",
    "serve/cli/doors/bring.py": "conversations messages notes known already blocks",
    "serve/cli/blocks.py": "append replace rethink",
    "serve/cli/contents.py": "care and look here",
    "serve/cli/cost.py": "us written",
    "serve/cli/demo.py": "compact correct history remember repeat stranger",
    "serve/cli/jobs.py": "dead paused running",
    "serve/cli/look.py": "by what database meaning",
    "serve/cli/options.py": "about it narrow down who is speaking",
    "serve/cli/bench/quality.py": "conversations file format",
    "serve/cli/doors/tune.py": "after before tried",
    "serve/cli/render.py": "merged stored superseded",
    "serve/reference.py": "born in a by id setting what it does argument says",
    "store/engines/postgres.py": "host password port",
    "store/sql/check.py": "restore from an export revisions a",
    "store/sql/load.py": "at before op",
    "store/sql/read/reading.py": "block lesson oldest procedure recent reflection summary used",
    "store/views.py": "oldest recent used",
    "store/writer.py": "answer error gate work",
    "text/patterns.py": "findall finditer fullmatch match search split sub subn",
    "text/roles.py": (
        "person customer client visitor caller me enduser end_user end-user gpt claude copilot "
        "ai assistant bot chatbot api browser browsing code computer critic database "
        "developer document documents environment error executor function functions "
        "ipython log logs moderator narrator observation observations output planner "
        "plugin python results retrieval retriever search shell terminal tool tools "
        "webhook"
    ),
    "text/terms.py": "ll re ve",
    "serve/cli/bench/load.py": "cpu ms a second of it the server's clients requests",
    "serve/cli/doors/install.py": "copy difference file written",
    "serve/install/clients.py": "clear compact precompact resume sessionend sessionstart startup",
    "serve/install/editing.py": "hooks mcp mcpServers servers",
    "serve/rest/further.py": "in input output required",
    "serve/rest/problems.py": "detail error",
    "serve/rest/verbs.py": "action dry out progress self where",
    "serve/rest/wiring.py": "in operationid required responses",
    "tools/blocks.py": "append replace rewrite view",
    "tools/default.py": "lesson passage procedure",
    "tools/forms.py": "merged stored superseded",
    "tools/orchestrator.py": "document episode insight lesson passage procedure reflection summary",
    "tools/samaritan.py": "hour month week merged stored superseded",
    "tools/schema.py": (
        "additionalproperties anyof const description enum items maximum maxitems minimum minitems parameters pattern "
        "properties required strict"
    ),
    "tools/toolbox.py": "anthropic consolidator default letta openlegion orchestrator samaritan single",
}
"""Vocabularies of software, not of speech, file by file: roles, states, providers, headings, parts of a pattern."""
FEWEST_WORDS, MANY_WORDS = 3, 4
"""From how many words that are no names of the code on a list or an alternation is one of a human language; of one
that has many words, one less is enough. Words too common to find anything by are never names of the code."""
_PLAIN = re.compile(r"[^\W\d_]+(?:['’ ][^\W\d_]+)*")
_ALTERNATIVE = re.compile(r"(?<![\w\\\[<])[^\W\d_]{2,}(?=(?:\[\w*\]|\??\w*\??)?[|)])|(?<=\|)[^\W\d_]{2,}")
MOST_MODULES = 22
"""About twenty: one more is no reason for a room of its own."""
LONGEST_FILE, LONGEST_FUNCTION, MOST_PARAMETERS = 450, 60, 7
REASON = "# long because"


def modules(root: Path) -> Iterator[tuple[str, ast.Module, str]]:
    """Give every module of a package: its path inside, its tree and its text."""
    for path in sorted(root.rglob("*.py")):
        text = path.read_text("utf-8")
        yield path.relative_to(root).as_posix(), _parsed(text), text


@cache
def _parsed(text: str) -> ast.Module:
    return ast.parse(text)


@cache
def nodes(tree: ast.Module) -> tuple[ast.AST, ...]:
    """Give everything inside a module; many rules ask."""
    return tuple(ast.walk(tree))


def imports(tree: ast.AST) -> Iterator[str]:
    """Give what a tree imports of the package, as dotted names inside it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "recollect":
            inside = node.module.removeprefix("recollect").lstrip(".")
            yield from [inside] if inside else [alias.name for alias in node.names]
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == "recollect":
                    yield alias.name.removeprefix("recollect").lstrip(".")


def import_cycles(root: Path) -> list[str]:
    """Find modules that import each other, directly or around a corner."""
    graph: dict[str, set[str]] = {}
    names = {path.removesuffix(".py").removesuffix("/__init__").replace("/", ".") for path, _, _ in modules(root)}
    for path, tree, _ in modules(root):
        name = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        graph[name] = {target for target in imports(tree) if target in names and target != name}
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("recollect."):
                inside = node.module.removeprefix("recollect.")
                graph[name] |= {f"{inside}.{a.name}" for a in node.names if f"{inside}.{a.name}" in names} - {name}
    return [f"{name} reaches itself" for name in sorted(graph) if name in _reach(graph, name)]


def _reach(graph: dict[str, set[str]], start: str) -> set[str]:
    seen: set[str] = set()
    ahead = list(graph[start])
    while ahead:
        name = ahead.pop()
        if name not in seen:
            seen.add(name)
            ahead.extend(graph.get(name, ()))
    return seen


def hidden_imports(root: Path) -> list[str]:
    """Find imports inside functions, outside the places that load lazily on purpose."""
    return [
        f"{path}:{inner.lineno} imports inside a function"
        for path, tree, _ in modules(root)
        if path not in LAZY_IMPORTS
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for inner in ast.walk(node)
        if isinstance(inner, ast.Import | ast.ImportFrom)
    ]


def oversized(root: Path) -> list[str]:
    """Find files, functions and parameter lists that are too long without a reason beside them."""
    broken = []
    for path, tree, text in modules(root):
        lines = text.splitlines()
        if len(lines) > LONGEST_FILE:
            broken.append(f"{path} has {len(lines)} lines")
        for node in ast.walk(tree):
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            size = (node.end_lineno or node.lineno) - node.lineno + 1
            many = len([a for a in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs) if a.arg != "self"])
            head = "\n".join(lines[node.lineno - 1 : node.body[0].lineno])
            if (size > LONGEST_FUNCTION or many > MOST_PARAMETERS) and REASON not in head:
                broken.append(f"{path}:{node.lineno} {node.name} has {size} lines and {many} parameters")
    return broken


def swallowed_errors(root: Path) -> list[str]:
    """Find handlers for everything, outside the worker, the writer and the doors."""
    broken = []
    for path, tree, _ in modules(root):
        for node in ast.walk(tree):
            if not isinstance(node, ast.ExceptHandler) or path in CATCH_ALL:
                continue
            name = getattr(node.type, "id", "") if node.type else "everything"
            again = any(isinstance(inner, ast.Raise) and inner.exc is None for inner in ast.walk(node))
            if name in ("Exception", "everything") or (name == "BaseException" and not again):
                broken.append(f"{path}:{node.lineno} catches {name}")
    return broken


def outside_world(root: Path) -> list[str]:
    """Find readers of the environment outside config, and clocks and dice outside the runtime."""
    broken = []
    for path, tree, _ in modules(root):
        for node in ast.walk(tree):
            if not isinstance(node, ast.Attribute):
                continue
            name = ast.unparse(node)
            if name in ("os.environ", "os.getenv") and path != "config.py":
                broken.append(f"{path}:{node.lineno} reads the environment")
            if CLOCK_CALLS.fullmatch(name) and path not in CLOCKS and not path.startswith("testing/"):
                broken.append(f"{path}:{node.lineno} asks a clock or rolls dice of its own")
    return broken


def undocumented(root: Path) -> list[str]:
    """Find public names without a docstring whose first line is one sentence."""
    broken = []
    for path, tree, _ in modules(root):
        silent = _inherited(tree)
        for node in nodes(tree):
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Module):
                continue
            name = getattr(node, "name", path)
            if name.startswith("_") or node in silent:
                continue
            first = (ast.get_docstring(node) or "").strip().split("\n\n")[0]
            if not first or not first.rstrip().endswith((".", ":", "…", "?", "!")):
                broken.append(f"{path}: {name} has no sentence")
    return broken


def _inherited(tree: ast.Module) -> set[ast.AST]:
    """Give what is private, nested, or carries out what a base class has described."""
    found: set[ast.AST] = set()
    for owner in nodes(tree):
        if isinstance(owner, ast.ClassDef) and (owner.name.startswith("_") or owner.bases):
            found.update(owner.body)
        if isinstance(owner, ast.FunctionDef | ast.AsyncFunctionDef):
            found.update(node for node in ast.walk(owner) if node is not owner)
    return found


def bad_names(root: Path) -> list[str]:
    """Find rooms and names that say nothing: managers, helpers, utils, second versions."""
    broken = []
    for path, tree, _ in modules(root):
        if BAD_NAMES.search(path):
            broken.append(f"{path} says nothing by its name")
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and BAD_NAMES.search(node.name):
                broken.append(f"{path}:{node.lineno} {node.name} says nothing by its name")
    return broken


def repeated_names(root: Path) -> list[str]:
    """Find modules of one name in several rooms of a floor: whoever asks for it would have to say which."""
    found: dict[tuple[str, str], list[str]] = {}
    for path, _, _ in modules(root):
        floor, _, inside = path.partition("/")
        name = path.rsplit("/", 1)[-1]
        if inside and name != "__init__.py":
            found.setdefault((floor, name), []).append(path)
    return [f"{' and '.join(paths)} have one name" for paths in found.values() if len(paths) > 1]


def crowded(root: Path) -> list[str]:
    """Find folders with more modules than a stranger takes in at a look."""
    many = Counter(path.rpartition("/")[0] for path, _, _ in modules(root) if not path.endswith("__init__.py"))
    return [f"{folder or root.name} has {count} modules" for folder, count in many.items() if count > MOST_MODULES]


def silent_tests(root: Path) -> list[str]:
    """Find tests without the one sentence that says what must hold, or without anything that can fail."""
    broken = []
    for path, tree, _ in modules(root):
        for node in ast.walk(tree):
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or not node.name.startswith("test_"):
                continue
            if not ast.get_docstring(node):
                broken.append(f"{path}:{node.lineno} {node.name} has no sentence")
            if not any(isinstance(inner, ast.Assert | ast.With | ast.Raise) for inner in ast.walk(node)):
                broken.append(f"{path}:{node.lineno} {node.name} asserts nothing")
    return broken


INSIDE = ("lexicon", "times", "time_words", "questions", "wording", "word_marks", "orders", "answers", "name_words",
          "detection", "dating", "sentences", "claims")  # fmt: skip
"""The modules that read words: all others ask them through the reader."""


def readers_opened(root: Path) -> list[str]:
    """Find imports of what reads words outside the room of languages: they are asked through the reader."""
    return [
        f"{path} imports recollect.{target}: ask runtime.reader"
        for path, tree, _ in modules(root)
        if not path.startswith(SPOKEN)
        for target in imports(tree)
        if target.startswith("language.") and target.split(".")[1] in INSIDE
    ]


def word_lists(root: Path) -> list[str]:
    """Find lists of words, and alternations in patterns, that are of a human language and stand outside its room.

    A word is taken for the code's own when a field or a column bears it as its name, or `TECHNICAL` lists it.
    """
    code = _names_of_the_code(root) - common()
    broken = []
    for path, tree, _ in modules(root):
        if path.startswith(SPOKEN):
            continue
        known = code | set(TECHNICAL.get(path, "").split())
        inside = {each for one in _exported(tree) for each in ast.walk(one)}
        for node in (one for one in nodes(tree) if one not in inside):
            words = {word for word in _words_of(node) if len(word) > 1 and not word.isupper()}
            found = {word for word in words if not set(word.casefold().split()) <= known}
            if len(found) >= (FEWEST_WORDS if len(words) < MANY_WORDS else FEWEST_WORDS - 1):
                some = ", ".join(sorted(found)[:5])
                broken.append(f"{path}:{getattr(node, 'lineno', 0)} holds words of a human language: {some}")
    return broken


def _names_of_the_code(root: Path) -> set[str]:
    """Give the words that name a field of a class or a column of a table: what lists in code are mostly made of."""
    names: set[str] = set()
    for path, tree, _ in modules(root):
        classes = (node for node in nodes(tree) if isinstance(node, ast.ClassDef) and not path.startswith(SPOKEN))
        fields = (one.target for node in classes for one in node.body if isinstance(one, ast.AnnAssign))
        names.update(part for field in fields if isinstance(field, ast.Name) for part in field.id.split("_"))
    for schema in root.rglob("*.sql"):
        names.update(re.findall(r"[a-z]+", schema.read_text("utf-8").lower()))
    return {name.casefold() for name in names if name}


def _exported(tree: ast.Module) -> set[ast.AST]:
    """Give the lists of a module that name what is in it."""
    return {
        node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") in ("__all__", "__slots__", "_HOMES")
    }


def _words_of(node: ast.AST) -> Iterator[str]:
    """Give the words a list, a set, a dictionary's keys or a text to be split holds, or a pattern's alternatives."""
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        yield from _plain(node.elts)
    elif isinstance(node, ast.Dict):
        yield from _plain([key for key in node.keys if key is not None])
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "split":
        text = node.func.value
        yield from text.value.split() if isinstance(text, ast.Constant) and isinstance(text.value, str) else ()
    elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.count("|") > 1:
        yield from _ALTERNATIVE.findall(node.value)


def _plain(items: list[ast.expr]) -> Iterator[str]:
    """Give the plain words among the items of a list."""
    for item in items:
        if isinstance(item, ast.Constant) and isinstance(item.value, str) and _PLAIN.fullmatch(item.value.strip()):
            yield item.value.strip()
