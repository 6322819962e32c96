ALTER TABLE entities DROP COLUMN summary;
