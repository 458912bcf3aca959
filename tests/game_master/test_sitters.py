"""Sitters: their letters and rights, the player's remaining rights, how sitting in ends, and who is told."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path

import pytest

from bot.desk import people, rights, seats, sight
from bot.desk.powers import DeskRequest, PowerRefused, Use
from bot.games import proof
from bot.games.observers import ObserverRefused
from bot.store import acts
from bot.store.database import reading
from rules.components import FACTIONS, Faction, faction_name
from tests.game_master.test_by_mail import granted, mail
from tests.moderator.table import CONFIG, GAME, GAME_MASTER, Sent, World, address_of
from tests.press.test_gunboat import gunboat
from tests.tournament.cup import Cup

SAM = "sam@elsewhere.example"
DAYS = timedelta(days=9)


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World.at(tmp_path)
    world.silent_game("bidding")
    return world


def asked(world: World) -> Faction:
    return next(question.faction for question in world.table().play.questions() if question.kind == "bid")


def sit(world: World, faction: Faction = "guild", address: str = SAM, use: Use = Use()) -> None:  # noqa: B008
    seats.set_sitter(DeskRequest(world.moderator.open_games, GAME, world.now, use), faction, address, world.now + DAYS)


def from_sam(world: World, faction: Faction, *lines: str) -> str:
    seat = world.table().seats[faction]
    raw = world.mail(faction, *lines, sender=SAM, to=f"mentat+{seat.sitter_token}@arrakis.example")
    return world.moderator.deliver(raw, world.now).disposition


def returned(letter: Sent) -> bytes:
    """Return the report that a letter could not be delivered (RFC 3464)."""
    return f"""From: MAILER-DAEMON@elsewhere.example
To: {letter.envelope_from}
Subject: Undelivered Mail Returned to Sender
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status; boundary=b

--b
Content-Type: text/plain

The mailbox does not exist.
--b
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.elsewhere.example

