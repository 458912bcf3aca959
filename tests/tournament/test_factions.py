"""Factions between the draw and the games: they are traded, kept, wished for or bid for before a game can start."""

from __future__ import annotations

import itertools
import re
from datetime import timedelta
from pathlib import Path

import msgspec
import pytest

from bot.competition.factions import hold_auction
from bot.games import proof
from bot.store import tournament_rounds, tournaments
from bot.store.database import reading, writing
from bot.store.tournaments import Paper, PaperKind
from bot.tournament import entries
from bot.tournament.desk import By, Caller, Refused, acting
from bot.tournament.factions import card_offers, drawn_order, factions_on_offer
from rules.components import FACTION_FACTS, FACTIONS, Faction, as_faction, faction_name
from tests.tournament.cup import CUP, ONE_HEAT, Entered

HOURS = 72


def phase(folder: Path, by: str, players: int = 6, more: str = "") -> Entered:
    cup = Entered.at(folder, players, f'{ONE_HEAT}[factions]\nby = "{by}"\ntrade_hours = {HOURS}\n{more}')
    cup.draw()
    return cup


def file(cup: Entered, number: int, kind: PaperKind, words: str) -> None:
    table = next(seat.table for seat in cup.seats() if seat.entrant == number)
    place = (0, 0) if kind == "preferences" else (1, table)
    with writing(cup.world.engine) as conn:
        tournaments.file_paper(conn, Paper(CUP, number, kind, words, cup.world.now, *place))


def faction(cup: Entered, number: int) -> str:
    return next(seat.faction for seat in cup.seats() if seat.entrant == number)


def offers(cup: Entered) -> dict[str, tuple[Faction, Faction]]:
    record = cup.draw().record
    return dict(card_offers(cup.cup.settings, cup.cup.secret, record.seed, record.tables[0]))


@pytest.mark.parametrize("by", ["trade", "two-cards", "preference", "auction"])
def test_no_game_starts_before_the_factions_are_settled(tmp_path: Path, by: str) -> None:
    cup = phase(tmp_path, by)
    with pytest.raises(Refused, match="are settled on 2024-11-29 20:00Z"):
        cup.start()
    cup.tick(HOURS - 1)
    with pytest.raises(Refused, match="are settled"):
        cup.start()
    cup.tick(1)
    assert sorted(seat.faction for seat in cup.seats()) == sorted(FACTIONS)
    assert cup.start().now == (("1.1", "cup-r1-t01"),)
    for seat in cup.seats():
        assert cup.world.table("cup-r1-t01").seats[as_faction(seat.faction)].dot == seat.dot


@pytest.mark.parametrize("by", ["two-cards", "preference", "auction"])
def test_the_draw_tells_what_there_is_to_choose_from_and_no_faction_yet(tmp_path: Path, by: str) -> None:
    cup = phase(tmp_path, by)
    assert {seat.faction for seat in cup.seats()} == {""}
    told = cup.text(1)
    assert {"two-cards": "Write: keep", "preference": "Write: preferences", "auction": "Write: bid"}[by] in told
    shown = offers(cup)["E001"] if by == "two-cards" else FACTIONS
    assert all(faction_name(one) in told for one in shown)


def test_what_was_settled_is_told_once_to_everybody_at_the_table(tmp_path: Path) -> None:
    cup = phase(tmp_path, "preference")
    written = len(cup.letters(1))
    cup.tick(HOURS)
    cup.tick(1)
    assert len(cup.letters(1)) == written + 1
    assert faction_name(as_faction(faction(cup, 1))) in cup.text(1)
    assert [act.what for act in cup.acts()].count("factions") == 1


# --- trades ----------------------------------------------------------------------------------------------------------


def test_a_trade_is_made_when_both_have_said_the_same_and_both_are_told(tmp_path: Path) -> None:
    cup = phase(tmp_path, "trade")
    mine, theirs = faction(cup, 1), faction(cup, 2)
    file(cup, 1, "swap", "E002")
    cup.tick(1)
    assert faction(cup, 1) == mine
    letters = [len(cup.letters(number)) for number in range(1, 7)]
    file(cup, 2, "swap", "E001")
    cup.tick(1)
    assert (faction(cup, 1), faction(cup, 2)) == (theirs, mine)
    assert [len(cup.letters(number)) - letters[number - 1] for number in range(1, 7)] == [1, 1, 0, 0, 0, 0]
    cup.tick(1)
    assert faction(cup, 1) == theirs
    assert "E002 and E001 traded factions" in {act.what: act.words for act in cup.acts()}["trade"]


