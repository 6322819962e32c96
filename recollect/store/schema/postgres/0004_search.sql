DROP TABLE vectors;
CREATE TABLE vectors (
  owner TEXT COLLATE "C" NOT NULL,
  model TEXT COLLATE "C" NOT NULL,
  doc BIGINT NOT NULL,
  rev BIGINT NOT NULL,
  embedding {vector} NOT NULL,
  PRIMARY KEY (owner, model, doc)
);
CREATE INDEX vectors_rev ON vectors (owner, model, rev, doc);
ALTER TABLE owners ADD COLUMN model TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE memories ADD COLUMN marks SMALLINT NOT NULL DEFAULT 0;
DROP INDEX memories_doc;
CREATE INDEX memories_doc ON memories (
  owner, doc, state, kind, valid_until, length, session, actor, source, event_time, marks
);
