CREATE TABLE vectors (
  owner TEXT NOT NULL,
  memory_id TEXT NOT NULL,
  model TEXT NOT NULL,
  embedding BLOB NOT NULL,
  PRIMARY KEY (owner, memory_id, model)
) WITHOUT ROWID;

CREATE TABLE segments (
  owner TEXT NOT NULL,
  model TEXT NOT NULL,
  seq INTEGER NOT NULL,
  docs BLOB NOT NULL,
  codes BLOB NOT NULL,
  scale BLOB NOT NULL,
  PRIMARY KEY (owner, model, seq)
) WITHOUT ROWID;
