"""An automatic event of each format, run entirely by mail after `open`. People use their own words; one is absent and
returns, one drops out, one protests, and a table is replayed."""

from __future__ import annotations

import json
import re
from datetime import datetime
from email.message import EmailMessage
from pathlib import Path

import msgspec
import pytest
from sqlalchemy import update

from bot.competition.published import Published, encode_published, with_sums
from bot.competition.scoring import printed_points
from bot.competition.standings import standings_of_published
from bot.competition.verification import verify
from bot.store import publication, tournament_rounds, tournaments
from bot.store.database import reading, writing
from bot.store.tables import SEAT
from bot.tournament import beacons, desk, letters, preparation
from bot.tournament.desk import Caller
from tests.competition import independent
from tests.competition.test_ratings_by_hand import ratings_by_the_program
from tests.moderator.table import World
from tests.tournament.cup import CUP, SECRET, Cup, end_game, make
from tests.tournament.test_automatic import BOSS, Running

NAMES = ("ann", "bob", "cid", "dora", "eve", "fay", "gus", "hal", "ida", "jo", "kim", "lou")
ENTERS = ("enter cup as {}", "Hello! Please enter cup as {}", "Enter cup as {}, thanks", "join cup as {}")
CONFIRMS = ("yes", "I confirm", "Yes, please!", "confirm")
JUDGES = ("zoe@example.org", "yan@example.org")
HEAD = 'title = "The Cup"\nauto = true\n'
BEACON = 'beacon = "quicknet"\n'
FORMATS = {
    "heats": (12, f'{HEAD}format = "heats"\n{BEACON}[rounds]\nheats = 2\nsemifinal = 0\nfinal = 6\n'),
    "swiss": (12, f'{HEAD}format = "swiss"\n{BEACON}[rounds]\nswiss = 2\nsemifinal = 0\nfinal = 0\n'),
    "league": (7, f'{HEAD}format = "league"\n{BEACON}'),
    "knockout": (12, f'{HEAD}format = "knockout"\n{BEACON}'),
    "ladder": (12, f'{HEAD}format = "ladder"\n'),
}


class Live(Running):
    """An event whose participants write mail."""

    def send(self, who: str, to: str, subject: str, *lines: str) -> str:
        before = len(self.world.letters(who))
        message = EmailMessage()
        message["From"], message["To"], message["Subject"] = who, to, subject
        message["Message-ID"] = f"<{self.world.written()}.{who}>"
        message.set_content("\n".join(lines) + "\n")
        self.world.moderator.deliver(message.as_bytes(), self.world.now)
        return " ".join(" ".join(sent.text.split()) for sent in self.world.letters(who)[before:])

    def replies(self, who: str, *lines: str, about: str = "") -> str:
        """Answer this person's newest letter, or the newest one about a subject."""
        letter = next(
            sent.message for sent in reversed(self.world.letters(who)) if about in str(sent.message["Subject"])
        )
        return self.send(who, str(letter["Reply-To"]), f"Re: {letter['Subject']}", *lines)

    def address_of(self, number: int) -> str:
        with reading(self.world.engine) as conn:
            return next(each.address for each in tournaments.entrants_of(conn, CUP) if each.number == number)

    @property
    def now(self) -> datetime:
        return self.world.now

    @property
    def playing(self) -> list[tournament_rounds.RoundTable]:
        return [table for table in self.tables() if table.state == "playing"]

    def factions_at(self, game: str) -> dict[str, int]:
        with reading(self.world.engine) as conn:
            table = next(each for each in tournament_rounds.tables_of(conn, CUP) if each.game_id == game)
            held = tournament_rounds.now_sitting(conn, CUP, table.round, table.number)
        return {seat.faction: seat.entrant for seat in held}

    def published(self) -> Published:
        with reading(self.world.engine) as conn:
            return publication.published_tournament(conn, CUP, self.world.now)


def opened(folder: Path, kind: str) -> Live:
    """Open an event with two commands by the director; people enter by mail in their own words."""
    players, settings = FORMATS[kind]
    cup = Live(World.at(folder))
    make(cup.world, settings, SECRET)
    cup.grant(BOSS)
    for who in JUDGES:
        desk.grant_right(Caller(cup.open_games, cup.world.now), CUP, who, "arbiter")
    until = None if kind == "ladder" else cup.world.now.replace(day=28, month=12)
    preparation.open_entries(Caller(cup.open_games, cup.world.now), CUP, until=until)
    own = letters.own_address(cup.world.settings, cup.cup)
    for place, name in enumerate(NAMES[:players]):
        who = f"{name}@players.example"
        assert "confirm" in cup.send(who, own, "The Cup", ENTERS[place % 4].format(name.title()))
        cup.replies(who, CONFIRMS[place % 4])
        cup.tick(1)
    assert set(cup.states().values()) == {"confirmed"}
    with reading(cup.world.engine) as conn:
        named = [each.name for each in tournaments.entrants_of(conn, CUP)]
    assert named == [name.title() for name in NAMES[:players]]
    return cup


def answer_beacons(cup: Live) -> None:
    with reading(cup.world.engine) as conn:
        frozen, sent = beacons.frozen_draw(conn, CUP), beacons.sent_values(conn, CUP)
    if frozen and frozen.at <= cup.world.now and not sent.settled:
        for line in ("beacon cup {}: {}", "The beacon of round {} is {}"):
            value = frozen.form.replace("RANDOMNESS", f"0badc0de{frozen.round:02d}")
            cup.replies(BOSS, line.format(frozen.round, value))


