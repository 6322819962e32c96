"""Bringing other memories in: every format, what becomes of each thing, and that a second run brings nothing twice."""

from __future__ import annotations

import json
import sqlite3
import zipfile
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

import pytest
from typer.testing import CliRunner

from recollect import InvalidInput, Recollect, Space, Tools
from recollect.adapters.importers.frame import FORMATS, Imported, Source, bring, described
from recollect.serve.cli import whole
from recollect.testing.exports import BEGUN, chatgpt_export, chatgpt_talk, node

APP = whole()


@pytest.fixture
def ana(database: str) -> Iterator[Space]:
    """Give the space of somebody who has said nothing yet."""
    with Recollect(database) as rc:
        yield rc.space("ana")


def saved(tmp_path: Path, data: Any, name: str = "conversations.json") -> Path:
    """Write JSON into a file."""
    path = tmp_path / name
    path.write_text(json.dumps(data), "utf-8")
    return path


def brought(space: Space, format: str, path: Path) -> Imported:
    """Bring a file in twice; the second time nothing new comes of it."""
    first = bring(space, Source(format, path))
    before = space.stats()
    second = bring(space, Source(format, path))
    assert (second.messages, second.notes, second.blocks) == (0, 0, 0)
    assert (space.stats().total, space.stats().sessions) == (before.total, before.sessions)
    return first


def said(space: Space) -> list[tuple[str, str]]:
    """Give the messages of a space, in the order they came in."""
    return [(one.role, one.content) for one in reversed(space.list(kinds=["episode"], order="recent", limit=1000))]


def test_chatgpt(ana: Space, tmp_path: Path) -> None:
    """The branch that was shown comes in, newest talk first, each message with its time, its title and its ids."""
    done = brought(ana, "chatgpt", saved(tmp_path, chatgpt_export(30, each=10, branch=True)))
    assert (done.talks, done.messages, done.refused) == (3, 30, {})
    sessions = ana.sessions()
    assert {one.id for one in sessions} == {"chatgpt:c0", "chatgpt:c1", "chatgpt:c2"}
    with ana._runtime.store.view() as view:
        order = [one.session for _, one in view.said(ana.owner, "chatgpt:c2", 0, 1)]
        first = next(one for _, one in view.said(ana.owner, "chatgpt:c0", 0, 1))
    assert order == ["chatgpt:c2"]
    assert first.event_time == datetime.fromtimestamp(BEGUN, UTC)
    assert first.attributes["imported"] == {"from": "chatgpt", "id": "m0-0", "title": "Talk 0"}
    episodes = ana.list(kinds=["episode"], limit=100)
    assert not any("nobody went on with" in one.content for one in episodes)
    assert ana.get(ana.journal(limit=1)[0].memory_id).session == "chatgpt:c2"
    due = {one.key: one.state for one in ana.jobs() if one.name == "consolidate"}
    assert due == {one.id: "due" for one in sessions}  # all of them are over, the one brought in last, too
    reply = next(one for one in episodes if one.role == "assistant")
    assert reply.attributes["model"] == "gpt-5"


def test_a_broken_character_costs_no_message(ana: Space, tmp_path: Path) -> None:
    """Half an emoji, as exports hold where a text was cut, is kept as the sign for what cannot be read."""
    talks = chatgpt_export(1)
    first = next(one for one in talks[0]["mapping"].values() if one["message"])
    first["message"]["content"]["parts"] = ["See you \ud83d, or \ud83d\ude00"]
    done = brought(ana, "chatgpt", saved(tmp_path, talks))
    assert (done.messages, done.refused) == (1, {})
    assert said(ana) == [("user", "See you \ufffd, or \U0001f600")]


def test_chatgpt_saved_memories_and_instructions(ana: Space, tmp_path: Path) -> None:
    """What ChatGPT had saved becomes facts, what the user told it to know a passage; hidden and tools stay out."""
    talk = chatgpt_talk(1, 2, BEGUN, Random(1))
    nodes, last = talk["mapping"], talk["current_node"]
    profile = {
        "content_type": "user_editable_context",
        "user_profile": "I teach maths in Porto.",
        "user_instructions": "",
    }
    last = node(nodes, last, "ctx", "user", "", BEGUN + 900, content=profile)
    last = node(
        nodes,
        last,
        "bio",
        "assistant",
        "User has a cat named Miso.\nUser plays the viola.",
        BEGUN + 999,
        recipient="bio",
    )
    last = node(nodes, last, "tool", "tool", "Model set context updated.", BEGUN + 1000)
    hidden = {"is_visually_hidden_from_conversation": True}
    last = node(nodes, last, "hid", "user", "a hidden thing", BEGUN + 1001, metadata=hidden)
    picture = {"content_type": "multimodal_text", "parts": [{"asset_pointer": "file://x"}, "What is this bird?"]}
    talk["current_node"] = node(nodes, last, "pic", "user", "", BEGUN + 1002, content=picture)
    done = brought(ana, "chatgpt", saved(tmp_path, [talk]))
    assert (done.messages, done.notes) == (3, 3)
    assert [role for role, _ in said(ana)] == ["user", "assistant", "user"]
    assert said(ana)[-1] == ("user", "What is this bird?")
    facts = {one.content: one for one in ana.list(limit=100)}
    assert {"User has a cat named Miso.", "User plays the viola.", "I teach maths in Porto."} <= set(facts)
    assert facts["User plays the viola."].source == "import"
    assert facts["User plays the viola."].attributes["imported"]["from"] == "chatgpt"
    assert Source("chatgpt", tmp_path / "conversations.json").preview(ana).left_out == 4


