"""Faction auctions at open tables: bids by mail, prices, and the information that others get."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime

import pytest
from sqlalchemy import update

from bot.archive.games import TableList
from bot.archive.lists import table_files
from bot.competition.factions import hold_auction
from bot.lobby.joining import worths_among
from bot.lobby.lines import Known, read_worths
from bot.lobby.reading import read_mail
from bot.lobby.requests import Open, OpenTable, line_of
from bot.lobby.starting import draw, public_names, seed_of_draw
from bot.lobby.tables import view_of
from bot.store import lobby as rows
from bot.store.database import reading
from bot.store.tables import GAME
from rules.components import FACTION_FACTS, FACTIONS
from tests.cli.conftest import Mentat
from tests.lobby.people import Lobby

WORDS: Mapping[str, str] = {
    "guild 4, emperor 2": "guild 4, emperor 2",
    "Guild: 4; the Emperor: 2": "guild 4, emperor 2",
    "guild - 4, emperor - 2": "guild 4, emperor 2",
    "I'd pay 4 for the Guild, 2 for Emperor, nothing for the rest": "guild 4, emperor 2",
    "I would pay up to four spice for the Guild and two for the Emperor": "guild 4, emperor 2",
    "4 on guild, 2 on emperor, that's it, 0 on the others": "guild 4, emperor 2",
    "guild and emperor 3 each, all others 1": "guild 3, emperor 3, * 1",
    "3 each for guild and emperor, 1 for everything else": "guild 3, emperor 3, * 1",
    "the guild is worth 4 to me, emperor 2, nothing else": "guild 4, emperor 2",
    "Guild 4, 2 for the Emperor": "guild 4, emperor 2",
    "everything 1 but the guild 3": "guild 3, * 1",
    "nothing for all of them": "* 0",
    "harkonen 5": "harkonnen 5",
    "bene gesserit 5, fremen 0": "bene-gesserit 5",
    "guild 2.5, emperor -1": "guild 2.5, emperor -1",
    "guild 4, emperor": "",
    "the guild or the emperor": "",
    "4 of us and a dog": "",
}


@pytest.mark.parametrize("text", WORDS)
def test_bids_are_read_in_the_words_of_people(text: str) -> None:
    assert (read_worths(text) or ("",))[0] == WORDS[text]


def auction(lobby: Lobby, size: int = 3, **more: object) -> str:
    """Open a table whose factions are sold by auction."""
    return lobby.opens("ann", Open(most=size, factions="auction", **more)).id  # type: ignore[arg-type]


def bids(lobby: Lobby, table: str) -> dict[str, str]:
    with reading(lobby.world.engine) as conn:
        return {seat.address.partition("@")[0]: seat.wishes for seat in rows.every_seat(conn, table)}


def spice(lobby: Lobby, table: str) -> dict[str, int]:
    """Map each player's name to their starting spice."""
    begun = lobby.world.table(table)
    holdings = begun.play.game.state.players
    return {seat.address.partition("@")[0]: holdings[faction].spice for faction, seat in begun.seats.items()}


def faction_of(lobby: Lobby, table: str, name: str) -> str:
    return next(faction for faction, seat in lobby.world.table(table).seats.items() if seat.address.startswith(name))


def test_who_sits_down_and_bids_in_the_same_mail_has_bid(lobby: Lobby) -> None:
    table = auction(lobby)
    lobby.proves("bob", "I'm in. 3 for fremen, and 9 for the harkonnens, 2 guild")
    lobby.proves("cid", "I'd pay 3 for the guild")
    assert bids(lobby, table) == {"ann": "", "bob": "fremen 3, harkonnen 9, guild 2"}


