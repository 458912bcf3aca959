"""The archive: static web pages of finished games and of the public side of running games."""
