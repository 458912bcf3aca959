"""Stories by mail of people who do all that a player, a game master or a stranger can do, rightly and wrongly."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import timedelta
from email.message import EmailMessage
from functools import partial
from pathlib import Path

from bot.desk import rights, sight
from bot.desk import seats as sitters
from bot.desk import seats as substitutes
from bot.desk.new_game import NewGame, new_game
from bot.desk.powers import Use
from bot.press import read_press
from rules.components import Faction
from tests.game_master.test_by_mail import EXAMPLES
from tests.moderator.forgeries import AIMED_AT_GUILD, OTHERS, SECOND
from tests.moderator.returned import answer_of_program, bounce_of
from tests.moderator.table import ADDRESS, CONFIG, DOTS, GAME, GAME_MASTER, address_of
from tests.transcripts.scenario import add, scenario
from tests.transcripts.story import Story
from tests.transcripts.transcript import Piece

FEW: tuple[Faction, ...] = ("atreides", "guild", "harkonnen")
FOUR: tuple[Faction, ...] = ("atreides", "fremen", "guild", "harkonnen")
REY, ANN, BOB, CLEO = (f"{name}@elsewhere.example" for name in ("rey", "ann", "bob", "cleo"))
CLOCKS = CONFIG + "[clock]\nbank_hours = 48\n"


def mail(sender: str, to: str, *lines: str, subject: str = "Re: your letter", number: int = 0, **head: str) -> bytes:
    """A mail of somebody who has no seat."""
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = sender, to, subject
    message["Message-ID"] = f"<{number}.{abs(hash_of((sender, to, *lines)))}@elsewhere.example>"
    for name, value in head.items():
        message[name.replace("_", "-")] = value
    message.set_content("\n".join(lines) + "\n")
    return message.as_bytes()


def hash_of(words: Sequence[str]) -> int:
    return sum(number * ord(sign) for number, sign in enumerate("".join(words), 1))


def reply(story: Story, reader: str, *lines: str, sender: str = "") -> None:
    """Somebody answers the newest letter to them."""
    letter = story.world.newest(reader)
    to = str(letter.message["Reply-To"] or letter.message["From"])
    raw = mail(sender or letter.recipient, to, *lines, subject=f"Re: {letter.subject}", number=story.world.written(),
               In_Reply_To=str(letter.message["Message-ID"]))  # fmt: skip
    story.delivers(f"{sender or reader} answers", raw, "\n".join(lines))


# --- what players can say ------------------------------------------------------------------------------------------


COMMANDS = (
    ("status", "map names dark", "history", "orders", "deals"),
    ("rules", "rules storm", "rules AH.VIII.B.2", "rules xyzzy"),
    ("help", "help bid", "help when", "help deal conditions", "help all", "help xyzzy"),
    ("letters wanted", "letters daily", "letters some", "letters all"),
    ("timezone Europe/Berlin", "timezone Mars/Olympus", "waking 8:00 to 22:00", "waking 25:00 to 3", "waking all day"),
    ("absent 24 Dec to 2 Jan", "absent 3 Jan to 1 Jan", "absent 2020-01-01 to 2020-01-05", "no absence", "no absence"),
    ("extend 24", "extend 2", "extend 9000", "extend"),
    ("address", "address add guild2@players.example", "address add nonsense", "address use else@x.example"),
    ("archive", "archive name Edric the Guildsman", "archive name <b>x</b>", "archive listed yes", "archive name"),
    ("rating", "rating private", "rating public", "forum", "forum name edric", "forum off"),
    ("sitter sam@elsewhere.example until 24 Dec", "sitter nonsense until 24 Dec", "sitter off"),
    ("cancel", "cancel storm 3", "press to gm: How do I bid?", "press: hello", "press to nobody: hello"),
    ("Dear Mentat,", "I think I shall wait.", "", "Thanks!", "-- ", "Edric", "Guild Navigator"),
    ("storm 3?", "bid", "ship 3", "move 2 from nowhere to Arrakeen", "Paul fights with the lasgun", "storm 3"),
    ("freeze",),
)  # fmt: skip


@scenario
def all_commands(folder: Path) -> Iterator[Piece]:
    """Everything that a player can say about their mail, and much that they cannot."""
    story = Story.at(folder, CLOCKS)
    story.world.new_game("ah-basic", FEW)
    for lines in COMMANDS:
        story.says("guild", *lines)
    story.says("guild", "status")
    story.waits(24, 4)
    story.says("atreides", "resign")
    story.waits(24)
    yield from story.told()


@scenario
def addresses(folder: Path) -> Iterator[Piece]:
    """A second address is confirmed and used, the first is given up, and somebody writes from neither."""
    story = Story.at(folder)
    story.world.new_game("ah-basic", FEW)
    second = "edric@elsewhere.example"
    story.says("guild", f"address add {second}", f"address add {second}")
    reply(story, second, "confirm")
    story.says("guild", "address", f"address use {second}")
    story.delivers("from the second", story.world.mail("guild", "status", sender=second), "status")
    story.delivers("from a third", story.world.mail("guild", "status", sender="who@else.example"), "status")
    story.delivers(
        "gives up", story.world.mail("guild", f"address remove {address_of('guild')}", "address", sender=second)
    )
    story.delivers("from the first", story.world.mail("guild", "status"), "status")
    story.waits(30)
    yield from story.told()


PRESS_LINES = (
    ("press to fremen: Shall we ally?", "press to fremen, atreides: to both of you", "press to all: to everybody"),
    ("press to all but harkonnen: not to the Baron", "press to guild: to myself", "press to emperor: not here"),
    ("unsigned press to fremen: who am I", "signed press to fremen: it is me", "press to all unsigned: boo"),
    ("press to fremen shown as atreides: false", "false readers yes", "press to fremen: you idiot", "send anyway"),
    ("press to fremen:", "> quoted words", "of several lines", "end press", "status"),
    ("archive press no", "report 1: rude", "report 99", "press to gm: a word for you"),
)
MODES = (
    "open", "public", "none", "table", "grey", "mixed", "fake", "open,language,quota=2", "open,gunboat,copies-to-desk",
    "open,yellow", "open,postal", "open,must-order,late", "open,neighbours,archived", "mixed,observers=white",
)  # fmt: skip


def press_in(modes: Sequence[str], folder: Path) -> Iterator[Piece]:
    """Words between players in each mode, with answers to them, in every sort of mail."""
    story = Story.at(folder)
    world = story.world
    for mode in modes:
        game = re.sub(r"\W", "-", mode)
        chairs = {one: address_of(one) for one in FOUR}
        new = NewGame(game, "ah-basic", chairs, dict(zip(FOUR, DOTS, strict=False)), "spice", press=read_press(mode))
        new_game(world.moderator.open_games, new, world.now)
        for lines in PRESS_LINES:
            story.says("guild", *lines, game=game)
        story.says("fremen", "false readers yes", "press to guild: indeed", game=game)
        story.waits(2)
        letter = world.newest("fremen")
        reply(story, "fremen", "Yes, let us.", "", *(f"> {line}" for line in letter.text.splitlines()[:6]))
        story.waits(3)
    yield from story.told()


# --- silence -------------------------------------------------------------------------------------------------------


@scenario
def silence(folder: Path) -> Iterator[Piece]:
    """One plays, one is away, one says nothing: reminders, strikes, the caretaker, the time bank, daily letters."""
    story = Story.at(folder, CLOCKS)
    story.world.new_game("ah-basic", FEW, tempo="steady")
    story.says("guild", "absent 27 Nov to 30 Nov", "timezone America/New_York", "letters daily")
    story.says("atreides", "waking 8:00 to 22:00", "letters wanted", "extend 12")
    for _ in range(26):
        story.waits(12)
        for faction, kinds in story.world.asked().items():
            if faction == "atreides":
                story.answers(faction, kinds[0])
        if story.world.table().play.over:
            break
    story.says("harkonnen", "I am back, sorry.", "status")
    story.runs(f"game show {GAME}")
    yield from story.told()


@scenario
def returned_mail(folder: Path) -> Iterator[Piece]:
    """Letters come back, programs answer, and in the end a player cannot be reached."""
    story = Story.at(folder)
    world = story.world
    world.new_game("ah-basic", FEW)
    story.does("a game begins")
    for status, action in (("4.2.2", "delayed"), ("5.2.2", "failed"), ("5.1.1", "failed"), ("5.7.1", "failed")):
        story.delivers(f"bounce {status}", _same_id(bounce_of(world.newest("guild"), status, action), status))
        story.waits(6)
    vacation = answer_of_program(world.newest("atreides"), "Out of office", "I am away.", Auto_Submitted="auto-replied")
    story.delivers("a vacation program", _same_id(vacation, "vacation"))
    challenge = answer_of_program(world.newest("harkonnen"), "Please confirm", "Click http://x.example to deliver.")
    story.delivers("a filter", _same_id(challenge, "challenge"))
    story.waits(48, 8)
    story.runs("health")
    story.says("guild", "I am here again.", "status")
    story.waits(48, 4)
    yield from story.told()


def _same_id(raw: bytes, name: str) -> bytes:
    """The mail with a Message-ID that does not depend on what was written before it."""
    return re.sub(rb"(?m)^Message-ID: .*?\r?$", f"Message-ID: <{name}@robots.example>".encode(), raw, count=1)


# --- strangers -----------------------------------------------------------------------------------------------------


@scenario
def forgeries(folder: Path) -> Iterator[Piece]:
    """All who write for somebody else, a day apart, and what each of them, the player and the game master get."""
    story = Story.at(folder)
    world = story.world
    world.new_game("ah-basic", FEW)
    world.new_game("ah-basic", ("fremen", "emperor"), game=SECOND)
    story.does("two games begin")
    for name, forgery in (*AIMED_AT_GUILD.items(), *OTHERS.items()):
        world.now += timedelta(hours=25)
        story.delivers(f"forgery: {name}", forgery(world))
    yield from story.told()


@scenario
def strangers(folder: Path) -> Iterator[Piece]:
    """Who has no seat here writes, once and often, and a program does."""
    story = Story.at(folder)
    story.world.new_game("ah-basic", FEW)
    asked = (
        ("Hello?",), ("I want to play Dune.",), ("help",), ("subscribe",), ("status", "storm 3"), ("",),
        ("unsubscribe",), ("observe sietch-12",), ("Buy spice now! http://spice.example",),
    )  # fmt: skip
    for number, lines in enumerate(asked):
        story.delivers("a stranger writes", mail(ANN, ADDRESS, *lines, subject="Dune", number=number), "\n".join(lines))
    story.delivers("a list", mail("list@lists.example", ADDRESS, "News", Precedence="bulk", List_Id="<news.example>"))
    story.delivers("a robot", mail("noreply@shop.example", ADDRESS, "Order 66", Auto_Submitted="auto-generated"))
    story.delivers("no mail at all", b"\x00\xff nothing \n\n")
    story.delivers("the game master", mail(GAME_MASTER, ADDRESS, "status", "help"))
    story.runs("mail list")
    yield from story.told()


# --- the desk ------------------------------------------------------------------------------------------------------


def desk_in(powers: Sequence[str], folder: Path) -> Iterator[Piece]:
    """A director gives each of these commands by mail, mistyped and right, and confirms what must be confirmed."""
    story = Story.at(folder)
    world = story.world
    world.new_game("ah-basic", FEW)
    rights.grant(world.moderator.open_games, GAME, "director", REY, world.now, Use(why="for help"))
    story.does("Rey directs the game")
    reply(story, REY, "help", "status", "statsu", "orders", "log")
    desk = str(world.newest(REY).message["Reply-To"])
    for number, power in enumerate(powers):
        line = EXAMPLES[power]
        mistyped = line[0] + line[2:]
        raw = mail(REY, desk, f"why: reason {number}", mistyped, line, number=number)
        story.delivers(f"Rey: {power}", raw, f"{mistyped}\n{line}")
        reply(story, REY, "confirm")
        for letter in world.letters(REY)[-3:]:
            if code := re.search(r"confirm ([a-z2-7]{16})", letter.text):
                story.delivers("Rey confirms", mail(REY, desk, f"confirm {code[1]}", number=number))
        story.waits(1)
    story.runs(f"game acts {GAME}")
    yield from story.told()


@scenario
def rollbacks(folder: Path) -> Iterator[Piece]:
    """A game is corrected, taken back, put back, held, and played on; observers see it at once and late."""
    story = Story.at(folder)
    world = story.world
    world.new_game("ah-basic", FEW)
    games = world.moderator.open_games
    sight.add_observer(games, GAME, ANN, world.now)
    sight.add_observer(games, GAME, BOB, world.now, delay=1)
    sight.add_full_observer(games, GAME, CLEO, world.now, Use(), 2, FEW)
    story.does("Ann, Bob and Cleo watch")
    story.until("storm", 2)
    for command in (
        "rollback GAME --turn 1 --phase bidding --tell 'A slip.' --dry-run",
        "rollback GAME --turn 9",
        "rollback GAME --turn 1 --phase bidding --tell 'A slip.' --why quarrel",
        "rollback GAME --undo",
        "rollback GAME --undo",
        "rollback GAME --turn 2 --phase setup",
        "position GAME 'spice guild +3' 'tanks guild 2' --why forgotten",
        "position GAME 'spice guild +999'",
        "hold GAME",
        "hold GAME",
        "position GAME 'spice guild 3'",
    ):
        story.runs(f"game {command}".replace("GAME", GAME))
    story.says("guild", "status", "storm 4", "standing: pass")
    for command in ("release GAME", "log GAME", "log GAME --as guild", "show GAME --as gm", "end GAME --last-turn 9"):
        story.runs(f"game {command}".replace("GAME", GAME))
    story.until("storm", 3)
    for command in ("end GAME --void --why nobody", "show GAME --json", "acts GAME", "export GAME", "verify GAME"):
        story.runs(f"game {command}".replace("GAME", GAME))
    reply(story, ANN, "unsubscribe")
    yield from story.told()


@scenario
def seats(folder: Path) -> Iterator[Piece]:
    """Somebody sits in, somebody is replaced, and the old one still writes."""
    story = Story.at(folder)
    world = story.world
    world.new_game("ah-basic", FEW)
    games = world.moderator.open_games
    story.says("guild", "sitter sam@elsewhere.example until 5 Dec")
    sitters.set_sitter(
        games, GAME, "guild", "sam@elsewhere.example", world.now + timedelta(days=9), world.now, use=Use()
    )
    story.does("Sam sits in for the Guild")
    reply(story, "sam@elsewhere.example", "status", world.line("guild", "traitor"), "resign")
    story.says("guild", "status", "sitter off")
    substitutes.replace_player(games, GAME, "atreides", "dora@elsewhere.example", world.now, "Dora")
    story.does("Dora plays the Atreides now")
    story.says("atreides", "status")
    reply(story, "dora@elsewhere.example", "status", "standing: pass", "when card 1: bid up to 3", "orders")
    story.until("bidding")
    story.until("movement")
    story.runs(f"game show {GAME}")
    yield from story.told()


# --- orders --------------------------------------------------------------------------------------------------------


SHEET = (
    ("standing: charity", "standing: pass", "when card 1: bid up to 4", "when price > 3: pass", "orders"),
    ("standing: no shipment", "when fighting harkonnen: plan dial 2 leader Staban Tuek", "ask me if turn 2", "orders"),
    ("when after harkonnen: go now", "when somebody wins: laugh", "when spice > 3 and", "unless card 2: bid 1"),
    ("cancel standing: pass", "standing: bid up to 2", "no move twice", "orders"),
    ("standing: pass all until turn 3", "waive reactions until mentat", "three times: pass"),
)


@scenario
def sheets_and_deals(folder: Path) -> Iterator[Piece]:
    """Sheets that act, do not act and are taken back; deals that are offered, kept, declined and broken."""
    story = Story.at(folder)
    story.world.new_game("ah-basic", FEW)
    for lines in SHEET:
        story.says("guild", *lines)
    story.until("bidding")
    story.says(
        "guild", "deal with harkonnen: leave me Tuek's Sietch; I pay 2", "deal with atreides: peace; I pay 1; if turn 2"
    )
    story.says("harkonnen", "accept", "deals", "standing: pass")
    story.says("atreides", "decline", "deal with guild: a gift; you pay 3; until turn 1", "deals")
    story.says("guild", "accept deal 2", "deals", "deal with nobody: x", "deal with guild: myself; I pay 1")
    story.until("mentat")
    story.says("guild", "orders", "history", "deals")
    story.until("storm", 2)
    story.runs(f"game show {GAME} --as guild")
    yield from story.told()


def _add_all() -> None:
    powers, parts = list(EXAMPLES), 4
    for number in range(parts):
        add(f"stories-desk-{number + 1}", partial(desk_in, powers[number::parts]))
        add(f"stories-press-{number + 1}", partial(press_in, MODES[number::parts]))


_add_all()
