"""The tournament desk: the acts of organisers, entrants and the calendar, and the letters about them.

Calculations are in ``bot.competition``; stored data is in ``bot.store.tournaments``.
"""
