"""Tournaments in their own databases: `Entered` is open, with players who have confirmed; `Cup` is being played. People
who enter by mail are in `tests.tournament.entries`."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import update

from bot.competition.published import EntrantState, RoundKind
from bot.desk.new_game import NewGame, new_game
from bot.games.open_games import OpenGames
from bot.mail.identity import TOKEN_CHARS
from bot.press import read_press
from bot.store import acts, tournament_rounds, tournaments
from bot.store.acts import DeskAct, GrantedRight, Right, acts_of
from bot.store.database import pack, reading, writing
from bot.store.tables import DEADLINE, EVENT, GAME, MESSAGE
from bot.store.tournament_rounds import Result, Round, RoundTable, Tenure
from bot.store.tournaments import Entrant, Tournament
from bot.tournament import calendar, drawing, game_starts, preparation
from bot.tournament.desk import DIRECTOR, By, Caller
from bot.tournament.drawing import DrawRequest, DrawResult
from rules.components import FACTIONS, as_faction
from rules.state import events
from rules.state.events import Event
from tests.moderator.table import DOTS, START, Sent, World

CUP = "cup"
PLAYERS = 12
STANDBYS = 3
SECRET = "spice-must-flow"
SETTINGS = 'title = "The Cup"\nformat = "heats"\n'
ONE_HEAT = 'title = "The Cup"\n[rounds]\nheats = 1\nsemifinal = 0\nfinal = 6\n'


@dataclass
class Entered:
    """A world with a single tournament."""

    world: World

    @classmethod
    def at(cls, folder: Path, players: int, settings: str = ONE_HEAT, secret: str = SECRET) -> Entered:
        made = cls(World.at(folder))
        preparation.new_tournament(Caller(made.open_games, made.world.now), CUP, settings, secret=secret)
        preparation.open_entries(Caller(made.open_games, made.world.now), CUP)
        made.enter(players)
        return made

    def enter(self, players: int, state: EntrantState = "confirmed", **facts: Any) -> None:
        """Add this many entrants."""
        with writing(self.world.engine) as conn:
            for _ in range(players):
                number = tournaments.next_entrant_number(conn, CUP)
                token = token_for(f"entrant {number}")
                made = Entrant(
                    CUP, number, tournaments.handle(number), address(number), token, self.world.now,
                    name=f"Player {number}", state=state, standby=state == "standby",
                    confirmed_at=None if state == "entered" else self.world.now, **facts,
                )  # fmt: skip
                tournaments.add_entrant(conn, made)

    @property
    def open_games(self) -> OpenGames:
        return self.world.moderator.open_games

    @property
    def cup(self) -> Tournament:
        with reading(self.world.engine) as conn:
            return tournaments.find_tournament(conn, CUP)

    def draw(self, *, dry_run: bool = False, **asked: Any) -> DrawResult:
        return drawing.draw(Caller(self.open_games, self.world.now, dry_run=dry_run), CUP, DrawRequest(**asked))

    def start(self, by: By = DIRECTOR, *, dry_run: bool = False, **asked: Any) -> game_starts.StartResult:
        return game_starts.start_games(Caller(self.open_games, self.world.now, by, dry_run), CUP, **asked)

    def tick(self, hours: float = 0) -> None:
        """Let time pass, and run the tournaments' calendar."""
        self.world.now += timedelta(hours=hours)
        calendar.tick(self.open_games, self.world.now)

    def rounds(self) -> list[Round]:
        with reading(self.world.engine) as conn:
            return tournament_rounds.rounds_of(conn, CUP)

    def tables(self) -> list[RoundTable]:
        with reading(self.world.engine) as conn:
            return tournament_rounds.tables_of(conn, CUP)

    def seats(self) -> list[Tenure]:
        with reading(self.world.engine) as conn:
            return tournament_rounds.tenures_of(conn, CUP)

    def acts(self) -> list[DeskAct]:
        with reading(self.world.engine) as conn:
            return acts_of(conn, tournament_id=CUP)

    def states(self) -> dict[str, str]:
        with reading(self.world.engine) as conn:
            return {each.handle: each.state for each in tournaments.entrants_of(conn, CUP)}

    def letters(self, number: int, after: int = 0) -> list[Sent]:
        return self.world.letters(address(number), after)

    def text(self, number: int) -> str:
        """Return the newest letter to an entrant, with single spaces."""
        return " ".join(self.letters(number)[-1].text.split())