def test_a_zip_and_a_folder(ana: Space, tmp_path: Path) -> None:
    """The export as it came, and one whose conversations are in several files, are read too."""
    with zipfile.ZipFile(tmp_path / "export.zip", "w") as archive:
        archive.writestr("user.json", "{}")
        archive.writestr("conversations.json", json.dumps(chatgpt_export(4)))
    assert Source("chatgpt", tmp_path / "export.zip").total == 4
    folder = tmp_path / "folder"
    folder.mkdir()
    saved(folder, chatgpt_export(4), "conversations-000.json")
    saved(folder, chatgpt_export(60)[1:], "conversations-001.json")
    assert Source("chatgpt", folder).total == 44


def test_a_later_export_brings_what_is_new(ana: Space, tmp_path: Path) -> None:
    """Next month's export holds last month's talks: they are known, the rest comes in; forgotten stays forgotten."""
    bring(ana, Source("chatgpt", saved(tmp_path, chatgpt_export(20, each=10))))
    gone = ana.list(kinds=["episode"], limit=1)[0].id
    ana.forget(gone)
    path = saved(tmp_path, chatgpt_export(40, each=10))
    assert Source("chatgpt", path).preview(ana).known == 20
    done = bring(ana, Source("chatgpt", path))
    assert (done.messages, done.known) == (20, 20)
    assert ana.get(gone).state == "deleted"


def test_long_and_strange_messages(ana: Space, tmp_path: Path) -> None:
    """A message that is too long for one memory comes in pieces, NULs go, an empty one is none."""
    talk = chatgpt_talk(0, 0, BEGUN, Random(1))
    last = node(talk["mapping"], "root", "long", "user", "é" * 600_000, BEGUN)
    last = node(talk["mapping"], last, "nul", "user", "a\0b", BEGUN + 1)
    talk["current_node"] = node(talk["mapping"], last, "none", "user", "  ", BEGUN + 2)
    done = brought(ana, "chatgpt", saved(tmp_path, [talk]))
    assert done.refused == {}
    assert sum(len(text) for _, text in said(ana)) == 600_002


def test_claude(ana: Space, tmp_path: Path) -> None:
    """Conversations with their attachments, memories and documents of projects come in."""
    message = {
        "uuid": "m1",
        "sender": "human",
        "text": "",
        "created_at": "2025-03-04T05:06:07Z",
        "content": [{"type": "text", "text": "Read this."}],
        "attachments": [{"file_name": "a.txt", "extracted_content": "The harbour opens in May."}],
    }
    answer = {"uuid": "m2", "sender": "assistant", "text": "I did.", "created_at": "2025-03-04T05:06:09Z"}
    talk = {"uuid": "t1", "name": "Harbour", "updated_at": "2025-03-04T05:06:09Z", "chat_messages": [message, answer]}
    document = {
        "uuid": "d1",
        "filename": "plan.md",
        "content": "The plan of the harbour.",
        "created_at": "2025-01-01T00:00:00Z",
    }
    with zipfile.ZipFile(tmp_path / "data.zip", "w") as archive:
        archive.writestr("conversations.json", json.dumps([talk]))
        archive.writestr(
            "memories.json", json.dumps([{"account_uuid": "u", "conversations_memory": "Ana sails.\n\nAna reads."}])
        )
        archive.writestr("projects.json", json.dumps([{"uuid": "p", "name": "Port", "docs": [document]}]))
    done = brought(ana, "claude", tmp_path / "data.zip")
    assert (done.messages, done.notes) == (2, 3)
    assert said(ana) == [("user", "Read this.\n\nThe harbour opens in May."), ("assistant", "I did.")]
    assert {one.content for one in ana.list()} == {"Ana sails.", "Ana reads.", "The plan of the harbour."}


