"""The desk of a tournament: the acts of organisers, entrants and the calendar, and the letters about them.

Calculations are in ``bot.competition``, and stored data is in ``bot.store.tournaments``.
"""
