"""From a full table to its game: check-in, the opener's decision, dates, expiry, the draw, rematches."""

from __future__ import annotations

import itertools
from datetime import timedelta
from pathlib import Path

import pytest

from bot.competition.factions import places_lost, read_preferences
from bot.lobby.requests import Open
from bot.lobby.starting import draw, seed_of_draw
from bot.mail.identity import plus_address
from bot.store import acts
from bot.store.database import reading
from rules.components.chance import commitment
from tests.lobby.people import Lobby
from tests.moderator.table import ADDRESS

SIX = ("atreides", "bene-gesserit", "emperor", "fremen", "guild", "harkonnen")
NAMES = ("ann", "bob", "cid", "dora", "eve", "fay")


def test_wishes_are_granted_at_the_least_cost_and_the_lot_decides_the_rest() -> None:
    wishes = ["guild, emperor", "guild, fremen", "*", "emperor, guild", "atreides = harkonnen", "bene-gesserit"]
    seen = set()
    for number in range(40):
        given = {place: faction for faction, place in draw(f"seed {number}", wishes, SIX).factions.items()}
        assert (given[0], given[1], given[3], given[5]) == ("guild", "fremen", "emperor", "bene-gesserit")
        papers = {place: read_preferences(wish, SIX) for place, wish in enumerate(wishes) if wish != "*"}
        assert sum(places_lost(paper, given[place]) for place, paper in papers.items()) == 1
        seen.add((given[2], given[4]))
    assert seen == {("atreides", "harkonnen"), ("harkonnen", "atreides")}


def test_the_draw_follows_from_the_published_seed_and_the_names_alone(lobby: Lobby) -> None:
    table = lobby.opens("ann", Open(most=3))
    assert commitment(table.seed) == table.commitment
    lobby.joins("bob", table.id, "as Bob")
    assert table.commitment in lobby.newest("bob").text.replace("\r\n", "").replace(" ", "")
    lobby.joins("cid", table.id)
    seats = lobby.world.table(table.id).seats
    drawn = draw(seed_of_draw(table, ["Ann", "Bob", "Player 3"]), ["", "", ""], _box(lobby, table.id))
    names = {0: "Ann", 1: "Bob", 2: "Player 3"}
    assert {faction: seat.name for faction, seat in seats.items()} == {
        faction: names[place] for faction, place in drawn.factions.items()
    }
    assert {faction: seat.dot for faction, seat in seats.items()} == drawn.dots
    with reading(lobby.world.engine) as conn:
        told = [act.words for act in acts.acts_of(conn, game_id=table.id) if act.what == "start"]
    assert table.seed in told[0]


def _box(lobby: Lobby, table_id: str) -> tuple[str, ...]:
    from bot.store import games
    from rules.chapters.setup import dealt_factions

    own = lobby.table(table_id).settings
    return dealt_factions(games.rule_set(own.ruleset, own.options), own.size)


def test_those_who_were_not_heard_for_three_days_are_asked_and_the_game_starts_at_the_last_yes(lobby: Lobby) -> None:
    table = lobby.opens("ann")
    lobby.wait(80)
    for name in NAMES[1:]:
        lobby.joins(name, table.id)
    assert lobby.table(table.id).state == "full"
    assert lobby.subjects("ann") == [f"{table.id}: six of six. Still there?"]
    assert [lobby.subjects(name)[-1] for name in NAMES[1:5]] == [f"{table.id} is full"] * 4
    lobby.wait(26)  # now four in the morning; the time to answer ends at seven
    assert lobby.subjects("ann")[-1].endswith("(reminder)")
    lobby.proves("ann", "yes")
    assert lobby.table(table.id).state == "started"


def test_a_silent_seat_is_given_to_the_next_in_line(lobby: Lobby) -> None:
    table = lobby.opens("ann", Open(most=2))
    lobby.wait(80)
    lobby.joins("bob", table.id)
    lobby.joins("cid", table.id)
    assert lobby.seats(table.id, "waiting") == ["cid"]
    lobby.wait(52)
    assert lobby.seats(table.id) == ["bob"]
    assert lobby.subjects("ann")[-1] == f"You no longer have a seat at {table.id}"
    assert lobby.seats(table.id, "offered") == ["cid"]
    lobby.proves("cid", "yes")
    assert lobby.table(table.id).state == "started"


