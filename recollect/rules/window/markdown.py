"""Markdown as passages: a text is cut at its headings, and the passages in a row are the text again, to the letter."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, time

from recollect.model.values import dataclass
from recollect.rules.window.files import LOG_MARK, View
from recollect.text.patterns import pattern
from recollect.text.terms import TermsPolicy, fold, terms

BETWEEN = " > "
"""What stands between a heading and those below it."""
LONGEST_SNIPPET = 300
_HEADING = pattern(r"^ {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*$")
_FENCE = pattern(r"^ {0,3}(`{3,}|~{3,})")
_DAY = pattern(r"^##[ \t]+(\d{4}-\d{2}-\d{2})\b.*$")
_STAMP = pattern(r"^##[ \t]+(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2})?)(?:Z|\+00:00)?[ \t]*$")
_ENTRY = pattern(r"^- (.*)$")
_TIMED = pattern(r"^- \[(\d{2}):(\d{2})\] (.*)$")
_KEYED = pattern(r"^\*\*([^*\n]{1,200})\*\*: ?(.*)$", re.DOTALL)
_TIMES = pattern(r"^\*\*Times:\*\* (\d+)[^\n]*\n?", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of a file: a section, an entry, or the whole of it."""

    text: str
    """As it stands in the file, with the blank lines behind it."""
    kind: str = "document"
    heading: str = ""
    """The headings above it, the outermost first."""
    key: str = ""
    content: str = ""
    """What an entry says, without its marks."""
    at: datetime | None = None
    """When an entry says it was."""
    count: int = 1

    @property
    def hash(self) -> str:
        """What it is known by: its text but for blank lines behind it."""
        return text_hash(self.text)


def text_hash(text: str) -> str:
    """Give the digest of a passage; blank lines behind it do not count, for they part it from the next."""
    return hashlib.sha256(text.rstrip("\n").encode("utf-8", "surrogatepass")).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Form:
    """How a file is written, beside its text: the mark at its beginning, and how its lines end."""

    bom: bool = False
    crlf: bool = False

    def packed(self, text: str) -> bytes:
        """Give a text as the file has it."""
        lines = text.replace("\n", "\r\n") if self.crlf else text
        return ("\ufeff" if self.bom else "").encode() + lines.encode("utf-8", "surrogatepass")


def unpacked(data: bytes) -> tuple[str, Form]:
    """Read the bytes of a file; raises `UnicodeDecodeError` where they are no UTF-8."""
    text = data.decode("utf-8")
    bom = text.startswith("\ufeff")
    text = text[1:] if bom else text
    bare = text.replace("\r\n", "")
    crlf = "\r\n" in text and "\n" not in bare and "\r" not in bare
    return text.replace("\r\n", "\n") if crlf else text, Form(bom, crlf)


def passages(text: str, view: View, most: int, day: date | None = None) -> list[Passage]:
    """Cut a file into its passages; all their texts in a row are the file, but for what only gives entries order."""
    if not text.strip():
        return []
    if view in ("block", "tool"):
        return [Passage(text, view)]
    if view == "memory":
        head, mark, log = text.partition(LOG_MARK)
        return [*sections(head, most), *_logged(log, most)] if mark else sections(text, most)
    if view == "log":
        return _timed(text, day or date.min, most)
    if view == "lessons":
        return _lessons(text, most)
    return sections(text, most)


def sections(text: str, most: int) -> list[Passage]:
    """Cut a text before its headings; one without words of its own belongs to the next, a long one is several."""
    found: list[Passage] = []
    path: list[tuple[int, str]] = []
    waiting = ""
    for chunk in _chunks(text):
        first, _, body = chunk.partition("\n")
        head = _HEADING.match(first)
        if head:
            level = len(head[1])
            path = [*(one for one in path if one[0] < level), (level, head[2].strip())]
        if head and not body.strip() and chunk is not None:
            waiting += chunk
            continue
        name = BETWEEN.join(one for _, one in path if one)
        found += [Passage(part, heading=name) for part in _parts(waiting + chunk, most)]
        waiting = ""
    if waiting.strip():
        found.append(Passage(waiting, heading=BETWEEN.join(one for _, one in path if one)))
    elif waiting and found:
        found[-1] = Passage(found[-1].text + waiting, heading=found[-1].heading)
    return _joined(found)


