"""What is said of all games together: the index, factions, players, and lists for other programs."""
