"""Splitting of blocks that are too long for one post, and the report of an auction."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from bot.channels import Dialect, Limits
from bot.forum import post_texts
from bot.forum.post_texts import Auction, auction_state
from bot.render.blocks import Block, Board, Fight, Footer, Heading, Paragraph, Row, Rows, Side, Story, Table, Title
from bot.render.forum_posts import DIALECTS
from bot.render.material import News
from tests.reports.every_letter import PUBLIC

SIDES = (Side("Guild", "12", "won"), Side("Emperor", "", "lost"))
A, B = "a" * 60, "b" * 50


@pytest.mark.parametrize(
    ("block", "units"),
    [
        (Paragraph("one two three"), ["one two three"]),
        (Paragraph("one two three four??"), ["one two three four??"]),
        (Paragraph("one two three four ??"), ["one two", "three four", "??"]),
        (Title("Guild wins the game", "In turn 4 by strongholds"),
         ["Guild wins the game", "In turn 4 by", "strongholds"]),
        (Heading("The board", "now"), ["The board now"]),
        (Rows((Row("Cards", ("aaaa", "bbbb", "cccc")), Row("Ally", ("dddd eeee ffff",)))),
         ["- Cards: aaaa", "- Cards: bbbb; cccc", "- Ally: dddd", "- Ally: eeee", "- Ally: ffff"]),
        (Story((Row("Storm", ("It moved.", "It stood.", "It fell.")), Row("Spice", ("None was seen.",)))),
         ["Storm\n- It moved.", "Storm\n- It stood.", "Storm\n- It fell.", "Spice\n- None", "Spice\n- was",
          "Spice\n- seen."]),
        (Table(("Who", "Spice"), (("Guild", "3"), ("Emperor", "12"), ("Fremen", "4")), frozenset({1}),
               ("ally", "", "")),
         ["Who Guild", "Spice 3", "ally", "Who Emperor Spice 12", "Who Fremen Spice 4"]),
        (Fight("Carthag", "two", SIDES, (("Dial", "7", "2"),), ("It was close.", "x")),
         ["Carthag: two", "Dial Guild 12 won", "7 Emperor lost 2", "- Carthag: It was", "- Carthag: close.",
          "- Carthag: x"]),
        (Board("Storm in sector 9.", (Row("Arrakeen", ("Atreides 9", "Guild 1")), Row("Carthag", ("empty",)))),
         ["Storm in sector 9.", "Arrakeen", "Atreides 9,", "Guild 1", "  Carthag  empty"]),
        (Paragraph("!bid 3\nso  !no"), ["¡bid 3\nso  !no"]),
        (Footer((), ("x",)), []),
    ],
)  # fmt: skip
def test_a_block_is_cut_into_smaller_ones_until_each_fits(block: Block, units: list[str]) -> None:
    assert post_texts._fitted(DIALECTS["text"], block, 20) == units


@pytest.mark.parametrize(("characters", "together"), [(1, False), (144, False), (145, True), (200, True)])
def test_a_post_is_filled_as_far_as_it_goes_and_a_heading_stays_with_what_it_opens(
    characters: int, together: bool
) -> None:
    contents: list[post_texts.Content] = [Heading("H"), Paragraph(A), "written", Heading("Two"), Paragraph(B)]
    posts = post_texts.fit_into_posts(contents, _limits(characters), lambda number, of: f"{number} of {of}")
    first, second = f"H\n-\n\n{A}\n\nwritten", f"Two\n---\n\n{B}"
    assert posts == ((f"1 of 1\n\n{first}\n\n{second}",) if together else (f"1 of 2\n\n{first}", f"2 of 2\n\n{second}"))


def test_a_post_that_is_too_short_for_its_forum_has_a_line_more_as_often_as_it_takes() -> None:
    filler = "The first post of this thread says how this game is played here."
    for least, often in ((1, 0), (6, 0), (7, 1), (72, 1), (73, 2), (5000, 2)):
        (post,) = post_texts.fit_into_posts([], _limits(200, least), lambda number, of: f"{number} of {of}")
        assert post == "\n\n".join(["1 of 1", *[filler] * often]), least


def _limits(characters: int, least: int = 1) -> Limits:
    return Limits(Dialect.TEXT, characters, 0, characters_at_least=least)


# --- the auction -----------------------------------------------------------------------------------------------------


def told(kind: str, turn: int = 4, **facts: Any) -> News:
    return News(turn, "bidding", kind, facts, {})


UP, BID = told("card-up", number=1, of=3), told("bid", faction="guild", amount=2, number=1)
PASSED = told("passed", faction="fremen", number=1)


@pytest.mark.parametrize(
    ("news", "found"),
    [
        ((), Auction()),
        ((UP,), Auction(1, 3, "no bid yet")),
        ((UP, told("bidding-begins", cards=3)), Auction(1, 3, "no bid yet")),
        ((UP, BID, PASSED), Auction(1, 3, "highest bid Guild 2")),
        ((BID,), Auction(1, 0, "highest bid Guild 2")),
        ((PASSED,), Auction(1, 0, "")),
        ((UP, BID, told("card-sold", number=1)), Auction(1, 3, "")),
        ((UP, BID, told("sale-void", number=1)), Auction(1, 3, "")),
        ((UP, BID, told("card-up", number=2, of=3)), Auction(2, 3, "no bid yet")),
        ((told("card-up", turn=3, number=2, of=2),), Auction()),
    ],
)
def test_the_card_that_is_up_and_the_highest_bid_are_told(news: tuple[News, ...], found: Auction) -> None:
    bidding = replace(PUBLIC, view={**PUBLIC.view, "phase": "bidding"}, news=(), background=())
    assert auction_state(replace(bidding, news=news)) == found
    assert auction_state(replace(bidding, background=news)) == found
    assert auction_state(replace(bidding, news=news[-1:], background=news[:-1])) == found
    assert auction_state(replace(PUBLIC, news=news, background=())) == Auction(), "nothing is up in another phase"
