"""Annotations in and out."""
