"""One `adak train`: checks, Algorithm 1, and what it leaves behind."""
