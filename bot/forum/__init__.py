"""The forum: the public side of a game, told and played in a forum thread."""
