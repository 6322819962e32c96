CREATE TABLE calls (
  owner TEXT NOT NULL,
  id TEXT NOT NULL,
  at INTEGER NOT NULL,
  role TEXT NOT NULL,
  name TEXT NOT NULL,
  status TEXT NOT NULL,
  model TEXT NOT NULL,
  version TEXT NOT NULL,
  job TEXT NOT NULL,
  session TEXT NOT NULL,
  milliseconds INTEGER NOT NULL,
  calls INTEGER NOT NULL,
  tokens_in INTEGER NOT NULL,
  tokens_out INTEGER NOT NULL,
  money INTEGER NOT NULL,
  unpriced INTEGER NOT NULL,
  instructions TEXT NOT NULL,
  data TEXT NOT NULL,
  answer TEXT NOT NULL,
  reason TEXT NOT NULL,
  PRIMARY KEY (owner, id)
) WITHOUT ROWID;
CREATE INDEX journal_at ON journal (owner, at, rev, seq);
