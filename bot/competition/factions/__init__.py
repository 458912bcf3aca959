"""How factions come to the players of a table other than by the draw alone: two cards, preferences, auction, trades.

All are functions of what was drawn and what the players sealed. Entrants stand in *drawn order*, which decides what the
papers leave open, so that nobody gains by writing early.
"""
