"""Entrants' mail with a reply token: commands, those that need proof, and senders who get no answer."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest
from sqlalchemy import select

from bot.games.identity import TOO_MANY_MESSAGES
from bot.store import acts, people, retention, tournament_rounds, tournaments
from bot.store.acts import GrantedRight
from bot.store.database import reading, writing
from bot.store.games import every_table
from bot.store.tournament_rounds import Round, RoundTable, Tenure
from bot.store.tournaments import Paper
from bot.tournament import desk, entrant_lines, mail_lines, preparation
from bot.tournament.desk import By, Caller, acting
from tests.moderator.table import CONFIG, GAME_MASTER
from tests.tournament.entries import DIRECTOR, OWN, Cup, address

PREFERENCE = 'title = "The Cup"\nfactions.by = "preference"\n'


def filed(cup: Cup, kind: tournaments.PaperKind) -> list[str]:
    with reading(cup.world.engine) as conn:
        return [paper.words for paper in tournaments.papers_of(conn, "cup", kind)]


@pytest.fixture
def cup(entry_cup: Cup) -> Cup:
    return entry_cup


def test_several_lines_are_answered_one_by_one_in_one_letter(cup: Cup) -> None:
    cup.enters("ann")
    before = len(cup.letters("ann"))
    cup.answers("ann", "name Annie", "awake 8-22 Berlin", "prefrences guild", "Thank you!", "status")
    assert len(cup.letters("ann")) == before + 1
    text = " ".join(cup.newest("ann").text.split())
    assert "The others see you as Annie (E001)" in text
    assert "Did you mean “preferences guild”?" in text
    ann = cup.entrant("ann")
    assert (ann.name, ann.timezone) == ("Annie", "Europe/Berlin")
    assert bin(ann.hours).count("1") == 14


def test_a_line_below_much_talk_counts_and_of_too_many_lines_it_is_said_where_reading_ended(cup: Cup) -> None:
    cup.enters("ann")
    cup.answers("ann", *["I have thought long about the spice and about all of you, my friends."] * 60, "name Annie")
    assert cup.entrant("ann").name == "Annie"
    cup.answers("ann", *[f"name Annie {number}" for number in range(1, 34)])
    assert cup.entrant("ann").name == "Annie 30"
    text = " ".join(cup.newest("ann").text.split())
    assert "name Annie 31" in text
    assert "name Annie 32" not in text
    assert "We read at most 30 lines per mail. This line and those below it (3 lines in all) were not" in text


def test_an_answer_hangs_below_the_mail_that_it_answers(cup: Cup) -> None:
    cup.enters("ann")
    cup.answers("ann", "help")
    assert str(cup.newest("ann").message["In-Reply-To"]).endswith("ann@example.org>")


@pytest.mark.parametrize(
    ("zone", "suggested"),
    [
        ("Berl", ["awake 09:00-17:00 Europe/Berlin"]),
        ("georgia", ["awake 09:00-17:00 America/New_York", "awake 09:00-17:00 Asia/Tbilisi"]),
        ("xyzzy", ["awake 8-22 Europe/Berlin"]),
    ],
)
def test_hours_at_a_place_that_is_not_one_time_zone_are_refused_with_those_that_are_meant(
    cup: Cup, zone: str, suggested: list[str]
) -> None:
    cup.enters("ann", "awake 8-22 Berlin")
    before = cup.entrant("ann")
    cup.answers("ann", f"awake 9-17 {zone}")
    text = " ".join(cup.newest("ann").text.split())
    assert f"“{zone}”" in text
    assert sorted(set(re.findall(r"awake [\d:]+-[\d:]+ \w+/[\w/]+", text))) == suggested
    assert cup.entrant("ann") == before


@pytest.mark.parametrize(("zone", "kept"), [("GMT-5", "Etc/GMT+5"), ("(+05:30)", "UTC+05:30"), ("in Japan.", "Japan")])
def test_hours_may_name_an_offset_or_a_country(cup: Cup, zone: str, kept: str) -> None:
    cup.enters("ann", f"awake 8-22 {zone}")
    assert cup.entrant("ann").timezone == kept


def test_hours_without_a_place_are_by_the_clocks_that_were_named_before(cup: Cup) -> None:
    cup.enters("ann", "awake 8-22 Berlin")
    cup.answers("ann", "awake 9-17")
    assert "your waking hours are 09:00-17:00 in Europe/Berlin, where it is now " in " ".join(
        cup.newest("ann").text.split()
    )
    ann = cup.entrant("ann")
    assert (ann.timezone, bin(ann.hours)) == ("Europe/Berlin", f"0b{'1' * 8}{'0' * 8}")


def test_twenty_people_can_be_named_as_known_too_well_and_no_more(cup: Cup) -> None:
    cup.enters("ann", *(f"connected p{number}@example.org" for number in range(19)))
    cup.answers("ann", "connected last@example.org: friends")
    assert "we will never seat you with last@example.org" in " ".join(cup.newest("ann").text.split())
    known = cup.entrant("ann").connections
    assert len(known.splitlines()) == 20
    cup.answers("ann", "connected one-more@example.org", "connected last@example.org: friends")
    text = " ".join(cup.newest("ann").text.split())
    assert "You have named 20 people, which is as many as we can record. For more, write to the organisers" in text
    assert "1 of 2 lines taken" in cup.newest("ann").subject, "whom they had named before is no other"
    assert cup.entrant("ann").connections == known


def test_who_is_named_by_handle_and_by_address_before_they_are_in_is_kept_apart_once_for_the_first_reason(
    cup: Cup,
) -> None:
    cup.enters("ann", "connected e002: brothers", "connected e001", "connected nobody@example.org", "connected e009")
    cup.answers("ann", f"connected {address('bob')}: one flat")
    cup.says("bob", "enter cup as Bob", f"connected {address('cid')}: a friend")
    cup.enters("cid")
    brothers, friends = (1, 2, "brothers"), (2, 3, "a friend")
    assert apart(cup) == [brothers], "what Bob says does not count before he is in"
    cup.says("bob", f"confirm {cup.code('bob')}")
    assert apart(cup) == [brothers, friends]
    cup.answers("bob", "connected e001: rivals")
    assert apart(cup) == [brothers, friends]


def apart(cup: Cup) -> list[tuple[int, int, str]]:
    with reading(cup.world.engine) as conn:
        return [(pair.one, pair.other, pair.why) for pair in tournaments.pairs_apart(conn, "cup")]


def test_wishes_are_sealed_and_a_new_one_takes_the_place_of_the_old(tmp_path: Path) -> None:
    cup = Cup.at(tmp_path, PREFERENCE)
    cup.enters("ann")
    cup.answers("ann", "preferences guild, fremen = atreides, *")
    cup.answers("ann", "preferences emperor, *")
    assert filed(cup, "preferences") == ["emperor, *"]
    cup.answers("ann", "preferences gild, *")
    assert filed(cup, "preferences") == ["emperor, *"]
    assert "not a faction of this table" in " ".join(cup.newest("ann").text.split())
    cup.world.engine.dispose()


@pytest.mark.parametrize(
    ("by", "line"),
    [
        ("draw", "preferences guild"),
        ("auction", "keep guild"),
        ("two-cards", "trade E002"),
        ("preference", "bid guild 1"),
    ],
)
def test_what_is_not_asked_for_is_refused_with_what_is(tmp_path: Path, by: str, line: str) -> None:
    cup = Cup.at(tmp_path, f'title = "The Cup"\nfactions.by = "{by}"\n')
    cup.enters("ann")
    cup.answers("ann", line)
    assert "REFUSED" in cup.newest("ann").text
    cup.world.engine.dispose()


@pytest.mark.parametrize("worth", ["-1", "1e3", "3/0", "NaN", "1" * 40])
def test_a_worth_that_is_no_number_of_points_is_refused(tmp_path: Path, worth: str) -> None:
    cup = Cup.at(tmp_path, 'title = "The Cup"\nfactions.by = "auction"\n')
    cup.enters("ann")
    with writing(cup.world.engine) as conn:
        tournament_rounds.add_round(conn, Round("cup", 1, "heat", "drawn", opens=cup.world.now))
        tournament_rounds.add_tables(conn, [RoundTable("cup", 1, 1, 6)], [Tenure("cup", 1, 1, 2, 1)])
    cup.answers("ann", f"bid atreides {worth}, guild 2")
    assert filed(cup, "worths") == []
    cup.answers("ann", "bid atreides 3, guild 2.5")
    assert filed(cup, "worths") == ["atreides 3, guild 2.5"]
    cup.world.engine.dispose()


def test_who_has_several_tables_says_for_which_they_bid(tmp_path: Path) -> None:
    cup = Cup.at(tmp_path, 'title = "The Cup"\nfactions.by = "auction"\n')
    cup.enters("ann")
    now = cup.world.now
    with writing(cup.world.engine) as conn:
        for number, opens in ((1, None), (2, now), (3, now)):
            tournament_rounds.add_round(conn, Round("cup", number, "heat", "drawn", opens=opens))
            tournament_rounds.add_tables(conn, [RoundTable("cup", number, 1, 6)], [Tenure("cup", number, 1, 2, 1)])
        tournament_rounds.add_tables(conn, [RoundTable("cup", 2, 2, 6)], [Tenure("cup", 2, 2, 2, 2)])
    for line in ("bid guild 1", "bid 1.1 guild 1", "bid 2.2 guild 1"):
        cup.answers("ann", line)
        text = " ".join(cup.newest("ann").text.split())
        assert "You have several tables: 2.1 and 3.1. Put the one you mean" in text
    cup.answers("ann", "bid 3.1 guild 2", "bid 2/1 guild 1")
    assert "Sealed for table 2.1: guild 1." in " ".join(cup.newest("ann").text.split())
    with reading(cup.world.engine) as conn:
        kept = tournaments.papers_of(conn, "cup", "worths")
    assert [(paper.round, paper.table, paper.words) for paper in kept] == [(3, 1, "guild 2"), (2, 1, "guild 1")]
    cup.world.engine.dispose()


@pytest.mark.parametrize("playing", [False, True])
def test_who_has_no_table_that_waits_for_its_factions_bids_for_none(tmp_path: Path, playing: bool) -> None:
    cup = Cup.at(tmp_path, 'title = "The Cup"\nfactions.by = "auction"\n')
    cup.enters("ann")
    with writing(cup.world.engine) as conn:
        tournament_rounds.add_round(conn, Round("cup", 1, "heat", "drawn", opens=cup.world.now))
        table = RoundTable("cup", 1, 1, 6, state="playing" if playing else "planned")
        tournament_rounds.add_tables(conn, [table], [Tenure("cup", 1, 1, 2, 1 if playing else 2)])
    cup.answers("ann", "bid guild 1")
    assert "None of your tables is waiting for that" in " ".join(cup.newest("ann").text.split())
    assert filed(cup, "worths") == []
    cup.world.engine.dispose()


def test_a_ladder_takes_who_is_ready_and_nobody_else_does(tmp_path: Path) -> None:
    cup = Cup.at(tmp_path, 'title = "The Cup"\nformat = "ladder"\n')
    cup.enters("ann")
    cup.answers("ann", "ready")
    cup.answers("ann", "ready")
    assert filed(cup, "ready") == [""]
    cup.answers("ann", "not ready")
    assert filed(cup, "ready") == []
    cup.world.engine.dispose()


def test_where_there_is_no_ladder_nobody_waits_for_a_table(cup: Cup) -> None:
    cup.enters("ann")
    cup.answers("ann", "ready")
    assert "There is no ladder here" in " ".join(cup.newest("ann").text.split())
    assert "0 of 1 line taken" in cup.newest("ann").subject
    assert filed(cup, "ready") == []


def test_who_has_games_is_asked_what_becomes_of_them(cup: Cup) -> None:
    cup.enters("ann")
    with writing(cup.world.engine) as conn:
        tournament_rounds.add_round(conn, Round("cup", 1, "heat", "playing"))
        tournament_rounds.add_tables(conn, [RoundTable("cup", 1, 1, 6, state="playing")], [Tenure("cup", 1, 1, 2, 1)])
    cup.answers("ann", "withdraw")
    assert "withdraw cup keep" in cup.newest("ann").text
    assert cup.entrant("ann").state == "confirmed"


# --- who is believed -------------------------------------------------------------------------------------------------


def test_a_letter_of_an_organiser_answered_by_a_player_is_put_aside_and_told(cup: Cup) -> None:
    cup.enters("ann")
    with reading(cup.world.engine) as conn:
        token = acts.rights_of(conn, tournament_id="cup")[0].token
    found = cup.says("ann", "standings", to=f"mentat+{token}@arrakis.example")
    assert found.disposition == "rejected"
    assert cup.world.letters(GAME_MASTER)
    shown = cup.deliver(cup.mail("boss", "standings", to=f"mentat+{token}@arrakis.example", sender=DIRECTOR))
    assert shown.disposition == "orders"
    assert "No table has a result yet" in " ".join(cup.world.newest(DIRECTOR).text.split())


def test_an_organiser_who_writes_anything_else_is_told_what_they_can_see_and_where_they_act(cup: Cup) -> None:
    with reading(cup.world.engine) as conn:
        (boss,) = acts.rights_of(conn, tournament_id="cup")
    to = f"mentat+{boss.token}@arrakis.example"
    found = cup.deliver(cup.mail("boss", "What a lovely evening", to=to, sender=DIRECTOR))
    assert found.disposition == "orders"
    letter = cup.world.newest(DIRECTOR)
    assert letter.subject == "[cup] What you can do by mail"
    assert "send standings or tables. To do something, send one of these lines" in " ".join(letter.text.split())
    cup.deliver(cup.mail("boss", "withdraw cup", "standings", to=to, sender=DIRECTOR))
    text = " ".join(cup.world.newest(DIRECTOR).text.split())
    assert "No table has a result yet" in text
    assert "must be typed on the computer where Mentat runs" not in text


def test_an_organiser_without_a_token_is_put_aside(cup: Cup) -> None:
    found = cup.deliver(cup.mail("boss", "withdraw cup", sender=DIRECTOR))
    assert found.disposition == "rejected"


def test_the_tournaments_own_address_answers_entries_alone(cup: Cup) -> None:
    own = "mentat+cuptournamentt22@arrakis.example"
    cup.says("ann", "enter cup", to=own)
    assert cup.entrant("ann").state == "entered"
    cup.says("eve", "I would like to play!", to=own)
    assert "Nothing was done for this address" in cup.newest("eve").text


def test_who_mistypes_a_tournament_reads_which_take_entries_from_everybody(cup: Cup) -> None:
    cup.says("ann", "enter cupp as Ann", to=OWN)
    assert "Tournaments that everybody can enter now: cup (" in " ".join(cup.newest("ann").text.split())


def test_a_tournament_that_is_not_open_to_everybody_is_not_named_to_strangers(tmp_path: Path) -> None:
    cup = Cup.at(tmp_path, settings='title = "The Cup"\npeople.entry = "invited"\n')
    cup.says("ann", "enter cup as Ann", to=OWN)
    text = " ".join(cup.newest("ann").text.split())
    assert "Nothing was done for this address" in text
    assert "that everybody can enter now" not in text


def test_where_addresses_take_no_plus_the_subject_brings_the_code_back(tmp_path: Path) -> None:
    config = CONFIG.replace("[mailbox]", "plus_addressing = false\n[mailbox]")
    cup = Cup.at(tmp_path, config=config)
    cup.says("ann", "enter cup")
    letter = cup.newest("ann")
    assert "+" not in str(letter.message["Reply-To"])
    cup.says("ann", "confirm", to=OWN, subject=f"Re: {letter.subject}")
    assert cup.entrant("ann").state == "confirmed"
    cup.says("ann", "name Annie", to=OWN, subject=f"Re: {cup.newest('ann').subject}")
    assert cup.entrant("ann").name == "Annie"
    cup.world.engine.dispose()


def test_where_senders_are_proved_a_token_alone_does_nothing(tmp_path: Path) -> None:
    proof = '[identity]\nmode = "token+sender+auth"\nauthserv_id = "mx.arrakis.example"\n'
    cup = Cup.at(tmp_path, config=f"{CONFIG}\n{proof}")
    good = b"Authentication-Results: mx.arrakis.example; dmarc=pass header.from=example.org\r\n"

    def dated(*lines: str, to: str = OWN) -> bytes:
        return cup.mail("ann", *lines, to=to, Date=format_datetime(cup.world.now))

    cup.deliver(dated("enter cup"))
    cup.deliver(dated(f"confirm {cup.code('ann')}"))
    ann = cup.entrant("ann")
    assert ann.state == "confirmed"
    to = f"mentat+{ann.token}@arrakis.example"
    assert cup.deliver(dated("withdraw", to=to)).disposition == "rejected"
    assert cup.entrant("ann").state == "confirmed"
    assert cup.deliver(good + dated("withdraw", "help", to=to)).disposition == "orders"
    assert cup.entrant("ann").state == "withdrawn"
    cup.world.engine.dispose()


def test_a_fault_within_leaves_nothing_behind(cup: Cup, monkeypatch: pytest.MonkeyPatch) -> None:
    def dies(*_: object, **__: object) -> None:
        raise RuntimeError("the process dies")

    raw = cup.mail("ann", "enter cup")
    with monkeypatch.context() as broken:
        broken.setattr("bot.tournament.letters.tell_stranger", dies)
        assert cup.deliver(raw).disposition == "fault"
    assert cup.everybody() == []
    assert cup.letters("ann") == []
    cup.says("ann", "enter cup")
    assert cup.entrant("ann").state == "entered"


def test_whoever_is_deleted_leaves_a_handle_and_gets_no_more_letters(cup: Cup) -> None:
    cup.enters("ann", "connected bob@example.org")
    cup.enters("bob")
    with writing(cup.world.engine) as conn:
        retention.empty_person(conn, address("bob"))
        left = tournaments.entrants_of(conn, "cup")
    assert [(each.handle, each.name) for each in left] == [("E001", "Ann"), ("E002", "")]
    assert "bob" not in left[0].connections + left[1].address
    before = cup.world.written()
    changed = 'title = "The Cup"\nrated = false\n'
    preparation.amend_settings(
        Caller(cup.world.moderator.open_games, cup.world.now, By(why="It is for fun.")), "cup", changed
    )
    assert [letter.recipient for letter in cup.world.letters(after=before)] == [address("ann")]


def test_whoever_is_deleted_has_no_right_any_more_and_stands_in_no_words_of_others(cup: Cup) -> None:
    bob, judge = address("bob"), "judge@example.org"
    cup.enters("ann", f"connected {bob}")
    with writing(cup.world.engine) as conn:
        for who in (bob, judge):
            acts.grant_right(conn, GrantedRight(who, "arbiter", f"right-{who}", cup.world.now, tournament_id="cup"))
        before = acts.rights_of(conn, tournament_id="cup")
        retention.empty_person(conn, bob)
        after = acts.rights_of(conn, tournament_id="cup")
        everything = [str(row) for table in every_table() for row in conn.execute(select(table)).all()]
    assert {each.address for each in before} - {each.address for each in after} == {bob}
    assert [each for each in before if each.address != bob] == after
    assert not [row for row in everything if bob in row.lower()]
    assert any(judge in row for row in everything)


def test_letters_follow_whoever_changes_their_address(cup: Cup) -> None:
    cup.enters("ann")
    with writing(cup.world.engine) as conn:
        people.ask_for_address(conn, address("ann"), address("anna"), "c" * 16, cup.world.now)
        asked = people.address_request(conn, "c" * 16, cup.world.now)
        assert asked
        people.confirm_address(conn, asked)
        people.use_address(conn, address("anna"))
    token = cup.entrant("ann").token
    assert cup.says("anna", "status", to=f"mentat+{token}@arrakis.example").disposition == "orders"
    assert cup.newest("anna").subject == "[cup] Status"


def test_who_directs_cannot_enter_and_is_told_so(cup: Cup) -> None:
    cup.deliver(cup.mail("boss", "enter cup", sender=DIRECTOR))
    assert cup.everybody() == []
    assert "cannot play in it" in " ".join(cup.world.newest(DIRECTOR).text.split())


def test_who_directs_is_told_that_they_cannot_enter_once_an_hour(cup: Cup) -> None:
    for hour in (0, 0.5, 0.6):
        cup.wait(hour)
        found = cup.deliver(cup.mail("boss", "enter cup", sender=DIRECTOR))
        assert found.reason == "an organiser of cup cannot enter it"
    assert len(cup.world.letters(DIRECTOR)) == 2
    assert cup.everybody() == []


def test_an_answer_to_a_letter_of_one_tournament_enters_another(cup: Cup) -> None:
    cup.make("second")
    cup.enters("ann")
    found = cup.answers("ann", "enter second as Annie")
    assert found.reason == "E001 of cup enters second"
    assert (cup.entrant("ann", "second").name, cup.entrant("ann", "second").state) == ("Annie", "entered")
    assert cup.newest("ann").subject == "[second] Please confirm your entry to The Cup"
    cup.says("ann", f"confirm {cup.code('ann')}")
    assert cup.entrant("ann", "second").state == "confirmed"
    assert cup.entrant("ann").name == "Ann"


def test_beside_the_entry_to_another_tournament_the_other_lines_are_answered(cup: Cup) -> None:
    cup.make("second")
    cup.enters("ann")
    before = len(cup.letters("ann"))
    to = str(cup.newest("ann").message["Reply-To"])
    found = cup.says("ann", "enter cup", "name Annie", "enter second", to=to)
    assert found.reason == "E001 of cup wrote"
    assert cup.entrant("ann").name == "Annie"
    assert [letter.subject for letter in cup.letters("ann")[before:]] == [
        "[second] Please confirm your entry to The Cup",
        "[cup] 1 of 1 line taken",
    ]


@pytest.mark.parametrize("how", ["token", "no token", "enters again"])
def test_who_is_in_is_answered_so_often_in_an_hour_and_no_more(tmp_path: Path, how: str) -> None:
    cup = Cup.at(tmp_path, config=f"{CONFIG}answers_per_hour = 4\n")
    cup.enters("ann")
    to = str(cup.newest("ann").message["Reply-To"]) if how == "token" else OWN
    line = "enter cup" if how == "enters again" else "status cup"
    found = []
    for _ in range(4):
        cup.world.now += timedelta(minutes=1)
        found.append(cup.says("ann", line, to=to))
    assert len(cup.letters("ann")) == 4, "the code and the welcome are two of them"
    if how == "enters again":
        assert {each.reason for each in found} == {"E001 is in cup already"}
    else:
        assert [each.disposition for each in found] == ["orders", "orders", "rejected", "rejected"]
        assert found[-1].reason == TOO_MANY_MESSAGES
    cup.wait(1.1)
    cup.says("ann", line, to=to)
    assert len(cup.letters("ann")) == 5
    cup.world.engine.dispose()


def test_a_code_counts_on_any_line_of_a_mail_from_the_address_that_got_it(cup: Cup) -> None:
    for who in ("ann", "bob"):
        cup.says(who, f"enter cup as {who.title()}")
    anns, bobs = cup.code("ann"), cup.code("bob")
    cup.says("eve", "status cup", f"confirm {anns}")
    assert cup.entrant("ann").state == "entered"
    found = cup.says("ann", f"confirm {bobs}", "status cup")
    assert found.reason.startswith("about a tournament; answered without")
    assert (cup.entrant("ann").state, cup.entrant("bob").state) == ("entered", "entered")
    found = cup.says("ann", "status cup", f"confirm {bobs}", f"confirm {anns}")
    assert found.reason == "E001 confirmed that they enter cup"
    assert (cup.entrant("ann").state, cup.entrant("bob").state) == ("confirmed", "entered")


def test_a_new_director_agrees_with_the_code_in_the_line_or_in_the_address(cup: Cup) -> None:
    def directors() -> list[str]:
        with reading(cup.world.engine) as conn:
            return [who.address for who in acts.rights_of(conn, tournament_id="cup") if who.right == "director"]

    desk.hand_over(Caller(cup.world.moderator.open_games, cup.world.now), "cup", address("bob"))
    assert cup.says("eve", f"confirm {cup.code('bob')}").reason.startswith("about a tournament; answered without")
    assert directors() == [DIRECTOR]
    found = cup.says("bob", f"confirm {cup.code('bob')}")
    assert (found.disposition, found.reason) == ("orders", "a tournament has another director")
    assert directors() == [address("bob")]
    desk.hand_over(Caller(cup.world.moderator.open_games, cup.world.now), "cup", address("cid"))
    by_address = f"mentat+{cup.code('cid')}@arrakis.example"
    assert cup.says("eve", "confirm", to=by_address).disposition == "rejected"
    assert cup.says("cid", "I agree", to=by_address).disposition == "rejected"
    assert directors() == [address("bob")]
    found = cup.says("cid", "confirm", to=by_address)
    assert (found.disposition, found.reason) == ("orders", "a tournament was handed over")
    assert directors() == [address("cid")]


def test_an_invitation_that_was_accepted_is_accepted_once(tmp_path: Path) -> None:
    cup = Cup.at(tmp_path)
    cup.enters("ann")
    with writing(cup.world.engine) as conn:
        tournaments.file_paper(
            conn, Paper("cup", 1, "invitation", "", cup.world.now, until=cup.world.now + timedelta(days=3))
        )
        tournaments.change_entrant(conn, "cup", 1, state="invited")
    cup.answers("ann", "accept")
    assert "You are in The Cup. Next comes the draw" in " ".join(cup.newest("ann").text.split())
    cup.answers("ann", "accept")
    assert "You are in as Ann (E001); nothing has changed" in " ".join(cup.newest("ann").text.split())
    assert cup.entrant("ann").state == "confirmed"
    cup.world.engine.dispose()


def test_a_code_that_waits_for_its_letter_is_not_sent_once_the_tournament_is_cancelled(cup: Cup) -> None:
    cup.says("ann", "enter nothing-like-it")
    cup.says("ann", "enter cup")
    with writing(cup.world.engine) as conn:
        tournaments.touch(conn, "cup", state="cancelled")
    cup.wait(1.1)
    assert [letter.subject for letter in cup.letters("ann")] == ["[Mentat] Your mail about a tournament"]
    with writing(cup.world.engine) as conn:
        tournaments.touch(conn, "cup", state="running")
    cup.wait(0.1)
    assert "Please confirm your entry to The Cup" in cup.newest("ann").subject


def test_a_program_that_answers_every_letter_is_answered_five_times_a_day(cup: Cup) -> None:
    cup.enters("ann")
    before = len(cup.letters("ann"))
    for number in range(12):
        cup.answers("ann", f"We will look at it soon, see number {number}.")
    assert len(cup.letters("ann")) == before + 5
    cup.answers("ann", "status")
    assert len(cup.letters("ann")) == before + 6
    cup.wait(25)
    before = len(cup.letters("ann"))
    cup.answers("ann", "We will look at it soon.")
    assert len(cup.letters("ann")) == before + 1


# --- the answer to each line -----------------------------------------------------------------------------------------


def said(cup: Cup, name: str, line: str, tournament_id: str = "cup") -> tuple[str, str, tuple[str, ...]]:
    """Carry out an entrant's line; return the status, text and suggestions of the answer."""
    with acting(Caller(cup.world.moderator.open_games, cup.world.now), tournament_id) as (session, tournament):
        own = tournaments.entrant_of_person(session.conn, tournament_id, address(name))
        assert own is not None
        found = entrant_lines.carry_out_line(session, tournament, own, mail_lines.read_line(line))
    return found.status, found.text, found.suggestions


