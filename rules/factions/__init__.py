"""The factions: one room each, with what it may do that others may not."""
