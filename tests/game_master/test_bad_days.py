"""A game master's bad days, played out by mail alone: the actions taken and the letters that everybody gets.

`docs/moderating.md` has each of them as a recipe ("Get through bad days").
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import update

from bot.games.open_games import acts_of
from bot.store import people, press
from bot.store.acts import rights_of
from bot.store.database import reading, writing
from bot.store.tables import SEAT
from rules.components import Faction
from tests.game_master.test_by_mail import REY, answer, granted, mail
from tests.moderator.table import GAME, GAME_MASTER, Sent, World, address_of

SAM = "sam@elsewhere.example"
NAMES: dict[Faction, str] = {
    "atreides": "Ann Archer", "bene-gesserit": "Bob Barker", "emperor": "Cid Charles",
    "fremen": "Dora Dunn", "guild": "Eli Evans", "harkonnen": "Fay Fuller",
}  # fmt: skip


@pytest.fixture
def table(begun: World) -> World:
    """Give the players of the running game names."""
    with writing(begun.engine) as conn:
        for faction, name in NAMES.items():
            conn.execute(update(SEAT).where(SEAT.c.faction == faction).values(name=name))
    begun.moderator.open_games.forget()
    return begun


def acts(world: World) -> list[str]:
    with reading(world.engine) as conn:
        return [f"{act.what} {act.words}".strip() for act in acts_of(conn, GAME) if act.what != "grant"]


def reply(world: World, letter: Sent, *lines: str, sender: str = "", subject: str = "") -> str:
    """Answer a letter as its reader would, and return Mentat's answer."""
    to = str(letter.message["Reply-To"])
    message_id = str(letter.message["Message-ID"])
    sender = sender or letter.recipient
    raw = world.mail(
        "guild", *lines, sender=sender, to=to, subject=subject or f"Re: {letter.subject}", In_Reply_To=message_id
    )
    before = world.written()
    world.moderator.deliver(raw, world.now)
    mine = [each for each in world.letters(after=before) if each.recipient == sender]
    return " ".join(" ".join(each.text.split()) for each in mine)


def confirmed(world: World, to: str = REY, *, after: int = 0) -> str:
    """Confirm the command that the latest letter asks about."""
    letters = [each for each in world.letters(after=after) if each.recipient == to and "confirm “" in each.subject]
    return reply(world, letters[-1], "confirm")


def told(world: World, after: int, to: str) -> str:
    return " ".join(" ".join(each.text.split()) for each in world.letters(after=after) if each.recipient == to)


def players(but: Sequence[str] = ()) -> set[str]:
    return {address_of(faction) for faction in NAMES if faction not in but}


def test_a_player_is_in_hospital_and_somebody_sits_in(table: World) -> None:
    desk = granted(table)
    mail(table, desk, "Dora is in hospital. What can I do?")
    assert "“sitter fremen ADDRESS until DATE”" in answer(table)
    before = table.written()
    mail(table, desk, f"Dora is in hospital, her brother {SAM} plays for her until 20 December", subject="brother")
    assert "Fremen is Dora Dunn <fremen@players.example>." in told(table, before, REY)
    confirmed(table)
    assert table.table().seats["fremen"].sitter == SAM
    assert "sits in" in told(table, before, address_of("guild"))
    assert SAM not in told(table, before, address_of("guild"))
    assert SAM in told(table, before, address_of("fremen"))
    mail(table, desk, "Dora is back from hospital, the sitter can go", subject="back")
    confirmed(table)
    assert table.table().seats["fremen"].sitter == ""


