"""The contents of the command line: each command, the file that declares it, its panel and its first line.

A command loads its own file alone, and `recollect --help` none of them; a test holds this list against the files.
"""

from __future__ import annotations

from recollect.model.values import dataclass

STARTING, KEEPING, LOOKING, CARING = PANELS = ("Start here", "Keep and change", "Look", "Care")


@dataclass(frozen=True, slots=True)
class Listed:
    """One command of the list."""

    name: str
    files: tuple[str, ...]
    panel: str
    text: str


CONTENTS: tuple[Listed, ...] = (
    Listed(
        "demo",
        ("demo",),
        STARTING,
        "Play four short conversations and show what is remembered; no key, no network, unless a model is set.",
    ),
    Listed(
        "chat",
        ("doors.chat",),
        STARTING,
        "Talk with an assistant that remembers; without a model's key it answers from memory alone, and says so.",
    ),
    Listed(
        "install",
        ("doors.install",),
        STARTING,
        "Tell a client about this memory: shows the difference first, and keeps a copy of what was there.",
    ),
    Listed(
        "uninstall",
        ("doors.install",),
        STARTING,
        "Take this memory out of a client's settings again; nothing that is remembered is touched.",
    ),
    Listed(
        "hook",
        ("doors.install",),
        STARTING,
        "Do what a client's hook asks for: lay out memory at the start, keep the conversation before it is lost.",
    ),
    Listed(
        "import-from",
        ("doors.bring",),
        STARTING,
        "Bring in what another memory, or an account of ChatGPT or Claude, has kept: newest first, each thing once.",
    ),
    Listed(
        "mcp",
        ("doors.mcp",),
        STARTING,
        "Serve the tools over MCP, on standard input and output; `recollect serve` has the same over HTTP.",
    ),
    Listed(
        "serve",
        ("doors.serve",),
        STARTING,
        "Serve the page, REST and MCP; beyond this machine, and as soon as there are keys, a key is needed.",
    ),
    Listed("keys", ("doors.keys",), CARING, "Make, list and revoke the keys that open this memory over HTTP."),
    Listed("tools", ("doors.tools",), STARTING, "List the tools for models, show their schemas, or call one."),
    Listed("accept", ("inbox",), KEEPING, "Let something in the inbox become true; what it changes gives way."),
    Listed("reject", ("inbox",), KEEPING, "Take something out of the inbox; what stands, stands."),
    Listed("amend", ("inbox",), KEEPING, "Accept something in the inbox in other words, your own."),
    Listed("remember", ("write",), KEEPING, "Keep a fact, or another kind of memory, unless it is known already."),
    Listed("observe", ("write",), KEEPING, "Keep one message of a conversation as it was said."),
    Listed(
        "correct",
        ("write",),
        KEEPING,
        "Replace what a memory says; the old text stays on record and is not recalled again.",
    ),
    Listed("update", ("write",), KEEPING, "Change what a memory says or how it is filed; what is not given stays."),
    Listed("confirm", ("write",), KEEPING, "Make a memory certain: full confidence, no decay."),
    Listed("pin", ("write",), KEEPING, "Protect a memory from ageing, decay, expiry and merging."),
    Listed("rate", ("write",), KEEPING, "Say how much a memory matters."),
    Listed("forget", ("write",), KEEPING, "Put a memory out of sight; restore brings it back, erase is for good."),
    Listed("restore", ("write",), KEEPING, "Bring a forgotten memory back whole."),
    Listed(
        "undo",
        ("undo",),
        KEEPING,
        "Take back the last change of a memory, such as a correction; without an id the last one of all, if you agree.",
    ),
    Listed("merge", ("write",), KEEPING, "Make one memory of several; the parts stay on record."),
    Listed("end", ("write",), KEEPING, "Close a conversation: its new messages become facts and a summary now."),
    Listed(
        "unite",
        ("write",),
        KEEPING,
        "Say that two names are one person, place or thing; `recollect part` takes it back.",
    ),
    Listed(
        "part", ("write",), KEEPING, "Take back that a name was united with another: each has its own memories again."
    ),
    Listed("blocks", ("blocks",), KEEPING, "Show core blocks, which always stand in the prompt, or edit one."),
    Listed(
        "workspace",
        ("doors.files",),
        KEEPING,
        "Keep memory as a folder of Markdown: begin it, bring it into step, watch it, or take a folder in.",
    ),
    Listed("lessons", ("doors.files",), LOOKING, "Show what was learnt from failed tools, corrections and praise."),
    Listed("cost", ("cost",), LOOKING, "Show what asking models has cost, by day and role."),
    Listed(
        "calls",
        ("cost",),
        LOOKING,
        "Show what models were asked and what they answered, where `record.calls` keeps it; or erase it.",
    ),
    Listed(
        "inbox",
        ("inbox",),
        LOOKING,
        "Show what waits for your word, and what is kept apart for want of evidence, each with its reason.",
    ),
    Listed(
        "forgetting",
        ("life",),
        LOOKING,
        "Show what would be forgotten, expire or be purged, and when, if nobody uses it until then, by each preset.",
    ),
    Listed("recall", ("look",), LOOKING, "Find memories by words, meaning, names and times."),
    Listed("why", ("look",), LOOKING, "Say why a memory was found by a query, or why it was not."),
    Listed("context", ("look",), LOOKING, "Lay out memory for a prompt, inside a budget of tokens."),
    Listed("list", ("look",), LOOKING, "List memories of any kind but raw messages, which --kind episode shows."),
    Listed(
        "entities",
        ("look",),
        LOOKING,
        "List people, projects, places and things, the most mentioned first, or find them by meaning.",
    ),
    Listed("entity", ("look",), LOOKING, "Show what is known of a person, project, place or thing."),
    Listed(
        "history", ("look",), LOOKING, "Show everything that happened to a memory and to those it replaced or became."
    ),
    Listed(
        "sessions",
        ("look",),
        LOOKING,
        "List the conversations of a user, the one seen last first, and how far each was worked through.",
    ),
    Listed("status", ("look",), LOOKING, "Show where the data lives, how much there is, and whose."),
    Listed(
        "stats",
        ("stats",),
        LOOKING,
        "Count searches, verdicts, skips, failures and changes, by day, node, op and status.",
    ),
    Listed("erase", ("care",), CARING, "Erase for good: no text is left in the database, its journal or its files."),
    Listed("doctor", ("care",), CARING, "Check files, counters and links of the whole database."),
    Listed(
        "backup", ("transfer",), CARING, "Write everything into one file, as it is at one moment; others go on writing."
    ),
    Listed("export", ("transfer",), CARING, "Write a user's memory, or all of it, to a file of JSON lines."),
    Listed("import", ("transfer",), CARING, "Put an export back; users that already have memories are refused."),
    Listed(
        "db",
        ("database",),
        CARING,
        "Make a database, bring it up to date, or copy everything from one to another of any engine.",
    ),
    Listed("jobs", ("jobs",), CARING, "Show what will happen later, let it happen now, hold it back, or take it back."),
    Listed("age", ("life",), CARING, "Move what is old from the short to the long tier now, with numbers of your own."),
    Listed(
        "archive",
        ("life",),
        CARING,
        "Move texts of what matters least out of the database, show the files, bring them back, or check them.",
    ),
    Listed(
        "reindex",
        ("reindex",),
        CARING,
        "Embed everything with the embedder that is set; the old vectors serve until the new ones are there.",
    ),
    Listed(
        "tune",
        ("tune",),
        CARING,
        "Find better words for a prompt on your own examples; they are taken only if they win on examples held out.",
    ),
    Listed(
        "worker",
        ("work",),
        CARING,
        "Run what is due, for all users, until it is told to stop (SIGTERM or Ctrl-C): what runs is finished first.",
    ),
    Listed(
        "bench",
        ("bench.quality", "bench.speed", "bench.load"),
        CARING,
        "Measure how fast memory is, and how well it finds.",
    ),
)
