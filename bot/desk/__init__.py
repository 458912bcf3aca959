"""What a game master does: powers over games, seats and people; new games; and the desk that shows what waits."""