def _joined(found: Sequence[Passage]) -> list[Passage]:
    """Let blank passages stand behind the one before, or before the one behind."""
    out: list[Passage] = []
    lead = ""
    for one in found:
        if not one.text.strip() and out:
            out[-1] = Passage(out[-1].text + one.text, out[-1].kind, out[-1].heading)
        elif not one.text.strip():
            lead += one.text
        else:
            out.append(Passage(lead + one.text, one.kind, one.heading))
            lead = ""
    return out


def _chunks(text: str) -> Iterator[str]:
    """Give what stands between two headings, each beginning with its own; those inside code are none."""
    lines: list[str] = []
    fence = ""
    for line in text.splitlines(keepends=True) if "\r" not in text else re.findall(r"[^\n]*\n|[^\n]+", text):
        mark = _FENCE.match(line)
        if mark and not fence:
            fence = mark[1]
        elif mark and line.strip().startswith(fence[0] * len(fence)) and not line.strip().strip(fence[0]):
            fence = ""
        elif not fence and _HEADING.match(line.rstrip("\r\n")) and lines:
            yield "".join(lines)
            lines = []
        lines.append(line)
    if lines:
        yield "".join(lines)


def _parts(text: str, most: int) -> list[str]:
    """Cut a long section at its blank lines, or at any line, into parts of about so many characters.

    A line is never cut, however long: put together again, the parts must be the text to the letter.
    """
    if len(text) <= most:
        return [text]
    out, part = list[str](), ""
    for block in re.findall(r".+?(?:\n[ \t]*\n+|\Z)", text, re.DOTALL):
        for piece in [block] if len(block) <= most else re.findall(r"[^\n]*\n|[^\n]+", block):
            if part.strip() and piece.strip() and len(part) + len(piece) > most:
                out.append(part)
                part = ""
            part += piece
    return [*out, part] if part else out


def _logged(text: str, most: int) -> list[Passage]:
    """Read the log of MEMORY.md: days, and a fact an entry or plain paragraph; what is neither belongs to the head."""
    found: list[Passage] = []
    stray: list[str] = []
    day: date | None = None
    for block in _entries(text):
        first = block.partition("\n")[0]
        if (marked := _DAY.match(first)) and (day := _date(marked[1])):
            said, others = _plain(block.partition("\n")[2])
        elif entry := _ENTRY.match(first):
            said, others = [(block, _said(entry[1], block))], []
        else:
            said, others = _plain(block)
        stray += others
        for raw, told in said:
            keyed = _KEYED.match(told)
            key, value = (keyed[1].strip(), keyed[2].strip()) if keyed else ("", told.removeprefix("\\"))
            order = 1000 * min(len(found), 999)
            at = datetime.combine(day, time(12, microsecond=order), UTC) if day else None
            found.append(Passage(raw, "fact", key=key, content=value, at=at))
    rest = "".join(stray)
    return [*(sections(rest.lstrip("\n"), most) if rest.strip() else ()), *(one for one in found if one.content)]


def _plain(text: str) -> tuple[list[tuple[str, str]], list[str]]:
    """Tell plain paragraphs, as people write a fact without a dash, from what has a form of its own."""
    if not text.strip() or any(line[:1] and not line[0].isalnum() for line in text.splitlines()):
        return [], [text]
    blocks = re.findall(r".+?(?:\n[ \t]*\n+|\Z)", text.lstrip("\n"), re.DOTALL)
    return [(one, " ".join(one.split())) for one in blocks if one.strip()], []


