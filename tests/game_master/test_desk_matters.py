"""Finding a game master's meaning: the likeliest commands, offered for a "yes", in the game that is named."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

import pytest
from sqlalchemy import update

from bot.language.command_lines import Command, CommandContext, read_command
from bot.moderator.desk_games import GamesOfMail, context_of_games
from bot.moderator.desk_lines import DeskMail, desk_context
from bot.moderator.desk_names import Position, without_games
from bot.store.database import writing
from bot.store.tables import SEAT
from tests.game_master.test_bad_days import NAMES, acts, table  # noqa: F401
from tests.game_master.test_by_mail import answer, granted, mail, noticed
from tests.moderator.table import GAME_MASTER, World

TODAY = date(2026, 11, 30)  # a Monday
GAMES = ("arrakeen-7", "ix")


@pytest.fixture(scope="module")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    world = World.at(tmp_path_factory.mktemp("matters"))
    for game in GAMES:
        world.new_game(game=game)
    with writing(world.engine) as conn:
        for faction, name in NAMES.items():
            conn.execute(update(SEAT).where(SEAT.c.faction == faction).values(name=name))
    world.moderator.open_games.forget()
    yield world
    world.engine.dispose()


def context_of(world: World, game: str) -> CommandContext:
    return desk_context(TODAY, {game: game}, world.table(game), DeskMail([]))


def of_both(world: World, *lines: str) -> CommandContext:
    contexts = {game: context_of(world, game) for game in GAMES}
    positions = {game: Position(TODAY, world.table(game)) for game in GAMES}
    return context_of_games(GamesOfMail(contexts, positions, {game: game for game in GAMES}, lines), "")


def meant(text: str, context: CommandContext) -> list[str]:
    read = read_command(text, context)
    return [read.line] if isinstance(read, Command) else list(read.suggestions)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("Half of them are at a wedding, could you put it all on ice for a while?", "pause"),
        ("would you mind giving them all another two days", "extend 48"),
        ("please prolong for three days, people asked for it", "extend 72"),
        ("let's say Thursday evening for the battle plans instead of tomorrow", "extend until 2026-12-03 20:00"),
        ("the bidding can run until the fourteenth of December, no rush", "extend until 2026-12-14"),
        ("can the deadline be Jan 5 instead", "extend until 2027-01-05"),
        ("Dora's clock is nearly empty, give her an extra day and a half", "bank fremen 36"),
        ("give Cid a gentle nudge for me, he's probably forgotten", "remind emperor"),
        ("who's holding us up, I wonder", "waits"),
        ("when's the next thing due", "waits"),
        ("remind me who has got which faction, would you", "who"),
        ("need the last 20 or so log entries", "log"),
        ("Bob's had enough, so let gerald@x.example have the Bene Gesserit", "replace bene-gesserit gerald@x.example"),
        ("Eli has now eli@new.example in place of the old adress", "address guild eli@new.example"),
        ("Eli needn't have a stand-in after all, his sitter can go", "sitter guild off"),
        ("until we find somebody for the Emperor, have the machine play it", "caretaker emperor on"),
        ("everybody passed already, just cut the window", "process"),
        ("we shall have to replay the whole of turn four", "rollback 4 storm"),
        ("Bob's being a pest in the table talk, stop his messages", "mute bene-gesserit"),
        ("Bob's apologised so he may talk again", "unmute bene-gesserit"),
        ("let Fay's mute lapse, she's learnt her lesson", "unmute harkonnen"),
        ("I don't want Bob in any of our games for the next three months", "ban bene-gesserit until 2027-02-28"),
        ("I think Bob has served his time, you can let him back in", "unban bene-gesserit"),
        ("no more private letters please, everything in the open", "press public"),
        ("could we slow down to, say, three days a step", "clock step_hours=72"),
        ("deadlines land at 3am for me, make it 8pm", "clock due_at=20:00"),
        ("Atreides ought to have eleven spice, not nine", "position: spice atreides +2"),
        ("Fremen are two short of spice, put that right", "position: spice fremen +2"),
        ("for the record: the storm did not touch Sietch Tabr", "rule: the storm did not touch Sietch Tabr"),
        ("kindly tell all six that I'm away and replies may be slow", "tell all: I'm away and replies may be slow"),
        ("tell Eli and only Eli that worms spare his own men", "tell guild: worms spare his own men"),
        ("Ann's offline from the 3rd to the 9th of January", "absent atreides 2027-01-03 to 2027-01-09"),
        ("Fay's off to Cornwall till Monday week", "absent harkonnen until 2026-12-14"),
        ("we've all agreed to call it a day", "end void"),
        ("I'm handing it over to ann@x.example, she'll run the game", "handover ann@x.example"),
        ("is Bob blocked at the moment or not?", "more bene-gesserit"),
        ("Dora is on holiday from Friday to the 12th", "absent fremen 2026-12-04 to 2026-12-12"),
        ("Eli is away for ten days from Saturday", "absent guild 2026-12-05 to 2026-12-14"),
        ("Cid will be skiing, back on the 20th", "absent emperor until 2026-12-19"),
        ("plese puase teh game", "pause"),
        ("extnd harkonen by 2 dyas", "extend harkonnen 48"),
        ("forget the rewind, put the game back as it was", "undo rollback"),
        ("Bob has been silent for three weeks, the machine can play for him", "caretaker bene-gesserit on"),
        ("what can I even do here", "help"),
        ("note to self: Bob apologised by phone", "note: Bob apologised by phone"),
        ("note for the guild: late again", "note guild: late again"),
        ("the last extension is not needed after all", "unextend"),
        ("throw Bob out and never let him back in", "ban bene-gesserit"),
    ],
)  # fmt: skip
def test_words_that_fill_no_row_are_answered_with_the_line_that_does_it(worlds: World, text: str, line: str) -> None:
    assert meant(text, context_of(worlds, "ix"))[:1] == [line]


@pytest.mark.parametrize(
    "text",
    [
        "Thanks ever so much for sorting that out last night.",
        "Honestly, herding cats would be easier than this lot.",
        "man this harkonnen player is killing me, 3 traitors again",
        "Many greetings and a nice weekend to you!",
        "I am a little angry about the many letters every day.",
        "Yesterday I was so tired, I have read all mails only today.",
        "does anyone even read these",
    ],
)
def test_talk_is_answered_with_no_command(worlds: World, text: str) -> None:
    assert meant(text, context_of(worlds, "ix")) == []


@pytest.mark.parametrize(
    ("text", "opposite"),
    [
        ("let Fay's mute lapse", "mute harkonnen"),
        ("Everybody argues. Please do not release the game. And give Bob a nudge.", "release"),
        ("forget the sitter for Ann", "sitter atreides ADDRESS until DATE"),
        ("12 hours per phase is too fast, make it 36", "clock step_hours=12"),
        ("don't let it run over the holiday, pick it back up on Monday", "resume"),
        ("no more extensions for Bob", "extend HOURS"),
        ("take that extension back", "extend HOURS"),
        ("Bob's off to Cornwall till Monday", "absent bene-gesserit off"),
        ("Kick Bob, pause it, roll everything back to turn 2 and tell them they're idiots", "unban bene-gesserit"),
        ("give Charly another day", "extend 24"),
        ("the players shall be allowed to write secretly to one another", "press public"),
    ],
)
def test_the_opposite_is_not_offered(worlds: World, text: str, opposite: str) -> None:
    context = context_of(worlds, "ix")
    assert opposite not in meant(text, context)
    read = read_command(text, context)
    assert isinstance(read, Command) or f"“{opposite}”" not in read.reason


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("Fay or Eli was rude again", []),
        ("Chase up Bob and Ann for me", ["remind bene-gesserit", "remind atreides"]),
        (
            "For fuck's sake, pause this bloody game, mute Bob, remind Cid and extend by 24 hours!!",
            ["pause", "mute bene-gesserit", "remind emperor", "extend 24"],
        ),
    ],
)
def test_several_things_in_one_line_are_offered_together(worlds: World, text: str, lines: list[str]) -> None:
    read = read_command(text, context_of(worlds, "ix"))
    assert not isinstance(read, Command)
    assert (list(read.suggestions) if read.together else []) == lines


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("mute Bob in ix", ["ix: mute bene-gesserit"]),
        ("the ix game: pause it please", ["ix: pause"]),
        ("please set ix going again, all are home", ["ix: resume"]),
        ("I'd like both ix and arrakeen-7 stopped over the bank holiday", ["ix: pause", "arrakeen-7: pause"]),
        ("pause ix and resume arrakeen-7", ["ix: pause", "arrakeen-7: resume"]),
        ("mute Bob", ["arrakeen-7: mute bene-gesserit", "ix: mute bene-gesserit"]),
        ("who are we waiting for?", ["waits"]),
        ("unban Bob", ["arrakeen-7: unban bene-gesserit"]),
        ("thanks a lot", []),
    ],
)
def test_a_line_is_about_the_game_that_it_names_or_is_asked_back(worlds: World, text: str, lines: list[str]) -> None:
    assert meant(text, of_both(worlds, text)) == lines


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("pause the ix game please", "pause the game please"),
        ("what happened in ix?", "what happened?"),
        ("tell all that ix goes on", "tell all that ix goes on"),
        ("the ix table: no deadlines", "the table: no deadlines"),
        ("ix's deadline", "the game's deadline"),
    ],
)
def test_the_name_of_a_game_is_left_out_but_not_of_words_for_others(text: str, bare: str) -> None:
    assert without_games(text, ["ix"]) == bare


def test_a_bare_yes_takes_what_was_offered_in_the_game_that_was_named(worlds: World) -> None:
    desk = str(noticed(worlds).message["Reply-To"])
    mail(worlds, desk, "freeze ix, power's out at my place", sender=GAME_MASTER, subject="ix")
    assert worlds.table("ix").stopped_at is None
    mail(worlds, desk, "yep do it", sender=GAME_MASTER, subject="yes")
    assert worlds.table("ix").stopped_at is not None
    assert worlds.table("arrakeen-7").stopped_at is None


@pytest.mark.parametrize(
    ("lines", "done"),
    [
        ("pess public, quota=3|press public", ["press open to public"]),
        ("extned 24|extend 48", ["extend 48 h"]),
        ("extend until 2024-11-30", ["extend 72 h"]),
        ("extend until Saturday", ["extend 72 h"]),
    ],
)
def test_a_right_line_is_carried_out_below_a_mistyped_one(begun: World, lines: str, done: list[str]) -> None:
    mail(begun, granted(begun), *lines.split("|"))
    assert acts(begun) == done


def test_a_day_that_is_no_later_moves_no_deadline(begun: World) -> None:
    mail(begun, granted(begun), "extend until 2024-11-20", "extend until 2024-11-27 25:00")
    assert acts(begun) == []
    assert "Name a later time" in answer(begun)
    assert "is not a day or time" in answer(begun)


@pytest.mark.parametrize(
    ("lines", "offered"),
    [
        (  # a number in words changes no date
            "Cid is out sailing and can't be reached till Sunday, so put him down as away.|"
            "And Bob has exams, he can have twelve hours on top of what he's got.",
            ["absent emperor until 2024-12-01", "extend bene-gesserit 12"],
        ),
        ("On the board is an error: the Emperor must have 12 spice and not 9. You correct it?", ["spice emperor +3"]),
        ("Eve's provider bins all your letters.|Could you send them to the Guild once more?", ["resend guild"]),
        ("Thanks for last night!|The robot should look after Bob's seat for now.", ["caretaker bene-gesserit on"]),
    ],
)  # fmt: skip
def test_what_stands_on_several_lines_is_read_as_one_text(begun: World, lines: str, offered: list[str]) -> None:
    with writing(begun.engine) as conn:
        for faction, name in NAMES.items():
            conn.execute(update(SEAT).where(SEAT.c.faction == faction).values(name=name))
    begun.moderator.open_games.forget()
    mail(begun, granted(begun), *lines.split("|"))
    assert acts(begun) == []
    for line in offered:
        assert line in answer(begun)


def test_after_a_preview_for_real_means_the_rollback(begun: World) -> None:
    desk = granted(begun)
    mail(begun, desk, "What would be lost if we went back to the storm of turn 1? Don't do it, I only want to see.")
    assert "“preview 1 storm”" in answer(begun)
    mail(begun, desk, "Fine. Now make it in real, please.", subject="again")
    assert "“rollback 1 storm”" in answer(begun)
    assert acts(begun) == []
