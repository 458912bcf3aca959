"""The letter about a whole turn: what changed and five lines first, then the board, the battles, the rest by phase."""

from __future__ import annotations

from dataclasses import replace

from bot.reports import position as seen
from bot.reports.digest import digest, headline
from bot.reports.document import Block, Heading, Paragraph
from bot.reports.fights import fights, without_battles, without_bids
from bot.reports.given import Position
from bot.reports.story import phase_name, story
from bot.wording.sentences import say

IN_THE_DIGEST = ("strongholds",)  # kinds of event that need no line below it


def summary_blocks(position: Position) -> list[Block]:
    """The blocks from the headline to the table. They hold what everybody may know, whoever reads them."""
    view = position.view
    turn = max((event.turn for event in position.news), default=view["turn"])
    blocks: list[Block] = [
        Paragraph(
            say(
                "summary.opening",
                game=position.game_id,
                turn=turn,
                ruleset=position.ruleset,
                last=view.get("last_turn", 0),
            ),
            "small",
        ),
        headline(position),
        digest(position),
        Heading(
            say("heading.board"),
            say("summary.now", turn=view["turn"], phase=phase_name(view["phase"])),
        ),
        seen.board(position),
    ]
    if fought := fights(position.news):
        blocks += [Heading(say("heading.battles", number=len(fought))), *fought]
    news = tuple(event for event in without_battles(without_bids(position.news)) if event.kind not in IN_THE_DIGEST)
    rest = replace(position, news=news)
    if told := story(rest):
        blocks += [Heading(say("heading.phases")), told]
    return blocks
