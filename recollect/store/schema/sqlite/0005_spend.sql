CREATE TABLE spend (
  owner TEXT NOT NULL,
  day TEXT NOT NULL,
  role TEXT NOT NULL,
  job TEXT NOT NULL,
  session TEXT NOT NULL,
  calls INTEGER NOT NULL,
  tokens_in INTEGER NOT NULL,
  tokens_out INTEGER NOT NULL,
  money INTEGER NOT NULL,
  unpriced INTEGER NOT NULL,
  PRIMARY KEY (owner, day, role, job, session)
) WITHOUT ROWID;
