"""A new game: its seed, its seats, whether chosen or dealt at random, and its first letters.

Everything random in a game follows from its seed, and the first letters publish the seed's SHA-256. A person who
guesses the seed can check the guess against that hash, and then knows every deck. A seed that a game master types must
therefore contain at least 128 bits of randomness. If letters do not leave this machine (in dry runs, tests and the
demo), any seed is accepted.
"""

from __future__ import annotations

import ipaddress
import math
import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from bot.competition.published import clean_given_name
from bot.config import Settings
from bot.config.values import ArchivePolicy, read_policy
from bot.games.open_games import OpenGames, Session, act
from bot.games.proof import rules_digest
from bot.games.seat_addresses import AddressRefused, require_one_seat_each
from bot.games.seat_mail import make_harmless
from bot.mail.identity import bounce_token, is_own_address, reply_token
from bot.press import OPEN_PRESS, PressSettings, press_of_new_game
from bot.store import forum_threads, games, people
from bot.store.archive import name_of_opponent
from bot.store.database import Connection
from bot.store.forum_threads import Thread
from bot.table import rounds
from bot.table.clock import DEFAULT_TEMPO
from bot.table.clock import tempo as find_tempo
from bot.table.table import UNTIMED, Seat, Table
from bot.wording import say
from rules.chapters.setup import dealt_factions, require_seats
from rules.components import Faction
from rules.components.board import DOTS
from rules.components.chance import Chance, commitment
from rules.engine.play import Play
from rules.players import Temperament
from rules.rulesets.ruleset import require_consistent, require_playable


@dataclass(frozen=True, slots=True)
class Player:
    """The player of a seat. The name defaults to the first part of the address, and the time zone to Mentat's own."""

    address: str
    name: str = ""
    timezone: str = ""


@dataclass(frozen=True, slots=True)
class NewGame:
    """Everything that is decided before a game begins.

    - ``seats`` gives the player of each faction, or just their address; ``dots`` gives the player dot of each faction.
    - ``seed`` is the secret from which everything random follows.
    - ``tempo`` says how the questions of the game are spread over the days (``bot.table.clock``).
    - ``clock`` holds the clock settings that differ from the usual ones (``bot.table.clock.read_own_settings``).
    - ``archive`` is what the archive shows of the game; if it is None, the settings decide.
    - ``press`` says how the players may write to each other.
    - ``opponents`` are the seats that Mentat plays itself, each with its temperament; they need no player.
    - ``untimed`` is true if no question has a deadline, for example because one person plays alone.
    - ``forum`` is the forum, from the settings, in which the game has a thread; "" for none.
    - ``event`` is a sentence for the first letters about the game's table in a tournament and the end of the round.
    """

    id: str
    ruleset: str
    seats: Mapping[Faction, str | Player]
    dots: Mapping[Faction, int]
    seed: str
    options: Mapping[str, Any] = field(default_factory=dict)
    tempo: str = DEFAULT_TEMPO
    clock: Mapping[str, Any] = field(default_factory=dict)
    archive: ArchivePolicy | None = None
    press: PressSettings = OPEN_PRESS
    forum: str = ""
    opponents: Mapping[Faction, Temperament] = field(default_factory=dict)
    untimed: bool = False
    event: str = ""

    @property
    def players(self) -> dict[Faction, Player]:
        by_dot = sorted((*self.seats, *self.opponents), key=lambda faction: self.dots[faction])
        return {faction: self._player(faction) for faction in by_dot}

    def _player(self, faction: Faction) -> Player:
        if faction in self.opponents:
            return Player("", name_of_opponent(self.opponents[faction]))
        who = self.seats[faction]
        return Player(who) if isinstance(who, str) else who


def new_game(
    open_games: OpenGames, new: NewGame, now: datetime, *, tags_apart: bool = False, dry_run: bool = False
) -> Table:
    with act(open_games, now, dry_run=dry_run) as session:
        return begin_game(session, new, tags_apart=tags_apart)


