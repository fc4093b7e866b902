"""What a text says: what is known of its tokens, q, and where it is cut."""
