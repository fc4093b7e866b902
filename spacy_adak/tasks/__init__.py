"""Units of work of a run, and where they are executed."""