def test_a_player_insults_others_and_the_letter_of_the_report_is_answered(table: World) -> None:
    desk, before = granted(table), table.written()
    table.say("guild", "press to fremen: You are a fool, Dora.")
    table.say("fremen", "report 1")
    [report] = [each for each in table.letters(after=before) if each.recipient == REY and "fool" in each.text]
    assert "mute guild; warn guild: WORDS" in " ".join(report.text.split())
    assert f"mailto:{desk.replace('+', '%2B')}" in report.html
    assert "Eli Evans" in reply(table, report, "show me more")
    before = table.written()
    assert "sent the warning" in reply(table, report, "warn: Keep to the tone.")
    assert "Keep to the tone." in told(table, before, address_of("guild"))
    assert "may write only to the desk" in reply(table, report, "mute him")
    assert acts(table)[-2:] == ["warn", "mute guild"] or acts(table)[-2:] == ["warn guild", "mute guild"]
    assert "Nothing was changed." in reply(table, report, "let it stand")
    mail(table, desk, "Eli may write again", subject="again")
    assert acts(table)[-1] == "unmute guild"


def test_two_seats_are_one_persons(table: World) -> None:
    granted(table)
    notice = _notice(table)
    before = table.written()
    reply(table, notice, f"{GAME}: same {address_of('guild')} {address_of('fremen')}")
    answered = confirmed(table, GAME_MASTER, after=before)
    assert f"They hold more than one seat in {GAME}" in answered
    assert "one seat per game, one rating, one ban" in told(table, before, address_of("guild"))
    with reading(table.engine) as conn:
        assert address_of("fremen") in people.known_as(conn, address_of("guild"))
    reply(table, notice, f"{GAME}: ban guild until 2027-01-31")
    answered = confirmed(table, GAME_MASTER, after=before)
    assert f"{GAME}, Guild and {GAME}, Fremen" in answered or f"{GAME}, Fremen and {GAME}, Guild" in answered
    with reading(table.engine) as conn:
        assert people.standing_ban(conn, address_of("fremen"), table.now)
    reply(table, notice, f"{GAME}: replace fremen {SAM}")
    confirmed(table, GAME_MASTER)
    assert table.table().seats["fremen"].address == SAM
    reply(table, notice, f"{GAME}: apart {address_of('fremen')}")
    with reading(table.engine) as conn:
        assert people.standing_ban(conn, address_of("fremen"), table.now) is None


def test_two_seats_of_one_person_from_the_suspicion_to_the_new_player(table: World) -> None:
    """All in plain words: look at the seats, link them, warn, give one seat away, ban, and lift the ban."""
    granted(table)
    desk = _notice(table)
    answered = reply(table, desk, "Dora and Eli write from one address, I think. What do you know about Eli?")
    assert "“more guild”" in answered or "Guild: Eli Evans" in answered
    before = table.written()
    reply(table, desk, "Dora and Eli are the same person, tie them together please.", subject="same")
    answered = reply(table, table.newest(GAME_MASTER), "yes", subject="yes")
    answered = confirmed(table, GAME_MASTER, after=before)
    assert f"They hold more than one seat in {GAME}" in answered
    for faction in ("guild", "fremen"):
        assert "one seat per game, one rating, one ban" in told(table, before, address_of(faction))
    before = table.written()
    reply(table, desk, f"Dora's seat goes to {SAM} for good, please.", subject="replace")
    reply(table, table.newest(GAME_MASTER), "1", subject="that one")
    answered = confirmed(table, GAME_MASTER, after=before)
    assert table.table().seats["fremen"].address == SAM
    assert told(table, before, SAM)
    before = table.written()
    reply(table, desk, "Throw Eli out until the end of January.", subject="ban")
    reply(table, table.newest(GAME_MASTER), "1", subject="that one, too")
    confirmed(table, GAME_MASTER, after=before)
    with reading(table.engine) as conn:
        assert people.standing_ban(conn, address_of("fremen"), table.now)
        assert people.standing_ban(conn, address_of("guild"), table.now)
        assert people.standing_ban(conn, SAM, table.now) is None
    assert told(table, before, address_of("guild"))
    assert acts(table)[-1].startswith("ban")


def _notice(world: World) -> Sent:
    world.say("emperor", "press to gm: hello")
    return world.newest(GAME_MASTER)


