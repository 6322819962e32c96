CREATE TABLE owners (
  owner TEXT NOT NULL PRIMARY KEY,
  rev INTEGER NOT NULL,
  vec_rev INTEGER NOT NULL,
  next_doc INTEGER NOT NULL,
  docs INTEGER NOT NULL,
  total_length INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE memories (
  owner TEXT NOT NULL,
  id TEXT NOT NULL,
  doc INTEGER NOT NULL,
  kind TEXT NOT NULL,
  tier TEXT NOT NULL,
  state TEXT NOT NULL,
  agent TEXT NOT NULL DEFAULT '',
  session TEXT NOT NULL DEFAULT '',
  actor TEXT NOT NULL DEFAULT '',
  role TEXT NOT NULL DEFAULT '',
  source TEXT NOT NULL,
  trust REAL NOT NULL,
  category TEXT NOT NULL,
  topic TEXT NOT NULL DEFAULT '',
  topic_folded TEXT NOT NULL DEFAULT '',
  key TEXT NOT NULL DEFAULT '',
  live_key TEXT,
  content_hash TEXT NOT NULL,
  length INTEGER NOT NULL,
  importance INTEGER,
  confidence REAL NOT NULL,
  decay_rate REAL NOT NULL,
  pinned INTEGER NOT NULL,
  access_count INTEGER NOT NULL,
  last_accessed INTEGER,
  event_time INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  valid_from INTEGER NOT NULL,
  valid_until INTEGER,
  purge_at INTEGER,
  version INTEGER NOT NULL,
  tags TEXT NOT NULL,
  attributes TEXT NOT NULL,
  content TEXT NOT NULL,
  terms TEXT NOT NULL,
  PRIMARY KEY (owner, id)
);
CREATE INDEX memories_doc ON memories (owner, doc, state, kind, valid_until, length);
CREATE UNIQUE INDEX memories_slot ON memories (owner, agent, kind, live_key);
CREATE INDEX memories_hash ON memories (owner, content_hash, kind, state, key, doc);
CREATE INDEX memories_session ON memories (owner, session, doc);
CREATE INDEX memories_shelf ON memories (owner, kind, state, tier, importance, doc);

CREATE TABLE terms (
  owner TEXT NOT NULL,
  term TEXT NOT NULL,
  df INTEGER NOT NULL,
  PRIMARY KEY (owner, term)
) WITHOUT ROWID;

CREATE TABLE postings (
  owner TEXT NOT NULL,
  term TEXT NOT NULL,
  doc INTEGER NOT NULL,
  tf INTEGER NOT NULL,
  PRIMARY KEY (owner, term, doc)
) WITHOUT ROWID;

CREATE TABLE entities (
  owner TEXT NOT NULL,
  id TEXT NOT NULL,
  name TEXT NOT NULL,
  type TEXT NOT NULL,
  summary TEXT NOT NULL DEFAULT '',
  mentions INTEGER NOT NULL,
  protected INTEGER NOT NULL,
  PRIMARY KEY (owner, id)
) WITHOUT ROWID;

CREATE TABLE names (
  owner TEXT NOT NULL,
  folded TEXT NOT NULL,
  type TEXT NOT NULL,
  entity_id TEXT NOT NULL,
  PRIMARY KEY (owner, folded, type)
) WITHOUT ROWID;
CREATE INDEX names_entity ON names (owner, entity_id);

CREATE TABLE links (
  owner TEXT NOT NULL,
  from_id TEXT NOT NULL,
  to_id TEXT NOT NULL,
  type TEXT NOT NULL,
  strength REAL NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (owner, from_id, to_id, type)
) WITHOUT ROWID;
CREATE INDEX links_to ON links (owner, to_id, type);

CREATE TABLE sessions (
  owner TEXT NOT NULL,
  id TEXT NOT NULL,
  agent TEXT NOT NULL DEFAULT '',
  first_seen INTEGER NOT NULL,
  last_seen INTEGER NOT NULL,
  consolidated_upto INTEGER NOT NULL DEFAULT 0,
  seen_rev INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (owner, id)
) WITHOUT ROWID;

CREATE TABLE journal (
  owner TEXT NOT NULL,
  rev INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  session TEXT NOT NULL DEFAULT '',
  memory_id TEXT NOT NULL,
  op TEXT NOT NULL,
  node TEXT NOT NULL,
  status TEXT NOT NULL,
  actor TEXT NOT NULL DEFAULT '',
  before TEXT,
  meta TEXT,
  at INTEGER NOT NULL,
  PRIMARY KEY (owner, rev, seq)
) WITHOUT ROWID;
CREATE INDEX journal_memory ON journal (owner, memory_id, rev);
