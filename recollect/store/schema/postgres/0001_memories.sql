CREATE TABLE owners (
  owner TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  rev BIGINT NOT NULL,
  vec_rev BIGINT NOT NULL,
  next_doc BIGINT NOT NULL,
  docs BIGINT NOT NULL,
  total_length BIGINT NOT NULL
);

CREATE TABLE memories (
  owner TEXT COLLATE "C" NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  doc BIGINT NOT NULL,
  kind TEXT COLLATE "C" NOT NULL,
  tier TEXT COLLATE "C" NOT NULL,
  state TEXT COLLATE "C" NOT NULL,
  agent TEXT COLLATE "C" NOT NULL DEFAULT '',
  session TEXT COLLATE "C" NOT NULL DEFAULT '',
  actor TEXT COLLATE "C" NOT NULL DEFAULT '',
  role TEXT COLLATE "C" NOT NULL DEFAULT '',
  source TEXT COLLATE "C" NOT NULL,
  trust DOUBLE PRECISION NOT NULL,
  category TEXT COLLATE "C" NOT NULL,
  topic TEXT COLLATE "C" NOT NULL DEFAULT '',
  topic_folded TEXT COLLATE "C" NOT NULL DEFAULT '',
  "key" TEXT COLLATE "C" NOT NULL DEFAULT '',
  live_key TEXT COLLATE "C",
  content_hash TEXT COLLATE "C" NOT NULL,
  length BIGINT NOT NULL,
  importance SMALLINT,
  confidence DOUBLE PRECISION NOT NULL,
  decay_rate DOUBLE PRECISION NOT NULL,
  pinned SMALLINT NOT NULL,
  access_count BIGINT NOT NULL,
  last_accessed BIGINT,
  event_time BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  valid_from BIGINT NOT NULL,
  valid_until BIGINT,
  purge_at BIGINT,
  version BIGINT NOT NULL,
  tags TEXT COLLATE "C" NOT NULL,
  attributes TEXT COLLATE "C" NOT NULL,
  content TEXT COLLATE "C" NOT NULL,
  terms TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (owner, id)
);
CREATE INDEX memories_doc ON memories (owner, doc, state, kind, valid_until, length);
CREATE UNIQUE INDEX memories_slot ON memories (owner, agent, kind, live_key);
CREATE INDEX memories_hash ON memories (owner, content_hash, kind, state, "key", doc);
CREATE INDEX memories_session ON memories (owner, session, doc);
CREATE INDEX memories_shelf ON memories (owner, kind, state, tier, importance, doc);

CREATE TABLE terms (
  owner TEXT COLLATE "C" NOT NULL,
  term TEXT COLLATE "C" NOT NULL,
  df BIGINT NOT NULL,
  PRIMARY KEY (owner, term)
);

CREATE TABLE postings (
  owner TEXT COLLATE "C" NOT NULL,
  term TEXT COLLATE "C" NOT NULL,
  doc BIGINT NOT NULL,
  tf BIGINT NOT NULL,
  PRIMARY KEY (owner, term, doc)
);

CREATE TABLE entities (
  owner TEXT COLLATE "C" NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  name TEXT COLLATE "C" NOT NULL,
  type TEXT COLLATE "C" NOT NULL,
  summary TEXT COLLATE "C" NOT NULL DEFAULT '',
  mentions BIGINT NOT NULL,
  protected SMALLINT NOT NULL,
  PRIMARY KEY (owner, id)
);

CREATE TABLE names (
  owner TEXT COLLATE "C" NOT NULL,
  folded TEXT COLLATE "C" NOT NULL,
  type TEXT COLLATE "C" NOT NULL,
  entity_id TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (owner, folded, type)
);
CREATE INDEX names_entity ON names (owner, entity_id);

CREATE TABLE links (
  owner TEXT COLLATE "C" NOT NULL,
  from_id TEXT COLLATE "C" NOT NULL,
  to_id TEXT COLLATE "C" NOT NULL,
  type TEXT COLLATE "C" NOT NULL,
  strength DOUBLE PRECISION NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (owner, from_id, to_id, type)
);
CREATE INDEX links_to ON links (owner, to_id, type);

CREATE TABLE sessions (
  owner TEXT COLLATE "C" NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  agent TEXT COLLATE "C" NOT NULL DEFAULT '',
  first_seen BIGINT NOT NULL,
  last_seen BIGINT NOT NULL,
  consolidated_upto BIGINT NOT NULL DEFAULT 0,
  seen_rev BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (owner, id)
);

CREATE TABLE journal (
  owner TEXT COLLATE "C" NOT NULL,
  rev BIGINT NOT NULL,
  seq BIGINT NOT NULL,
  session TEXT COLLATE "C" NOT NULL DEFAULT '',
  memory_id TEXT COLLATE "C" NOT NULL,
  op TEXT COLLATE "C" NOT NULL,
  node TEXT COLLATE "C" NOT NULL,
  status TEXT COLLATE "C" NOT NULL,
  actor TEXT COLLATE "C" NOT NULL DEFAULT '',
  "before" TEXT COLLATE "C",
  meta TEXT COLLATE "C",
  at BIGINT NOT NULL,
  PRIMARY KEY (owner, rev, seq)
);
CREATE INDEX journal_memory ON journal (owner, memory_id, rev);
