"""What spaCy runs at prediction and update time."""
