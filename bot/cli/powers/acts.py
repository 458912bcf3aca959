"""`mentat game acts`: what was done to a game, by whom and why."""

from __future__ import annotations

from bot.cli.powers.options import Game
from bot.cli.session import CONFIG, AsJson, Config, answer_json, console, open_session
from bot.games.acts import acts_of
from bot.store import games
from bot.store.database import reading


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
        console.print(f"Nothing was done to {game} so far.")
    for act in found:
        by = f" ({act.who or 'at the machine'}, {act.right})" if act.right else ""
        console.print(f"{act.at:%Y-%m-%d %H:%M}Z  {act.what}  {act.words}{by}".rstrip(), highlight=False, markup=False)
        for label, words in (("why", act.why), ("told", act.tell)):
            if words:
                console.print(f"    {label}: {words}", highlight=False, markup=False, soft_wrap=True)
