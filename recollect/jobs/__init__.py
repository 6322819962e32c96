"""Later: one file is one job, found by being there. `worker` runs what is due."""
