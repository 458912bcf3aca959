"""The factions: one module each, with what it may do that others may not."""