def test_an_offer_that_says_something_else_makes_no_trade(tmp_path: Path) -> None:
    cup = phase(tmp_path, "trade")
    mine = faction(cup, 1)
    file(cup, 1, "swap", "E002 getting 2")
    file(cup, 2, "swap", "E001 paying 1")
    cup.tick(HOURS)
    assert faction(cup, 1) == mine


def test_starting_spice_that_goes_with_a_trade_is_noted_at_both_seats(tmp_path: Path) -> None:
    cup = phase(tmp_path, "trade")
    file(cup, 1, "swap", "E002 paying 2")
    file(cup, 2, "swap", "E001 getting 2")
    cup.tick(1)
    assert {seat.entrant: seat.spice for seat in cup.seats() if seat.spice} == {1: -2, 2: 2}


@pytest.mark.parametrize(
    ("first", "second", "payer"), [("paying 2", "getting 2", "E001"), ("getting 2", "paying 2", "E002")]
)
def test_the_record_says_who_pays_for_a_trade(tmp_path: Path, first: str, second: str, payer: str) -> None:
    cup = phase(tmp_path, "trade")
    file(cup, 2, "swap", f"E001 {second}")
    file(cup, 1, "swap", f"E002 {first}")
    cup.tick(1)
    paid = {"E001": "E002", "E002": "E001"}[payer]
    [words] = [act.words for act in cup.acts() if act.what == "trade"]
    assert words.endswith(f"traded factions, {payer} pays {paid} 2 spice")


def test_what_is_left_of_the_starting_spice_is_all_that_can_be_paid_for_another_trade(tmp_path: Path) -> None:
    cup = phase(tmp_path, "trade")
    start = FACTION_FACTS[as_faction(faction(cup, 2))].spice
    file(cup, 1, "swap", f"E002 getting {start}")
    file(cup, 2, "swap", f"E001 paying {start}")
    cup.tick(1)
    assert {seat.entrant: seat.spice for seat in cup.seats() if seat.spice} == {1: start, 2: -start}
    third, mine = faction(cup, 3), faction(cup, 2)
    left = FACTION_FACTS[as_faction(mine)].spice - start
    file(cup, 3, "swap", f"E002 paying {left + 1}")
    file(cup, 2, "swap", f"E003 getting {left + 1}")
    cup.tick(1)
    assert (faction(cup, 2), faction(cup, 3)) == (mine, third)


def test_the_game_begins_with_the_spice_that_was_traded_and_its_record_says_so(tmp_path: Path) -> None:
    cup = phase(tmp_path, "trade")
    file(cup, 1, "swap", "E002 paying 2")
    file(cup, 2, "swap", "E001 getting 2")
    cup.tick(HOURS)
    cup.start()
    table = cup.world.table("cup-r1-t01")
    payer, paid = as_faction(faction(cup, 1)), as_faction(faction(cup, 2))
    names = {one: f"traded_spice_{one.replace('-', '_')}" for one in (payer, paid)}
    assert dict(table.own_options) == {names[payer]: -2, names[paid]: 2}
    players = table.play.state.players
    assert players[payer].spice == FACTION_FACTS[payer].spice - 2
    assert players[paid].spice == FACTION_FACTS[paid].spice + 2
    with reading(cup.world.engine) as conn:
        assert proof.verify(proof.full_record(conn, "cup-r1-t01")).holds


def test_an_offer_that_cannot_be_is_refused_to_who_made_it_alone(tmp_path: Path) -> None:
    cup = phase(tmp_path, "trade")
    letters = [len(cup.letters(number)) for number in range(1, 7)]
    file(cup, 1, "swap", "E002 paying 99")
    cup.tick(1)
    assert [len(cup.letters(number)) - letters[number - 1] for number in range(1, 7)] == [1, 0, 0, 0, 0, 0]
    assert "99 is too much" in cup.text(1)
    cup.tick(1)
    assert len(cup.letters(1)) == letters[0] + 1