def test_a_table_that_does_not_fill_ends_with_a_letter_and_may_go_on(lobby: Lobby) -> None:
    table = lobby.opens("ann")
    lobby.joins("bob", table.id)
    lobby.wait(24 * 14 - 1)
    assert lobby.table(table.id).state == "open"
    lobby.wait(2)
    assert lobby.table(table.id).state == "ended"
    assert [lobby.subjects(name)[-1] for name in ("ann", "bob")] == [f"{table.id} ends: two of six"] * 2
    lobby.proves("bob", f"prolong {table.id}")
    assert lobby.table(table.id).state == "ended"
    lobby.proves("ann", f"prolong {table.id}")
    assert lobby.table(table.id).state == "open"
    assert lobby.seats(table.id) == ["ann", "bob"]


def test_a_join_lengthens_the_life_of_a_table(lobby: Lobby) -> None:
    table = lobby.opens("ann")
    opened = table.opened_at
    for day, name in ((12, "bob"), (13, "cid")):
        lobby.wait((opened + timedelta(days=day) - lobby.world.now) / timedelta(hours=1))
        lobby.joins(name, table.id)
    assert lobby.table(table.id).expires_at == opened + timedelta(days=24)  # four free on day 12: 12 + 3 · 4


def test_a_table_with_a_date_starts_then_with_those_who_are_enough(lobby: Lobby) -> None:
    day = (lobby.world.now + timedelta(days=5)).date()
    table = lobby.opens("ann", Open(most=4, fewest=3, by=day, opponents=True))
    assert table.settings.starts == "date"
    for name in ("bob", "cid"):
        lobby.joins(name, table.id)
    lobby.wait(24 * 4)
    assert lobby.subjects("ann")[-1] == f"{table.id}: three of four. Still there?"
    for name in ("ann", "bob", "cid"):
        lobby.proves(name, "yes")
    assert lobby.table(table.id).state == "open"
    lobby.wait(30)
    assert lobby.table(table.id).state == "started"
    seats = lobby.world.table(table.id).seats.values()
    assert sum(seat.has_player for seat in seats) == 3
    assert len(seats) == 4


def test_a_table_with_a_date_ends_then_if_too_few_are_heard(lobby: Lobby) -> None:
    day = (lobby.world.now + timedelta(days=5)).date()
    table = lobby.opens("ann", Open(most=4, fewest=3, by=day))
    for name in ("bob", "cid"):
        lobby.joins(name, table.id)
    for _ in range(3):
        lobby.wait(48)
    assert lobby.table(table.id).state == "ended"


def test_the_word_passes_to_who_sits_longest_if_the_opener_is_silent(lobby: Lobby) -> None:
    table = lobby.opens("ann", Open(most=3, starts="opener"))
    lobby.joins("bob", table.id)
    lobby.joins("cid", table.id)
    assert lobby.table(table.id).state == "full"
    lobby.proves("bob", f"start {table.id}")
    assert lobby.table(table.id).state == "full"
    lobby.wait(73)
    assert lobby.table(table.id).starter == "bob@example.org"
    lobby.proves("bob", f"start {table.id}")
    lobby.proves("cid", "yes")
    lobby.wait(49)
    lobby.wait(1)
    assert lobby.seats(table.id) == ["bob", "cid"]


def test_the_opener_starts_with_those_who_are_enough(lobby: Lobby) -> None:
    table = lobby.opens("ann", Open(most=6, fewest=3))
    lobby.joins("bob", table.id)
    lobby.proves("ann", f"start {table.id}")
    assert "needs three players" in lobby.words("ann")
    lobby.joins("cid", table.id)
    assert lobby.subjects("bob")[-1] == f"{table.id} has three players and may start"
    lobby.proves("ann", "start now")
    assert lobby.table(table.id).state == "started"