def test_a_ban_is_told_as_it_is_and_its_plea_reaches_the_game_master(table: World) -> None:
    notice, guild = _notice(table), address_of("guild")
    reply(table, notice, "ban guild")
    confirmed(table, GAME_MASTER)
    letter = table.newest(guild)
    assert f"You hold the Guild in {GAME}: your orders will count there until" in " ".join(letter.text.split())
    before = table.written()
    assert "Your words went to the game master" in reply(table, letter, "I am sorry. It was my son.")
    plea = told(table, before, GAME_MASTER)
    assert "It was my son." in plea
    assert f"unban {guild}" in plea
    before = table.written()
    assert "came from a different address" in reply(table, letter, "Please!", sender="eli@work.example")
    assert "Please!" not in told(table, before, GAME_MASTER)
    assert "can play again" in reply(table, table.newest(GAME_MASTER), f"{GAME}: unban {guild}", sender=GAME_MASTER)


def test_what_somebody_banned_writes_without_a_letter_is_not_from_somebody_new(table: World) -> None:
    notice, dora = _notice(table), "dora@elsewhere.example"
    reply(table, notice, f"ban {dora}")
    confirmed(table, GAME_MASTER)
    before = table.written()
    mail(table, "mentat@arrakis.example", "Let me in again, please.", sender=dora, subject="please")
    heard = told(table, before, GAME_MASTER)
    assert f"{dora} is banned here." in heard
    assert "Let me in again, please." in heard
    assert "somebody new" not in heard


def test_a_helper_who_answers_no_letter_is_told_how(table: World) -> None:
    granted(table)
    before = table.written()
    mail(table, "mentat@arrakis.example", "pause", subject="the game")
    assert table.table().stopped_at is None
    assert "somebody new" not in told(table, before, GAME_MASTER)
    [how] = [each for each in table.letters(after=before) if each.recipient == REY]
    reply(table, how, "pause")
    assert table.table().stopped_at


def test_a_wrong_ruling_two_turns_ago_is_undone_after_a_look(table: World) -> None:
    table.silence_until("bidding", 2)
    desk = granted(table)
    mail(table, desk, "What would be lost if I go back to the bidding of turn 1?")
    mail(table, desk, "preview 1 bidding", subject="look")
    assert "orders would be kept" in answer(table) or "order would be kept" in answer(table)
    before = table.written()
    mail(table, desk, "tell: The ruling of turn 1 was wrong.", "rollback 1 bidding", subject="undo")
    assert table.table().play.state.turn == 2
    confirmed(table)
    assert (table.table().play.state.turn, table.table().play.state.phase) == (1, "bidding")
    for address in players():
        assert "rolled the game back to turn 1, bidding" in told(table, before, address)
        assert "The ruling of turn 1 was wrong." in told(table, before, address)
    mail(table, desk, "undo the rollback", subject="forth")
    confirmed(table)
    assert table.table().play.state.turn == 2


def test_orders_keep_coming_while_the_game_master_confirms(table: World) -> None:
    table.silence_until("bidding", 2)
    desk, before = granted(table), table.written()
    mail(table, desk, "rollback 1 bidding")
    [asked] = [each for each in table.letters(after=before) if "confirm “" in each.subject]
    assert "answer with the word: hold" in " ".join(asked.text.split())
    _bid(table)
    before = table.written()
    assert "the game has gone on" in reply(table, asked, "confirm")
    assert table.table().play.state.turn == 2
    [again] = [each for each in table.letters(after=before) if "confirm “" in each.subject]
    before = table.written()
    assert "The game is on hold." in reply(table, again, "hold")
    [third] = [each for each in table.letters(after=before) if "confirm “" in each.subject]
    _bid(table)
    assert "To let it go on: release" in reply(table, third, "confirm")
    assert table.table().play.state.turn == 1


def _bid(world: World) -> None:
    with reading(world.engine):
        bidder = next(question.faction for question in world.table().play.questions() if question.kind == "bid")
    world.say(bidder, "pass")


