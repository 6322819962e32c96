DROP INDEX memories_slot;
CREATE UNIQUE INDEX memories_slot ON memories (owner, agent, kind, live_key) WHERE live_key IS NOT NULL;
DROP INDEX memories_hash;
CREATE INDEX memories_hash ON memories (owner, content_hash, kind, state, key, doc) WHERE content_hash <> '';
CREATE TABLE words (
  owner TEXT NOT NULL,
  term TEXT NOT NULL,
  PRIMARY KEY (owner, term)
) WITHOUT ROWID;
INSERT INTO words (owner, term) SELECT owner, term FROM terms;
DROP TABLE terms;
ALTER TABLE words RENAME TO terms;
