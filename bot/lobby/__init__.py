"""Tables that form by mail: requests, joining and leaving, the start of the game, and the letters."""
