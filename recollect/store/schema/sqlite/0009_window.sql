CREATE TABLE windows (
  owner TEXT NOT NULL,
  session TEXT NOT NULL,
  agent TEXT NOT NULL DEFAULT '',
  seen_rev INTEGER NOT NULL,
  messages TEXT NOT NULL,
  notes TEXT NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (owner, session)
) WITHOUT ROWID;
CREATE TABLE checkpoints (
  owner TEXT NOT NULL,
  session TEXT NOT NULL,
  ns TEXT NOT NULL,
  id TEXT NOT NULL,
  parent TEXT NOT NULL DEFAULT '',
  data TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (owner, session, ns, id)
) WITHOUT ROWID;
ALTER TABLE memories ADD COLUMN project TEXT NOT NULL DEFAULT '';
DROP INDEX memories_doc;
CREATE INDEX memories_doc ON memories (
  owner, doc, state, kind, valid_until, length, session, actor, source, event_time, marks, project
);
CREATE INDEX memories_pinned ON memories (owner, pinned, kind, state, importance, doc) WHERE pinned = 1;
