"""What a player may say: one typed order for each form of the order language.

An order is a plain value. How it is written in a mail is the business of the order language; whether it is legal is
decided by the question that it answers (``rules.decisions.question``) or, for cards and powers playable at any stop, by
``rules.cards``. The forms stand in the modules beside this one, by the chapters of the game. Which kinds of question an
order can answer is in ``rules.orders.every_order``; orders that are not there are plays for any stop.
"""

from __future__ import annotations

from typing import Literal

import msgspec

PhaseName = Literal[
    "setup", "storm", "spice", "charity", "bidding", "revival", "movement", "battle", "collection", "mentat", "over"
]


class Order(msgspec.Struct, frozen=True, tag=True, omit_defaults=True, gc=False):
    """Base of all orders; equal orders are equal values, and each can be stored as JSON with its type as a tag."""
