"""How well memory finds what it should, on a file of conversations: `recollect bench retrieval` and its sisters."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from time import monotonic
from typing import Annotated, Any

import typer

from recollect.errors import InvalidInput
from recollect.front.recollect import Recollect
from recollect.model.clock import to_ms
from recollect.model.values import dataclass, plain
from recollect.runtime import Clock, system_clock
from recollect.serve.bench import answering, evaluate
from recollect.serve.bench.conversations import Conversation
from recollect.serve.bench.formats import read
from recollect.serve.bench.metrics import Summary
from recollect.serve.cli.bench import bench
from recollect.serve.cli.frame import CARING, command
from recollect.serve.cli.options import Base, database, opened
from recollect.serve.cli.render import emit, say, show_table
from recollect.serve.cli.transfer import progress

HEADS = ("", "NDCG@10", "over kinds", "any@5", "all@5", "recall@10", "MRR", "newer first")


class Levels(StrEnum):
    """What is ranked: single messages, whole sessions, or the one and then the other."""

    message = "message"
    session = "session"
    both = "both"


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial(Base):
    """How a benchmark of recall is run: what every one of them can be told."""

    db: Annotated[
        str | None,
        typer.Option(
            "--db",
            metavar="URL",
            help="Run on this database, in a tenant that is erased afterwards; a throwaway file by default.",
        ),
    ] = None
    limit: Annotated[
        int | None, typer.Option("--limit", metavar="N", min=1, help="Ask the first N questions only.")
    ] = None
    level: Annotated[Levels, typer.Option("--level", help="Rank messages, sessions, or both.")] = Levels.both
    ablate: Annotated[bool, typer.Option("--ablate", help="Also leave out each signal in turn.")] = False
    embedder: Annotated[
        str | None, typer.Option("--embedder", metavar="NAME", help="The embedder; that of the settings by default.")
    ] = None


File = Annotated[Path, typer.Argument(metavar="FILE", help="The conversations, as JSON.", show_default=False)]


@command(CARING, "recollect bench retrieval conversations.json --ablate", within=bench)
def retrieval(trial: Trial, file: File) -> None:
    """Measure recall on conversations in the general format."""
    _measured(trial, file, "retrieval")


@command(CARING, "recollect bench locomo locomo10.json", within=bench)
def locomo(trial: Trial, file: File) -> None:
    """Measure recall on LoCoMo: two people chatting over months."""
    _measured(trial, file, "locomo")


@command(CARING, "recollect bench longmemeval longmemeval_s.json --limit 50", within=bench)
def longmemeval(trial: Trial, file: File) -> None:
    """Measure recall on LongMemEval: a history of its own for each question."""
    _measured(trial, file, "longmemeval")


@command(CARING, "recollect bench beam beam_100k.json --limit 50", within=bench)
def beam(trial: Trial, file: File) -> None:
    """Measure recall on BEAM: long chats of a person and an assistant."""
    _measured(trial, file, "beam")


class Form(StrEnum):
    """The formats a benchmark of answers reads."""

    retrieval = "retrieval"
    locomo = "locomo"
    longmemeval = "longmemeval"
    beam = "beam"


@dataclass(frozen=True, slots=True, kw_only=True)
class Exam(Base):
    """How a benchmark of answers is run."""

    db: Annotated[
        str | None,
        typer.Option("--db", metavar="URL", help="Run here, in a tenant that is erased afterwards; a throwaway file."),
    ] = None
    form: Annotated[Form, typer.Option("--format", help="The format of the file.")] = Form.retrieval
    limit: Annotated[int | None, typer.Option("--limit", metavar="N", min=1, help="The first N questions only.")] = None
    evidence: Annotated[int, typer.Option("--evidence", min=1, max=50, help="Memories shown for a question.")] = 10
    embedder: Annotated[str | None, typer.Option("--embedder", metavar="NAME", help="The embedder.")] = None
    answering: Annotated[str | None, typer.Option("--model", metavar="MODEL", help="Who answers.")] = None
    judging: Annotated[str | None, typer.Option("--judge", metavar="MODEL", help="Who grades; the same.")] = None


@command(CARING, "recollect bench qa locomo10.json --format locomo --model openai:gpt-5-mini --limit 50", within=bench)
def qa(exam: Exam, file: File) -> None:
    """Let a model answer questions from memory and another grade it: the share that is right, and tokens a question."""
    begun, chosen = monotonic(), answering.answerable(read(file, exam.form), exam.limit)
    if not chosen:
        raise InvalidInput(f"{file} holds no question with an answer: there is nothing to grade")
    settings: dict[str, Any] = {"embedder": exam.embedder} if exam.embedder else {}
    settings |= {"llm": exam.answering} if exam.answering else {}
    settings |= {"models": {"judge": exam.judging}} if exam.judging else {}
    work = sum(len(one.messages) + len(asked) for one, asked in chosen)
    with database(exam, "bench") as (url, stays), progress("asking", lambda: work) as tick:
        run = evaluate.Run(_opener(exam, url, settings), _tenant(), tick)
        try:
            with run.opener(run.watch, {}) as memory:
                figures = answering.examined(run, memory, chosen, exam.evidence)
        finally:
            if stays:
                run.erase()
    seconds = round(monotonic() - begun, 1)
    if exam.as_json:
        about = {"file": file.name, "format": str(exam.form), "evidence": exam.evidence, "seconds": seconds}
        emit({**about, **_rounded(plain(figures))})
        return
    say(f"{file.name}: {figures.questions:,} questions, {figures.correct:.1%} right; {seconds:,} s")
    tokens = f"{figures.read:,.0f} read, {figures.wrote:,.0f} written, {figures.judging:,.0f} to grade it"
    say(f"tokens a question: {tokens}")
    show_table(("kind", "right"), [(kind, f"{share:.1%}") for kind, share in figures.kinds.items()])


def _measured(trial: Trial, file: Path, form: str) -> None:
    begun, everything = monotonic(), read(file, form)
    levels = tuple(level for level in evaluate.LEVELS if trial.level in (level, Levels.both))
    chosen = evaluate.scorable(everything, levels, trial.limit)
    if not chosen:
        raise InvalidInput(f"{file} holds no question with evidence: there is nothing to score")
    embedder, rows = _run(trial, chosen, levels)
    about = {
        "file": file.name,
        "format": form,
        "embedder": embedder,
        "conversations": len(chosen),
        "messages": sum(len(one.messages) for one in chosen),
        "questions": _questions(chosen),
        "not_scored": _questions(everything) - _questions(evaluate.scorable(everything, levels)),
        "seconds": round(monotonic() - begun, 1),
    }
    if trial.as_json:
        emit({**about, "rows": [_told(row) for row in rows]})
    else:
        _show(about, rows)


def _questions(conversations: Sequence[Conversation]) -> int:
    return sum(len(one.questions) for one in conversations)


def _run(
    trial: Trial, chosen: Sequence[Conversation], levels: Sequence[evaluate.Level]
) -> tuple[str, list[evaluate.Row]]:
    settings: dict[str, Any] = {} if trial.embedder is None else {"embedder": trial.embedder}
    with database(trial, "bench") as (url, stays):
        with opened(trial, url, **settings) as memory:
            embedder = memory.settings.embedder
            modes = evaluate.modes(meaning=evaluate.has_meaning(memory), ablate=trial.ablate)
        with progress("measuring", lambda: evaluate.work(chosen, modes)) as tick:
            run = evaluate.Run(_opener(trial, url, settings), _tenant(), tick)
            try:
                return embedder, run.measure(chosen, modes, levels)
            finally:
                if stays:
                    run.erase()


def _opener(trial: Base, url: str, settings: Mapping[str, Any]) -> evaluate.Opener:
    def again(clock: Clock, fusion: Mapping[str, Any]) -> Recollect:
        with warnings.catch_warnings():  # what the settings complain about was said when it was opened first
            warnings.simplefilter("ignore", UserWarning)
            return Recollect(url, config=trial.config, clock=clock, fusion=dict(fusion), **settings)

    return again


def _tenant() -> str:
    """Name a tenant nobody else has."""
    return f"bench-{to_ms(system_clock())}-{os.getpid()}"


def _told(row: evaluate.Row) -> dict[str, Any]:
    return {"level": row.level, "mode": row.mode.name, "fusion": dict(row.mode.fusion), **_rounded(plain(row.figures))}


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _rounded(inner) for name, inner in value.items()}
    return round(value, 4) if isinstance(value, float) else value


def _show(about: Mapping[str, Any], rows: Sequence[evaluate.Row]) -> None:
    say(
        f"{about['file']}: {about['questions']:,} questions about {about['conversations']:,} conversations of "
        f"{about['messages']:,} messages; {about['not_scored']:,} without evidence not scored; embedder "
        f"{about['embedder']}; {about['seconds']:,} s"
    )
    for level in dict.fromkeys(row.level for row in rows):
        found = [row for row in rows if row.level == level]
        say(f"\nRanking {level}s ({found[0].figures.questions:,} questions)", "bold")
        show_table(HEADS, [(row.mode.name, *_figures(row.figures)) for row in found])
        say("\nNDCG@10 by kind", "bold")
        whole, counts = [row for row in found if not row.mode.ablation], found[0].figures.counts
        show_table(
            ("kind", "questions", *(row.mode.name for row in whole)),
            [(kind, str(counts[kind]), *(_share(row.figures.kinds[kind]) for row in whole)) for kind in counts],
        )


def _figures(of: Summary) -> tuple[str, ...]:
    shares = (of.ndcg, of.over_kinds, of.any5, of.all5, of.recall, of.mrr)
    newer = "–" if of.newer_first is None else f"{_share(of.newer_first)} of {of.updates}"
    return (*(_share(one) for one in shares), newer)


def _share(value: float) -> str:
    return f"{value:.3f}"
