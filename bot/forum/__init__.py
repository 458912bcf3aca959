"""The forum: the public side of a game, reported and played in a forum thread."""
