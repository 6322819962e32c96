"""What the seeds and the issues promise, row by row."""
