CREATE TABLE packs (
  owner TEXT NOT NULL,
  term TEXT NOT NULL,
  block INTEGER NOT NULL,
  data BLOB NOT NULL,
  PRIMARY KEY (owner, term, block)
) WITHOUT ROWID;
INSERT INTO jobs (owner, name, "key", due_at, payload)
  SELECT owner, 'pack', '', 0, '{}' FROM owners WHERE next_doc >= 65536;