Final-Recipient: rfc822; {letter.recipient}
Action: failed
Status: 5.1.1
--b--
""".replace("\n", "\r\n").encode()


def to(letters: list[Sent], address: str) -> list[Sent]:
    return [letter for letter in letters if letter.recipient == address]


def test_a_sitter_gets_the_position_and_their_own_reply_address(world: World) -> None:
    before = world.written()
    sit(world, "guild", use=Use(why="in hospital"))
    [letter] = to(world.letters(after=before), SAM)
    seat = world.table().seats["guild"]
    assert f"<mentat+{seat.sitter_token}@arrakis.example>" in letter.message["Reply-To"]
    assert "You sit in for" in letter.text
    assert "sitter off" in letter.text
    whole = letter.message.as_string()
    assert seat.token not in whole
    assert seat.bounce_token not in letter.envelope_from
    assert "hospital" not in whole


def test_a_sitter_orders_and_both_are_answered(world: World) -> None:
    faction = asked(world)
    sit(world, faction)
    before = world.written()
    assert from_sam(world, faction, "pass") == "orders"
    letters = world.letters(after=before)
    [own], [copy] = to(letters, address_of(faction)), to(letters, SAM)
    assert "pass" in own.text
    assert copy.text.count("pass") == own.text.count("pass")
    assert copy.message["In-Reply-To"].endswith("@players.example>")
    assert "@players.example" not in str(own.message["In-Reply-To"])
    assert asked(world) != faction


def test_the_player_still_orders_and_the_sitter_sees_it(world: World) -> None:
    faction = asked(world)
    sit(world, faction)
    before = world.written()
    assert world.say(faction, "pass").disposition == "orders"
    letters = world.letters(after=before)
    assert to(letters, address_of(faction))
    assert to(letters, SAM)


def test_every_letter_to_the_seat_goes_to_the_sitter_too(world: World) -> None:
    sit(world, "guild")
    before = world.written()
    world.silence_until("revival")
    letters = world.letters(after=before)
    own, copies = to(letters, address_of("guild")), to(letters, SAM)
    assert own
    assert [letter.subject for letter in own] == [letter.subject for letter in copies]
    token = world.table().seats["guild"].token
    assert all(token not in letter.message.as_string() for letter in copies)
    identities = [letter.message["Message-ID"] for letter in world.letters()]
    assert len(set(identities)) == len(identities)


@pytest.mark.parametrize(
    "line",
    ["address add eve@elsewhere.example", "absent 2024-12-01 to 2024-12-05", "resign", "freeze", "letters daily"],
)
def test_what_is_about_the_player_is_not_a_sitters(world: World, line: str) -> None:
    sit(world, "guild")
    before = world.written()
    from_sam(world, "guild", line)
    [letter] = to(world.letters(after=before), SAM)
    assert "Only the player of the seat can do this" in letter.text
    seat = world.table().seats["guild"]
    assert (seat.sitter, seat.away, seat.letters_mode) == (SAM, 0, "all")


def test_the_reply_address_of_a_sitter_is_nobody_elses(world: World) -> None:
    faction = asked(world)
    sit(world, faction)
    token = world.table().seats[faction].sitter_token
    for sender in (address_of(faction), "eve@elsewhere.example"):
        raw = world.mail(faction, "pass", sender=sender, to=f"mentat+{token}@arrakis.example")
        assert world.moderator.deliver(raw, world.now).disposition == "rejected"
    assert asked(world) == faction


def test_a_form_that_a_sitter_sends_from_a_seat_of_their_own_gives_them_no_more_than_before(world: World) -> None:
    faction = asked(world)
    sit(world, faction)
    found = re.search(r"\[form ([0-9a-z]+)\]", world.newest(SAM).text)
    assert found is not None
    world.new_game(game="sietch-13", factions=["atreides", "guild", "harkonnen"], seed="other")
    seats.replace_player(DeskRequest(world.moderator.open_games, "sietch-13", world.now), "guild", SAM)
    code, before = found[1], world.written()

    def form(*lines: str) -> str:
        rows = (f"[form {code}]", *lines, f"[end of form {code}]")
        raw = world.mail("guild", "status", *rows, sender=SAM, game="sietch-13")
        return world.moderator.deliver(raw, world.now).disposition

    assert form("freeze") == "orders"
    assert any(
        "Only the player of the seat can do this" in letter.text for letter in to(world.letters(after=before), SAM)
    )
    assert world.table().seats[faction].sitter == SAM
    assert form("pass") == "orders"
    assert asked(world) != faction


@pytest.mark.parametrize("by_sitter", [True, False])
def test_the_player_and_the_sitter_may_end_it(world: World, by_sitter: bool) -> None:
    sit(world, "guild")
    token = world.table().seats["guild"].sitter_token
    before = world.written()
    if by_sitter:
        from_sam(world, "guild", "sitter off")
    else:
        world.say("guild", "sitter off")
    letters = world.letters(after=before)
    assert "no more" in to(letters, SAM)[0].text
    assert to(letters, address_of("guild"))
    assert not world.table().seats["guild"].sitter
    raw = world.mail("guild", "status", sender=SAM, to=f"mentat+{token}@arrakis.example")
    assert world.moderator.deliver(raw, world.now).disposition == "rejected"
    world.say("guild", "sitter off")
    assert "Nobody sits in for you" in world.newest("guild").text


def until(world: World) -> str:
    return f"{world.now + DAYS:%Y-%m-%d}"


@pytest.mark.parametrize("press", ["open", "open,gunboat"])
def test_a_player_asks_for_a_sitter_and_the_game_master_alone_agrees(tmp_path: Path, press: str) -> None:
    world = gunboat(World.at(tmp_path), press)
    entries, deadlines, before = world.table().entries, world.table().deadlines, world.written()
    assert world.say("guild", f"sitter {SAM} until {until(world)}").disposition == "orders"
    letters = world.letters(after=before)
    assert {letter.recipient for letter in letters} == {address_of("guild"), GAME_MASTER}
    [request] = to(letters, GAME_MASTER)
    line = f"sitter guild {SAM} until {until(world)}"
    assert line in " ".join(request.text.split())
    assert address_of("guild") not in request.text
    assert "until they agree" in " ".join(to(letters, address_of("guild"))[0].text.split())
    table = world.table()
    assert (table.seats["guild"].sitter, table.entries, table.deadlines) == ("", entries, deadlines)
    desk = granted(world, address="rey@elsewhere.example")
    mail(world, desk, line)
    assert world.table().seats["guild"].sitter == ""
    [asked] = [letter for letter in world.letters("rey@elsewhere.example") if "confirm “" in letter.subject]
    mail(world, str(asked.message["Reply-To"]), "confirm")
    assert world.table().seats["guild"].sitter == SAM
    assert to(world.letters(after=before), SAM)


def test_no_answer_to_whoever_asks_for_a_sitter_tells_who_plays(world: World) -> None:
    told = []
    for address in ("nobody@elsewhere.example", address_of("fremen"), GAME_MASTER):
        world.say("guild", f"sitter {address} until {until(world)}")
        told.append(" ".join(world.newest("guild").text.split()).replace(address, "ADDRESS"))
    assert told[0] == told[1] == told[2]
    with pytest.raises(PowerRefused, match="plays the Fremen"):
        sit(world, "guild", address_of("fremen"))


def test_who_sits_in_names_nobody_and_a_day_that_is_past_is_refused(world: World) -> None:
    before = world.written()
    world.say("guild", f"sitter {SAM} until {world.now - timedelta(days=1):%Y-%m-%d}")
    assert to(world.letters(after=before), GAME_MASTER) == []
    assert "is in the past" in world.newest("guild").text
    world.say("guild", f"sitter {SAM} until {world.now:%Y-%m-%d}")
    assert len(to(world.letters(after=before), GAME_MASTER)) == 1
    sit(world, "guild")
    before = world.written()
    from_sam(world, "guild", f"sitter other@elsewhere.example until {until(world)}")
    assert to(world.letters(after=before), GAME_MASTER) == []
    assert "Only the player of the seat can do this" in " ".join(to(world.letters(after=before), SAM)[0].text.split())


def test_a_game_master_who_plays_is_not_told_who_shall_sit_in(tmp_path: Path) -> None:
    world = World.at(tmp_path, CONFIG.replace(GAME_MASTER, address_of("fremen")))
    world.new_game()
    before = world.written()
    world.say("guild", f"sitter {SAM} until {until(world)}")
    assert all(SAM not in letter.text for letter in to(world.letters(after=before), address_of("fremen")))
    assert "Nothing was passed on" in " ".join(world.newest("guild").text.split())


def test_an_empty_mail_of_a_sitter_is_answered_as_theirs(world: World) -> None:
    sit(world, "guild")
    before = world.written()
    assert from_sam(world, "guild") == "empty"
    [answer] = to(world.letters(after=before), SAM)
    assert answer.message["In-Reply-To"].endswith("@players.example>")
    for letter in to(world.letters(after=before), address_of("guild")):
        assert "@players.example" not in str(letter.message["In-Reply-To"])


def test_it_ends_when_its_time_is_over(world: World) -> None:
    faction = asked(world)
    sit(world, faction)
    world.wait(24 * 9 - 1)
    assert world.table().seats[faction].sitter == SAM
    token = world.table().seats[faction].sitter_token
    world.now += timedelta(hours=1)
    raw = world.mail(faction, "status", sender=SAM, to=f"mentat+{token}@arrakis.example")
    assert world.moderator.deliver(raw, world.now).disposition == "rejected"  # even before the clock has ticked
    before = world.written()
    world.wait(0)
    (goodbye,) = to(world.letters(after=before), SAM)
    assert goodbye.subject == f"[{GAME}] You no longer sit in"
    assert f"You no longer sit in for the player of {faction_name(faction)} in {GAME}." in " ".join(
        goodbye.text.split()
    )
    assert not world.table().seats[faction].sitter
    before = world.written()
    world.wait(30)
    assert to(world.letters(after=before), SAM) == []


@pytest.mark.parametrize("what", ["freeze", "replace", "address"])
def test_a_new_reply_address_ends_it(world: World, what: str) -> None:
    sit(world, "guild")
    token, games = world.table().seats["guild"].sitter_token, world.moderator.open_games
    if what == "freeze":
        seats.freeze_seat(DeskRequest(games, GAME, world.now), "guild")
    elif what == "replace":
        seats.replace_player(DeskRequest(games, GAME, world.now), "guild", SAM)  # even if the sitter takes the seat
    else:
        seats.move_seat(DeskRequest(games, GAME, world.now), "guild", "dora@elsewhere.example")
    assert not world.table().seats["guild"].sitter
    raw = world.mail("guild", "status", sender=SAM, to=f"mentat+{token}@arrakis.example")
    assert world.moderator.deliver(raw, world.now).disposition == "rejected"


@pytest.mark.parametrize("by_player", [True, False])
def test_when_a_new_reply_address_ends_it_the_player_the_sitter_and_the_game_master_hear_it(
    world: World, by_player: bool
) -> None:
    sit(world, "guild")
    games, before = world.moderator.open_games, world.written()
    if by_player:
        world.say("guild", "freeze")
        [told] = to(world.letters(after=before), GAME_MASTER)
        assert "Nobody sits in for them any more" in " ".join(told.text.split())
    else:
        assert seats.freeze_seat(DeskRequest(games, GAME, world.now), "guild")
        with reading(world.engine) as conn:
            assert acts.acts_of(conn, game_id=GAME)[-1].words == "guild, sitter off"
    letters = world.letters(after=before)
    assert any(
        "Nobody sits in for you any more" in " ".join(letter.text.split())
        for letter in to(letters, address_of("guild"))
    )
    assert [letter.subject for letter in to(letters, SAM)] == [f"[{GAME}] You no longer sit in"]
    assert not seats.freeze_seat(DeskRequest(games, GAME, world.now), "guild")


def test_nobody_knows_the_secrets_of_two_seats(world: World) -> None:
    games = world.moderator.open_games
    sit(world, "guild")
    for address in (address_of("fremen"), "Fremen+else@players.example"):
        with pytest.raises(PowerRefused, match="plays the Fremen"):
            sit(world, "emperor", address)
    with pytest.raises(PowerRefused, match="sits in for"):
        sit(world, "emperor", SAM)
    with pytest.raises(PowerRefused, match="plays the Guild"):
        sit(world, "guild", address_of("guild"))
    with pytest.raises(PowerRefused, match="rights at the desk"):
        sit(world, "emperor", GAME_MASTER)
    with pytest.raises(ObserverRefused, match="sits in"):
        sight.add_observer(DeskRequest(games, GAME, world.now), SAM)
    with pytest.raises(PowerRefused, match="is sitting in"):
        rights.grant(DeskRequest(games, GAME, world.now), "clerk", SAM)
    with pytest.raises(PowerRefused, match="sits in"):
        seats.replace_player(DeskRequest(games, GAME, world.now), "emperor", SAM)
    sight.add_observer(DeskRequest(games, GAME, world.now), "olga@elsewhere.example")
    with pytest.raises(PowerRefused, match="observes"):
        sit(world, "emperor", "olga@elsewhere.example")


def test_a_sitter_and_a_player_do_not_become_one_person(world: World) -> None:
    sit(world, "guild")
    before = world.written()
    world.say("fremen", f"address add {SAM}")
    assert to(world.letters(after=before), SAM) == []
    world.say("fremen", "address add nobody@elsewhere.example")
    assert len(to(world.letters(after=before), "nobody@elsewhere.example")) == 1
    sit(world, "emperor", "sue@elsewhere.example")
    world.new_game(game="sietch-13", factions=["atreides", "guild", "harkonnen"], seed="other")
    seats.replace_player(
        DeskRequest(world.moderator.open_games, "sietch-13", world.now), "guild", "sue@elsewhere.example"
    )
    before = world.written()
    token = world.table("sietch-13").seats["guild"].token
    raw = world.mail(
        "guild", f"address add {address_of('fremen')}", sender="sue@elsewhere.example",
        to=f"mentat+{token}@arrakis.example", game="sietch-13",
    )  # fmt: skip
    world.moderator.deliver(raw, world.now)
    assert to(world.letters(after=before), address_of("fremen")) == []


def test_a_sitter_observes_nothing_under_a_tag_either(world: World) -> None:
    sit(world, "guild")
    with pytest.raises(ObserverRefused, match="sits in"):
        sight.add_observer(DeskRequest(world.moderator.open_games, GAME, world.now), "Sam+watch@elsewhere.example")
    sight.add_observer(DeskRequest(world.moderator.open_games, GAME, world.now), "olga+dune@elsewhere.example")
    with pytest.raises(PowerRefused, match="observes"):
        sit(world, "emperor", "olga@elsewhere.example")


def test_who_is_banned_sits_in_no_more(world: World) -> None:
    sit(world, "guild")
    people.ban(DeskRequest(world.moderator.open_games, "", world.now), SAM)
    assert not world.table().seats["guild"].sitter
    assert "Nobody sits in for you" in world.newest("guild").text
    with pytest.raises(PowerRefused):
        sit(world, "guild")


@pytest.mark.parametrize("said", ["Sam <sam@example.org>", "not an address", ""])
def test_what_is_no_address_is_refused(world: World, said: str) -> None:
    with pytest.raises(PowerRefused):
        sit(world, "guild", said)


def test_a_time_that_is_past_or_too_long_is_refused(world: World) -> None:
    games = world.moderator.open_games
    for days, why in ((-1, "is past"), (61, "at most 60 days")):
        with pytest.raises(PowerRefused, match=why):
            seats.set_sitter(DeskRequest(games, GAME, world.now), "guild", SAM, world.now + timedelta(days=days))
    with pytest.raises(PowerRefused, match="Nobody sits in"):
        seats.remove_sitter(DeskRequest(games, GAME, world.now), "guild")


@pytest.mark.parametrize("declared", [True, False])
def test_the_table_is_told_that_there_is_a_sitter_and_never_who(tmp_path: Path, declared: bool) -> None:
    setting = "" if declared else "[identity]\ndeclare_sitters = false\n"
    world = World.at(tmp_path, CONFIG + setting)
    world.silent_game("bidding")
    before = world.written()
    sit(world, "guild")
    letters = world.letters(after=before)
    told = {letter.recipient for letter in letters}
    others = {address_of(faction) for faction in FACTIONS if faction != "guild"}
    assert told == ({SAM, address_of("guild")} | others if declared else {SAM, address_of("guild")})
    for letter in letters:
        if letter.recipient in others:
            assert "sam" not in letter.message.as_string().lower().replace("same", "")
    with reading(world.engine) as conn:
        [act] = acts.acts_of(conn, game_id=GAME)
    assert act.what == "sitter"
    assert "guild until" in act.words
    assert SAM not in act.words


def test_a_sitter_changes_no_letter_to_others_and_no_moment(tmp_path: Path) -> None:
    """The same game with an undeclared sitter and without one."""
    told = []
    for sat_in in (False, True):
        folder = tmp_path / str(sat_in)
        folder.mkdir()
        world = World.at(folder, CONFIG + "[identity]\ndeclare_sitters = false\n")
        world.silent_game("bidding")
        faction = asked(world)
        if sat_in:
            sit(world, faction)
            from_sam(world, faction, "pass")
        else:
            world.say(faction, "pass")
        world.silence_until("revival")
        away = {address_of(faction), SAM}
        told.append([(letter.recipient, letter.message.as_bytes()) for letter in world.letters()
                     if letter.recipient not in away])  # fmt: skip
    assert told[0] == told[1]


def test_a_sitter_whom_no_mail_reaches_sits_in_no_more(world: World) -> None:
    sit(world, "guild")
    letter = world.newest(SAM)
    before = world.written()
    world.moderator.deliver(returned(letter), world.now)
    assert not world.table().seats["guild"].sitter
    assert not world.table().seats["guild"].unreachable
    told = {letter.recipient: letter.text for letter in world.letters(after=before)}
    assert set(told) == {address_of("guild"), GAME_MASTER}
    assert "could not be delivered" in told[address_of("guild")]


def test_the_reminder_of_several_games_is_not_copied(world: World) -> None:
    """A sitter gets mail only about their own game, not about the player's other games."""
    world.new_game(game="sietch-13", seed="other")
    faction = asked(world)
    sit(world, faction)
    before = world.written()
    for _ in range(30):
        world.wait(1)
    copies = to(world.letters(after=before), SAM)
    assert copies
    assert not any("sietch-13" in letter.message.as_string() for letter in copies)


