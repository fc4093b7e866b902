"""Rows per token: frozen encoders, where their rows are kept, and small networks."""
