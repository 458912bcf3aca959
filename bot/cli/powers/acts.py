"""`mentat game acts`: what was done to a game, by whom and why."""

from __future__ import annotations

import textwrap

from bot.cli.powers.options import Game
from bot.cli.session import CONFIG, AsJson, Config, answer_json, console, open_session, print_line
from bot.games.acts import acts_of
from bot.store import games
from bot.store.database import reading

NARROWEST = 40  # characters beside the head of a line, however narrow the terminal is


def acts(game: Game, config: Config = CONFIG, as_json: AsJson = False) -> None:
    """Show the act log of a game: what was done to it, by whom and why. At its end everybody may read it.

    Example: `mentat game acts sietch-12`
    """
    session = open_session(config)
    with reading(session.engine) as conn:
        if not games.exists(conn, game):
            raise games.UnknownGame(f"There is no game {game!r} here; `mentat game list` names them.")
        found = acts_of(conn, game)
    if as_json:
        answer_json([
            {"at": act.at.isoformat(), "what": act.what, "words": act.words, "why": act.why, "tell": act.tell,
             "who": act.who, "right": act.right}
            for act in found
        ])  # fmt: skip
        return
    if not found:
        print_line(f"Nothing was done to {game} so far.")
    for act in found:
        by = f" ({act.who or 'at the machine'}, {act.right})" if act.right else ""
        _print(f"{act.at:%Y-%m-%d %H:%M}Z  ", f"{act.what}  {act.words}{by}".rstrip())
        for label, words in (("why", act.why), ("told", act.tell)):
            for number, line in enumerate(words.splitlines()):
                _print(f"    {label}: " if not number else " " * len(f"    {label}: "), line)


def _print(head: str, words: str) -> None:
    """Words behind their head; what does not fit into the line goes on below, where they began."""
    beside = max(console.width - len(head), NARROWEST)
    lines = textwrap.wrap(words, beside, break_long_words=False, break_on_hyphens=False)
    for number, line in enumerate(lines):
        shown = head if not number else " " * len(head)
        print_line(f"{shown}{line}")