@dataclass
class Cup(Entered):
    """A tournament of twelve with three standbys. Its first round is played at two tables of six."""

    settings: str = 'title = "The Cup"\n[rounds]\nheats = 2\nsemifinal = 0\n'
    kind: RoundKind = "heat"
    first: datetime = field(init=False)

    def __post_init__(self) -> None:
        self.first = self.world.now
        made = Tournament(
            CUP, "The Cup", self.settings, "digest", "running", "commitment", "secret", "", "t" * 16, self.world.now
        )  # fmt: skip
        with writing(self.world.engine) as conn:
            tournaments.create_tournament(conn, made)
        self.enter(PLAYERS, "playing")
        self.enter(STANDBYS, "standby")

    @property
    def now(self) -> datetime:
        return self.world.now

    def round(
        self, number: int = 1, tables: Sequence[Sequence[int]] = (range(1, 7), range(7, 13)), days: int = 65
    ) -> None:
        """Create a round in play, with real games."""
        made = Round(CUP, number, self.kind, "playing", self.now, self.now + timedelta(days=days))
        with writing(self.world.engine) as conn:
            tournament_rounds.add_round(conn, made)
        for table, seated in enumerate(tables, 1):
            self.table(number, table, seated)

    def table(self, number: int, table: int, seated: Sequence[int]) -> None:
        """Create a table whose game has begun."""
        self.world.once(("a table", number, table, *seated), lambda: self._begin(number, table, seated))

    def _begin(self, number: int, table: int, seated: Sequence[int]) -> None:
        game = f"{CUP}-{number}-{table}"
        seats = {faction: address(entrant) for faction, entrant in zip(FACTIONS, seated, strict=False)}
        dots = dict(zip(FACTIONS, DOTS, strict=True))
        dots = {faction: dots[faction] for faction in seats}
        with reading(self.world.engine) as conn:
            press = read_press(tournaments.find_tournament(conn, CUP).settings.press)
        new_game(self.open_games, NewGame(game, "wbc-2018", seats, dots, f"seed {game}", press=press), self.now)
        with writing(self.world.engine) as conn:
            tenures = [
                Tenure(CUP, number, table, dots[faction], entrant, faction=faction)
                for faction, entrant in zip(seats, seated, strict=True)
            ]
            tournament_rounds.add_tables(conn, [RoundTable(CUP, number, table, len(seats), game, "playing")], tenures)
        self.missed(game)

    def grant(self, who: str, right: Right) -> None:
        with writing(self.world.engine) as conn:
            acts.grant_right(conn, GrantedRight(who, right, token_for(who), self.now, tournament_id=CUP))

    def end(self, game: str, *winners: str, how: str = "strongholds", turn: int = 4) -> None:
        end_game(self.world, game, *winners, how=how, turn=turn)

    def in_turn(self, game: str, turn: int) -> None:
        """Set a game's turn in the tables, without playing it."""
        with writing(self.world.engine) as conn:
            conn.execute(update(GAME).where(GAME.c.id == game).values(turn=turn))

    def wrote(self, game: str, *factions: str) -> None:
        """Record that these players have sent an order."""
        with writing(self.world.engine) as conn:
            for faction in factions or FACTIONS:
                number = f"{game}.{faction}"
                conn.execute(
                    MESSAGE.insert(),
                    {"key": number, "message_id": number, "received_at": self.now, "game_id": game,
                     "faction": faction, "disposition": "orders", "digest": number},
                )  # fmt: skip

    def missed(self, game: str, *factions: str, opened: str = "0.setup.1") -> None:
        """Record that these players left a question to the default."""
        miss_a_duty(self.world, game, *factions, opened=opened)

    def standing(self, number: int = 1, table: int = 1) -> RoundTable:
        with reading(self.world.engine) as conn:
            return next(each for each in tournament_rounds.tables_of(conn, CUP, number) if each.number == table)

    def result(self, number: int = 1, table: int = 1) -> Result | None:
        with reading(self.world.engine) as conn:
            return tournament_rounds.newest_results(conn, CUP).get((number, table))

    def versions(self) -> list[Result]:
        with reading(self.world.engine) as conn:
            return tournament_rounds.result_versions(conn, CUP)

    def entrant(self, number: int) -> Entrant:
        with reading(self.world.engine) as conn:
            found = tournaments.find_entrant(conn, CUP, tournaments.handle(number))
        assert found is not None
        return found

    def sitting(self, faction: str, number: int = 1, table: int = 1) -> Tenure:
        with reading(self.world.engine) as conn:
            return next(
                t for t in tournament_rounds.now_sitting(conn, CUP, number, table) if t.faction == as_faction(faction)
            )

    def held(self, faction: str, number: int = 1, table: int = 1) -> list[tuple[int, str, int, int]]:
        """Return the tenures of a seat: entrant, reason, first and last turn."""
        with reading(self.world.engine) as conn:
            every = tournament_rounds.tenures_of(conn, CUP, number, table)
        return [(t.entrant, t.why, t.first, t.last) for t in every if t.faction == faction]

    def papers(
        self, *kinds: tournaments.PaperKind, state: tournaments.PaperState | None = "open"
    ) -> list[tournaments.Paper]:
        with reading(self.world.engine) as conn:
            return tournaments.papers_of(conn, CUP, *kinds, state=state)

    def done(self) -> list[str]:
        """Return the commands in the act log."""
        with reading(self.world.engine) as conn:
            return [act.what for act in acts.acts_of(conn, tournament_id=CUP)]


