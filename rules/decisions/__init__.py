"""Which decisions are asked of which faction, and when a game waits."""