def test_mem0(ana: Space, tmp_path: Path) -> None:
    """Memories of mem0 become facts with their dates and metadata; what the gate knows already is a duplicate."""
    ana.remember("Ana likes tea.")
    rows = [
        {
            "id": "1",
            "memory": "Ana plays the viola.",
            "created_at": "2025-01-02T03:04:05-08:00",
            "user_id": "ana",
            "metadata": {"mood": "calm"},
            "categories": ["music"],
        },
        {"id": "2", "memory": "Ana likes tea.", "created_at": "2025-01-02T03:04:05-08:00"},
    ]
    done = brought(ana, "mem0", saved(tmp_path, {"results": rows}))
    assert (done.notes, done.known) == (1, 1)
    fact = ana.list(tags=["music"])[0]
    assert (fact.kind, fact.event_time) == ("fact", datetime(2025, 1, 2, 11, 4, 5, tzinfo=UTC))
    assert fact.attributes["metadata"] == {"mood": "calm"}


def test_letta(ana: Space, tmp_path: Path) -> None:
    """An agent file's blocks stand in the prompt where nobody has written them, its talk and passages come in."""
    ana.blocks.rethink("human", "Ana herself wrote this.")
    data = {
        "agents": [
            {
                "id": "agent-0",
                "name": "Sage",
                "messages": [
                    {"id": "m0", "role": "system", "content": [{"type": "text", "text": "You are."}]},
                    {
                        "id": "m1",
                        "role": "user",
                        "content": [{"type": "text", "text": "Hello Sage."}],
                        "created_at": "2025-05-01T10:00:00Z",
                    },
                    {"id": "m2", "role": "assistant", "content": [{"type": "text", "text": "Hello Ana."}]},
                ],
                "passages": [{"id": "p1", "text": "The lighthouse was built in 1850.", "tags": ["history"]}],
            }
        ],
        "blocks": [
            {"id": "b1", "label": "persona", "value": "I am Sage."},
            {"id": "b2", "label": "human", "value": "The user is Ana."},
        ],
    }
    done = brought(ana, "letta", saved(tmp_path, data, "sage.af"))
    assert (done.messages, done.blocks, done.notes) == (2, 2, 1)
    assert ana.blocks.get("persona").value == "I am Sage."
    assert ana.blocks.get("human").value == "Ana herself wrote this."
    assert {one.content for one in ana.list(kinds=["passage"])} == {
        "The user is Ana.",
        "The lighthouse was built in 1850.",
    }


def test_zep(ana: Space, tmp_path: Path) -> None:
    """A fact of a graph is true in its time: what had ended then is not recalled now."""
    data = {
        "nodes": [{"uuid": "n1", "name": "Ana", "summary": "Ana is a sailor."}, {"uuid": "n2", "name": "Lisbon"}],
        "edges": [
            {
                "uuid": "e1",
                "fact": "Ana lives in Lisbon.",
                "name": "LIVES_IN",
                "source_node_uuid": "n1",
                "target_node_uuid": "n2",
                "valid_at": "2024-01-01T00:00:00Z",
            },
            {
                "uuid": "e2",
                "fact": "Ana lives in Porto.",
                "valid_at": "2020-01-01T00:00:00Z",
                "invalid_at": "2023-12-31T00:00:00Z",
            },
        ],
        "episodes": [
            {
                "uuid": "x1",
                "content": "user: I sail.",
                "source": "message",
                "created_at": "2024-01-01T00:00:00Z",
                "group_id": "g",
            }
        ],
    }
    done = brought(ana, "zep", saved(tmp_path, data, "graph.json"))
    assert (done.notes, done.messages) == (3, 1)
    assert said(ana) == [("user", "I sail.")]
    assert [hit.memory.content for hit in ana.recall("Ana lives in")][:1] == ["Ana lives in Lisbon."]
    then = ana.recall("Ana lives in", as_of=datetime(2022, 1, 1, tzinfo=UTC))
    assert [hit.memory.content for hit in then] == ["Ana lives in Porto."]


def test_langgraph(ana: Space, tmp_path: Path) -> None:
    """Items of a store, LangMem's among them, come in by JSON and from the file of a SqliteStore."""
    item = {
        "namespace": ["memories", "ana"],
        "key": "k1",
        "value": {"kind": "Memory", "content": {"content": "Ana sails."}},
    }
    assert brought(ana, "langgraph", saved(tmp_path, [item], "items.json")).notes == 1
    path = tmp_path / "store.db"
    with closing(sqlite3.connect(path)) as made:
        made.execute("CREATE TABLE store (prefix text, key text, value text, created_at, updated_at)")
        value = json.dumps({"text": "Ana plays the viola."})
        made.execute(
            "INSERT INTO store VALUES ('memories.ana', 'k2', ?, '2025-01-01 10:00:00', '2025-01-01 10:00:00')", [value]
        )
        made.commit()
    assert brought(ana, "langgraph", path).notes == 1
    assert {one.content for one in ana.list()} == {"Ana sails.", "Ana plays the viola."}
    assert ana.recall("viola")[0].memory.attributes["namespace"] == ["memories", "ana"]


