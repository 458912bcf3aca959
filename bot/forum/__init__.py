"""The forum: the public side of a game in a thread."""