def miss_a_duty(world: World, game: str, *factions: str, opened: str = "0.setup.1") -> None:
    with writing(world.engine) as conn:
        for faction in factions or FACTIONS:
            conn.execute(
                DEADLINE.insert(),
                {"game_id": game, "opened_at": opened, "faction": faction, "kind": "traitor", "subject": "",
                 "due": world.now, "until": world.now, "state": "gone", "missed": True, "reminded": 0, "duty": True,
                 "asked_at": world.now},
            )  # fmt: skip


def end_game(world: World, game: str, *winners: str, how: str = "strongholds", turn: int = 4) -> None:
    """End a game with these winners, as if it had been played."""
    with writing(world.engine) as conn:
        row = conn.execute(GAME.select().where(GAME.c.id == game)).one()
        won = Event(row.events, turn, "mentat", "game-won", {"winners": list(winners), "how": how, "instead_of": []})
        conn.execute(
            EVENT.insert(), {"game_id": game, "number": row.events, "turn": turn, "data": pack(events.encode(won))}
        )
        changed = {
            "status": "over", "turn": turn, "events": row.events + 1, "revision": row.revision + 1,
            "winners": ",".join(winners),
        }  # fmt: skip
        conn.execute(update(GAME).where(GAME.c.id == game).values(changed))


def token_for(who: str) -> str:
    """Return this person's reply token, which is always the same."""
    return base64.b32encode(hashlib.sha256(who.encode()).digest())[:TOKEN_CHARS].decode().lower()


def address(number: int) -> str:
    return f"player{number}@players.example"


def cup_at(folder: Path, settings: str = "") -> Cup:
    return Cup(World.at(folder), settings) if settings else Cup(World.at(folder))


# --- a tournament with entrants only ---------------------------------------------------------------------------------


def make(world: World, settings: str = SETTINGS, secret: str = "") -> Tournament:
    return preparation.new_tournament(
        Caller(world.moderator.open_games, world.now), CUP, settings, secret=secret
    ).tournament


def enter(world: World, *names: str) -> None:
    """Add entrants who have confirmed. Their addresses begin with their names."""
    with writing(world.engine) as conn:
        for name in names:
            number = tournaments.next_entrant_number(conn, CUP)
            handle = tournaments.handle(number)
            address = f"{name}@players.example"
            tournaments.add_entrant(
                conn, Entrant(CUP, number, handle, address, f"token-{name}", START, state="confirmed")
            )
