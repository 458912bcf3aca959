"""The Karama card and its effects."""