def test_each_line_of_an_entrant_is_answered_in_its_own_words(cup: Cup) -> None:
    cup.enters("ann", line="enter cup")
    unasked = "We have not asked you anything that this would answer."
    told = [
        ("enter cup", "done", "You are in as E001; nothing has changed."),
        ("name Ann Lee", "done", "The others see you as Ann Lee (E001)."),
        ("confirm", "done", "You are in as Ann Lee (E001); nothing has changed."),
        ("name hidden", "done", "The others see you as E001."),
        ("connected E002", "done", "Noted: we will never seat you with e002. Nobody will be told."),
        ("accept", "refused", unasked),
        ("decline", "refused", unasked),
        ("standings", "done", "See below."),
        ("ready", "refused", "There is no ladder here: tables are drawn for everybody at once."),
        ("keep guild", "refused", "Factions are drawn at random, as evenly as possible."),
        (
            "withdraw other",
            "refused",
            "You answered a letter from cup. To withdraw from other, answer one of its letters.",
        ),
        ("withdraw cup", "done", "You are no longer in The Cup."),
    ]
    assert [(line, *said(cup, "ann", line)[:2]) for line, _, _ in told] == told
    assert (cup.entrant("ann").name, cup.entrant("ann").shown) == ("Ann Lee", False)
    assert cup.entrant("ann").state == "withdrawn"
    assert said(cup, "ann", "standngs") == (
        "unread", "We did not understand this. Did you mean:", (mail_lines.FORMS["standings"],)
    )  # fmt: skip


