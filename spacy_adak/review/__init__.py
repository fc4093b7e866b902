"""What annotators have missed: found by a model, decided by a person, and merged."""
