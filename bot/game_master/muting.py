"""A seat whose press goes to the desk alone, until its game master says otherwise."""

from __future__ import annotations

from datetime import datetime

from bot.game_master.powers import AT_THE_MACHINE, PowerRefused, Use, Used, using
from bot.game_master.seats import seat_of
from bot.games.open_games import OpenGames
from bot.post.clock_notices import own_words
from bot.store import press as store
from bot.wording.sentences import say
from bot.wording.spoken import speaking
from rules.components import Faction, faction_name


def mute(open_games: OpenGames, game_id: str, faction: Faction, now: datetime, use: Use = AT_THE_MACHINE) -> None:
    """What a seat writes to others is passed on to nobody any more; the seat and the table are told, nobody why.
    PowerRefused if it is so already, or nobody plays that faction; UnknownGame if there is no game of that name."""
    with using(open_games, game_id, "mute", now, use) as used:
        seat_of(used.table, faction)
        if store.is_muted(used.conn, game_id, faction):
            raise PowerRefused(f"{faction_name(faction)} is muted in {game_id} already.")
        store.mute(used.conn, game_id, faction, now)
        used.words = faction
        _tell(open_games, used, faction, now, muted=True)


def unmute(open_games: OpenGames, game_id: str, faction: Faction, now: datetime, use: Use = AT_THE_MACHINE) -> None:
    """They may write to others again. PowerRefused if they may, or nobody plays that faction; UnknownGame if there is
    no game of that name."""
    with using(open_games, game_id, "unmute", now, use) as used:
        seat_of(used.table, faction)
        if not store.unmute(used.conn, game_id, faction):
            raise PowerRefused(f"{faction_name(faction)} is not muted in {game_id}.")
        used.words = faction
        _tell(open_games, used, faction, now, muted=False)


def _tell(open_games: OpenGames, used: Used, faction: Faction, now: datetime, *, muted: bool) -> None:
    table, told = used.table, own_words(used.use.tell)
    with speaking(table.play.game.rules.edition):
        for seat in table.seats:
            own = "own" if seat == faction else "other"
            words = say(f"muted.{own}" if muted else f"unmuted.{own}", faction=faction)
            open_games.writer.notify(used.conn, table, seat, now, say("muted.subject"), [words, *told])
