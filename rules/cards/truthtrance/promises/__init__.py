"""Holding players to what they answered under Truthtrance about the future (WBC.AID.6 to 12, A-47).

Every question that is asked passes through ``bind``: an answer that would break a standing promise is refused there,
what silence means is mended, and where a promise can no longer be kept that is announced and it falls (WBC.AID.9). A
*no* forbids the act. A *yes* demands it at the decision that is about it, if it can be done then; nobody has to bring
that decision about, nor the condition under which they promised (WBC.AID.7). Of promises that cannot all be kept the
earlier stand.

So no chapter looks at promises, and a game without any pays nothing for them; only the Voice looks, which has to yield
to an earlier one (``chapters.battle.promised``).

- ``standing``: which promises matter at a decision, and when a *yes* falls due.
- ``binding``: the question as it is put to somebody who has promised something.
- ``fulfilment``: which orders do what was promised; ``against``: whom a card is played against.
- ``keeping``: the orders with which it could be done.
- ``noticing``: what events tell: conditions that are met, and acts done out of turn.
- ``settling``: what is still owed when a stop is over, and what has been kept.
- ``last_call``: the end of the time of a card that was promised.
"""

from rules.cards.truthtrance.promises.binding import bind, mend
from rules.cards.truthtrance.promises.last_call import last_call
from rules.cards.truthtrance.promises.noticing import notice
from rules.cards.truthtrance.promises.settling import settle
from rules.cards.truthtrance.promises.standing import forbid

__all__ = ["bind", "forbid", "last_call", "mend", "notice", "settle"]
