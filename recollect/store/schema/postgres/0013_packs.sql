CREATE TABLE packs (
  owner TEXT COLLATE "C" NOT NULL,
  term TEXT COLLATE "C" NOT NULL,
  block BIGINT NOT NULL,
  data BYTEA NOT NULL,
  PRIMARY KEY (owner, term, block)
);
INSERT INTO jobs (owner, name, "key", due_at, payload)
  SELECT owner, 'pack', '', 0, '{}' FROM owners WHERE next_doc >= 65536;
