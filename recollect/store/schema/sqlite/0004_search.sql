DROP TABLE vectors;
CREATE TABLE vectors (
  owner TEXT NOT NULL,
  model TEXT NOT NULL,
  doc INTEGER NOT NULL,
  rev INTEGER NOT NULL,
  embedding BLOB NOT NULL,
  PRIMARY KEY (owner, model, doc)
) WITHOUT ROWID;
CREATE INDEX vectors_rev ON vectors (owner, model, rev, doc);
ALTER TABLE owners ADD COLUMN model TEXT NOT NULL DEFAULT '';
ALTER TABLE memories ADD COLUMN marks INTEGER NOT NULL DEFAULT 0;
DROP INDEX memories_doc;
CREATE INDEX memories_doc ON memories (
  owner, doc, state, kind, valid_until, length, session, actor, source, event_time, marks
);