def test_a_confirmation_of_yesterday_does_nothing_and_says_so(table: World) -> None:
    desk = granted(table)
    mail(table, desk, f"replace guild {SAM}")
    asked = table.newest(REY)
    asked = next(each for each in reversed(table.letters(REY)) if "confirm “" in each.subject)
    table.now += timedelta(hours=25)
    assert "has expired; nothing was done" in reply(table, asked, "confirm")
    assert table.table().seats["guild"].address == address_of("guild")


def test_a_typing_error_decided_and_the_fact_is_corrected(table: World) -> None:
    table.silence_until("bidding")
    desk, had = granted(table), table.table().play.state.players["guild"].spice
    before = table.written()
    mail(table, desk, "tell: Eli bid 12 and meant 2.", "the guild gets 3 spice")
    confirmed(table)
    assert table.table().play.state.players["guild"].spice == had + 3
    for address in players():
        assert "Eli bid 12 and meant 2." in told(table, before, address)


def test_a_substitute_comes_in_the_middle_of_an_auction(table: World) -> None:
    table.silence_until("bidding")
    desk = granted(table)
    mail(table, desk, "mute Eli")
    before = table.written()
    mail(table, desk, f"replace Eli with {SAM}", subject="new")
    letter = next(each for each in table.letters(after=before) if "confirm “" in each.subject)
    text = " ".join(letter.text.split())
    assert "Guild is Eli Evans <guild@players.example>. They will lose the seat, and will be told." in text
    reply(table, letter, "confirm")
    assert "Somebody else is now playing your seat" in table.newest(address_of("guild")).subject
    assert "The seat may write to all again." in told(table, before, address_of("fremen"))
    assert "GUILD" in told(table, before, SAM).upper()
    with reading(table.engine) as conn:
        assert not press.is_muted(conn, GAME, "guild")


def test_the_game_is_handed_over_with_the_state_of_its_desk(table: World) -> None:
    desk = granted(table)
    granted(table, "clerk", "ann@elsewhere.example")
    mail(table, desk, "mute Eli", "pause", "end void")
    offer = "eve@elsewhere.example"
    mail(table, desk, f"hand the game over to {offer}", subject="over")
    letter = next(each for each in reversed(table.letters(REY)) if "confirm “handover" in each.subject)
    assert f"{REY} loses the right to direct the game." in " ".join(letter.text.split())
    reply(table, letter, "confirm")
    before = table.written()
    reply(table, table.newest(offer), "I confirm")
    heard = told(table, before, offer)
    assert "Muted: Guild." in heard
    assert "Its clocks have been stopped" in heard
    assert "clerk ann@elsewhere.example" in heard
    assert f"{offer} runs {GAME} from now on. You no longer run it" in told(table, before, REY)
    assert "You remain its clerk." in told(table, before, "ann@elsewhere.example")
    with reading(table.engine) as conn:
        directors = [who.address for who in rights_of(conn, game_id=GAME) if who.right == "director"]
    assert directors == [offer]


def test_a_ruling_that_cites_no_clause_of_these_rules_is_pointed_out(table: World) -> None:
    desk, before = granted(table), table.written()
    mail(table, desk, "rule WBC.X.32: A rider rides alone.")
    assert "The rule set of this game (ah-basic) has no clause WBC.X.32" in answer(table)
    assert "A rider rides alone." in told(table, before, address_of("guild"))


def test_a_player_never_answers_and_the_game_goes_on_without(table: World) -> None:
    table.silence_until("bidding")
    desk = granted(table)
    mail(table, desk, "who are we waiting for?", "poke everyone who is late")
    assert "We will remind everybody who owes an answer." in answer(table)
    late = next(question.faction for question in table.table().play.questions() if question.kind == "bid")
    before = table.written()
    mail(table, desk, f"don't wait for {NAMES[late].split()[0]} any longer", subject="no more")
    assert f"“caretaker {late} on” or “process”" in answer(table)
    mail(table, desk, "the first", subject="so")
    assert table.table().seats[late].care
    assert "the caretaker plays for" in told(table, before, address_of("guild"))


