"""English, read by rules: which file answers which question; a file is loaded when its first question is asked."""

from __future__ import annotations

from importlib import import_module
from typing import Any

ANSWERED_BY = {
    "glance": "glance.glance",
    "marks": "marks.marks",
    "requests": "conversation.requests",
    "statements": "conversation.statements",
    "retraction": "conversation.retraction",
    "taken_back": "statements.given_up",
    "says": "statements.says",
    "instructing": "orders.instructing",
    "standing": "conversation.standing",
    "echo": "echo.Echo",
    "language": "detection.language",
    "unfounded": "claim_check.unfounded",
    "borne_out": "summaries.borne_out",
    "names_in": "evidence.names_in",
    "of_another": "conversation.of_another",
    "compare": "conflict.compare",
    "clash": "conflict.clash",
    "readable": "conflict.readable",
    "reworded": "rewording.reworded",
    "band": "conflict.band",
    "gist": "conflict.gist",
    "overlap": "conflict.overlap",
    "other_wordings": "other_wordings.other_wordings",
    "answer": "answers.answer",
    "meant": "answers.meant",
    "asks_for": "answers.asks_for",
    "form": "questions.form",
    "moments": "times.moments",
    "moment": "times.moment",
    "naming": "name_words.NAMING",
    "cues": "name_words.cues",
    "cued": "name_cues.cued",
    "also_called": "aliases.also_called",
    "introduced": "claim_check.called_himself",
    "called": "name_words.called",
    "named": "name_words.named",
    "names_told": "subjects.names_told",
    "head": "subjects.head",
    "on_one_subject": "subjects.on_one_subject",
    "ends": "writing.ends",
    "voice": "writing.voice",
    "present": "writing.present",
    "bare": "writing.bare",
    "lasting": "writing.lasting",
    "remarks": "writing.remarks",
}
"""The questions of `Reader`, and the file and function that answer each."""


class English:
    """Reads English. A function takes its place here at its first use: later calls go straight to it."""

    reads = "en"

    def __getattr__(self, name: str) -> Any:
        if name not in ANSWERED_BY:
            raise AttributeError(name)
        module, _, function = ANSWERED_BY[name].partition(".")
        answer = getattr(import_module(f"{__name__}.{module}"), function)
        setattr(self, name, answer)
        return answer