def test_people_bid_by_mail_and_pay_from_their_starting_spice(lobby: Lobby) -> None:
    lobby.proves("ann", "open a game: wbc-2018, three players, factions by auction")
    table = "arrakeen-1"
    assert lobby.table(table).settings.factions == "auction"
    assert "Factions by auction at the start" in lobby.words("ann")
    lobby.proves("ann", "I'd pay 4 for the Guild, 2 for Emperor, nothing for the rest")
    assert "in spice: Guild 4, Emperor 2." in lobby.words("ann")
    lobby.says("bob", "any open games?")
    assert "factions by auction" in lobby.words("bob")
    lobby.joins("bob", table)
    assert "You have sent none." in lobby.words("bob")
    lobby.answers("bob", "worths guild 3, fremen 2")
    assert bids(lobby, table) == {"ann": "guild 4, emperor 2", "bob": "guild 3, fremen 2"}
    lobby.proves("cid", f"join {table}, guild 1")
    assert lobby.table(table).state == "started"
    begun = {name: faction_of(lobby, table, name) for name in ("ann", "bob", "cid")}
    assert begun["ann"] == "guild"  # 4 + 2 is more than 2 + 3
    assert begun["bob"] == "fremen"
    prices = {"ann": 1, "bob": 0, "cid": 0}  # the others' bids total 3 without Ann, and 2 with Ann
    assert spice(lobby, table) == {name: FACTION_FACTS[begun[name]].spice - prices[name] for name in begun}
    for name in begun:
        first, lot = (" ".join(sent.text.split()) for sent in lobby.letters(name)[-2:])
        assert "The factions were sold by auction: Guild for 1 spice." in first
        assert "worth" not in first.partition("sold by auction")[2][:200]
        assert f"for {f'{prices[name]} spice' if prices[name] else 'nothing'}, and begin with" in lot


def test_the_auction_is_that_of_tournaments_in_the_order_of_the_draw(lobby: Lobby) -> None:
    table = auction(lobby)
    lobby.proves("ann", "worths guild 2, emperor 2")
    lobby.joins("bob", table, "with guild 2")
    lobby.joins("cid", table, "with emperor 2")
    with reading(lobby.world.engine) as conn:
        seats = [seat for seat in rows.every_seat(conn, table) if seat.why == "started"]
    said = ["guild 2, emperor 2", "guild 2", "emperor 2"]
    drawn = draw(seed_of_draw(lobby.table(table), public_names(seats)), said, FACTIONS, sold=True)
    assert {faction_of(lobby, table, name): place for place, name in enumerate(("ann", "bob", "cid"))} == drawn.factions
    papers = {str(place): worths_among(words, FACTIONS) for place, words in enumerate(said)}
    for order in (["0", "1", "2"], ["2", "0", "1"]):
        assert sum(sale.price for sale in hold_auction(order, FACTIONS, papers).values()) == sum(drawn.prices.values())


@pytest.mark.parametrize(
    ("words", "noted", "told"),
    [
        ("worths sardaukar 3, guild 2", "guild 2", "Not on offer here: sardaukar. The rest is noted."),
        ("worths ixians 3, guild 2", "guild 2", "Not on offer here: Ixians. The rest is noted."),
        ("worths guild -2, emperor 1", "emperor 1", "-2 is not a bid: write a whole number, 0 or more."),
        ("worths guild 2.5, emperor 1", "emperor 1", "2.5 is not a bid: write a whole number, 0 or more."),
        ("worths fremen 9, emperor 1", "fremen 3, emperor 1", "at the start, so we noted Fremen 3."),
        ("worths guild 2, guild 3", "guild 2", "You named Guild twice; the first bid counts."),
        ("worths guild -2", "", "No bid is noted."),
        ("as guild or emperor", "", "Write what each is worth to you in spice"),
        ("nothing for all of them", "* 0", "in spice: nothing."),
    ],
)
def test_bids_that_cannot_be_are_named_and_the_others_taken(lobby: Lobby, words: str, noted: str, told: str) -> None:
    table = auction(lobby)
    lobby.proves("ann", words)
    assert bids(lobby, table) == {"ann": noted}
    assert told in lobby.words("ann")


