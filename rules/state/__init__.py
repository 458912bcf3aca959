"""The state of a game, and the methods that change it without creating or losing anything."""
