"""A folder and the store brought into step: what hands wrote goes in, what the store changed goes out."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from time import sleep

from recollect.errors import InvalidInput, RecollectError
from recollect.flows.gate.commit import Origin, Resolution, commit
from recollect.flows.gate.verdict import Verdict
from recollect.flows.life.follow_ups import awaited
from recollect.flows.window.workspace.absorbing import Absorber, Page, Taken
from recollect.flows.window.workspace.folder import Folder, Stamp
from recollect.flows.window.workspace.ledger import (
    CLASHES,
    KEPT_CLASHES,
    Known,
    Ledger,
    Opened,
    Tally,
    listed_clashes,
)
from recollect.flows.window.workspace.renderings import all_paths, composed, items, paths_of
from recollect.model.change import Change, Enqueue, Patch, Put, SaveCheckpoint, Write
from recollect.model.kinds import KINDS
from recollect.model.memory import Memory
from recollect.model.owner import Scope
from recollect.model.receipt import Receipt
from recollect.model.values import dataclass
from recollect.model.window import Checkpoint, Standing, Synced
from recollect.rules.window.files import LOG_MARK, PROJECT, SCAFFOLDS, day_of, view_of
from recollect.rules.window.files import View as Shown
from recollect.rules.window.files import unsafe as path_problem
from recollect.rules.window.markdown import Form, passages, text_hash, unpacked
from recollect.rules.window.threeway import Entry
from recollect.runtime import Runtime
from recollect.store.base import Reading, View

NODE = "workspace"
LINES = 5000
MOST_LINES = 50_000
"""From how many changes of the store on every file is looked at, instead of those that are named."""
PREFIXES = tuple(f"{kind.prefix}_" for kind in KINDS.values())
SECTION = f"{KINDS['document'].prefix}_"
ROUNDS = 4
"""How often files are looked at again that show what was just read from others."""
HAND = "hand"
"""Who edited a file whose owner has no name."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """How a folder is to be synced."""

    author: str = ""
    adopt: bool = False
    scaffold: bool = False
    full: bool = False
    progress: Callable[[int, int], None] | None = None
    """Hears after each commit how many files are done, and of how many."""


class Sync:
    """One sync of one folder."""

    def __init__(self, runtime: Runtime, scope: Scope, folder: Folder, wanted: Wanted) -> None:
        self._runtime, self._scope, self._folder, self._wanted = runtime, scope, folder, wanted
        self._ledger = Ledger(scope, text_hash(f"{platform.node()}\n{folder.root}\n{scope.project}"))
        self._touched: dict[str, set[str]] = {}
        """The memories this sync has changed, each with the files that need not be looked at for it."""
        self.tally = Tally()

    def run(self) -> Synced:
        """Bring folder and store into step, and tell what was done."""
        ledger = self._ledger
        with self._folder.held():
            with self._runtime.store.view() as view:
                ledger.load(view)
                about, begin = ledger.about, view.counters(self._scope.owner).rev
                fresh = about is None
                self._check(view, fresh)
                adopted = bool(about["adopted"]) if about else self._wanted.adopt
                if self._wanted.scaffold:
                    adopted = False
                seen, links = self._folder.scan()
                self.tally.problems += links
                if not seen and (known := ledger.everything(view)):
                    self._forget(known)  # the whole folder is gone: nobody deletes all of it one by one
                    fresh = True
                behind = self._behind(view, fresh=fresh or self._wanted.full, adopted=adopted)
            edited, gone = self._apart(seen)
            edited = self._settled(edited, seen)
            scaffolds = [] if adopted else [path for path in SCAFFOLDS if path not in seen]
            todo = dict.fromkeys((*edited, *gone, *behind, *scaffolds))
            for _ in range(ROUNDS):
                self._taken([path for path in todo if path not in self.tally.waiting], adopted)
                todo = self._also(adopted)
                if not todo:
                    break
            self._close(begin, adopted)
        return self._told(begin)

    def _apart(self, seen: dict[str, Stamp]) -> tuple[list[str], list[str]]:
        """Give the files that are not as they were when they were last in step, and those that are gone."""
        known = self._ledger.stamps
        edited = [path for path, stamp in seen.items() if known.get(path) != stamp]
        return edited, [path for path in known if path not in seen]

    def _taken(self, paths: Sequence[str], adopted: bool) -> None:
        """Take files in, a few at a time, and tell how far it is."""
        done = 0
        for batch in self._batches(paths, adopted):
            self._batch(batch, adopted)
            done += len(batch)
            if self._wanted.progress is not None:
                self._wanted.progress(done, len(paths))

    def _also(self, adopted: bool) -> dict[str, None]:
        """Give the other files in which stands what this sync has changed so far."""
        ids, self._touched = self._touched, {}
        if not ids:
            return {}
        with self._runtime.store.view() as view:
            memories = self._memories(view, set(ids))
        found = {path for one in memories for path in paths_of(one, self._scope.project) if path not in ids[one.id]}
        return dict.fromkeys(sorted(self._possible(found, adopted)))

    def _possible(self, paths: set[str], adopted: bool) -> set[str]:
        """Leave out what can be no file here; in an adopted folder nothing is added."""
        safe = {path for path in paths if not path_problem(path)}
        return safe & self._ledger.stamps.keys() if adopted else safe

    def standing(self) -> Standing:
        """Tell how the folder stands, changing nothing."""
        ledger = self._ledger
        with self._runtime.store.view() as view:
            ledger.load(view)
            about = ledger.about
            adopted = bool(about and about["adopted"])
            seen, links = self._folder.scan()
            behind = self._behind(view, fresh=about is None, adopted=adopted)
            clashes = listed_clashes(view, self._scope)
            many = sum(len(one.rows) for one in ledger.rows(view))
        edited, gone = self._apart(seen)
        return Standing(
            str(self._folder.root), self._scope.project, adopted, about is not None, len(seen), many,
            tuple(sorted((*edited, *gone))), tuple(sorted(behind)), tuple(clashes), tuple(links),
        )  # fmt: skip

    def _shows(self, path: str, adopted: bool) -> Shown:
        return view_of(path, adopted=adopted, project=self._scope.project)

    # What is known

    def _check(self, view: Reading, fresh: bool) -> None:
        """Refuse to adopt a folder where another one serves the same project: their files would become one."""
        if self._wanted.adopt and fresh:
            kept = [one for one in all_paths(self._runtime, view, self._scope) if view_of(one) == "sections"]
            if kept:
                raise InvalidInput(
                    f"the project {self._scope.project!r} has files already, such as {min(kept)}: adopt the folder "
                    "into a project of its own with --project NAME"
                )

    def _behind(self, view: View, *, fresh: bool, adopted: bool) -> set[str]:
        """Give the files the store has changed since the last sync."""
        about = self._ledger.about
        ids = None if fresh or about is None else self._changed(view, about["rev"])
        if ids is None:
            found = all_paths(self._runtime, view, self._scope) | (set() if fresh else self._ledger.stamps.keys())
        else:
            memories = self._memories(view, ids)
            missing = {id for id in ids - {one.id for one in memories} if id.startswith(PREFIXES)}
            found = {path for one in memories for path in paths_of(one, self._scope.project)}
            if missing:  # what was erased tells no more where it stood, but the files know
                rows = self._ledger.rows(view)
                found |= {one.path for one in rows if any(row[0] in missing for row in one.rows)}
        return self._possible(found, adopted)

    def _changed(self, view: Reading, since: int) -> set[str] | None:
        found: set[str] = set()
        many = 0
        while lines := view.journal(self._scope.owner, (), since, LINES):
            found |= {line.memory_id for line in lines}
            since = lines[-1].rev if lines[-1].rev > since else since + 1
            many += len(lines)
            if many > MOST_LINES:
                return None
        return found

    def _memories(self, view: Reading, ids: set[str]) -> list[Memory]:
        listed = sorted(ids)
        return [one for at in range(0, len(listed), 500) for one in view.get(self._scope.owner, listed[at : at + 500])]

    def _settled(self, edited: Sequence[str], seen: dict[str, Stamp]) -> list[str]:
        """Wait a moment, and leave those files for the next time that are still being written."""
        if not edited:
            return []
        sleep(self._runtime.settings.workspace.quiet_seconds)
        busy = [path for path in edited if self._folder.stamp(path) != seen[path]]
        self.tally.waiting += busy
        return [path for path in edited if path not in busy]

    # What is done

    def _batches(self, paths: Sequence[str], adopted: bool) -> Iterator[list[str]]:
        """Give files to be taken in one commit: views of the store each alone and first, sections in numbers."""
        order = {"block": 0, "memory": 1, "lessons": 2, "log": 3, "tool": 4, "sections": 5}
        plain: list[str] = []
        for path in sorted(paths, key=lambda one: (order[self._shows(one, adopted)], one)):
            if self._shows(path, adopted) != "sections":
                yield [path]
                continue
            plain.append(path)
            if len(plain) >= self._runtime.settings.workspace.batch_files:
                yield plain
                plain = []
        if plain:
            yield plain

    def _batch(self, paths: Sequence[str], adopted: bool) -> None:
        """Take some files in, in one commit, and write those the store has changed."""
        with self._runtime.store.view() as view:
            known = {path: self._ledger.known(view, path) for path in paths}
        found = {path: self._page(path, known[path], adopted) for path in paths}
        pages = {path: page for path, page in found.items() if page is not None}
        taken: dict[str, Taken] = {}

        def plan(view: View) -> Resolution | Receipt:
            taken.clear()
            taken.update(
                {path: Absorber(self._runtime, view, self._scope, one.page).taken() for path, one in pages.items()}
            )
            changes = [change for one in taken.values() for change in one.changes]
            embed = [Enqueue("embed", self._runtime.now())] if self._runtime.model and _puts(changes) else []
            saved = [*self._saved(pages, taken), *self._noted(taken), *embed]
            receipt = Receipt(outcome="stored", op="synced", count=len(changes))
            if not changes and not saved:
                return receipt
            expect = tuple(one for each in taken.values() for one in each.expect)
            return Resolution(receipt, (Verdict(receipt, tuple(changes), expect),), changes=tuple(saved))

        try:
            receipt = commit(self._runtime, Origin(self._scope, NODE, self._author(pages)), plan)
        except RecollectError as error:
            if len(paths) == 1:
                self.tally.problems.append(f"{paths[0]}: {error}")
                return
            for path in paths:  # one of them is odd: the others are not to wait for it
                self._batch([path], adopted)
            return
        if receipt.rev and any(one.changes for one in taken.values()):
            self.tally.revs.add(receipt.rev)
        for path, one in taken.items():
            read = pages[path].read
            self._ledger.noted(path, read.stamp if read is not None else None)
            for change in one.changes:
                if isinstance(change, Put | Patch):
                    id = change.memory.id if isinstance(change, Put) else change.id
                    if not id.startswith(SECTION):  # which stands in this file alone
                        self._touched.setdefault(id, set()).add(path)
            self.tally.clashes += one.clashes
            self.tally.problems += one.warnings
            if one.hand:
                self.tally.read.append(path)
        self._write_all(pages, taken)

    def _author(self, pages: dict[str, Opened]) -> str:
        owners = {one.read.owner for one in pages.values() if one.read is not None and one.read.owner}
        return self._wanted.author or (min(owners) if len(owners) == 1 else HAND)

    def _page(self, path: str, known: Known | None, adopted: bool) -> Opened | None:
        """Read a file for comparison; None, and a problem told, where it cannot be read."""
        shows, policy = self._shows(path, adopted), self._runtime.settings.workspace
        read = self._folder.read(path)
        entries = known.entries if known is not None else None
        if read is None:
            return Opened(Page(path, shows, None, entries, self._runtime.now()), None, known.form if known else Form())
        try:
            text, form = unpacked(read.data)
        except UnicodeDecodeError:
            self.tally.problems.append(f"{path}: it is not UTF-8, and is left alone")
            return None
        if "\x00" in text:
            self.tally.problems.append(f"{path}: it holds a NUL character, and is left alone")
            return None
        most = policy.file_characters
        if len(text) > most:
            told = f"{path}: {len(text):,} characters; the first {most:,} are read, and the file is never written"
            self.tally.problems.append(told)
        found = passages(text[:most], shows, policy.section_characters, day_of(path))
        scaffold = SCAFFOLDS.get(path, "").strip()
        alone = sum(one.kind in ("document", "block") for one in found) == 1
        kept = tuple(one for one in found if not (alone and one.text.strip() == scaffold))
        touched = known is None or known.stamp != read.stamp
        page = Page(path, shows, kept, entries, datetime.fromtimestamp(read.at, UTC), touched, LOG_MARK in text)
        return Opened(page, read, form, text, len(text) > most)

    def _saved(self, pages: dict[str, Opened], taken: dict[str, Taken]) -> Iterator[Change]:
        """Keep how each file stands, in the commit that took it in."""
        for path, one in taken.items():
            page, read, form = pages[path].page, pages[path].read, pages[path].form
            if read is None:
                if page.base is not None:
                    yield self._ledger.dropping(path)
                continue
            yield self._ledger.saving(Known.of(path, read.stamp, one.base, form), self._runtime.now())

    def _noted(self, taken: dict[str, Taken]) -> Iterator[Change]:
        """Keep the clashes, so that they can be looked at later."""
        for one in taken.values():
            for clash in one.clashes:
                id = self._runtime.new_id("document", self._runtime.now()).partition("_")[2]
                data = {"path": clash.path, "reason": clash.reason, "kept": clash.kept, "other": clash.other}
                saved = Checkpoint(CLASHES, self._scope.project, id, "", data, self._runtime.now())
                yield SaveCheckpoint(saved, KEPT_CLASHES)

    def _write_all(self, pages: dict[str, Opened], taken: dict[str, Taken]) -> None:
        rows: dict[str, Known | None] = {}
        with self._runtime.store.view() as view:
            made = {path: self._composed(view, pages[path], one) for path, one in taken.items()}
        for path, new in made.items():
            if new is None:
                continue
            try:
                row = self._written(pages[path], *new)
            except (OSError, InvalidInput) as error:
                self.tally.problems.append(f"{path}: it cannot be written: {error}")
                continue
            if row is not None or path in self.tally.removed:
                rows[path] = row
        if rows:
            now, ledger = self._runtime.now(), self._ledger
            self._keep([ledger.saving(one, now) if one else ledger.dropping(path) for path, one in rows.items()])
        for path, row in rows.items():
            self._ledger.noted(path, row.stamp if row is not None else None)

    def _keep(self, changes: Sequence[Change]) -> None:
        """Write down how files stand: that is nobody's memory, so it makes no revision."""
        receipt = Receipt(outcome="stored", op="none")
        write = Write(
            owner=self._scope.owner, at=self._runtime.now(), node=NODE, changes=tuple(changes), receipt=receipt
        )
        self._runtime.store.commit(write)

    def _composed(self, view: View, found: Opened, taken: Taken) -> tuple[str, tuple[Entry, ...]] | None:
        """Give the new text of a file and how it stands then; None where it can stay as it is."""
        page, read = found.page, found.read
        if found.long or page.path == PROJECT:
            return None
        shown = items(self._runtime, view, self._scope, page.path, page.shows)
        # What the store lays out in its own order is written in its own form; other files keep their letters.
        raw = taken.raw if page.shows in ("sections", "tool") else {}
        if page.shows in ("memory", "log", "lessons"):
            raw = {one.id: taken.raw[one.id] for one in shown if one.memory.kind == "document" and one.id in taken.raw}
        now = tuple(Entry(one.id, text_hash(raw.get(one.id, one.text)), one.hash) for one in shown)
        text = composed(page.path, page.shows, shown, raw)
        if read is None:
            return (text, now) if text else None
        nobody = not shown and not taken.base and page.base is None
        same = now == tuple(taken.base) and text == found.text
        return None if nobody or same else (text, now)

    def _written(self, found: Opened, text: str, entries: tuple[Entry, ...]) -> Known | None:
        """Write a file, and give how it stands then; None where it was taken away, or a hand was faster."""
        page, read, form = found.page, found.read, found.form
        token = self._runtime.token()[:16]
        if not text and read is not None:
            if self._folder.remove(page.path, read, token):
                self.tally.removed.append(page.path)
                return None
            self.tally.waiting.append(page.path)
            return None
        data = form.packed(text)
        if read is not None and data == read.data:
            return Known.of(page.path, read.stamp, entries, form)
        done = self._folder.write(page.path, data, read, token)
        if done is None:
            self.tally.waiting.append(page.path)
            return None
        if done.data != data:  # a hand came right after: the next sync reads it
            self.tally.waiting.append(page.path)
            return Known.of(page.path, Stamp(0, 0, 0), entries, form)
        self.tally.written.append(page.path)
        return Known.of(page.path, done.stamp, entries, form)

    def _forget(self, paths: Sequence[str]) -> None:
        self._keep([self._ledger.dropping(path) for path in paths])
        for path in paths:
            self._ledger.noted(path, None)

    def _close(self, begin: int, adopted: bool) -> None:
        """Keep up to which revision the folder has seen the store: to the last, where all since were its own."""
        about = self._ledger.about
        with self._runtime.store.view() as view:
            now = view.counters(self._scope.owner).rev
        rev = now if now == begin + len(self.tally.revs) else begin
        if self.tally.waiting:
            rev = about["rev"] if about else 0
        data = {"rev": rev, "root": str(self._folder.root), "adopted": adopted, "project": self._scope.project}
        changes = self._ledger.closing(data, self._runtime.now())
        if about is None and self._runtime.llm is not None:  # the first sync: from now on it has a head
            changes += awaited(self._runtime, self._scope.owner, "curate")
        if changes:
            self._keep(changes)

    def _told(self, rev: int) -> Synced:
        tally = self.tally
        return Synced(
            str(self._folder.root), tuple(sorted(set(tally.read))), tuple(sorted(tally.written)),
            tuple(sorted(tally.removed)), tuple(tally.clashes), tuple(sorted(set(tally.waiting))),
            tuple(dict.fromkeys(tally.problems)), rev,
        )  # fmt: skip


def _puts(changes: Sequence[Change]) -> bool:
    """Tell whether anything is new, so that it needs a vector."""
    return any(isinstance(one, Put) for one in changes)
