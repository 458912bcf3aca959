"""The state of a game, and the verbs that keep its books."""
