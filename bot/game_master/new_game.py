"""A new game: its seats are given or dealt, and its first letters written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from bot.clock.tempo import DEFAULT
from bot.clock.tempo import tempo as find_tempo
from bot.competition.names import clean
from bot.config import Settings
from bot.config.archive_policy import Policy, policy
from bot.games.installed_rules import rules_digest
from bot.games.open_games import OpenGames
from bot.identity.addresses import AddressRefused, require_one_seat_each
from bot.identity.harmless import harmless
from bot.mail.identity import bounce_token, reply_token
from bot.press.settings import OPEN, PressSettings
from bot.store import addresses, bans, games, pseudonyms
from bot.store.database import Connection, writing
from bot.store.forum import threads
from bot.store.forum.threads import Thread
from bot.table.seat import Seat
from bot.table.table import Table
from bot.wording.sentences import say
from rules.chapters.seats import dealt_factions, require_seats
from rules.components import Faction
from rules.components.board import DOTS
from rules.components.chance import Chance, commitment
from rules.engine.play import Play
from rules.rulesets.contradictions import require_consistent
from rules.rulesets.ruleset import require_playable


@dataclass(frozen=True, slots=True)
class Player:
    """Who is to play a seat: their address, what the others call them, and their zone; what is left out is the first
    part of the address, and Mentat's own zone."""

    address: str
    name: str = ""
    timezone: str = ""


def new_game(
    open_games: OpenGames,
    game_id: str,
    ruleset: str,
    seats: Mapping[Faction, str | Player],
    now: datetime,
    *,
    seed: str,
    dots: Mapping[Faction, int],
    options: Mapping[str, Any] | None = None,
    tempo: str = DEFAULT,
    clock: Mapping[str, Any] | None = None,
    archive: Policy | None = None,
    tags_apart: bool = False,
    press: PressSettings = OPEN,
    forum: str = "",
) -> Table:
    """Start a game and mail its players, in a transaction of its own (``begin_game``). ``seats`` gives each faction its
    player, or their address."""
    players = {faction: Player(who) if isinstance(who, str) else who for faction, who in seats.items()}
    with writing(open_games.engine) as conn:
        return begin_game(
            conn, open_games, game_id, ruleset, players, now, seed=seed, dots=dots, options=options, tempo=tempo,
            clock=clock, archive=archive, tags_apart=tags_apart, press=press, forum=forum,
        )  # fmt: skip


def begin_game(
    conn: Connection,
    open_games: OpenGames,
    game_id: str,
    ruleset: str,
    players: Mapping[Faction, Player],
    now: datetime,
    *,
    seed: str,
    dots: Mapping[Faction, int],
    options: Mapping[str, Any] | None = None,
    tempo: str = DEFAULT,
    clock: Mapping[str, Any] | None = None,
    archive: Policy | None = None,
    tags_apart: bool = False,
    press: PressSettings = OPEN,
    forum: str = "",
) -> Table:
    """Start a game and mail its players. ``players`` gives each faction its player, ``dots`` its place.

    ``tempo`` says how its stops are spread over days (``bot.clock.tempo``), ``clock`` what differs from the
    settings (``bot.clock.settings.read_own``), ``archive`` what the archive shows of it (None: as
    the settings say), ``press`` how its players may write to each other, ``forum`` in which forum of the
    settings it has a thread, "" for none. ``tags_apart``: addresses of one mailbox may hold several seats, to try
    things out.

    UnknownTempo if there is none of that name;
    RuleSetError if the rule set (or an option) is unknown or not played yet, or if two options contradict each other;
    ValueError if the id is taken, or there is no such forum;
    AddressRefused if one person would have two seats, or is banned.
    """
    find_tempo(tempo)
    if forum:
        require_forum(open_games.settings, forum)
    made_of = games.rule_set(ruleset, options or {})
    require_playable(made_of)
    require_consistent(made_of, options or {})
    require_seats(made_of, list(players))
    made = {
        faction: _new_seat(open_games.settings, game_id, faction, dots[faction], player)
        for faction, player in sorted(players.items(), key=lambda seat: dots[seat[0]])
    }
    play = Play.start(made_of, seed, {faction: dots[faction] for faction in made})
    shown = archive or policy(open_games.settings.archive.running, open_games.settings.archive.ended)
    table = Table(
        game_id, ruleset, dict(options or {}), seed, play, made, tempo=tempo, clock=dict(clock or {}), policy=shown,
        press=press.words,
    )  # fmt: skip
    settled = {faction: seat.address for faction, seat in made.items()}
    require_one_seat_each(conn, open_games.settings, game_id, settled, tags_apart=tags_apart)
    if banned := [
        address
        for address in settled.values()
        if bans.standing(conn, address, now, tags_apart=open_games.settings.identity.tags_apart)
    ]:
        raise AddressRefused(say("desk.not-allowed", addresses=banned))
    for seat in made.values():
        seat.address = addresses.in_use(conn, seat.address)
    if games.exists(conn, game_id):
        raise ValueError(
            f"There is already a game {game_id!r}, which keeps its rule set and options; choose another id."
        )
    if games.was_deleted(conn, game_id):
        raise ValueError(f"Letters of a game {game_id!r} went out before it was deleted; choose another id.")
    games.create(conn, table, commitment(seed), rules_digest(), now)
    if forum:
        threads.follow(conn, Thread(game_id, forum))
    for seat in made.values():
        pseudonyms.sits_down(conn, game_id, seat.faction, seat.address)
    games.save(conn, table, now, open_games.clock(table))
    open_games.writer.begin(conn, table, now)
    games.close(conn, table)
    return table


def require_forum(settings: Settings, forum: str) -> None:
    """ValueError if the settings have no forum of this name; the message says which they have."""
    if forum not in settings.forums:
        known = ", ".join(settings.forums) or "none"
        raise ValueError(f"There is no forum {forum!r} in the settings ([forums.NAME]); there are: {known}.")


def draw_seats(
    addresses: Sequence[str], seed: str, ruleset: str = "wbc-2018", options: Mapping[str, Any] | None = None
) -> tuple[dict[Faction, str], dict[Faction, int]]:
    """Deal factions and player dots at random (WBC.HR.1, GF9.SETUP.3): the seats by faction, and the dots. RuleSetError
    if the rule set or an option is unknown."""
    chance = Chance(seed, {})
    factions, dots = list(dealt_factions(games.rule_set(ruleset, options or {}), len(addresses))), list(DOTS)
    chance.shuffle("seats-factions", factions)
    chance.shuffle("seats-dots", dots)
    dealt = factions[: len(addresses)]
    return dict(zip(dealt, addresses, strict=True)), dict(zip(dealt, dots, strict=False))


def given_name(settings: Settings, said: str) -> str:
    """A name as others are shown it."""
    return harmless(clean(said), settings.mentat.address)


def _new_seat(settings: Settings, game_id: str, faction: Faction, dot: int, player: Player) -> Seat:
    secret = settings.secrets.secret.get_secret_value().encode()
    token, returns_to = reply_token(secret, game_id, faction, 0), bounce_token(secret, game_id, faction, 0)
    zone = player.timezone or settings.mentat.timezone.key
    name = given_name(settings, player.name) or player.address.partition("@")[0]
    return Seat(
        faction, dot, player.address.lower(), name, zone, token, returns_to, bank=60 * settings.clock.bank_hours
    )
