"""Which decisions each faction is asked for, and when a game waits for answers."""
