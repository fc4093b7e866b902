"""Training data on disk: folds, shards, and the q that belongs to them."""
