CREATE TABLE IF NOT EXISTS packs (
  owner VARCHAR(200) NOT NULL,
  term VARCHAR(160) NOT NULL,
  block BIGINT NOT NULL,
  data LONGBLOB NOT NULL,
  PRIMARY KEY (owner, term, block)
) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
INSERT IGNORE INTO jobs (owner, name, "key", due_at, payload)
  SELECT owner, 'pack', '', 0, '{}' FROM owners WHERE next_doc >= 65536;
