CREATE TABLE calls (
  owner TEXT COLLATE "C" NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  at BIGINT NOT NULL,
  role TEXT COLLATE "C" NOT NULL,
  name TEXT COLLATE "C" NOT NULL,
  status TEXT COLLATE "C" NOT NULL,
  model TEXT COLLATE "C" NOT NULL,
  version TEXT COLLATE "C" NOT NULL,
  job TEXT COLLATE "C" NOT NULL,
  session TEXT COLLATE "C" NOT NULL,
  milliseconds BIGINT NOT NULL,
  calls BIGINT NOT NULL,
  tokens_in BIGINT NOT NULL,
  tokens_out BIGINT NOT NULL,
  money BIGINT NOT NULL,
  unpriced BIGINT NOT NULL,
  instructions TEXT COLLATE "C" NOT NULL,
  data TEXT COLLATE "C" NOT NULL,
  answer TEXT COLLATE "C" NOT NULL,
  reason TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (owner, id)
);
CREATE INDEX journal_at ON journal (owner, at, rev, seq);
