"""How reliable somebody is: what of all that they had to do they did in time."""

from __future__ import annotations

from fractions import Fraction


def reliability(on_time: int, duties: int) -> Fraction:
    """(on time + 9) / (duties + 10): who is new begins at 0.9, and it takes many duties to come near 1. What fell into
    an outage or an announced absence is no duty here.

    >>> [str(round(float(reliability(*those)), 4)) for those in ((0, 0), (40, 40), (37, 40), (10, 20))]
    ['0.9', '0.98', '0.92', '0.6333']
    """
    if not 0 <= on_time <= duties:
        raise ValueError(f"{on_time} of {duties} duties cannot have been on time.")
    return Fraction(on_time + 9, duties + 10)


def shown(on_time: int, duties: int) -> str:
    """The reliability with four decimals.

    >>> shown(0, 0), shown(10, 20)
    ('0.9000', '0.6333')
    """
    return f"{round(reliability(on_time, duties) * 10_000) / 10_000:.4f}"