def test_after_a_swap_the_other_offers_of_both_are_gone(tmp_path: Path) -> None:
    cup = phase(tmp_path, "trade")
    third = faction(cup, 3)
    file(cup, 3, "swap", "E001")
    file(cup, 1, "swap", "E002")
    file(cup, 2, "swap", "E001")
    cup.tick(1)
    file(cup, 1, "swap", "E003")
    cup.tick(1)
    assert faction(cup, 3) == third


def test_a_trade_leaves_the_offers_of_the_others_at_the_table_open(tmp_path: Path) -> None:
    cup = phase(tmp_path, "trade")
    third, fourth = faction(cup, 3), faction(cup, 4)
    file(cup, 3, "swap", "E004 paying 1")
    file(cup, 1, "swap", "E002")
    file(cup, 2, "swap", "E001")
    cup.tick(1)
    with reading(cup.world.engine) as conn:
        assert [paper.entrant for paper in tournaments.papers_of(conn, CUP, "swap")] == [3]
        done = tournaments.papers_of(conn, CUP, "swap", state="answered")
        assert {paper.entrant for paper in done} == {1, 2}
    file(cup, 4, "swap", "E003 getting 1")
    cup.tick(1)
    assert (faction(cup, 3), faction(cup, 4)) == (fourth, third)
    assert "E004 and E003 traded factions, E003 pays E004 1 spice" in cup.acts()[-1].words


def two_rounds(folder: Path, by: str) -> Entered:
    """Draw two rounds together; the second is settled ten hours after the first."""
    cup = Entered.at(folder, 6, f'{ONE_HEAT.replace("heats = 1", "heats = 2")}[factions]\nby = "{by}"\n')
    cup.draw()
    opens = cup.rounds()[0].opens
    assert opens is not None
    with writing(cup.world.engine) as conn:
        tournament_rounds.change_round(conn, CUP, 2, opens=opens + timedelta(hours=10))
    return cup


def test_what_was_filed_for_another_round_waits_for_its_time(tmp_path: Path) -> None:
    cup = two_rounds(tmp_path, "auction")
    with writing(cup.world.engine) as conn:
        for number in (1, 2):
            tournaments.file_paper(conn, Paper(CUP, 1, "worths", "guild 5", cup.world.now, number, 1))
    left = []
    for hours in (HOURS, 10):
        cup.tick(hours)
        with reading(cup.world.engine) as conn:
            left.append([paper.round for paper in tournaments.papers_of(conn, CUP, "worths")])
    assert left == [[2], []]
    assert [seat.faction for seat in cup.seats() if seat.entrant == 1] == ["guild", "guild"]


def test_each_round_is_settled_at_its_own_time(tmp_path: Path) -> None:
    cup = two_rounds(tmp_path, "preference")
    settled = []
    for hours in (HOURS, 9, 1):
        cup.tick(hours)
        settled.append([bool(seat.faction) for seat in cup.seats()])
    assert settled == [[True] * 6 + [False] * 6, [True] * 6 + [False] * 6, [True] * 12]
    assert [act.words for act in cup.acts() if act.what == "factions"] == [
        "factions of round 1 settled: preference", "factions of round 2 settled: preference"
    ]  # fmt: skip


# --- who takes a seat before its game has begun ----------------------------------------------------------------------


def replaced(folder: Path, by: str, standbys: int = 1) -> Entered:
    """Draw six players; E002 withdraws, and E007 gets the seat if there is a standby."""
    cup = phase(folder, by)
    cup.enter(standbys, "standby")
    leave(cup, 2)
    return cup


@pytest.mark.parametrize(
    ("by", "told"),
    [
        ("trade", "You can trade your faction with somebody at your table until"),
        ("two-cards", "Keep one of the two until"),
        ("preference", "which factions you like best"),
        ("auction", "what each faction is worth to you, in points of that table"),
    ],
)
def test_who_takes_a_seat_before_the_factions_are_settled_is_told_what_there_is_to_choose(
    tmp_path: Path, by: str, told: str
) -> None:
    cup = phase(tmp_path, by)
    drawn = re.search(r"Table 1\.1: .* (Fri 29 Nov 20:00)", cup.text(2))
    cup.enter(1, "standby")
    cup.tick(10)
    leave(cup, 2)
    text = cup.text(7)
    assert "A place has become free. You are a standby, so you will play at table 1.1." in text
    assert drawn is not None
    assert drawn[0] in text, "the same as who was drawn"
    assert told in text
    assert all(f"E00{number}" in text for number in (1, 3, 4, 5, 6))


