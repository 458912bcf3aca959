"""The archive: finished games, and the public side of running games, as web pages that need no server program."""
