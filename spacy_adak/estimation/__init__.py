"""Algorithm 1 of the paper: one file per idea."""
