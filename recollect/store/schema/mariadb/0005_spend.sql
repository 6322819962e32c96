CREATE TABLE IF NOT EXISTS spend (
  owner VARCHAR(200) NOT NULL,
  day VARCHAR(10) NOT NULL,
  role VARCHAR(32) NOT NULL,
  job VARCHAR(200) NOT NULL,
  session VARCHAR(200) NOT NULL,
  calls BIGINT NOT NULL,
  tokens_in BIGINT NOT NULL,
  tokens_out BIGINT NOT NULL,
  money BIGINT NOT NULL,
  unpriced BIGINT NOT NULL,
  PRIMARY KEY (owner, day, role, job, session)
) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
