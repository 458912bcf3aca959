"""The factions in play: the special powers of each."""
