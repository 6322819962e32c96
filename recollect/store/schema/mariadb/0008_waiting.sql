CREATE INDEX IF NOT EXISTS jobs_waiting ON jobs (owner, name, due_at);
