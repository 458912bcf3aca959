"""The decisions that factions are asked for, and the stops at which a game waits for answers."""