def begin_game(session: Session, new: NewGame, *, tags_apart: bool = False) -> Table:
    """Start a game and mail its players.

    With ``tags_apart``, which is meant for trials, several addresses of one mailbox may hold different seats. These
    errors are raised:

    - UnknownTempo if there is no tempo of that name.
    - RuleSetError if the rule set or an option is unknown or not supported yet, or if two options contradict each
      other.
    - ValueError if the id is taken, or if there is no such forum.
    - AddressRefused if one person would have two seats, or if a player is banned or is Mentat itself.
    """
    table = _set_up(session.settings, new)
    _require_allowed(session.conn, session.settings, table, session.now, tags_apart=tags_apart)
    for seat in _manned(table):
        seat.address = people.address_in_use(session.conn, seat.address)
    _require_unused_id(session.conn, new.id)
    games.create(session.conn, table, commitment(new.seed), rules_digest(), session.now)
    if new.forum:
        forum_threads.add_thread(session.conn, Thread(new.id, new.forum))
    for seat in _manned(table):
        people.give_pseudonym_to_seat(session.conn, new.id, seat.faction, seat.address)
    if new.untimed:
        table.stopped_at, table.stopped_why = session.now, UNTIMED
    if new.opponents:
        rounds.go_on(table, session.now)
    session.save(table)
    session.writer.begin(table, new.event)
    games.close(session.conn, table)
    return table


def _manned(table: Table) -> list[Seat]:
    return [seat for seat in table.seats.values() if seat.has_player]


def _set_up(settings: Settings, new: NewGame) -> Table:
    find_tempo(new.tempo)
    if new.forum:
        require_forum(settings, new.forum)
    rules = games.rule_set(new.ruleset, new.options)
    require_playable(rules)
    require_consistent(rules, new.options)
    require_seats(rules, list(new.players))
    seats = {
        faction: _new_seat(settings, new.id, faction, new.dots[faction], player)
        for faction, player in new.players.items()
    }
    for faction, temperament in new.opponents.items():
        seats[faction].opponent, seats[faction].care = temperament, True
    play = Play.start(rules, new.seed, {faction: new.dots[faction] for faction in seats})
    clock = dict(new.clock)
    if pause := clock.pop("opponent_minutes", settings.clock.opponent_minutes) if new.opponents else 0:
        clock["opponent_minutes"] = pause
    shown = new.archive or read_policy(settings.archive.running, settings.archive.ended)
    return Table(
        new.id, new.ruleset, dict(new.options), new.seed, play, seats, tempo=new.tempo, clock=clock,
        policy=shown, press=press_of_new_game(new.press).words, past=[] if new.opponents else None,
    )  # fmt: skip


def _require_allowed(conn: Connection, settings: Settings, table: Table, now: datetime, *, tags_apart: bool) -> None:
    settled = {seat.faction: seat.address for seat in _manned(table)}
    for address in settled.values():
        if is_own_address(address, settings.mentat.address):
            raise AddressRefused(say("desk.own-address", address=address), [address])
    require_one_seat_each(conn, settings, table.id, settled, tags_apart=tags_apart)
    everywhere = settings.identity.tags_apart
    banned = [one for one in settled.values() if people.standing_ban(conn, one, now, tags_apart=everywhere)]
    if banned:
        raise AddressRefused(say("desk.not-allowed", addresses=banned), banned)


def _require_unused_id(conn: Connection, game_id: str) -> None:
    """Raise ValueError if the id belongs to a game, or to a deleted game to whose letters players may still reply.
    Case is ignored, because the id is also the name of a folder in the archive, and some file systems treat `Ix` and
    `ix` as one name."""
    if (other := games.same_but_for_case(conn, game_id)) not in (None, game_id):
        raise ValueError(f"There is a game {other!r}, which differs only in capital letters; choose another id.")
    if games.exists(conn, game_id):
        raise ValueError(
            f"There is already a game {game_id!r}, which keeps its rule set and options; choose another id."
        )
    if games.was_deleted(conn, game_id):
        raise ValueError(f"A deleted game {game_id!r} has already sent letters; choose another id.")


def require_forum(settings: Settings, forum: str) -> None:
    if forum not in settings.forums:
        known = ", ".join(settings.forums) or "none"
        raise ValueError(f"There is no forum {forum!r} in the settings ([forums.NAME]); the forums are: {known}.")