def test_who_takes_a_seat_reads_who_sits_there_now_with_what_they_have(tmp_path: Path) -> None:
    cup = phase(tmp_path, "trade")
    file(cup, 1, "swap", "E003")
    file(cup, 3, "swap", "E001")
    cup.tick(1)
    leave(cup, 2)
    cup.enter(1, "standby")
    leave(cup, 4)
    text = cup.text(7)
    for number in (1, 3, 5, 6):
        assert f"E00{number} ({faction_name(as_faction(faction(cup, number)))})" in text
    assert "E002" not in text
    assert "E004" not in text


def test_who_takes_a_seat_once_the_factions_are_settled_is_told_of_the_seat_alone(tmp_path: Path) -> None:
    cup = phase(tmp_path, "auction")
    cup.enter(1, "standby")
    cup.tick(HOURS)
    leave(cup, 2)
    text = cup.text(7)
    assert (
        "You are a standby, so you will play at table 1.1. You will get the first letter when its game begins. "
        "Answer this" in text
    )


def leave(cup: Entered, number: int) -> None:
    """Withdraw this entrant before the game begins."""
    with acting(Caller(cup.open_games, cup.world.now), CUP) as (session, tournament):
        gone = tournaments.find_entrant(session.conn, CUP, tournaments.handle(number))
        assert gone is not None
        entries.leave_tournament(session, tournament, gone, "", By())


def test_who_took_a_seat_before_the_game_trades_as_if_they_had_been_drawn(tmp_path: Path) -> None:
    cup = replaced(tmp_path, "trade")
    mine, theirs = faction(cup, 1), faction(cup, 7)
    file(cup, 1, "swap", "E007 paying 1")
    file(cup, 7, "swap", "E001 getting 1")
    cup.tick(1)
    assert (faction(cup, 1), faction(cup, 7)) == (theirs, mine)
    assert "E007 and E001 traded factions, E001 pays E007 1 spice" in cup.acts()[-1].words
    assert faction_name(as_faction(mine)) in cup.text(7)


@pytest.mark.parametrize("standbys", [0, 1])
def test_nobody_trades_with_who_has_left_their_seat(tmp_path: Path, standbys: int) -> None:
    cup = replaced(tmp_path, "trade", standbys)
    before = [seat.faction for seat in cup.seats()]
    file(cup, 1, "swap", "E002")
    cup.tick(1)
    assert [seat.faction for seat in cup.seats()] == before
    with reading(cup.world.engine) as conn:
        assert [paper.entrant for paper in tournaments.papers_of(conn, CUP, "swap", state="refused")] == [1]
    cup.tick(HOURS)
    assert [act.what for act in cup.acts()].count("factions") == 1


@pytest.mark.parametrize(
    ("by", "kind", "words", "card"),
    [
        ("preference", "preferences", "guild, *", 0),
        ("auction", "worths", "guild 5", 0),
        ("two-cards", "keep", "", 0),
        ("two-cards", "keep", "", 1),
    ],
)
def test_the_paper_counts_of_who_took_a_seat_before_the_game(
    tmp_path: Path, by: str, kind: PaperKind, words: str, card: int
) -> None:
    cup = replaced(tmp_path, by)
    wanted = offers(cup)["E002"][card] if by == "two-cards" else "guild"
    file(cup, 7, kind, words or wanted)
    cup.tick(HOURS)
    assert faction(cup, 7) == wanted


# --- two cards, preferences, auction ---------------------------------------------------------------------------------


