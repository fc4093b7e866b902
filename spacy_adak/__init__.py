"""Named entity recognition from incomplete annotations, for spaCy."""

__version__ = "0.1.0"
