"""How the players of a game may write to each other: settled when it begins, and only stricter from then on."""

from __future__ import annotations

from datetime import datetime

from bot.game_master.powers import AT_THE_MACHINE, PowerRefused, Use, using
from bot.games.open_games import OpenGames
from bot.post.clock_notices import own_words
from bot.press.settings import PressRefused, PressSettings, read, require_stricter
from bot.reports.press_mode import told_of_press
from bot.table.press import said_at, settings_of
from bot.wording.sentences import say
from bot.wording.spoken import speaking


def change(
    open_games: OpenGames, game_id: str, wanted: str, now: datetime, use: Use = AT_THE_MACHINE
) -> PressSettings:  # fmt: skip
    """Let the players of a game write to each other so from now on, and tell them. PowerRefused if it cannot be read,
    or allows what was not allowed; UnknownGame if there is no game of that name."""
    with using(open_games, game_id, "press", now, use) as used:
        table, before = used.table, settings_of(used.table)
        try:
            after = read(wanted)
            require_stricter(before, after)
        except PressRefused as refused:
            raise PowerRefused(str(refused)) from None
        if after == before:
            raise PowerRefused(f"The press of {game_id} is {before.words} already.")
        table.press = said_at(table).after(after.words)
        used.words = f"{before.words} to {after.words}"
        with speaking(table.play.game.rules.edition):
            said = [say("press-told.changed"), *told_of_press(after), say("press-told.old-ones"), *own_words(use.tell)]
            open_games.writer.announce(used.conn, table, now, say("press-told.subject"), said)
    return after