def test_whoever_sends_nothing_bids_nothing_and_opponents_take_what_is_left(lobby: Lobby) -> None:
    table = auction(lobby, 6, fewest=2, starts="opener", opponents=True)
    lobby.joins("bob", table, "with guild 5")
    lobby.joins("cid", table, "with guild 9")
    lobby.proves("cid", f"leave {table}")
    lobby.proves("ann", f"start {table} with computers")
    assert lobby.table(table).state == "started"
    assert faction_of(lobby, table, "bob") == "guild"
    assert spice(lobby, table)["bob"] == 5  # no player bid against Bob; a person who left does not count
    assert "nobody had to pay" in " ".join(lobby.letters("bob")[-2].text.split())


def test_the_last_bid_counts_and_may_be_taken_back(lobby: Lobby) -> None:
    table = auction(lobby)
    for words, noted in {"worths guild 4": "guild 4", "bid emperor 3": "emperor 3", "wishes *": ""}.items():
        lobby.proves("ann", words)
        assert bids(lobby, table) == {"ann": noted}


def test_bids_where_nothing_is_sold_are_wishes_and_where_lots_are_drawn_nothing(lobby: Lobby) -> None:
    wished = lobby.opens("ann", Open(most=3)).id
    lobby.proves("ann", "worths emperor 2, guild 4, fremen 2")
    assert bids(lobby, wished) == {"ann": "guild, emperor = fremen"}
    assert "Factions are not sold" in lobby.words("ann")
    drawn = lobby.opens("bob", Open(most=3, factions="draw")).id
    lobby.proves("bob", "as guild")
    assert bids(lobby, drawn) == {"bob": ""}
    assert "Factions are drawn by lot" in lobby.words("bob")


def test_whoever_is_moved_keeps_what_fits_there(lobby: Lobby) -> None:
    from bot.lobby.joining import move_people

    table = auction(lobby)
    lobby.proves("ann", "worths guild 4, emperor 2")
    into = lobby.opens("bob", Open(most=3)).id
    with lobby.session() as session:
        move_people(session, lobby.table(table), into, "one table is enough")
    assert bids(lobby, into) == {"bob": "", "ann": "guild, emperor"}


def test_a_table_may_start_without_a_faction_that_somebody_wished_for(lobby: Lobby) -> None:
    table = lobby.opens("ann", Open(ruleset="gf9-basic", most=6, fewest=3, starts="opener")).id
    lobby.proves("ann", "wishes guild, bene gesserit")
    for name in ("bob", "cid"):
        lobby.joins(name, table)
    lobby.proves("ann", f"start {table}")
    assert lobby.table(table).state == "started"


def test_a_stranger_bids_with_the_join_and_it_counts_once_they_confirm(lobby: Lobby) -> None:
    table = auction(lobby)
    lobby.says("bob", f"join {table} with guild 4, emperor 2")
    assert bids(lobby, table) == {"ann": ""}
    assert "guild" not in lobby.words("bob").lower()
    lobby.answers("bob", "yes")
    assert bids(lobby, table)["bob"] == "guild 4, emperor 2"


def test_a_price_is_never_more_than_the_bid_nor_than_the_faction_has() -> None:
    for first in range(0, 13, 3):
        for second in range(0, 13, 3):
            said = [f"fremen {first}, guild {second}", "fremen 9, guild 9", f"* {second}"]
            drawn = draw(f"{first}.{second}", said, FACTIONS, 1, sold=True)
            assert len(drawn.factions) == 4
            for faction, place in drawn.factions.items():
                most = worths_among(said[place], FACTIONS)[faction] if place < len(said) else 0
                assert 0 <= drawn.prices[faction] <= most <= FACTION_FACTS[faction].spice


@pytest.mark.parametrize(
    ("text", "factions"),
    [
        ("open a game: wbc-2018, six, factions by auction", "auction"),
        ("open a table where we bid for the factions", "auction"),
        ("let's open a new table, five players, factions are auctioned for spice", "auction"),
        ("open a game with random factions", "draw"),
        ("open a game: four players, factions by lot", "draw"),
        ("open a game, factions by wish list", "wishes"),
    ],
)
def test_a_table_is_opened_with_an_auction_in_peoples_words(text: str, factions: str) -> None:
    read = read_mail([text], Known(date(2026, 11, 30)))
    wanted = read.requests[0] if read.requests else read_mail([read.options[0]], Known(date(2026, 11, 30))).requests[0]
    assert isinstance(wanted, Open)
    assert (wanted.factions, wanted.mistakes) == (factions, ())
    assert read_mail([line_of(wanted)], Known(date(2026, 11, 30))).requests == (wanted,)


