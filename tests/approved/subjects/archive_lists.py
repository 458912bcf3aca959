"""Games that are over, in a few lines each, and the ratings of players: every list, page of numbers and feed of the
archive."""

from __future__ import annotations

import gzip
import io
import tarfile
from collections.abc import Iterator
from datetime import date

import msgspec

from bot.archive.games import FactionWorth, RatedPlayer, RatingList
from bot.archive.html import with_discs
from bot.archive.lists import list_files
from bot.archive.summaries import GameRecord, Seat, Summary, harmless_cell, pack_all_games, tidy_name
from tests.approved.json_inputs import as_input, vary_json
from tests.approved.subject import Subject
from tests.archive.many_games import many_games
from tests.archive.page_words import lines_of


class Archive(msgspec.Struct):
    """What the lists are made from."""

    games: list[Summary]
    running: bool = False
    tournaments: bool = False
    archive: str = ""
    players: list[RatedPlayer] = []
    factions: list[FactionWorth] = []
    cell: str = ""
    times: int = 1
    """How often the games are there, under other names."""


def _seeds() -> Iterator[str]:
    ratings = [
        RatedPlayer("Ann <b>", 1612, 80, 12, 1),
        RatedPlayer("الغزالي", 1500, 200, 2),
        RatedPlayer("", 1480, 90, 9, 2),
    ]
    worth = [FactionWorth("wbc-2018", 6, "guild", 123), FactionWorth("ah-basic", 4, "fremen", -5)]
    odd = Summary(
        id="sietch-x", ruleset="ixians", turns=1, how="something new", began=date(2020, 2, 27), ended=date(2020, 3, 1),
        seats=(
            Seat("ixians", "Duke", True, dot=2), Seat("guild", "Duke", True, True, 5),
            Seat("fremen", "  =A\u0007\u202e1 ", True), Seat("emperor", "", True),
        ),
        winners=("ixians",), instead_of=("guild",), karama=((1, 3), (2, 9), (2, 2)),
        alliances=(("guild", "ixians", "fremen"),), first_alliances=(("guild", "ixians"), ("fremen", "emperor")),
        held={"ixians": 3, "guild": 0}, held_over_turns={"ixians": 4}, traitors={"guild": 2, "ixians": 1}, battles=3,
    )  # fmt: skip
    nobody = Summary(id="empty", ruleset="ah-basic", turns=0, seats=())
    for number in (0, 1, 3, 7, 12, 30):
        yield as_input(
            Archive(many_games(number), players=ratings[: number % 4], factions=worth, running=number % 2 == 0)
        )
    yield as_input(Archive([odd, nobody, *many_games(2)], True, True, "mine", ratings, worth, "=1+1"))
    yield as_input(Archive([nobody], archive="x", players=ratings, cell=" ＠x"))
    yield as_input(Archive(many_games(4, ["W" * 99, "Ḥusayn ibn ʿAlī al-Ghazālī " * 3]), times=30, cell="Duke"))
    yield as_input(Archive([msgspec.structs.replace(odd, how="prediction"), *many_games(9, listed=False)], times=2))


def _told(text: str) -> str:
    try:
        given = msgspec.json.decode(text, type=Archive)
    except msgspec.MsgspecError:
        return "no games"
    games = [
        game if not number else msgspec.structs.replace(game, id=f"{game.id}-{number}")
        for number in range(min(given.times, 60)) for game in given.games
    ]  # fmt: skip
    found = [
        f"cell: {harmless_cell(given.cell)!r}", f"name: {tidy_name(given.cell, 12)!r}", f"words: {with_discs(given.cell)}",
        *_packed(games),
    ]  # fmt: skip
    try:
        files = list_files(
            games, running=given.running, tournaments=given.tournaments, archive=given.archive,
            ratings=RatingList(given.players, given.factions),
        )  # fmt: skip
    except Exception as error:
        return "\n".join([*found, f"no lists: {type(error).__name__}"])
    found += [f"== {name}\n{_file(name, files[name])}" for name in sorted(files)]
    return "\n".join(found)


def _file(name: str, content: bytes) -> str:
    if len(content) > 40_000:
        content = content[:6_000] + b"\n[...]\n" + content[-2_000:]
        return content.decode(errors="replace").replace("\r\n", "\n")
    return lines_of(content) if name.endswith(".html") else content.decode().replace("\r\n", "\n")


def _packed(games: list[Summary]) -> list[str]:
    """What is in the file of all records; made of the one before, it is the same as made anew."""
    records = [GameRecord(game.id, game.record, lambda: b"{}\n" * 400) for game in games if game.record][:5]
    before = b"".join(pack_all_games(records[1:3]))
    anew = b"".join(pack_all_games(records))
    again = b"".join(pack_all_games(records, io.BytesIO(before)))
    damaged = b"".join(pack_all_games(records, io.BytesIO(before[:-7])))
    with tarfile.open(fileobj=io.BytesIO(gzip.decompress(anew))) as packed:
        there = [f"{one.name} {one.size} {one.mode:o} {one.mtime}" for one in packed.getmembers()]
    return [*there, str(anew == again), str(anew == damaged)]


SUBJECT = Subject(
    "archive-lists", ("bot.archive.lists", "bot.archive.html", "bot.competition.statistics"), _seeds,
    vary_json(("name", "cell", "archive")), _told,
)  # fmt: skip
