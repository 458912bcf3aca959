"""The factions: what each may do that others may not."""