def test_a_table_that_two_leave_is_offered_to_two(lobby: Lobby) -> None:
    table = lobby.opens("ann", Open(most=3, starts="opener"))
    for name in ("bob", "cid", "dora", "eve", "fay"):
        lobby.joins(name, table.id)
    for name in ("bob", "cid"):
        lobby.proves(name, f"leave {table.id}")
    assert lobby.table(table.id).state == "open"
    assert lobby.seats(table.id, "offered") == ["dora", "eve"]


def test_whoever_reaches_their_limit_gives_their_other_seats_back(lobby: Lobby) -> None:
    config_free = lobby.opens("ann", Open(most=2))
    lobby.joins("bob", config_free.id)
    assert lobby.table(config_free.id).state == "started"
    other = lobby.opens("cid", Open(most=3))
    lobby.joins("bob", other.id)
    assert lobby.seats(other.id) == ["cid"]
    assert "first game" in lobby.words("bob")


def test_a_banned_person_does_not_sit(lobby: Lobby) -> None:
    from bot.desk.people import ban
    from bot.desk.powers import DeskRequest, Use

    table = lobby.opens("ann", Open(most=3))
    lobby.joins("bob", table.id)
    ban(DeskRequest(lobby.world.moderator.open_games, "", lobby.world.now, Use(why="rude")), "bob@example.org")
    assert lobby.seats(table.id) == ["ann"]
    lobby.joins("bob", table.id)
    assert lobby.seats(table.id) == ["ann"]
    assert lobby.subjects("bob")[-1] == "You cannot join here"


def test_a_rematch_keeps_a_seat_for_each_and_tells_nobody_who_declined(lobby: Lobby) -> None:
    from bot.desk.clocks import end_game
    from bot.desk.powers import DeskRequest

    table = lobby.opens("ann", Open(most=3, ruleset="ah-basic"))
    for name in ("bob", "cid"):
        lobby.joins(name, table.id)
    end_game(DeskRequest(lobby.world.moderator.open_games, table.id, lobby.world.now), "void", [])
    lobby.proves("ann", f"rematch {table.id}")
    with reading(lobby.world.engine) as conn:
        from bot.store import lobby as rows

        (again,) = rows.all_tables(conn, "open")
    assert again.kind == "rematch"
    assert set(lobby.seats(again.id, "invited")) == {"bob", "cid"}
    before = len(lobby.letters("ann"))
    lobby.proves("bob", "no")
    assert len(lobby.letters("ann")) == before
    lobby.proves("cid", "yes")
    assert lobby.seats(again.id) == ["ann", "cid"]


def over(lobby: Lobby, *names: str) -> str:
    from bot.desk.clocks import end_game
    from bot.desk.powers import DeskRequest

    first, *others = names
    table = lobby.opens(first, Open(most=len(names), ruleset="ah-basic"))
    for name in others:
        lobby.joins(name, table.id)
    end_game(DeskRequest(lobby.world.moderator.open_games, table.id, lobby.world.now), "void", [])
    return table.id


def rematches(lobby: Lobby) -> list[str]:
    with reading(lobby.world.engine) as conn:
        from bot.store import lobby as rows

        return [each.id for each in rows.all_tables(conn) if each.kind == "rematch"]


def test_the_last_letter_of_a_game_has_a_button_for_another_with_the_same_people(lobby: Lobby) -> None:
    game = over(lobby, "ann", "bob")
    last = lobby.newest("ann")
    assert "Play again with the same people?" in last.text
    to = plus_address(ADDRESS, lobby.token_of("ann")).replace("+", "%2B")
    assert f"mailto:{to}?subject=%5B{game}%5D%20rematch%20{game}&amp;body=rematch%20{game}" in last.html
    lobby.proves("ann", f"rematch {game}")
    (again,) = rematches(lobby)
    assert lobby.seats(again) == ["ann"]
    assert lobby.subjects("bob")[-1] == f"Again, with the same people: {again}"


@pytest.mark.parametrize("words", ["rematch", "I want a rematch.", "Let's play again with the same people!"])
def test_an_answer_to_the_last_letter_of_a_game_asks_for_another(lobby: Lobby, words: str) -> None:
    over(lobby, "ann", "bob")
    lobby.answers("ann", words)
    (again,) = rematches(lobby)
    assert lobby.seats(again) == ["ann"]
    lobby.proves("bob", "yes")
    assert lobby.table(again).state == "started"
    lobby.answers("ann", "rematch")
    assert rematches(lobby) == [again]


