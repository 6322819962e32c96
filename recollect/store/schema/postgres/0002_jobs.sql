CREATE TABLE jobs (
  owner TEXT COLLATE "C" NOT NULL,
  name TEXT COLLATE "C" NOT NULL,
  "key" TEXT COLLATE "C" NOT NULL DEFAULT '',
  due_at BIGINT NOT NULL,
  lease_token TEXT COLLATE "C" NOT NULL DEFAULT '',
  lease_until BIGINT,
  attempts BIGINT NOT NULL DEFAULT 0,
  payload TEXT COLLATE "C" NOT NULL,
  last_run BIGINT,
  last_report TEXT COLLATE "C",
  PRIMARY KEY (owner, name, "key")
);
CREATE INDEX jobs_due ON jobs (due_at);
