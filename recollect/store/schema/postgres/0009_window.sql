CREATE TABLE windows (
  owner TEXT COLLATE "C" NOT NULL,
  session TEXT COLLATE "C" NOT NULL,
  agent TEXT COLLATE "C" NOT NULL DEFAULT '',
  seen_rev BIGINT NOT NULL,
  messages TEXT COLLATE "C" NOT NULL,
  notes TEXT COLLATE "C" NOT NULL,
  updated_at BIGINT NOT NULL,
  PRIMARY KEY (owner, session)
);
CREATE TABLE checkpoints (
  owner TEXT COLLATE "C" NOT NULL,
  session TEXT COLLATE "C" NOT NULL,
  ns TEXT COLLATE "C" NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  parent TEXT COLLATE "C" NOT NULL DEFAULT '',
  data TEXT COLLATE "C" NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (owner, session, ns, id)
);
ALTER TABLE memories ADD COLUMN project TEXT COLLATE "C" NOT NULL DEFAULT '';
DROP INDEX memories_doc;
CREATE INDEX memories_doc ON memories (
  owner, doc, state, kind, valid_until, length, session, actor, source, event_time, marks, project
);
CREATE INDEX memories_pinned ON memories (owner, pinned, kind, state, importance, doc) WHERE pinned = 1;
