CREATE TABLE jobs (
  owner TEXT NOT NULL,
  name TEXT NOT NULL,
  key TEXT NOT NULL DEFAULT '',
  due_at INTEGER NOT NULL,
  lease_token TEXT NOT NULL DEFAULT '',
  lease_until INTEGER,
  attempts INTEGER NOT NULL DEFAULT 0,
  payload TEXT NOT NULL,
  last_run INTEGER,
  last_report TEXT,
  PRIMARY KEY (owner, name, key)
) WITHOUT ROWID;
CREATE INDEX jobs_due ON jobs (due_at);
