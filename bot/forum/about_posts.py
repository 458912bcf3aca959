"""What a post tells of other posts and of accounts, and the heads of the record.

Names of accounts and words of players stand in sentences of ours here, so they are put on one line, cut where they are
long, and lose the signs by which a quotation ends and the next begins.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.reports.document import Block, Paragraph
from bot.reports.forum.harmless import harmless
from bot.reports.story import phase_name
from bot.store.forum.outgoing import RemarkKind
from bot.wording.sentences import say
from rules.components import Faction

LONGEST_NAME = 40  # characters of the name of an account or a player; a longer one is cut
LONGEST_LINE = 160  # of an act that is quoted back
SHORT_HEAD = 16  # digits of a head that tell it from all others


@dataclass(frozen=True, slots=True)
class Taken:
    """An act that was taken from a post, quoted back."""

    post: str
    """How readers find the post: "#41"; empty where there are no numbers."""
    author: str
    """The name that is shown with it."""
    faction: Faction
    line: str
    """The act in canonical words, or as written."""


@dataclass(frozen=True, slots=True)
class Remark:
    """Something about a post or an account that everybody is told. ``in_force`` is the act that counts all the same;
    of a rollback, where the game stands again."""

    kind: RemarkKind
    post: str = ""
    author: str = ""
    faction: Faction | None = None
    in_force: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Head:
    """The record's head after a phase."""

    turn: int
    phase: str
    head: str


def about_posts(taken: Sequence[Taken], remarks: Sequence[Remark], heads: Sequence[Head]) -> list[Block]:
    """The acts that were taken, what else is to be said of posts and accounts, and the record's heads."""
    contents: list[Block] = []
    if taken:
        acts = [
            {"post": inside(act.post, LONGEST_NAME), "author": inside(act.author, LONGEST_NAME),
             "faction": act.faction, "line": inside(act.line, LONGEST_LINE)}
            for act in taken
        ]  # fmt: skip
        contents.append(Paragraph(say("forum-taken.since", acts=acts)))
    contents += [Paragraph(_remark(remark)) for remark in remarks]
    if heads:
        told = [
            {"turn": head.turn, "phase": head.phase, "name": phase_name(head.phase), "head": head.head[:SHORT_HEAD]}
            for head in heads
        ]
        contents.append(Paragraph(say("forum-post.record", heads=told), "small"))
    return contents


def _remark(remark: Remark) -> str:
    who = say("forum-remark.account", author=inside(remark.author, LONGEST_NAME), faction=remark.faction)
    return say(
        f"forum-remark.{remark.kind}", post=inside(remark.post, LONGEST_NAME), who=who,
        in_force=inside(remark.in_force, LONGEST_LINE), reason=inside(remark.reason, LONGEST_LINE),
    )  # fmt: skip


_QUOTES = str.maketrans({"“": "'", "”": "'", "„": "'", '"': "'", "·": ".", "•": "."})


def inside(text: str, longest: int) -> str:
    """Words of others within a sentence of ours: on one line, not too long, and without the signs by which a quotation
    ends and the next begins."""
    line = " ".join(harmless(text).translate(_QUOTES).split())
    return line if len(line) <= longest else f"{line[: longest - 1]}…"
