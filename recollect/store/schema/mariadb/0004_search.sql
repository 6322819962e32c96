DROP TABLE IF EXISTS vectors;
CREATE TABLE vectors (
  owner VARCHAR(200) NOT NULL,
  model VARCHAR(200) NOT NULL,
  doc BIGINT NOT NULL,
  rev BIGINT NOT NULL,
  embedding LONGBLOB NOT NULL,
  PRIMARY KEY (owner, model, doc)
) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
CREATE INDEX vectors_rev ON vectors (owner, model, rev, doc);
ALTER TABLE owners ADD COLUMN IF NOT EXISTS model VARCHAR(200) NOT NULL DEFAULT '';
ALTER TABLE memories ADD COLUMN IF NOT EXISTS marks SMALLINT NOT NULL DEFAULT 0;
DROP INDEX IF EXISTS memories_doc ON memories;
CREATE INDEX memories_doc ON memories (
  owner, doc, state, kind, valid_until, length, session, actor, source, event_time, marks
);