def play_first_table(cup: Live, game: str) -> int:
    """Let a silent player at the first table lose the seat, then return before anybody else takes it."""
    silent, *others = sorted(cup.factions_at(game))
    absent = cup.factions_at(game)[silent]
    Cup.wrote(cup, game, *others)  # type: ignore[arg-type]  # as if the others had sent orders
    Cup.missed(cup, game, silent)  # type: ignore[arg-type]
    for _ in range(18):
        cup.tick(6)
    assert cup.factions_at(game)[silent] == 0
    assert "no-show" in {act.what for act in cup.acts()}
    Cup.wrote(cup, game, silent)  # type: ignore[arg-type]
    with writing(cup.world.engine) as conn:  # as an order from this player would
        conn.execute(update(SEAT).where(SEAT.c.game_id == game, SEAT.c.faction == silent).values(care=False))
    cup.open_games.forget()
    cup.tick(6)
    assert cup.factions_at(game)[silent] == absent, "who comes back is seated again"
    return absent


def judge(cup: Live, *verdicts: str) -> None:
    """Let the table's two days for replies pass, then let both arbiters answer."""
    for _ in range(9):
        cup.tick(6)
    for who, words in zip(JUDGES, verdicts, strict=True):
        cup.replies(who, words, about="Verdict")


@pytest.mark.parametrize("kind", FORMATS)
def test_it_runs_from_the_first_entry_to_the_last_letter(tmp_path: Path, kind: str) -> None:
    cup = opened(tmp_path, kind)
    commands = len([act for act in cup.acts() if act.right == "director"])
    if kind == "ladder":
        for place, words in enumerate(("ready", "Ready!", "I am ready", "ready please", "ready", "Ready."), 1):
            cup.replies(cup.address_of(place), words)
        cup.tick(1)
    done: set[str] = set()
    for _ in range(700):
        answer_beacons(cup)
        for table in cup.playing:
            if "absent" not in done:
                done.add("absent")
                play_first_table(cup, table.game_id)
            end_game(cup.world, table.game_id, "fremen" if "fremen" in cup.factions_at(table.game_id) else "guild")
        cup.tick(6)
        if "absent" in done and "protest" not in done and any(table.state == "finished" for table in cup.tables()):
            done.add("protest")
            over = [table for table in cup.tables() if table.state == "finished"]
            loser = cup.factions_at(over[0].game_id)["atreides"]
            told = cup.replies(cup.address_of(loser), f"protest {over[0].round}.{over[0].number}: that worm never came")
            assert "arbiters" in told
            judge(cup, "No ground at all.", "Let it stand: the board shows it.")
            if len(over) > 1:
                loser = cup.factions_at(over[1].game_id)["atreides"]
                cup.replies(
                    cup.address_of(loser), f"protest {over[1].round}.{over[1].number}: a bid was lost in the mail"
                )
                judge(cup, "Replay it, please.", "Play it again: one bid was never counted.")
                done.add("replay")
            leaver = max(cup.factions_at(over[0].game_id).values())
            assert "withdraw" in cup.replies(cup.address_of(leaver), "Sorry, I have to drop out.")
            cup.replies(cup.address_of(leaver), "withdraw cup leave")
            done.add("left")
        if cup.cup.state == "finished" or (kind == "ladder" and "left" in done and not cup.playing):
            break
    assert done >= {"absent", "protest", "left"}
    if kind != "ladder":
        assert cup.cup.state == "finished"
        assert ("replay" in done) == (len(cup.tables()) > 1)
    assert len([act for act in cup.acts() if act.right == "director" and act.what != "beacon"]) == commands
    days = [subject for subject, _ in cup.told() if re.search(r" on [0-9]+ ", subject)]
    assert len(days) == len(set(days)), "one letter a day at most"
    require_proof(cup, kind, tmp_path)


def points_apart(data: bytes) -> list[tuple[str, str]]:
    """Return each entrant's points in the standings as computed by an independent program."""
    entrants = [row["entrant"] for row in json.loads(data)["standings"]]
    return [(entrant, printed_points(points)) for entrant, points in independent.places(data, entrants)]


def require_proof(cup: Live, kind: str, folder: Path) -> None:
    """Check the export with `verify` and with an independent program; both must notice a changed winner."""
    document = cup.published()
    data = encode_published(document)
    found = verify(data)
    assert found.difference == ""
    assert independent.wrong_draws(data, SECRET) == []
    assert any(one.draw and one.draw.beacon for one in document.rounds) == (kind != "ladder")
    due = [(row.entrant, row.points) for row in document.standings]
    assert points_apart(data) == due
    theirs = ratings_by_the_program(document, folder)
    changes = {change.entrant: change.after for change in document.ratings}
    assert changes
    for entrant, after in changes.items():
        assert theirs[entrant][0] == pytest.approx(float(after), abs=0.0002), entrant
    last = document.results[-1]
    other = next(seat.faction for seat in last.outcome.seats if seat.faction not in last.outcome.winners)
    changed = msgspec.structs.replace(last, outcome=msgspec.structs.replace(last.outcome, winners=(other,)))
    forged = msgspec.structs.replace(document, results=(*document.results[:-1], changed))
    assert points_apart(encode_published(forged)) != due
    forged = msgspec.structs.replace(forged, standings=standings_of_published(forged))
    assert verify(encode_published(with_sums(forged)), said_sum=document.sum).difference