def test_a_wish_for_another_game_among_thanks_is_asked_about(lobby: Lobby) -> None:
    game = over(lobby, "ann", "bob")
    lobby.answers("ann", "That was fun. Same again?")
    assert rematches(lobby) == []
    assert f"rematch {game}" in lobby.newest("ann").text
    lobby.answers("ann", "yes")
    assert len(rematches(lobby)) == 1
    before = len(lobby.letters("bob"))
    lobby.answers("bob", "Thank you all, it was a great game.")
    assert "rematch" not in " ".join(sent.subject for sent in lobby.letters("bob")[before:])


@pytest.mark.parametrize("words", ["count me in", "I'm in!"])
def test_whoever_is_asked_to_play_again_and_writes_that_they_join_has_their_seat(lobby: Lobby, words: str) -> None:
    game = over(lobby, "ann", "bob", "cid")
    lobby.opens("dora")
    lobby.proves("ann", f"rematch {game}")
    (again,) = rematches(lobby)
    lobby.answers("bob", words)
    assert lobby.seats(again) == ["ann", "bob"]
    lobby.proves("cid", "count me in")  # without a quoted letter, it could mean either
    assert lobby.seats(again) == ["ann", "bob"]
    assert "you have no new seat yet" in lobby.words("cid")


def test_a_rematch_can_be_asked_for_during_two_weeks(lobby: Lobby) -> None:
    game = over(lobby, "ann", "bob")
    lobby.wait(24 * 14 + 1)
    lobby.proves("ann", f"rematch {game}")
    assert rematches(lobby) == []
    assert f"{game} ended more than 14 days ago" in lobby.words("ann")


@pytest.mark.parametrize("count", [2, 3, 4, 5, 6])
def test_every_size_starts(lobby: Lobby, count: int) -> None:
    table = lobby.opens("ann", Open(most=count))
    for name in itertools.islice(NAMES, 1, count):
        lobby.joins(name, table.id)
    assert lobby.table(table.id).state == "started"
    assert len(lobby.world.table(table.id).seats) == count


def test_a_kept_seat_is_nobody_elses_and_a_table_never_has_one_player_too_many(lobby: Lobby) -> None:
    played = lobby.opens("hal", Open(most=2))
    lobby.joins("ian", played.id)
    table = lobby.opens("ann", Open(most=3, starts="opener"), kind="private")
    lobby.proves("ann", f"invite hal@example.org to {table.id}")
    assert lobby.seats(table.id, "invited") == ["hal"]
    lobby.joins("bob", table.id, table.word)
    lobby.joins("cid", table.id, table.word)
    assert (lobby.seats(table.id), lobby.seats(table.id, "waiting")) == (["ann", "bob"], ["cid"])
    lobby.wait(24 * 2)
    _second_turn(lobby, played.id)
    lobby.proves("hal", f"yes {table.id}")
    assert sorted(lobby.seats(table.id)) == ["ann", "bob", "hal"]


def _second_turn(lobby: Lobby, game: str) -> None:
    from sqlalchemy import update

    from bot.store.tables import GAME

    with lobby.session() as session:
        session.conn.execute(update(GAME).where(GAME.c.id == game).values(turn=2))


def test_an_invitation_to_a_public_table_keeps_its_seat_for_a_while_only(lobby: Lobby) -> None:
    played = lobby.opens("hal", Open(most=2))
    lobby.joins("ian", played.id)
    table = lobby.opens("ann", Open(most=2))
    lobby.proves("ann", f"invite hal@example.org to {table.id}")
    lobby.joins("bob", table.id)
    assert lobby.seats(table.id, "waiting") == ["bob"]
    lobby.wait(60)
    lobby.wait(1)
    assert lobby.seats(table.id, "invited") == []
    assert lobby.seats(table.id, "offered") == ["bob"]


