"""Silence: what happens where a player does not answer, cannot for some days, needs longer, or has left."""
