"""The reader of questions under Truthtrance: English in, a typed reading out (``rules.orders.readings``).

Every room in which orders come in gets the reading here: what players write, what sheets hold, what rulings say,
and logs from before readings were written (``with_reading``). It knows the words, who asks whom, and public names; it
sees no position. What it does not understand is left to the players, so each form that it learns is checked from then
on, and no game that was played before is changed by it.
"""

from bot.orders.truthtrance.reader import read, with_reading

__all__ = ["read", "with_reading"]
