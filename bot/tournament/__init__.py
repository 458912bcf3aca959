"""The desk of a tournament: the acts of organisers, entrants and the calendar, and the letters about them.

Computations are in ``bot.competition``, stored data in ``bot.store.tournaments``.
"""
