CREATE TABLE spend (
  owner TEXT COLLATE "C" NOT NULL,
  day TEXT COLLATE "C" NOT NULL,
  role TEXT COLLATE "C" NOT NULL,
  job TEXT COLLATE "C" NOT NULL,
  session TEXT COLLATE "C" NOT NULL,
  calls BIGINT NOT NULL,
  tokens_in BIGINT NOT NULL,
  tokens_out BIGINT NOT NULL,
  money BIGINT NOT NULL,
  unpriced BIGINT NOT NULL,
  PRIMARY KEY (owner, day, role, job, session)
);