def test_whoever_leaves_a_table_decides_nothing_there_any_more(lobby: Lobby) -> None:
    table = lobby.opens("ann", Open(most=3))
    lobby.joins("bob", table.id)
    lobby.proves("ann", f"leave {table.id}")
    lobby.proves("ann", f"close {table.id}")
    assert lobby.table(table.id).state == "open"
    assert lobby.table(table.id).starter == "bob@example.org"
    lobby.joins("cid", table.id)
    lobby.proves("bob", f"close {table.id}")
    assert lobby.table(table.id).state == "ended"
    assert "game master" not in lobby.words("cid").partition("Open tables")[0]


def test_a_table_with_a_date_that_fills_late_ends_by_its_date(lobby: Lobby) -> None:
    day = (lobby.world.now + timedelta(days=10)).date()
    table = lobby.opens("ann", Open(most=2, by=day))
    at = table.settings.starts_at
    assert at is not None
    lobby.wait((at - lobby.world.now) / timedelta(hours=1) - 3)
    lobby.joins("bob", table.id)
    assert lobby.table(table.id).check_due == at
    before = len(lobby.letters("bob"))
    lobby.wait(4)
    assert lobby.table(table.id).state == "ended"
    assert lobby.subjects("bob")[before:] == [f"{table.id} ends: one of two"]


def test_a_table_like_one_that_nobody_may_know_is_not_opened(lobby: Lobby) -> None:
    private = lobby.opens("zoe", kind="private")
    for like in (private.id, "meridian-999999"):
        lobby.proves("bob", f"open a game: same as {like}")
        assert f"There is no open table {like}" in lobby.words("bob")
    with reading(lobby.world.engine) as conn:
        from bot.store import lobby as rows

        assert [each.id for each in rows.all_tables(conn)] == [private.id]


def test_a_seat_with_which_a_game_cannot_begin_is_freed_and_its_person_told(
    lobby: Lobby, monkeypatch: pytest.MonkeyPatch
) -> None:
    from bot.games.seat_addresses import AddressRefused
    from bot.lobby import starting

    def refuse(session: object, new: object) -> None:
        raise AddressRefused("bob cannot play", ["bob@example.org"])

    table = lobby.opens("ann", Open(most=2))
    with monkeypatch.context() as patch:
        patch.setattr(starting, "begin_game", refuse)
        lobby.joins("bob", table.id)
    assert lobby.table(table.id).state == "open"
    assert lobby.seats(table.id) == ["ann"]
    assert lobby.subjects("bob")[-1] == f"You no longer have a seat at {table.id}"
    lobby.joins("cid", table.id)
    assert lobby.table(table.id).state == "started"


def test_the_game_master_hears_once_of_a_game_that_cannot_begin(lobby: Lobby, monkeypatch: pytest.MonkeyPatch) -> None:
    from bot.lobby import starting

    def refuse(session: object, new: object) -> None:
        raise ValueError("no power today")

    table = lobby.opens("ann", Open(most=2))
    with monkeypatch.context() as patch:
        patch.setattr(starting, "begin_game", refuse)
        lobby.joins("bob", table.id)
        lobby.proves("bob", "yes")
    assert lobby.subjects("gm@arrakis.example") == [f"{table.id} could not begin"]
    assert lobby.seats(table.id) == ["ann", "bob"]
    lobby.proves("bob", "yes")
    lobby.wait(1)
    assert lobby.table(table.id).state == "started"


def test_the_second_letter_that_comes_back_for_good_frees_a_seat(lobby: Lobby) -> None:
    table = lobby.opens("ann")
    lobby.joins("bob", table.id)
    for number, seats in ((1, ["ann", "bob"]), (2, ["ann"])):
        lobby.wait(25)
        assert lobby.deliver(_bounce(lobby, "bob", number)).disposition == "bounce"
        assert lobby.seats(table.id) == seats
    assert lobby.subjects("ann") == []


def test_a_letter_that_came_back_is_forgotten_when_its_reader_writes(lobby: Lobby) -> None:
    table = lobby.opens("ann")
    lobby.joins("bob", table.id)
    lobby.deliver(_bounce(lobby, "bob", 1))
    lobby.proves("bob", "my games")
    lobby.wait(25)
    lobby.deliver(_bounce(lobby, "bob", 2))
    assert lobby.seats(table.id) == ["ann", "bob"]


