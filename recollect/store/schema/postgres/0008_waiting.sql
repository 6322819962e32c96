CREATE INDEX jobs_waiting ON jobs (owner, name, due_at);