def test_the_card_that_was_kept_is_played_where_nobody_kept_the_same(tmp_path: Path) -> None:
    cup = phase(tmp_path, "two-cards")
    record = cup.draw().record
    shown = offers(cup)
    first = drawn_order(record.seed, record.tables[0])[0]
    for wanted in shown[first]:
        assert wanted in FACTIONS
    number = int(first[1:])
    file(cup, number, "keep", shown[first][1])
    cup.tick(HOURS)
    assert faction(cup, number) == shown[first][1]
    for handle, pair in shown.items():
        assert faction(cup, int(handle[1:])) in pair


def test_the_two_cards_follow_from_the_round_and_who_sits_at_the_table_not_from_where_they_sit(tmp_path: Path) -> None:
    cup = phase(tmp_path, "two-cards")
    record = cup.draw().record
    table = record.tables[0]
    around = msgspec.structs.replace(table, seats=table.seats[::-1])
    later = msgspec.structs.replace(table, round=table.round + 1)
    assert card_offers(cup.cup.settings, cup.cup.secret, record.seed, around) == offers(cup)
    assert card_offers(cup.cup.settings, cup.cup.secret, record.seed, later) != offers(cup)


def test_who_lists_a_faction_that_nobody_else_does_gets_it(tmp_path: Path) -> None:
    cup = phase(tmp_path, "preference")
    for number, wanted in enumerate(FACTIONS, 1):
        file(cup, number, "preferences", f"{wanted}, *")
    cup.tick(HOURS)
    assert [faction(cup, number) for number in range(1, 7)] == list(FACTIONS)


@pytest.mark.parametrize(("by", "kind"), [("preference", "preferences"), ("two-cards", "keep")])
def test_each_of_two_tables_is_settled_by_what_was_filed_there(tmp_path: Path, by: str, kind: PaperKind) -> None:
    cup = phase(tmp_path, by, players=12)
    record = cup.draw().record
    wanted: dict[int, str] = {}
    for table in record.tables:
        shown = card_offers(cup.cup.settings, cup.cup.secret, record.seed, table) if kind == "keep" else {}
        first = drawn_order(record.seed, table)[0]
        wanted[int(first[1:])] = shown[first][1] if shown else "guild"
    for number, faction_wanted in wanted.items():
        file(cup, number, kind, f"{faction_wanted}, *" if kind == "preferences" else faction_wanted)
    cup.tick(HOURS)
    assert len(wanted) == 2
    assert {number: faction(cup, number) for number in wanted} == wanted


def test_a_paper_that_nobody_can_read_counts_as_none(tmp_path: Path) -> None:
    cup = phase(tmp_path, "preference")
    file(cup, 1, "preferences", "the best one please!")
    cup.tick(HOURS)
    assert sorted(seat.faction for seat in cup.seats()) == sorted(FACTIONS)


def test_the_prices_of_an_auction_are_those_that_clear_it_and_are_told_to_the_table(tmp_path: Path) -> None:
    cup = phase(tmp_path, "auction")
    record = cup.draw().record
    worths = {"E001": "guild 3", "E002": "guild 2", "E003": "guild 1"}
    for handle, words in worths.items():
        file(cup, int(handle[1:]), "worths", words)
    cup.tick(HOURS)
    factions = factions_on_offer(cup.cup.settings, record.seed, record.tables[0])
    sold = hold_auction(
        drawn_order(record.seed, record.tables[0]), factions,
        {"E001": {"guild": 30}, "E002": {"guild": 20}, "E003": {"guild": 10}},
    )  # fmt: skip
    assert {seat.entrant: (seat.faction, seat.price) for seat in cup.seats()} == {
        int(handle[1:]): (each.faction, each.price) for handle, each in sold.items()
    }
    assert (faction(cup, 1), next(seat.price for seat in cup.seats() if seat.entrant == 1)) == ("guild", 20)
    assert "for which you pay 2 points" in cup.text(1)
    assert "Guild for 2" in cup.text(2)


def test_at_a_five_the_faction_that_is_missing_is_offered_to_nobody(tmp_path: Path) -> None:
    cup = phase(tmp_path, "preference", 5, '[tables]\nmissing = "bene-gesserit"\n')
    file(cup, 1, "preferences", "bene gesserit, *")
    cup.tick(HOURS)
    assert "bene-gesserit" not in {seat.faction for seat in cup.seats()}


