"""Estimating q: the inner part of Algorithm 1."""
