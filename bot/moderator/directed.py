"""What a game master does as mailed orders are taken: order for a seat, and release a game that is on hold."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from bot.game_master import clocks
from bot.game_master.powers import AT_THE_MACHINE, PowerRefused, Use, using
from bot.game_master.seats import seat_of
from bot.games.open_games import OpenGames
from bot.identity.identification import Part
from bot.moderator import taking
from bot.moderator.taking import Came
from bot.post import clock_notices
from bot.post.clock_notices import own_words
from bot.reports.given import LineRead
from bot.store import held_lines
from bot.wording.sentences import say
from bot.wording.spoken import speaking
from rules.components import Faction


def order(
    open_games: OpenGames, game_id: str, faction: Faction, lines: Sequence[str], now: datetime,
    use: Use = AT_THE_MACHINE,
) -> list[LineRead]:  # fmt: skip
    """Order for a seat as if its player had written these lines; what became of each. Its player gets the answer to
    them at once, and nobody else hears of it before the end. PowerRefused if nobody plays that faction, none of
    the lines can be taken, or the game is played blind: what becomes of an order tells what its seat has."""
    with using(open_games, game_id, "order", now, use) as used:
        seat_of(used.table, faction)
        used.require_sight()
        used.words = f"{faction}: {'; '.join(lines)}"
        part = Part(game_id, faction, tuple(lines))
        notes = [say("desk.ordered"), *own_words(use.tell)]
        with speaking(used.table.play.game.rules.edition):
            taken = taking.take_at(used.conn, open_games, used.table, part, Came("master", notes=notes), now)
        if not any(line.status in taking.TAKEN for line in taken):
            raise PowerRefused("; ".join(f"{line.text}: {line.reason}" for line in taken))
        return taken


def release(open_games: OpenGames, game_id: str, now: datetime, use: Use = AT_THE_MACHINE) -> None:
    """Let a game go on that is on hold: what was ordered meanwhile is played in the order in which it came, each
    mail is answered, and the clocks give the time back. PowerRefused if it is not on hold."""
    with using(open_games, game_id, "release", now, use) as used:
        conn, table = used.conn, used.table
        if not table.on_hold:
            raise PowerRefused(f"{game_id} is not on hold; `mentat game hold {game_id}` holds it.")
        table.on_hold = None
        if table.stopped_why == clocks.HOLD:
            clocks.give_back(conn, open_games, table, now)
        clock_notices.tell_new_deadline(
            conn, open_games.writer, table, now, "release", say("release.notice"), told=use.tell
        )
        for held in held_lines.take(conn, game_id) if used.may_foresee else ():
            part = Part(game_id, held.faction, held.lines)
            with speaking(table.play.game.rules.edition):
                came = Came("kept", held.message, notes=[say("desk.after-hold")])
                taking.take_at(conn, open_games, table, part, came, now)
