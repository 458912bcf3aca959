"""What Mentat last proposed to a player, and what "yes", "no" and "the second" do with it.

A proposal is a whole mail in canonical lines, which the grammar alone reads. It counts while its player's view of the
decision is the same (`seen_by`), and for one confirmation.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from bot.language.lines import Context
from bot.language.moves import chosen, said
from bot.language.sheets import SheetLine
from rules.orders import Order

MOST_OPTIONS = 3


@dataclass(frozen=True, slots=True)
class Proposal:
    """What one answer offered: `options` are whole mails, of which one is to be confirmed; `seen` is the position that
    the player saw then. `answered`: as far as the mail says, it answers that letter."""

    options: tuple[tuple[str, ...], ...]
    seen: str
    answered: bool = True


@dataclass(frozen=True, slots=True)
class Memory:
    """What is known of a seat's earlier mails: the proposal that waits for a "yes", the orders on file that can still
    be changed, and the lines that the last mail had carried out."""

    waiting: Proposal | None = None
    on_file: Callable[[], Sequence[Order | SheetLine]] = field(default=tuple)
    done: tuple[str, ...] = ()


NOTHING = Memory()


def seen_by(context: Context) -> str:
    """Return a digest of what the writer sees of the decision: their questions, forces, spice and cards."""
    if context.known is None:
        return ""
    known = context.known()
    asked = sorted((question.kind, sorted(map(str, question.about.items()))) for question in known.asked)
    forces = sorted((area, str(there)) for area, there in known.forces.items())
    own = (known.spice, str(known.reserves), str(known.tanks), sorted(context.hand), sorted(known.allies))
    return hashlib.sha256(repr((context.turn, asked, forces, own)).encode()).hexdigest()[:16]


def chosen_option(text: str, waiting: Proposal) -> int | None:
    """Return the number of the option that words choose, by its place or by a part of it: "the one to Carthag"."""
    if (number := chosen(text)) is not None or len(waiting.options) < 2:
        return number
    words = set(said(text).words)
    named = words - _BESIDE_ONE
    if "one" not in words or not named or "?" in text:
        return None
    meant = [n for n, option in enumerate(waiting.options) if named <= set(said(" ".join(option)).words)]
    return meant[0] if len(meant) == 1 else None


_BESIDE_ONE = frozenset({"the", "one", "to", "in", "at", "from", "please", "i", "take", "with", "of", "on"})