def test_the_game_still_plays_from_its_log(world: World) -> None:
    faction = asked(world)
    sit(world, faction)
    from_sam(world, faction, "pass")
    world.silence_until("revival")
    with reading(world.engine) as conn:
        assert proof.verify(proof.full_record(conn, GAME)).holds


def test_who_is_banned_from_a_tournament_sits_in_no_more_there_and_goes_on_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "cup").mkdir()
    cup = Cup(World.at(tmp_path / "cup"))
    cup.round()
    cup.world.new_game()
    games, now = cup.open_games, cup.now
    for game in (GAME, "cup-1-1"):
        seats.set_sitter(DeskRequest(games, game, now), "guild", SAM, now + DAYS)
    people.ban(DeskRequest(games, "", now), SAM, tournament_id="cup")
    assert cup.world.table("cup-1-1").seats["guild"].sitter == ""
    assert cup.world.table().seats["guild"].sitter == SAM


def test_a_time_that_is_not_over_is_not_ended(world: World) -> None:
    sit(world, "guild")
    games, over, before = world.moderator.open_games, world.now + DAYS, world.written()
    seats.end_sitting_if_over(games, GAME, "guild", over - timedelta(seconds=1))
    assert (world.table().seats["guild"].sitter, world.written()) == (SAM, before)
    seats.end_sitting_if_over(games, GAME, "guild", over)
    assert world.table().seats["guild"].sitter == ""
    assert {letter.recipient for letter in world.letters(after=before)} == {SAM, address_of("guild")}
    before = world.written()
    seats.end_sitting_if_over(games, GAME, "guild", over)
    assert world.written() == before
    with pytest.raises(PowerRefused, match=f"Nobody sits in for the Guild in {GAME}"):
        seats.remove_sitter(DeskRequest(games, GAME, over), "guild")
