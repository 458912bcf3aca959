"""Forces: the tokens of one faction."""

import re
from typing import NamedTuple


class Forces(NamedTuple):
    """Tokens of one faction: ordinary ones and elite ones (Fedaykin, Sardaukar).

    Written "5" for five ordinary, "3+2" for three ordinary and two elite, "0+2" for two elite. Sums and
    differences are forces again; a difference below nothing is a `ValueError`. No forces are false.
    """

    ordinary: int = 0
    elite: int = 0

    @classmethod
    def parse(cls, text: str) -> "Forces":
        """`Forces.parse("3+2") == Forces(3, 2)`; `ValueError` with a sentence for anything else."""
        match = re.fullmatch(r"\s*([0-9]{1,3})\s*(?:\+\s*([0-9]{1,3})\s*)?", text, re.ASCII)
        if match is None:
            raise ValueError(f"{text!r} is no number of forces; write 5, or 3+2 for three ordinary and two elite.")
        return cls(int(match[1]), int(match[2] or 0))

    @property
    def in_words(self) -> str:
        """As a sentence has them: "1 token", "3+2 tokens"."""
        return f"{self} token{'' if self == Forces(1) else 's'}"

    @property
    def total(self) -> int:
        return self.ordinary + self.elite

    def covers(self, other: "Forces") -> bool:
        """Whether `other` can be taken from these."""
        return self.ordinary >= other.ordinary and self.elite >= other.elite

    def __add__(self, other: object) -> "Forces":
        if not isinstance(other, Forces):
            return NotImplemented
        return Forces(self.ordinary + other.ordinary, self.elite + other.elite)

    def __sub__(self, other: "Forces") -> "Forces":
        if not self.covers(other):
            raise ValueError(f"{other} cannot be taken from {self}.")
        return Forces(self.ordinary - other.ordinary, self.elite - other.elite)

    def __bool__(self) -> bool:
        return self.ordinary + self.elite > 0

    def __str__(self) -> str:
        return f"{self.ordinary}+{self.elite}" if self.elite else str(self.ordinary)
