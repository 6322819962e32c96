CREATE TABLE IF NOT EXISTS owners (
  owner VARCHAR(200) NOT NULL PRIMARY KEY,
  rev BIGINT NOT NULL,
  vec_rev BIGINT NOT NULL,
  next_doc BIGINT NOT NULL,
  docs BIGINT NOT NULL,
  total_length BIGINT NOT NULL
) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS memories (
  owner VARCHAR(200) NOT NULL,
  id VARCHAR(128) NOT NULL,
  doc BIGINT NOT NULL,
  kind VARCHAR(32) NOT NULL,
  tier VARCHAR(32) NOT NULL,
  state VARCHAR(32) NOT NULL,
  agent VARCHAR(200) NOT NULL DEFAULT '',
  session VARCHAR(200) NOT NULL DEFAULT '',
  actor VARCHAR(200) NOT NULL DEFAULT '',
  role VARCHAR(200) NOT NULL DEFAULT '',
  source VARCHAR(32) NOT NULL,
  trust DOUBLE NOT NULL,
  category VARCHAR(200) NOT NULL,
  topic VARCHAR(255) NOT NULL DEFAULT '',
  topic_folded LONGTEXT NOT NULL DEFAULT '',
  "key" VARCHAR(200) NOT NULL DEFAULT '',
  live_key VARCHAR(200),
  content_hash VARCHAR(64) NOT NULL,
  length BIGINT NOT NULL,
  importance SMALLINT,
  confidence DOUBLE NOT NULL,
  decay_rate DOUBLE NOT NULL,
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
  tags LONGTEXT NOT NULL,
  attributes LONGTEXT NOT NULL,
  content LONGTEXT NOT NULL,
  terms LONGTEXT NOT NULL,
  PRIMARY KEY (owner, id)
) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
CREATE INDEX IF NOT EXISTS memories_doc ON memories (owner, doc, state, kind, valid_until, length);
CREATE UNIQUE INDEX IF NOT EXISTS memories_slot ON memories (owner, agent, kind, live_key);
CREATE INDEX IF NOT EXISTS memories_hash ON memories (owner, content_hash, kind, state, "key", doc);
CREATE INDEX IF NOT EXISTS memories_session ON memories (owner, session, doc);
CREATE INDEX IF NOT EXISTS memories_shelf ON memories (owner, kind, state, tier, importance, doc);

CREATE TABLE IF NOT EXISTS terms (
  owner VARCHAR(200) NOT NULL,
  term VARCHAR(160) NOT NULL,
  df BIGINT NOT NULL,
  PRIMARY KEY (owner, term)
) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS postings (
  owner VARCHAR(200) NOT NULL,
  term VARCHAR(160) NOT NULL,
  doc BIGINT NOT NULL,
  tf BIGINT NOT NULL,
  PRIMARY KEY (owner, term, doc)
) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS entities (
  owner VARCHAR(200) NOT NULL,
  id VARCHAR(128) NOT NULL,
  name VARCHAR(255) NOT NULL,
  type VARCHAR(64) NOT NULL,
  summary LONGTEXT NOT NULL DEFAULT '',
  mentions BIGINT NOT NULL,
  protected SMALLINT NOT NULL,
  PRIMARY KEY (owner, id)
) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS names (
  owner VARCHAR(200) NOT NULL,
  folded VARCHAR(400) NOT NULL,
  type VARCHAR(64) NOT NULL,
  entity_id VARCHAR(128) NOT NULL,
  PRIMARY KEY (owner, folded, type)
) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
CREATE INDEX IF NOT EXISTS names_entity ON names (owner, entity_id);

CREATE TABLE IF NOT EXISTS links (
  owner VARCHAR(200) NOT NULL,
  from_id VARCHAR(128) NOT NULL,
  to_id VARCHAR(128) NOT NULL,
  type VARCHAR(64) NOT NULL,
  strength DOUBLE NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (owner, from_id, to_id, type)
) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
CREATE INDEX IF NOT EXISTS links_to ON links (owner, to_id, type);

CREATE TABLE IF NOT EXISTS sessions (
  owner VARCHAR(200) NOT NULL,
  id VARCHAR(200) NOT NULL,
  agent VARCHAR(200) NOT NULL DEFAULT '',
  first_seen BIGINT NOT NULL,
  last_seen BIGINT NOT NULL,
  consolidated_upto BIGINT NOT NULL DEFAULT 0,
  seen_rev BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (owner, id)
) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS journal (
  owner VARCHAR(200) NOT NULL,
  rev BIGINT NOT NULL,
  seq BIGINT NOT NULL,
  session VARCHAR(200) NOT NULL DEFAULT '',
  memory_id VARCHAR(128) NOT NULL,
  op VARCHAR(32) NOT NULL,
  node VARCHAR(64) NOT NULL,
  status VARCHAR(32) NOT NULL,
  actor VARCHAR(200) NOT NULL DEFAULT '',
  "before" LONGTEXT,
  meta LONGTEXT,
  at BIGINT NOT NULL,
  PRIMARY KEY (owner, rev, seq)
) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
CREATE INDEX IF NOT EXISTS journal_memory ON journal (owner, memory_id, rev);
