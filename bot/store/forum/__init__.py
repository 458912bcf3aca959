"""The forum as it is kept: threads of games, what waits to be posted, what was read, whose account is whose."""
