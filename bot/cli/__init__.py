"""The command `mentat`: what a game master and a script type.

Every command exits 0 on success, 1 when the answer is "no", 2 on wrong usage or configuration, and prints errors on
stderr as one sentence that says what to do.
"""

from __future__ import annotations

import sys
from typing import Annotated, NoReturn

import typer

from bot.cli.lazy import group
from bot.cli.session import explained, print_line
from bot.version import VERSION

GAMES = group(
    "Start and look after games.",
    {
        "new": "games:new",
        "list": "showing:list_games",
        "show": "showing:show",
        "options": "own_options:options",
        "log": "games:log",
        "verify": "games:verify",
        "export": "games:export",
        "archive": "archive:game_archive",
        "acts": "powers.acts:acts",
        "rollback": "powers.rollback:rollback",
        "end": "powers.ending:end",
        "delete": "powers.ending:delete",
        "pause": "powers.clocks:pause",
        "resume": "powers.clocks:resume",
        "hold": "powers.clocks:hold",
        "release": "powers.clocks:release",
        "order": "powers.orders:order",
        "position": "powers.orders:position",
        "predict": "powers.foresight:predict",
        "blind": "powers.foresight:blind",
        "break-glass": "powers.foresight:break_glass",
        "extend": "powers.clocks:extend",
        "clock": "powers.clocks:clock",
        "remind": "powers.one_seat:remind",
        "process": "powers.one_seat:process",
        "default": "powers.one_seat:default",
        "bank": "powers.one_seat:bank",
        "excuse": "powers.one_seat:excuse",
        "caretaker": "powers.one_seat:caretaker",
        "tell": "powers.words:tell",
        "ask": "powers.words:ask",
        "rule": "powers.words:rule",
        "note": "powers.words:note",
        "grant": "powers.rights:grant",
        "revoke": "powers.rights:revoke",
        "handover": "powers.rights:handover",
        "press": "powers.press:press",
        "sitter": "powers.sitters:sitter",
        "mute": "powers.muting:mute",
        "unmute": "powers.muting:unmute",
        "replace": "powers.seats:replace",
        "address": "powers.addresses:address",
        "freeze": "powers.addresses:freeze",
        "observe": "powers.observing:observe",
        "unobserve": "powers.observing:unobserve",
    },
)
MAIL = group(
    "Look at mail: a file, without acting on it, or what is kept.",
    {
        "parse": "mail:parse",
        "list": "kept_mail:list_messages",
        "show": "kept_mail:show",
        "replay": "kept_mail:replay",
        "resend": "kept_mail:resend",
        "delete": "kept_mail:delete",
    },
)
ARCHIVE = group(
    "The archive: pages about games for everybody to read.",
    {
        "build": "archive:build",
        "serve": "archive:serve",
        "text": "archive:text",
        "rename": "archive:rename",
        "policy": "archive:policy",
    },
)
FORUM = group(
    "Forums and mailing lists, in which games have their public side.",
    {
        "status": "forum.status:status",
        "test": "forum.trial:try_forum",
        "show": "forum.by_hand:show",
        "paste": "forum.by_hand:paste",
        "link": "forum.threads:link",
        "open": "forum.threads:open_thread",
        "close": "forum.threads:close",
        "repost": "forum.by_hand:repost",
    },
)
TOURNAMENT = group(
    "Tournaments: make them, take entries, draw, start, look after tables and results.",
    {
        "new": "tournament.making:new",
        "open": "tournament.making:open_entries",
        "amend": "tournament.results:amend",
        "cancel": "tournament.making:cancel",
        "grant": "tournament.organisers:grant",
        "handover": "tournament.organisers:handover",
        "enter": "tournament.entering:enter",
        "withdraw": "tournament.entering:withdraw",
        "apart": "tournament.parting:apart",
        "draw": "tournament.drawing:draw",
        "start": "tournament.starting:start",
        "show": "tournament.showing:show",
        "list": "tournament.showing:list_tournaments",
        "standings": "tournament.reading:standings",
        "export": "tournament.reading:export",
        "verify": "tournament.reading:verify",
        "pause": "tournament.pausing:pause",
        "resume": "tournament.pausing:resume",
        "round": "tournament.rounds:round_command",
        "adjudicate": "tournament.results:adjudicate",
        "void": "tournament.results:void",
        "protests": "tournament.results:list_protests",
        "substitute": "tournament.substitutes:substitute",
        "disqualify": "tournament.substitutes:disqualify",
        "finish": "tournament.rounds:finish",
    },
)
PERSON = group(
    "Who may play here: bans and warnings.",
    {"ban": "persons:ban", "unban": "persons:unban", "warn": "persons:warn", "list": "persons:list_persons"},
)
RATING = group(
    "Ratings of players, by the results of rated tournaments.",
    {"show": "ratings:show", "history": "ratings:history", "private": "ratings:private"},
)
STATS = group(
    "What the games that are over say together.",
    {
        "factions": "statistics:factions",
        "alliances": "statistics:alliances",
        "turns": "statistics:turns",
        "players": "statistics:players",
    },
)
app = group(
    "Mentat moderates games of Dune by e-mail: it reads orders, applies the rules and writes the reports.",
    {
        "demo": "demo:demo",
        "soak": "soak:soak_games",
        "init": "init:init",
        "doctor": "doctor:doctor",
        "health": "health:health",
        "metrics": "health:metrics",
        "run": "service:run",
        "poll": "service:poll",
        "tick": "service:tick",
        "send": "service:send",
        "deliver": "service:deliver",
        "backup": "backup:backup",
        "restore": "backup:restore_command",
        "move": "backup:move_command",
        "upgrade": "upgrade:upgrade",
        "desk": "desk:desk",
        "rule": "rules:rule",
        "manual": "manual:manual",
        "bench": "bench:app",
        "game": GAMES,
        "mail": MAIL,
        "archive": ARCHIVE,
        "forum": FORUM,
        "tournament": TOURNAMENT,
        "person": PERSON,
        "rating": RATING,
        "stats": STATS,
        "order": group("Look at orders without giving them.", {"check": "orders:check"}),
        "ruling": group("Rulings: positions, orders, and what must be true afterwards.", {"check": "rules:check"}),
    },
    name="mentat",
    add_completion=True,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        print_line(f"mentat {VERSION}")
        raise typer.Exit


@app.callback()
def _of_all_commands(
    _version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    return None


def main() -> NoReturn:
    """Run the command line; the process ends with its exit code."""
    with explained():
        code = app(prog_name="mentat", standalone_mode=False)
    sys.exit(code if isinstance(code, int) else 0)
