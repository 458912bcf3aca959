"""Points are fractions: they are read from text, added without rounding, and rounded only to be printed."""

from __future__ import annotations

import re
from fractions import Fraction

MOST_DIGITS = 12
_NUMBER = re.compile(r"(-?)([0-9]+)(?:/([0-9]+)|\.([0-9]+))?", re.ASCII)


class NotANumber(ValueError):
    """What stands there is no number of points; the message says what may stand there."""


def points(text: str | int, *, negative: bool = False) -> Fraction:
    """A number of points as it was typed: a whole number, a fraction or a finite decimal, of 12 digits at most.
    NotANumber for anything else, and for a negative one where that makes no sense.

    >>> points("3/4"), points("0.1"), points(12)
    (Fraction(3, 4), Fraction(1, 10), Fraction(12, 1))
    """
    said = str(text).strip()
    found = None if isinstance(text, bool) else _NUMBER.fullmatch(said)
    if found is None:
        raise NotANumber(f"{said[:40]!r} is no number of points; write 3, 3/4 or 0.75.")
    sign, whole, below, decimals = found.groups()
    if sum(len(part) for part in (whole, below or "", decimals or "")) > MOST_DIGITS:
        raise NotANumber(f"{said[:40]!r} has more than {MOST_DIGITS} digits.")
    if below is not None and not int(below):
        raise NotANumber(f"{said!r} divides by zero.")
    if sign and not negative:
        raise NotANumber(f"{said!r} is negative, which makes no sense here.")
    return Fraction(said)


def printed(number: Fraction, places: int = 4) -> str:
    """A number with so many decimals, half to even, without the zeros at the end.

    >>> printed(Fraction(11, 3)), printed(Fraction(12)), printed(Fraction(1, 20000)), printed(Fraction(21005, 2))
    ('3.6667', '12', '0', '10502.5')
    """
    scaled = round(number * 10**places)
    whole, part = divmod(abs(scaled), 10**places)
    decimals = f"{part:0{places}d}".rstrip("0")
    sign = "-" if scaled < 0 else ""
    return f"{sign}{whole}{'.' + decimals if decimals else ''}"


def exact(number: Fraction) -> str:
    """A number as it is: a decimal where four places hold it, else a fraction; what is made of several adds up.

    >>> exact(Fraction(9, 2)), exact(Fraction(11, 3)), exact(Fraction(-2))
    ('4.5', '11/3', '-2')
    """
    shown = printed(number)
    return shown if Fraction(shown) == number else str(number)