def test_notes(ana: Space, tmp_path: Path) -> None:
    """A section is a document under its title, an observation a fact, tags are tags; hidden folders stay out."""
    vault = tmp_path / "vault"
    (vault / ".obsidian").mkdir(parents=True)
    (vault / ".obsidian" / "x.md").write_text("not this")
    (vault / "Coffee.md").write_text(
        "---\ntitle: Coffee\ntags:\n  - drink\ncreated: 2025-02-03\n---\n# Coffee\nWe brew it at home. #kitchen\n\n"
        "## Observations\n- [method] Pour over gives more flavour. #brewing (learnt)\n- [ ] buy beans\n\n"
        "## Relations\n- relates_to [[Tea]]\n"
    )
    done = brought(ana, "notes", vault)
    assert (done.notes, done.refused) == (4, {})
    fact = ana.list(kinds=["fact"])[0]
    assert (fact.topic, set(fact.tags)) == ("Coffee/method", {"drink", "brewing"})
    home = next(one for one in ana.list(kinds=["document"]) if "brew it" in one.content)
    assert (home.topic, set(home.tags), home.event_time.date().isoformat()) == (
        "Coffee",
        {"drink", "kitchen"},
        "2025-02-03",
    )


def test_mempalace(ana: Space, tmp_path: Path) -> None:
    """Drawers come in as passages under their wing and room."""
    with closing(sqlite3.connect(tmp_path / "chroma.sqlite3")) as made:
        made.execute("CREATE TABLE embeddings (id integer, embedding_id text)")
        made.execute(
            "CREATE TABLE embedding_metadata (id integer, key text, string_value, int_value, float_value, bool_value)"
        )
        made.execute("INSERT INTO embeddings VALUES (1, 'drawer_1')")
        for name, value in (("chroma:document", "We chose SQLite."), ("wing", "work"), ("room", "decisions")):
            made.execute("INSERT INTO embedding_metadata VALUES (1, ?, ?, NULL, NULL, NULL)", [name, value])
        made.commit()
    assert brought(ana, "mempalace", tmp_path).notes == 1
    assert [(one.kind, one.topic) for one in ana.list()] == [("passage", "work/decisions")]


def test_files_of_the_memory_tool(ana: Space, tmp_path: Path) -> None:
    """A file of Anthropic's memory tool is one of ours, at the same path."""
    (tmp_path / "memories" / "jobs").mkdir(parents=True)
    (tmp_path / "memories" / "jobs" / "plan.md").write_text("1. Build the harbour.\n")
    assert brought(ana, "anthropic", tmp_path / "memories").notes == 1
    seen = Tools(ana, "anthropic").call("memory", {"command": "view", "path": "/memories/jobs/plan.md"})
    assert "Build the harbour." in seen.text


@pytest.mark.parametrize("format", FORMATS)
def test_what_is_no_such_file(format: str, ana: Space, tmp_path: Path) -> None:
    """A file of another format, or none, is refused with what to pass, and nothing is written."""
    wrong = tmp_path / "wrong.json"
    wrong.write_text('{"hello": 1}')
    with pytest.raises(InvalidInput):
        Source(format, wrong)
    with pytest.raises(InvalidInput, match="does not exist"):
        Source(format, tmp_path / "nothing")
    assert ana.stats().total == 0
    assert described()[format]


def test_the_command_line(tmp_path: Path) -> None:
    """It shows what is in a file, asks, brings it in, and says what became of it; a dry run writes nothing."""
    path, base = str(saved(tmp_path, chatgpt_export(20, each=10))), ["--db", str(tmp_path / "m.db"), "--user", "ana"]
    runner = CliRunner()
    shown = runner.invoke(APP, ["import-from", "chatgpt", path, *base, "--dry-run"])
    assert shown.exit_code == 0
    assert "2 conversations, 20 messages" in shown.output
    assert "newest: Talk 1; Talk 0" in shown.output
    asked = runner.invoke(APP, ["import-from", "chatgpt", path, *base])
    assert (asked.exit_code, "--yes" in asked.output) == (2, True)
    told = json.loads(runner.invoke(APP, ["import-from", "chatgpt", path, *base, "--yes", "--json"]).stdout)
    assert (told["messages"], told["known"], told["refused"]) == (20, 0, {})
    again = runner.invoke(APP, ["import-from", "chatgpt", path, *base, "--yes"])
    assert "20 known already" in again.output
    wrong = runner.invoke(APP, ["import-from", "claude", path, *base, "--yes"])
    assert wrong.exit_code == 2
    assert "its chat_messages is null, not a list" in wrong.output
