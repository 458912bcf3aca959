"""Five whole games by mail. Together they show every kind of letter.

`expansion` and `tournament_rules` are played by scripted people, who mistype, forget a letter or send a mail twice.
`quiet_table` shows what players do: commands, press, sheets, deals, absences, silence, returned and forged mail. `desk`
shows what the game master does: powers, both mistyped and correct, with observers, a sitter and rollbacks. `cup` is a
tournament.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from email.message import EmailMessage
from pathlib import Path

from bot.desk import rights, sight
from bot.desk.powers import DeskRequest, Use
from bot.lab.players_by_mail import People, PostedLetter
from rules.components import Faction
from tests.moderator.forgeries import AIMED_AT_GUILD
from tests.moderator.returned import answer_of_program, bounce_of
from tests.moderator.table import ADDRESS, CONFIG, GAME, GAME_MASTER
from tests.transcripts.story import Story
from tests.transcripts.transcript import Piece

Play = Callable[[Path], Iterator[Piece]]
FOUR: tuple[Faction, ...] = ("bene-gesserit", "emperor", "fremen", "guild")
FIVE: tuple[Faction, ...] = ("atreides", "bene-gesserit", "harkonnen", "ixians", "tleilaxu")
FEW: tuple[Faction, ...] = ("atreides", "guild", "harkonnen")
CLOCKS = CONFIG + "[clock]\nbank_hours = 48\n"
MOST_ROUNDS = 45
REY, ANN, BOB, CLEO = (f"{name}@elsewhere.example" for name in ("rey", "ann", "bob", "cleo"))


# --- games by scripted people ----------------------------------------------------------------------------------------


def expansion(folder: Path) -> Iterator[Piece]:
    """Play a turn with Ixians and Tleilaxu."""
    story = Story.at(folder)
    story.world.new_game("gf9-advanced", FIVE, max_turns=1, expansion="ixians-tleilaxu")
    yield from _played_out(story, "gf9-advanced")


def tournament_rules(folder: Path) -> Iterator[Piece]:
    story = Story.at(folder)
    story.world.new_game("wbc-2018", FOUR, max_turns=1)
    yield from _played_out(story, "wbc-2018")


def _played_out(story: Story, seed: str) -> Iterator[Piece]:
    _play(story, seed, lambda: story.world.table().play.over)
    while not story.world.table().play.over:
        story.waits(24)  # from here on, nobody writes
    for command in ("show", "acts", "verify", "log"):
        story.runs(f"game {command} {GAME}")
    story.runs("mail list")
    yield from story.told()


def _play(story: Story, seed: str, over: Callable[[], bool]) -> None:
    """Let people answer their letters until the game is over, or for ``MOST_ROUNDS`` rounds."""
    world = story.world
    people, read = People(seed), 0
    for _ in range(MOST_ROUNDS):
        story.does(f"{world.now:%a %d %b %H:%M}")
        fresh = [PostedLetter.of(letter.recipient, letter.message.as_bytes()) for letter in world.letters(after=read)]
        read += len(fresh)
        answers = list(people.answers([one for one in fresh if "players" in one.recipient], world.now))
        for raw in answers:
            story.delivers(_writer(raw), raw, _body(raw))
        if over():
            break
        story.waits(3 if answers else 12)


def _writer(raw: bytes) -> str:
    sender = next(line for line in raw.decode("utf-8", "replace").splitlines() if line.lower().startswith("from:"))
    return f"{sender} writes"


def _body(raw: bytes) -> str:
    """Return the first lines that the sender wrote."""
    return "\n".join(raw.decode("utf-8", "replace").partition("\r\n\r\n")[2].splitlines()[:8])


# --- what players do -------------------------------------------------------------------------------------------------

OTHER = "sietch-13"
COMMANDS: Sequence[Sequence[str]] = (
    ("status", "map names dark", "history", "orders", "deals"),
    ("rules", "rules storm", "rules AH.VIII.B.2", "rules xyzzy"),
    ("help", "help bid", "help when", "help deal conditions", "help all", "help xyzzy"),
    ("letters wanted", "letters some", "letters all"),
    ("timezone Europe/Berlin", "timezone Mars/Olympus", "waking 8:00 to 22:00", "waking 25:00 to 3", "waking all day"),
    ("absent 24 Dec to 2 Jan", "absent 3 Jan to 1 Jan", "absent 2020-01-01 to 2020-01-05", "no absence", "no absence"),
    ("extend 24", "extend 2", "extend 9000", "extend"),
    ("address", "address add edric@elsewhere.example", "address add nonsense", "address use else@x.example"),
    ("archive", "archive name Edric the Guildsman", "archive name <b>x</b>", "archive listed yes", "archive name"),
    ("rating", "rating private", "rating public", "forum", "forum name edric", "forum off"),
    ("sitter sam@elsewhere.example until 24 Dec", "sitter nonsense until 24 Dec", "sitter off"),
    ("cancel", "cancel storm 3", "press to gm: How do I bid?", "press: hello", "press to nobody: hello"),
    ("Dear Mentat,", "I think I shall wait.", "", "Thanks!", "-- ", "Edric", "Guild Navigator"),
    ("storm 3?", "bid", "ship 3", "move 2 from nowhere to Arrakeen", "Paul fights with the lasgun", "storm 3"),
    ("standing: charity", "standing: pass", "when card 1: bid up to 4", "when price > 3: pass", "orders"),
    ("standing: no shipment", "when fighting harkonnen: plan dial 2 leader Staban Tuek", "ask me if turn 2", "orders"),
    ("when after harkonnen: go now", "when somebody wins: laugh", "when spice > 3 and", "unless card 2: bid 1"),
    ("cancel standing: pass", "standing: bid up to 2", "no move twice", "orders"),
)
PRESS: Sequence[Sequence[str]] = (
    (
        "press to harkonnen: Shall we ally?",
        "press to harkonnen, atreides: to both of you",
        "press to all: to everybody",
    ),
    ("press to all but harkonnen: not to the Baron", "press to guild: to myself", "press to emperor: not here"),
    ("unsigned press to harkonnen: who am I", "signed press to harkonnen: it is me", "press to all unsigned: boo"),
    ("press to harkonnen shown as atreides: false", "press to harkonnen: you idiot", "send anyway"),
    ("press to harkonnen:", "> quoted words", "of several lines", "end press", "status"),
    ("archive press no", "report 1: rude", "report 99"),
)


def quiet_table(folder: Path) -> Iterator[Piece]:
    """Play a game of three: one player uses every command, one is away, one falls silent, and some mail is returned."""
    story = Story.at(folder, CLOCKS)
    world = story.world
    world.new_game("ah-basic", FEW, tempo="steady", press="fake", max_turns=2)
    story.does("a game begins")
    for lines in COMMANDS:
        story.says("guild", *lines)
    story.waits(2)
    reply(story, "edric@elsewhere.example", "confirm")
    story.delivers("from a third address", world.mail("guild", "status", sender="who@else.example"), "status")
    for mode in ("fake", "mixed", "open"):
        story.runs(f"game press {GAME} {mode}")
        for lines in PRESS:
            story.says("guild", *lines)
        story.says("harkonnen", "false readers yes", "press to guild: indeed")
        quoted = (f"> {line}" for line in world.newest("harkonnen").text.splitlines()[:6])
        reply(story, "harkonnen", "Yes, let us.", "", *quoted)
        story.waits(1)
    _offer_deals(story)
    _return_mail(story)
    for name, forgery in list(AIMED_AT_GUILD.items())[:3]:
        story.delivers(f"forgery: {name}", forgery(world))
    story.says("guild", "absent 29 Nov to 3 Dec", "timezone America/New_York", "letters daily")
    world.new_game("ah-basic", ("guild", "fremen"), game=OTHER)
    story.says("atreides", "waking 8:00 to 22:00", "extend 12")
    for _ in range(40):
        story.waits(12)
        for kind in world.asked().get("atreides", ())[:1]:
            story.answers("atreides", kind)
        if world.table().play.over:
            break
    story.says("harkonnen", "I am back, sorry.", "status")
    story.says("guild", "resign", game=OTHER)
    story.waits(24, 4)
    story.runs(f"game show {GAME}")
    yield from story.told()


def _offer_deals(story: Story) -> None:
    story.says(
        "guild", "deal with harkonnen: leave me Tuek's Sietch; I pay 2", "deal with atreides: peace; I pay 1; if turn 2"
    )
    story.says("harkonnen", "accept", "deals", "standing: pass")
    story.says("atreides", "decline", "deal with guild: a gift; you pay 3; until turn 1", "deals")
    story.says("guild", "accept deal 3", "deals", "deal with nobody: x", "deal with guild: myself; I pay 1")


def _return_mail(story: Story) -> None:
    world = story.world
    for status, action in (("4.2.2", "delayed"), ("5.1.1", "failed"), ("5.1.1", "failed")):
        story.delivers(f"bounce {status}", bounce_of(world.newest("harkonnen"), status, action))
        story.waits(6)
    vacation = answer_of_program(world.newest("atreides"), "Out of office", "I am away.", Auto_Submitted="auto-replied")
    story.delivers("a vacation program", vacation)
    story.runs("health")
    story.says("harkonnen", "I am here again.", "status")


# --- what the game master does ---------------------------------------------------------------------------------------

POWERS = (
    "note guild: asks much",
    "tell guild, fremen: wait a day",
    "ask guild: why?",
    "predict",
    "blind",
    "break glass",
    "pause",
    "Resume.",
    "hold",
    "release",
    "extend 24 h",
    "remind harkonnen",
    "process",
    "default guild traitor",
    "bank guild -12",
    "excuse guild",
    "caretaker harkonnen on",
    "order guild: pass",
    "press public, quota=3",
    "mute guild",
    "Unmute guild.",
    "clock due_at=20:00 days_off=saturday,sunday",
    "rule WBC.X.32: So be it.",
    "position: spice guild +3; storm 4",
    "preview 1/bidding",
    "observe x@y.example",
    "observe x@y.example full delay 2 consent all",
    "unobserve x@y.example",
    "freeze guild",
    "address guild dora@example.org",
    "sitter harkonnen sam@elsewhere.example until 2024-12-31",
    "replace atreides paul@example.org",
    "warn x@y.example: Keep to the tone.",
    "ban x@y.example until 2024-12-31",
    "unban x@y.example",
    "last turn 3",
    "grant clerk x@y.example",
    "revoke x@y.example",
)
LAST_POWERS = ("handover x@y.example", "end agreed guild, harkonnen", "delete game")
STRANGERS = (
    ("Hello?",),
    ("I want to play Dune.",),
    ("help",),
    ("status", "storm 3"),
    ("unsubscribe",),
    ("observe sietch-12",),
)


def desk(folder: Path) -> Iterator[Piece]:
    """Direct a game by mail and from the machine, from the first letter until its deletion."""
    story = Story.at(folder)
    world = story.world
    world.new_game("ah-basic", FEW)
    games = world.moderator.open_games
    sight.add_observer(DeskRequest(games, GAME, world.now), ANN)
    sight.add_observer(DeskRequest(games, GAME, world.now), BOB, delay=1)
    sight.add_full_observer(DeskRequest(games, GAME, world.now, Use()), CLEO, 2, FEW)
    rights.grant(DeskRequest(games, GAME, world.now, Use(why="for help")), "director", REY)
    story.does("Ann, Bob and Cleo watch, and Rey directs the game")
    reply(story, REY, "help", "status", "statsu", "orders", "log")
    to = str(world.newest(REY).message["Reply-To"])
    _use(story, to, POWERS)
    for number, lines in enumerate(STRANGERS):
        story.delivers("a stranger writes", mail("zed@else.example", ADDRESS, *lines, number=number), "\n".join(lines))
    story.delivers("the game master", mail(GAME_MASTER, ADDRESS, "status", "help"), "status\nhelp")
    reply(story, "dora@example.org", "status", "standing: pass", "when card 1: bid up to 3", "orders")
    story.says("guild", "status")
    story.until("storm", 2)
    for command in ("rollback GAME --turn 1 --phase bidding --tell 'A slip.' --dry-run", "rollback GAME --turn 9"):
        story.runs(f"game {command}".replace("GAME", GAME))
    for command in ("log", "log --as guild", "show --as gm", "show --json"):
        story.runs(f"game {command.partition(' ')[0]} {GAME} {command.partition(' ')[2]}")
    _use(story, to, ("rollback 1/bidding", "undo rollback"))
    story.until("bidding", 2)
    story.runs(f"game acts {GAME}")
    _use(story, to, LAST_POWERS)
    reply(story, ANN, "unsubscribe")
    story.waits(48, 2)
    yield from story.told()


def _use(story: Story, to: str, lines: Sequence[str]) -> None:
    """Send each command by mail, both mistyped and correct, and confirm it if necessary."""
    world = story.world
    for number, line in enumerate(lines):
        mistyped, before = line[0] + line[2:], world.written()
        raw = mail(REY, to, f"why: reason {number}", mistyped, line, number=before)
        story.delivers(f"Rey: {line}", raw, f"{mistyped}\n{line}")
        for letter in world.letters(after=before):
            if letter.recipient == REY and (code := re.search(r"confirm ([a-z2-7]{16})", letter.text)):
                story.delivers("Rey confirms", mail(REY, to, f"confirm {code[1]}", number=before))
        story.waits(1)


# --- a tournament ----------------------------------------------------------------------------------------------------

NAMES = ("ann", "bob", "cid", "dora", "eve", "fay")
CUP_SETTINGS = """
title = "The Cup"
[rounds]
heats = 1
semifinal = 0
final = 0
[factions]
by = "trade"
trade_hours = 24
[tables]
options = { max_turns = 1 }
"""


def cup(folder: Path) -> Iterator[Piece]:
    """Enter, trade factions, play a table of six, protest, and be ranked."""
    story = Story.at(folder)
    world = story.world
    (folder / "cup.toml").write_text(CUP_SETTINGS, encoding="utf-8")
    for command in ("new cup cup.toml", f"grant cup {REY} director", "open cup --until 2024-12-20"):
        story.runs(f"tournament {command}")
    for number, name in enumerate((*NAMES, "gus")):
        more = ", standby" if name == "gus" else ""
        sender = f"{name}@players.example"
        story.delivers(f"{name} writes", mail(sender, ADDRESS, f"enter cup as {name.title()}{more}", number=number))
        reply(story, sender, "confirm")
    ann, bob = (f"{name}@players.example" for name in NAMES[:2])
    reply(
        story,
        ann,
        "help",
        "status",
        "name Annie",
        "awake 8-22 Europe/Berlin",
        "connected E009: a flat",
        "protst 1.1: x",
    )
    story.runs("tournament draw cup --dry-run")
    story.runs("tournament draw cup")
    reply(story, ann, "trade with E002 paying 1", "trade E009", "tables cup")
    reply(story, bob, "trade E001 getting 1")
    story.waits(25)
    story.runs("tournament start cup")
    game = "cup-r1-t01"
    _play(story, "cup", lambda: world.table(game).play.over)
    while not world.table(game).play.over:
        story.waits(24)
    reply(story, bob, "standings cup", "protest 1.1: They shipped twice.", "status")
    for command in ("protests cup", "protests cup --dismiss 3 --why 'Once only.'", "show cup", "standings cup"):
        story.runs(f"tournament {command}")
    story.waits(72, 3)
    for command in ("round cup 1 close", "standings cup", "finish cup", "show cup"):
        story.runs(f"tournament {command}")
    yield from story.told()


# --- mails of people without a seat ----------------------------------------------------------------------------------


def mail(sender: str, to: str, *lines: str, subject: str = "Re: your letter", number: int = 0, **head: str) -> bytes:
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = sender, to, subject
    message["Message-ID"] = f"<{number}.{_sum_of((sender, to, *lines))}@elsewhere.example>"
    for name, value in head.items():
        message[name.replace("_", "-")] = value
    message.set_content("\n".join(lines) + "\n")
    return message.as_bytes()


def _sum_of(words: Sequence[str]) -> int:
    return sum(number * ord(sign) for number, sign in enumerate("".join(words), 1))


def reply(story: Story, reader: str, *lines: str) -> None:
    """Answer the newest letter to a reader, given as a faction or an address."""
    letter = story.world.newest(reader)
    to = str(letter.message["Reply-To"] or letter.message["From"])
    raw = mail(
        letter.recipient,
        to,
        *lines,
        subject=f"Re: {letter.subject}",
        number=story.world.written(),
        In_Reply_To=str(letter.message["Message-ID"]),
    )
    story.delivers(f"{reader} answers", raw, "\n".join(lines))


GAMES: Mapping[str, Play] = {
    "expansion": expansion,
    "tournament-rules": tournament_rules,
    "quiet-table": quiet_table,
    "desk": desk,
    "cup": cup,
}
