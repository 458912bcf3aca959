"""The archive: finished games, and the public side of running ones, as pages that need no server."""
