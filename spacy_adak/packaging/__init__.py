"""A pipeline as an installable package."""
