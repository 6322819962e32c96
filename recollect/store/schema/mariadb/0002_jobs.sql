CREATE TABLE IF NOT EXISTS jobs (
  owner VARCHAR(200) NOT NULL,
  name VARCHAR(255) NOT NULL,
  "key" VARCHAR(200) NOT NULL DEFAULT '',
  due_at BIGINT NOT NULL,
  lease_token VARCHAR(64) NOT NULL DEFAULT '',
  lease_until BIGINT,
  attempts BIGINT NOT NULL DEFAULT 0,
  payload LONGTEXT NOT NULL,
  last_run BIGINT,
  last_report LONGTEXT,
  PRIMARY KEY (owner, name, "key")
) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
CREATE INDEX IF NOT EXISTS jobs_due ON jobs (due_at);
