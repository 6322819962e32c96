CREATE TABLE IF NOT EXISTS windows (
  owner VARCHAR(200) NOT NULL,
  session VARCHAR(200) NOT NULL,
  agent VARCHAR(200) NOT NULL DEFAULT '',
  seen_rev BIGINT NOT NULL,
  messages LONGTEXT NOT NULL,
  notes LONGTEXT NOT NULL,
  updated_at BIGINT NOT NULL,
  PRIMARY KEY (owner, session)
) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
CREATE TABLE IF NOT EXISTS checkpoints (
  owner VARCHAR(200) NOT NULL,
  session VARCHAR(200) NOT NULL,
  ns VARCHAR(200) NOT NULL,
  id VARCHAR(128) NOT NULL,
  parent VARCHAR(128) NOT NULL DEFAULT '',
  data LONGTEXT NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (owner, session, ns, id)
) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
ALTER TABLE memories ADD COLUMN IF NOT EXISTS project VARCHAR(60) NOT NULL DEFAULT '';
DROP INDEX IF EXISTS memories_doc ON memories;
CREATE INDEX memories_doc ON memories (
  owner, doc, state, kind, valid_until, length, session, actor, source, event_time, marks, project
);
CREATE INDEX IF NOT EXISTS memories_pinned ON memories (owner, pinned, kind, state, importance, doc);
