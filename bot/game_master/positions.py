"""Facts of a position put right: typed corrections that replay, keep the books, and are told to who may know them.

For what a rollback would be too much for, or would not help: the rules were read wrongly three turns ago.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from bot.game_master.powers import AT_THE_MACHINE, PowerRefused, Use, using
from bot.games.open_games import OpenGames
from bot.post.clock_notices import own_words
from bot.store import games
from bot.table.advance import go_on
from bot.table.table import TableBefore
from bot.wording.sentences import say
from bot.wording.spoken import speaking
from rules.engine import corrections
from rules.selfplay.invariants import InvariantBroken, check_invariants


def correct(
    open_games: OpenGames, game_id: str, texts: Sequence[str], now: datetime, use: Use = AT_THE_MACHINE
) -> None:
    """Put facts of a position right (``rules.engine.corrections.FORMS``), all of them or none. Everybody is told that
    it was done and what of it all may see; the owner of what is hidden is told that too. PowerRefused where a
    correction cannot be, or the position could not be that of a game then; and in a game that is played blind where
    the refusal alone would tell what is sealed."""
    with using(open_games, game_id, "position", now, use) as used:
        conn, table = used.conn, used.table
        before = TableBefore.of(table)
        try:
            put_right = [corrections.read(text) for text in texts]
            if any(map(corrections.looks_behind_shields, put_right)):
                used.require_sight()
            table.play.correct(put_right)
            check_invariants(table.play.game)
        except (ValueError, KeyError) as refused:
            raise PowerRefused(str(refused)) from None
        except InvariantBroken as broken:
            raise PowerRefused(f"The position could not be that of a game: {broken}.") from None
        used.words = "; ".join(map(corrections.write, put_right))
        public = [corrections.write(each) for each in put_right if not corrections.owners(each)]
        with speaking(table.play.game.rules.edition):
            for faction in table.seats:
                own = [corrections.write(each) for each in put_right if faction in corrections.owners(each)]
                told = [say("event.corrected.public", changes=public), *own_words(use.tell)]
                if own:
                    told.insert(1, say("event.corrected.private", own=own))
                open_games.writer.notify(conn, table, faction, now, say("desk.corrected-subject"), told)
        if not used.may_foresee:
            return
        go_on(table, now)
        games.save(conn, table, now, open_games.clock(table))
        open_games.writer.answer(conn, table, before, now)