def test_whose_wish_was_granted_in_the_first_round_pays_in_the_second(tmp_path: Path) -> None:
    cup = Entered.at(tmp_path, 6, f'{ONE_HEAT.replace("heats = 1", "heats = 2")}[factions]\nby = "preference"\n')
    cup.draw()
    for number in (1, 2):
        with writing(cup.world.engine) as conn:
            tournaments.file_paper(conn, Paper(CUP, number, "preferences", "guild, *", cup.world.now))
    cup.tick(HOURS)
    guilds = {seat.round: seat.entrant for seat in cup.seats() if seat.faction == "guild"}
    assert set(guilds.values()) == {1, 2}


def sits_instead(cup: Entered, drawn: str, place: tuple[int, int], number: int) -> None:
    """Give this entrant the seat for which another was drawn."""
    seat = next(seat for seat in cup.seats() if (seat.round, seat.table, seat.entrant) == (*place, int(drawn[1:])))
    with writing(cup.world.engine) as conn:
        tournament_rounds.change_tenure(conn, seat, entrant=number)


@pytest.mark.parametrize("who", ["another", "who lost"])
def test_what_was_lost_before_counts_for_who_lost_it_and_not_for_who_sits_where_they_were_drawn(
    tmp_path: Path, who: str
) -> None:
    cup = two_rounds(tmp_path, "preference")
    record = cup.draw().record
    first, second = (drawn_order(record.seed, table) for table in record.tables)
    had, lost, third = next(
        (had, lost, third)
        for had, lost, third in itertools.permutations(first, 3)
        if first.index(had) < first.index(lost) and second.index(had) < min(second.index(lost), second.index(third))
    )
    for handle in (had, lost):
        file(cup, int(handle[1:]), "preferences", "guild, *")
    cup.tick(HOURS)
    assert faction(cup, int(had[1:])) == "guild"
    cup.enter(1)
    sits_instead(cup, lost, (2, 1), 7)
    if who == "another":
        with writing(cup.world.engine) as conn:
            tournaments.file_paper(conn, Paper(CUP, 7, "preferences", "guild, *", cup.world.now))
    else:
        sits_instead(cup, third, (2, 1), int(lost[1:]))
    cup.tick(10)
    guild = next(seat.entrant for seat in cup.seats() if seat.round == 2 and seat.faction == "guild")
    assert guild == int((had if who == "another" else lost)[1:])


def test_who_sits_at_two_tables_of_a_round_is_asked_at_the_second_with_what_they_lost_at_the_first(
    tmp_path: Path,
) -> None:
    cup = phase(tmp_path, "preference", players=12)
    record = cup.draw().record
    cup.enter(1)
    orders = {table.table: drawn_order(record.seed, table) for table in record.tables}
    with writing(cup.world.engine) as conn:
        for handle in [order[0] for order in orders.values()] + ["E013"]:
            tournaments.file_paper(conn, Paper(CUP, int(handle[1:]), "preferences", "guild, *", cup.world.now))
    for table, order in orders.items():
        sits_instead(cup, order[-1], (1, table), 13)
    cup.tick(HOURS)
    guilds = {seat.table: tournaments.handle(seat.entrant) for seat in cup.seats() if seat.faction == "guild"}
    assert guilds == {1: orders[1][0], 2: "E013"}


def test_in_a_league_each_counts_with_what_they_lost_themselves_and_not_what_others_did_in_their_seats(
    tmp_path: Path,
) -> None:
    cup = Entered.at(tmp_path, 7, 'title = "League"\nformat = "league"\n[factions]\nby = "preference"\n')
    cup.draw()
    cup.enter(6, "standby")
    left = [seat.table for seat in cup.seats() if seat.entrant == 2]
    leave(cup, 2)
    assert [seat.table for seat in cup.seats() if seat.entrant > 7] == left, "each of the six took one of their seats"
    for number in (1, *range(3, 14)):
        file(cup, number, "preferences", "guild, *")
    cup.tick(HOURS)
    lost = dict.fromkeys(range(1, 14), 0)
    for table in range(1, 8):
        there = {seat.faction: seat.entrant for seat in cup.seats() if seat.table == table}
        first = there.pop("guild")
        assert lost[first] == max(lost[number] for number in (first, *there.values())), table
        lost.update({number: lost[number] + 1 for number in there.values()})
