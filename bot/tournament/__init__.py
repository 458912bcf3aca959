"""The desk of a tournament: what organisers and entrants do, what the calendar does, and the letters about it.

Computations are in ``bot.competition``, stored data in ``bot.store.tournaments``.
"""
