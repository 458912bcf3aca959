"""What finished tables tell together: of factions, alliances, lengths, and of how reliable players are.

Everything is computed from results (``TableOutcome``), in which nothing of a running game can be, and no number is
given without the number of games that it is of. Agreed and void tables say nothing about who wins, and are left out
there.
"""