def test_who_is_invited_is_told_what_became_of_the_place(cup: Cup) -> None:
    cup.make("small", 'title = "The Cup"\npeople.most = 1\npeople.invite_hours = 72\n')
    for name in ("ann", "bob", "cid"):
        cup.says(name, f"enter small as {name}")
        cup.says(name, f"confirm {cup.code(name)}")
    said(cup, "ann", "withdraw", "small")
    assert cup.entrant("bob", "small").state == "invited"
    left = "We will ask the next person on the list. You are still number 1 on the list of substitutes."
    assert said(cup, "bob", "decline", "small") == ("done", left, ())
    gone = "Your invitation had expired, and the place went to the next in line. You are still number 1 on the waiting"
    gone += " list."
    assert said(cup, "bob", "accept", "small") == ("done", gone, ())
    assert said(cup, "cid", "accept", "small") == ("done", "You are in The Cup. Next comes the draw.", ())
    in_already = ("done", "You are in as cid (E003); nothing has changed.", ())
    assert [said(cup, "cid", line, "small") for line in ("accept", "decline")] == [in_already, in_already]
    assert cup.entrant("cid", "small").state == "confirmed"


@pytest.mark.parametrize(
    ("hours", "zone", "awake"),
    [
        ("08:00-12:00", "UTC", [8, 9, 10, 11]),
        ("08:29-11:30", "UTC", [8, 9, 10, 11]),
        ("08:30-12:00", "UTC", [9, 10, 11]),
        ("22:00-01:00", "UTC", [0, 22, 23]),
        ("23:30-01:10", "UTC", [0]),
        ("09:00-08:00", "UTC", [*range(8), *range(9, 24)]),
        ("08:00-10:00", "Europe/Berlin", [7, 8]),
        ("08:00-10:00", "Asia/Kolkata", [3, 4]),
        ("08:00-10:20", "America/New_York", [13, 14]),
        ("00:00-02:00", "Europe/Berlin", [0, 23]),
    ],
)
def test_waking_hours_are_counted_in_hours_of_utc(hours: str, zone: str, awake: list[int]) -> None:
    mask = entrant_lines.hours_mask(hours, zone, datetime(2026, 1, 15, 12, tzinfo=UTC))
    assert [hour for hour in range(30) if mask >> hour & 1] == awake
