CREATE TABLE vectors (
  owner TEXT COLLATE "C" NOT NULL,
  memory_id TEXT COLLATE "C" NOT NULL,
  model TEXT COLLATE "C" NOT NULL,
  embedding {vector} NOT NULL,
  PRIMARY KEY (owner, memory_id, model)
);

CREATE TABLE segments (
  owner TEXT COLLATE "C" NOT NULL,
  model TEXT COLLATE "C" NOT NULL,
  seq BIGINT NOT NULL,
  docs BYTEA NOT NULL,
  codes BYTEA NOT NULL,
  scale BYTEA NOT NULL,
  PRIMARY KEY (owner, model, seq)
);