def test_the_game_master_is_away_and_everybody_knows_until_when(table: World) -> None:
    desk, before = granted(table), table.written()
    mail(table, desk, "Pause the game and tell everybody that I'm on holiday until Monday")
    assert acts(table) == []
    mail(table, desk, "yes", subject="yes")
    assert table.table().stopped_at
    for address in players():
        assert "I'm on holiday until Monday" in told(table, before, address)


def test_a_letter_was_forwarded_and_its_address_is_renewed(table: World) -> None:
    desk, token = granted(table), table.token("fremen")
    mail(table, desk, "somebody may have read Dora's mail, give her a new token")
    assert table.token("fremen") != token
    before = table.written()
    raw = table.mail("fremen", "status", to=f"mentat+{token}@arrakis.example")
    assert table.moderator.deliver(raw, table.now).shunt
    assert told(table, before, address_of("guild")) == ""


@pytest.mark.parametrize(
    "lines",
    [
        "---------- Forwarded message ---------|From: Bob <bob@x.org>|Subject: Re: ix||pause|mute fay",
        "What do you think?||> Bob wrote:|> pause the game|> mute fay",
        "give the Ixians a day more",
        "mute the Tleilaxu",
        "mute Walter",
        "confirm ABCDEF",
        "pause the game|no wait, don't pause",
        "please don't mute bob",
        "Bob asked me to pause the game",
        "pause the other game",
        "pause tomorrow",
        "If Fay has not written by tomorrow, replace her with sam@x.org",
        "On Friday resume the game",
        "> mute bob|No, I will not do that.|> pause|neither that",
        "unless Cid writes by tonight, caretaker for Cid",
    ],
)
def test_what_was_not_meant_is_not_done(table: World, lines: str) -> None:
    desk, before = granted(table), table.written()
    mail(table, desk, *lines.split("|"))
    assert acts(table) == []
    assert {each.recipient for each in table.letters(after=before)} == {REY}
    assert not any("confirm “" in each.subject for each in table.letters(after=before))


def test_an_angry_mail_does_what_it_says_and_passes_no_curse_on(table: World) -> None:
    desk, before = granted(table), table.written()
    mail(table, desk, "For fuck's sake.", "Mute Bob!!", "Warn Fay.", "Pause the bloody game", "remind cid", "FFS!")
    assert acts(table) == ["mute bene-gesserit", "pause", "remind emperor"]
    assert "“warn harkonnen: WORDS”" in answer(table)
    assert all("fuck" not in each.text for each in table.letters(after=before) if each.recipient != REY)


def test_a_name_that_two_players_share_is_asked_back(table: World) -> None:
    desk = granted(table)
    with writing(table.engine) as conn:
        conn.execute(update(SEAT).where(SEAT.c.faction == "guild").values(name="Bob Evans"))
    table.moderator.open_games.forget()
    mail(table, desk, "mute Bob")
    assert "Several players are called 'Bob': Bene Gesserit (Bob Barker), Guild (Bob Evans)." in answer(table)
    assert acts(table) == []


def test_a_line_that_names_another_game_is_asked_back(table: World) -> None:
    table.new_game(game="other-7")
    notice = _notice(table)
    assert "names several games" in reply(table, notice, f"pause {GAME} and resume other-7")
    assert table.table().stopped_at is None


def test_words_that_a_phone_has_wrapped_are_proposed_whole(table: World) -> None:
    desk, before = granted(table), table.written()
    first = "tell all We go on next Monday, because Dora is in hospital and I do"
    mail(table, desk, first, "not want that she misses the battles. Please be patient.", "", "Sent from my iPhone")
    assert {each.recipient for each in table.letters(after=before)} == {REY}
    mail(table, desk, "yes", subject="yes")
    assert "I do not want that she misses the battles. Please be patient." in told(table, before, address_of("guild"))


