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
DROP INDEX memories_doc;
CREATE INDEX memories_doc ON memories (
  owner, doc, state, kind, valid_until, length, session, role, source, event_time
);
