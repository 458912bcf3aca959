"""What lies in one place of the board's picture, as one stack, and all stacks so that none hides another.

A stack stands at the middle of its area. Where two would overlap they are moved apart, each as little as it takes, and
a thin line shows where one that was moved belongs. All of it is arithmetic in a fixed order, so the same position gives
the same places.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from bot.reports.ground import Point

Kind = Literal["disc", "hatched", "lost", "spice"]
ROUNDS = 600
KEEPING_OFF = 200  # of the rounds: after these only stacks give way to stacks
GAP = 5.0  # between stacks
STEP = 0.03  # how strongly a stack is drawn back to its place
DIGIT, LETTER, PLUS, SPACE = 0.58, 0.68, 0.76, 0.29
"""Widths in the shipped font, for a size of 1."""


@dataclass(frozen=True, slots=True)
class Token:
    """One disc, spice or loss: whose it is, what it says, and whether elite tokens are among them."""

    kind: Kind
    owner: str
    says: str
    elite: bool = False

    def width(self, size: float, height: float) -> float:
        """How wide it is with letters of this size."""
        if self.kind == "spice":
            return height * 1.25
        return max(height, width_of(self.says, size) + height * (1.1 if self.kind == "hatched" else 0.62))


@dataclass(slots=True)
class Stack:
    """The tokens of an area, in rows, above its code. ``at`` is the middle of the whole, ``belongs`` where the tokens
    would stand."""

    rows: Sequence[Sequence[Token]]
    code: str
    belongs: Point
    width: float
    height: float
    at: Point


def width_of(text: str, size: float) -> float:
    """About how wide words are."""
    return size * sum(
        DIGIT if sign.isdigit() else PLUS if sign in "+−" else SPACE if sign == " " else LETTER for sign in text
    )


def in_rows(tokens: Sequence[Token], widths: Sequence[float], most: float) -> list[list[Token]]:
    """Tokens side by side as long as they are no wider than that together."""
    rows: list[list[Token]] = []
    left = 0.0
    for token, width in zip(tokens, widths, strict=True):
        if not rows or width > left:
            rows.append([])
            left = most
        rows[-1].append(token)
        left -= width
    return rows


def spread(
    stacks: Sequence[Stack], within: tuple[float, float, float, float], written: Sequence[Stack] = ()
) -> None:  # fmt: skip
    """Move stacks that overlap apart; ``within`` is the paper, as left, top, right and bottom. They keep off what is
    ``written`` there as long as they have room."""
    places = [stack.at for stack in stacks]
    for turn in range(ROUNDS):
        for number, stack in enumerate(stacks if turn < KEEPING_OFF else ()):
            for name in written:
                if push := _overlap(name.at, name, places[number], stack):
                    x, y = places[number]
                    places[number] = (x + push[0], y + push[1])
        moved = False
        for one, first in enumerate(stacks):
            for other in range(one + 1, len(stacks)):
                push = _overlap(places[one], first, places[other], stacks[other])
                if push is None:
                    continue
                moved = True
                (x, y), (u, v) = places[one], places[other]
                places[one], places[other] = (x - push[0], y - push[1]), (u + push[0], v + push[1])
        for number, stack in enumerate(stacks):
            x, y = places[number]
            if turn < ROUNDS // 2:
                x, y = x + (stack.at[0] - x) * STEP, y + (stack.at[1] - y) * STEP
            places[number] = _inside((x, y), stack, within)
        if not moved and (turn >= KEEPING_OFF or not written):
            break
    for stack, place in zip(stacks, places, strict=True):
        stack.at = place


def _overlap(at: Point, one: Stack, there: Point, other: Stack) -> Point | None:
    """By how much each of two has to give way; None where they do not touch."""
    across = (one.width + other.width) / 2 + GAP - abs(there[0] - at[0])
    down = (one.height + other.height) / 2 + GAP - abs(there[1] - at[1])
    if across <= 0 or down <= 0:
        return None
    if across < down:
        return ((across / 2 + 0.1) * (1 if there[0] >= at[0] else -1), 0.0)
    return (0.0, (down / 2 + 0.1) * (1 if there[1] >= at[1] else -1))


def _inside(at: Point, stack: Stack, within: tuple[float, float, float, float]) -> Point:
    left, top, right, bottom = within
    across, down = stack.width / 2, stack.height / 2
    return min(max(at[0], left + across), right - across), min(max(at[1], top + down), bottom - down)
