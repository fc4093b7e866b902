"""The texts that a new config is made of, comments included."""