def _bounce(lobby: Lobby, name: str, number: int) -> bytes:
    from bot.mail.identity import bounce_token_of, plus_address
    from tests.moderator.table import ADDRESS

    to = plus_address(ADDRESS, f"b-{bounce_token_of(lobby.token_of(name))}")
    return (
        f"From: MAILER-DAEMON@mx.example\r\nTo: {to}\r\nSubject: Undelivered\r\nMessage-ID: <b{number}@mx.example>\r\n"
        'MIME-Version: 1.0\r\nContent-Type: multipart/report; report-type=delivery-status; boundary="b"\r\n\r\n'
        "--b\r\nContent-Type: text/plain\r\n\r\nNo mailbox.\r\n--b\r\nContent-Type: message/delivery-status\r\n\r\n"
        f"Reporting-MTA: dns; mx.example\r\n\r\nFinal-Recipient: rfc822; {name}@example.org\r\nAction: failed\r\n"
        "Status: 5.1.1\r\n\r\n--b--\r\n"
    ).encode()


def test_who_says_when_it_starts_is_told_when_the_table_is_no_longer_full(lobby: Lobby) -> None:
    table = lobby.opens("ann", Open(most=3, starts="opener"))
    lobby.joins("bob", table.id)
    lobby.joins("cid", table.id)
    assert lobby.subjects("ann") == [f"{table.id} is full"]
    lobby.proves("bob", f"leave {table.id}")
    assert lobby.subjects("ann")[-1] == f"{table.id} is waiting for 1 player again"


def test_both_are_told_when_the_word_passes_on(lobby: Lobby) -> None:
    table = lobby.opens("ann", Open(most=2, starts="opener"))
    lobby.joins("bob", table.id)
    lobby.wait(73)
    assert lobby.subjects("bob")[-1] == f"{table.id}: now you decide when it begins"
    assert lobby.subjects("ann")[-1] == f"{table.id}: somebody else will decide when it begins"


def test_a_table_goes_on_with_those_who_may_still_sit_there(lobby: Lobby) -> None:
    table = lobby.opens("ann")
    lobby.joins("bob", table.id)
    lobby.wait(24 * 14 + 1)
    other = lobby.opens("cid")
    lobby.joins("bob", other.id)
    lobby.proves("ann", f"prolong {table.id}")
    assert lobby.seats(table.id) == ["ann"]
    assert "first game" in lobby.words("bob")


def test_the_game_master_who_plays_is_named_in_the_letters_of_the_table(tmp_path: Path) -> None:
    from tests.lobby.people import OPEN_TO_ALL

    made = Lobby.at(tmp_path, OPEN_TO_ALL + "keeper_plays = true\n")
    table, other = made.opens("ann", Open(most=4)), made.opens("zoe", Open(most=4))
    made.joins("gm@arrakis.example", table.id)
    made.joins("bob", table.id)
    made.joins("cid", other.id)
    assert "could see the draw in advance, has a seat at this table" in made.words("bob")
    assert "could see the draw in advance" not in made.words("cid")


def test_who_is_deleted_leaves_neither_name_nor_wish_at_a_table(lobby: Lobby) -> None:
    from sqlalchemy import select

    from bot.store.lobby import LOBBY_SEAT
    from bot.store.retention import empty_person

    table = lobby.opens("ann", Open(most=3))
    lobby.proves("bob", f"join {table.id} as guild, I'm Bobbyname")
    lobby.proves("bob", f"leave {table.id}")
    with lobby.session() as session:
        before = [tuple(row) for row in session.conn.execute(select(LOBBY_SEAT.c.name, LOBBY_SEAT.c.wishes))]
        empty_person(session.conn, "bob@example.org")
        after = [tuple(row) for row in session.conn.execute(select(LOBBY_SEAT.c.name, LOBBY_SEAT.c.wishes))]
    assert ("Bobbyname", "guild") in before
    assert after == [("Ann", ""), ("", "")]