def _timed(text: str, day: date, most: int) -> list[Passage]:
    """Read a day: an entry a line with its time; what is none is a section of its own."""
    found: list[Passage] = []
    stray: list[str] = []
    for block in _entries(text):
        entry = _TIMED.match(block.partition("\n")[0])
        if entry and int(entry[1]) < 24 and int(entry[2]) < 60 and _said(entry[3], block):
            moment = time(int(entry[1]), int(entry[2]), microsecond=1000 * min(len(found), 999))
            at = datetime.combine(day, moment, UTC)  # those of one minute stay in their order
            found.append(Passage(block, "event", content=_said(entry[3], block), at=at))
        else:
            stray.append(block)
    rest = "".join(stray)
    return [*(sections(rest, most) if rest.strip() else ()), *found]


def _lessons(text: str, most: int) -> list[Passage]:
    """Read lessons: a section under a moment each; what is none is a section of its own."""
    found: list[Passage] = []
    stray: list[str] = []
    for chunk in _chunks(text):
        first, _, body = chunk.partition("\n")
        stamp = _STAMP.match(first)
        if stamp and "**" in body:
            count = _TIMES.search(body)
            told = _TIMES.sub("", body).strip()
            at = datetime.fromisoformat(stamp[1]).replace(tzinfo=UTC)
            found.append(Passage(chunk, "lesson", content=told, at=at, count=int(count[1]) if count else 1))
        else:
            stray.append(chunk)
    rest = "".join(stray)
    return [*(sections(rest, most) if rest.strip() else ()), *found]


def _entries(text: str) -> Iterator[str]:
    """Give the lines of a list, each with the indented lines that go on with it, and what stands between them."""
    block: list[str] = []
    for line in text.splitlines(keepends=True):
        goes_on = bool(block) and (not line.strip() or line.startswith("  ")) and block[0].startswith("- ")
        plain = bool(block) and not block[0].startswith(("- ", "## ")) and not line.startswith(("- ", "## "))
        if block and not (goes_on or plain):
            yield "".join(block)
            block = []
        block.append(line)
    if block:
        yield "".join(block)


def _said(first: str, block: str) -> str:
    rest = block.partition("\n")[2].split("\n")
    return "\n".join((first, *(line[2:] if line.startswith("  ") else line for line in rest))).strip()


def _date(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def entry(content: str, key: str = "") -> str:
    """Write a fact as one entry of the log of MEMORY.md."""
    text = _indented(content)
    if key:
        return f"- **{key}**: {text}\n"
    return f"- \\{text}\n" if _KEYED.match(content) or content.startswith("\\") else f"- {text}\n"


def timed_entry(content: str, at: datetime) -> str:
    """Write an entry of a day."""
    return f"- [{at.astimezone(UTC):%H:%M}] {_indented(content)}\n"


def _indented(content: str) -> str:
    lines = unmarked(content).strip().splitlines() or [""]
    return "\n".join((lines[0], *(f"  {line}" if line.strip() else "" for line in lines[1:])))


def unmarked(text: str) -> str:
    """Take the mark of the log out of a text, also where taking it out puts another one together."""
    while LOG_MARK in text:
        text = text.replace(LOG_MARK, "")
    return text


def lesson_entry(content: str, at: datetime, count: int, last: datetime) -> str:
    """Write a lesson under its moment."""
    often = f"**Times:** {count} (last {last.astimezone(UTC):%Y-%m-%dT%H:%M:%S})\n" if count > 1 else ""
    return f"## {at.astimezone(UTC):%Y-%m-%dT%H:%M:%S}\n{content.strip()}\n{often}\n"


def snippet(text: str, query: str, policy: TermsPolicy) -> str:
    """Give the line of a text with most of a query's words, the first of equals, cut to what one looks at."""
    wanted = [fold(word) for word in terms(query, policy)] or [""]
    lines = [line.strip() for line in text.splitlines() if line.strip()] or [""]
    best = max(lines, key=lambda line: (sum(word in fold(line) for word in wanted), -lines.index(line)))
    return best[:LONGEST_SNIPPET]