def test_who_sits_where_is_told_to_whoever_runs_the_game(table: World) -> None:
    desk = granted(table)
    mail(table, desk, "who is playing Fremen?")
    assert re.search(r"Fremen: Dora Dunn <fremen@players.example>", answer(table))
    mail(table, desk, "show me the board", subject="board")
    assert "Everything that all players may know is below." in answer(table)
    mail(table, desk, "how do I replace somebody?", subject="how")
    assert "replace SEAT ADDRESS – for example: replace guild dora@example.org" in answer(table)


def test_a_player_is_away_and_back_earlier(table: World) -> None:
    desk, before = granted(table), table.written()
    mail(table, desk, "Dora is on holiday from Friday to the 12th")
    assert "“absent fremen 2024-11-29 to 2024-12-12”" in answer(table)
    mail(table, desk, "yes", subject="yes")
    assert [(each.first.isoformat(), each.last.isoformat()) for each in table.table().absences["fremen"]] == [
        ("2024-11-29", "2024-12-12")
    ]
    assert "you will be away from" in told(table, before, address_of("fremen"))
    others = told(table, before, address_of("guild"))
    assert re.search(r"One of the players is away from \D*29 \D+ to \D*12 Dec", others)
    assert not re.search("Dora|Fremen", others)
    mail(table, desk, "Dora is not away after all", subject="back")
    mail(table, desk, "absent fremen off", subject="again")
    assert acts(table) == ["absent fremen 2024-11-29 to 2024-12-12", "absent fremen off"]
    assert "is not marked as away" in answer(table)


def test_an_absence_in_an_anonymous_game_tells_neither_whose_it_is_nor_when(world: World) -> None:
    world.new_game(press="gunboat")
    before = world.written()
    mail(world, granted(world), "absent fremen 2024-11-29 to 2024-12-12", "extend bene-gesserit 24", "unextend")
    others = told(world, before, address_of("guild"))
    assert "will be away for some days" in others
    assert "One of the players has more time" in others
    assert not re.search("Fremen|Bene|December|28|29|[^-]12", others)


def test_one_player_gets_more_time_and_it_is_taken_back(table: World) -> None:
    desk, duty = granted(table), ("bene-gesserit", "predict")

    def due() -> datetime:
        return next(each.due for place, each in table.table().deadlines.items() if place[1][0] == duty[0])

    at_first, before = due(), table.written()
    mail(table, desk, "give only Bob until Sunday 8pm")
    assert due() == datetime(2024, 12, 1, 20, tzinfo=UTC)
    assert "Bene Gesserit has more time, until" in told(table, before, address_of("guild"))
    mail(table, desk, "no, Bob doesn't need the extra time after all", subject="back")
    mail(table, desk, "yes", subject="yes")
    assert due() == at_first
    mail(table, desk, "unextend", subject="once more")
    assert "no extension" in answer(table)
    assert [act.partition(" ")[0] for act in acts(table)] == ["extend", "extend"]


@pytest.mark.parametrize(("hours", "left"), [("24", 12), ("48", 24)])
def test_an_extension_taken_back_leaves_half_a_day(table: World, hours: str, left: int) -> None:
    desk = granted(table)
    mail(table, desk, f"extend {hours}")
    table.now = min(each.due for each in table.table().deadlines.values()) - timedelta(hours=24 + left - 12)
    if hours == "48":
        table.now = min(each.due for each in table.table().deadlines.values()) - timedelta(hours=72)
    mail(table, desk, "take that extension back", subject="oh")
    assert min(each.due for each in table.table().deadlines.values()) - table.now == timedelta(hours=left)


def test_a_pronoun_means_whom_the_last_answer_spoke_of_or_nobody(table: World) -> None:
    desk = granted(table)
    mail(table, desk, "give her three more days")
    assert "“extend 72”" not in answer(table)
    mail(table, desk, "Bob is in hospital", subject="hospital")
    mail(table, desk, "ok then give him three more days", subject="time")
    assert "“extend bene-gesserit 72”" in answer(table)
