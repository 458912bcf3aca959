"""What the game master does to a game: new games, rollbacks, clocks, substitutes."""