def draw_seats(
    addresses: Sequence[str],
    seed: str,
    ruleset: str = "wbc-2018",
    options: Mapping[str, Any] | None = None,
    taken: Sequence[Faction] = (),
) -> tuple[dict[Faction, str], dict[Faction, int]]:
    """Deal factions and player dots at random (WBC.HR.1, GF9.SETUP.3). Return the address for each faction, and the
    dots. Factions that are ``taken`` are only dealt a dot. Raise RuleSetError if the rule set or an option is
    unknown."""
    chance = Chance(seed, {})
    rules, dots = games.rule_set(ruleset, options or {}), list(DOTS)
    factions = [one for one in dealt_factions(rules, len(addresses) + len(taken)) if one not in taken]
    chance.shuffle("seats-factions", factions)
    chance.shuffle("seats-dots", dots)
    dealt = factions[: len(addresses)]
    return dict(zip(dealt, addresses, strict=True)), dict(zip((*dealt, *taken), dots, strict=False))


def clean_name(settings: Settings, said: str) -> str:
    return make_harmless(clean_given_name(said), settings.mentat.address)


def _new_seat(settings: Settings, game_id: str, faction: Faction, dot: int, player: Player) -> Seat:
    secret = settings.key
    token, returns_to = reply_token(secret, game_id, faction, 0), bounce_token(secret, game_id, faction, 0)
    zone = player.timezone or settings.mentat.timezone.key
    name = clean_name(settings, player.name) or player.address.partition("@")[0]
    return Seat(
        faction, dot, player.address.lower(), name, zone, token, returns_to, bank=60 * settings.clock.bank_hours
    )


ENOUGH_BITS = 128
ENOUGH_CHARACTERS = 8
"""A seed needs at least this many different characters. Repeating characters adds no randomness, however long the seed
is."""

_ALPHABETS = (
    (string.digits, 10),
    (string.digits + "abcdef", 16),
    (string.digits + "ABCDEF", 16),
    (string.ascii_lowercase, 26),
    (string.ascii_letters + string.digits, 62),
)
_PRINTABLE = 95
_WORD_BITS = math.log2(7776)  # the bits of a word chosen by five dice; words that people choose have far fewer


class GuessableSeed(ValueError):
    """Raised if a seed could be guessed. The message says why that matters and how to make a better one."""


def require_unguessable(seed: str, settings: Settings, option: str = "--seed") -> None:
    """Raise GuessableSeed if letters leave this machine and the seed has fewer than 128 bits. ``option`` is the command
    line option with which the seed was given."""
    bits = bits_of(seed)
    if letters_leave_machine(settings) and (bits < ENOUGH_BITS or len(set(seed)) < ENOUGH_CHARACTERS):
        raise GuessableSeed(
            f"This seed has at most {math.floor(bits)} bits of randomness and {len(set(seed))} different characters. A "
            f"real game needs at least {ENOUGH_BITS} bits and {ENOUGH_CHARACTERS} different characters. The first "
            "letters publish the seed's SHA-256, so anybody who guesses the seed knows every deck and every storm. "
            f"Leave {option} out to draw a seed of 256 bits, or make one yourself with `openssl rand -hex 32`."
        )


def letters_leave_machine(settings: Settings) -> bool:
    """Return whether letters are really sent to players. They are not if they are written into a folder or go to a mail
    server on this machine."""
    if settings.smtp.kind == "directory":
        return False
    host = settings.smtp.host.strip("[]").lower()
    try:
        return not ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host != "localhost"


def bits_of(seed: str) -> float:
    """Return an upper bound for the bits of randomness in a seed.

    Each character counts as a random choice from the smallest usual alphabet that contains all characters of the seed.
    In a seed of several words, each word counts as a random choice from a list of words.

    >>> bits_of("00" * 16), bits_of("9f" * 16), round(bits_of("spice")), round(bits_of("the sleeper must awaken"))
    (106.30169903639559, 128.0, 24, 52)
    """
    size = next((size for letters, size in _ALPHABETS if set(seed) <= set(letters)), _PRINTABLE)
    bits = len(seed) * math.log2(size)
    words = len(seed.split())
    return min(bits, words * _WORD_BITS) if words > 1 else bits
