CREATE TABLE events (
  owner TEXT NOT NULL,
  at INTEGER NOT NULL,
  id TEXT NOT NULL,
  session TEXT NOT NULL,
  node TEXT NOT NULL,
  op TEXT NOT NULL,
  status TEXT NOT NULL,
  memory_id TEXT NOT NULL,
  category TEXT NOT NULL,
  sim REAL,
  PRIMARY KEY (owner, at, id)
) WITHOUT ROWID;
