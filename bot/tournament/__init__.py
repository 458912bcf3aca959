"""The desk of a tournament: what organisers and entrants do, what the calendar does, and the letters about it.

What is computed stands in ``bot.competition``; what is remembered in ``bot.store.tournaments``.
"""