def test_the_desk_opens_a_table_with_an_auction(mentat: Mentat, lobby: Lobby) -> None:
    made = mentat("lobby", "open", "--size", "3", "--factions", "auction", "--json")
    assert made.json["factions"] == "auction"
    assert "factions by auction" in mentat("lobby", "show", made.json["id"]).out
    assert mentat("lobby", "open", "--factions", "fight").code == 2
    page = table_files(TableList("mentat@arrakis.example", [view_of_table(lobby, made.json["id"])]))
    assert b"factions by auction" in page["tables.html"]
    assert b"factions by auction" in page["tables.xml"]


def view_of_table(lobby: Lobby, table: str) -> OpenTable:
    with reading(lobby.world.engine) as conn:
        return view_of(conn, lobby.table(table))


def test_a_rematch_is_an_auction_again_with_new_bids(lobby: Lobby) -> None:
    table = auction(lobby, 2)
    lobby.joins("bob", table, "with guild 4")
    with lobby.session() as session:
        session.conn.execute(update(GAME).where(GAME.c.id == table).values(status="over"))
    lobby.proves("ann", f"rematch {table}")
    with reading(lobby.world.engine) as conn:
        again = next(each for each in rows.all_tables(conn, "open") if each.kind == "rematch")
        assert again.settings.factions == "auction"
        assert all(seat.wishes == "" for seat in rows.every_seat(conn, again.id))


SOLD = OpenTable(
    id="arrakeen-7", ruleset="wbc-2018", tempo="steady", size=6, taken=4, factions="auction",
    opened=datetime(2026, 11, 28, tzinfo=UTC), until=datetime(2026, 12, 12, tzinfo=UTC),
)  # fmt: skip
THERE = Known(date(2026, 11, 30), tables=(SOLD,), mine=("arrakeen-7",), answers="arrakeen-7")
AT_LIST = Known(date(2026, 11, 30), tables=(SOLD,), answers="arrakeen-7")


@pytest.mark.parametrize(
    ("known", "mail", "meant"),
    [
        (THERE, "Emperor: 6\nGuild: 4\nFremen: 1", "worths emperor 6, guild 4, fremen 1 at arrakeen-7"),
        (THERE, "- Emperor 6\n- Guild 4\n- rest 1", "worths emperor 6, guild 4, * 1 at arrakeen-7"),
        (THERE, "guild 4\nguild 5", "worths guild 5 at arrakeen-7"),
        (
            THERE,
            "Guild is worth 4 to me, Emperor 3. the others I don't care",
            "worths guild 4, emperor 3 at arrakeen-7",
        ),
        (THERE, "I really want the Fremen, put 3 on them", "worths fremen 3 at arrakeen-7"),
        (THERE, "take my bid for the guild back", "wishes * at arrakeen-7"),
        (THERE, "what did I bid?", "my games"),
        (AT_LIST, "join arrakeen-7\nguild 4\nemperor 2", "join arrakeen-7 with guild 4, emperor 2"),
        (AT_LIST, "I'm in\nGuild 5\nFremen 2\nthanks, Bob", "join arrakeen-7 with guild 5, fremen 2"),
        (AT_LIST, "join arrakeen-7 as Bob, guild 4", "join arrakeen-7 with guild 4 as Bob"),
        (AT_LIST, "Sign me up! I'd go up to 5 for the Guild, 1 for anything else", "join arrakeen-7 with guild 5, * 1"),
    ],
)
def test_a_mail_of_bids_is_read_whole(known: Known, mail: str, meant: str) -> None:
    read = read_mail(mail.split("\n"), known)
    assert [line_of(each) for each in read.requests] == [meant] or (read.requests == () and read.options == (meant,))
