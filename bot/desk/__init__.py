"""The game master's work: powers over games, seats and people; new games; and the desk, which shows what is waiting."""
