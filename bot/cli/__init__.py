"""The command `mentat`: what a game master and a script type.

Every command exits 0 on success, 1 when the answer is "no", 2 on wrong usage or configuration, and prints errors on
stderr as one sentence that says what to do.
"""

from __future__ import annotations

import sys
from typing import NoReturn

from bot.cli.lazy import group
from bot.cli.session import explained

GAMES = group(
    "Start and look after games.",
    {
        "new": "games:new",
        "list": "games:list_games",
        "show": "games:show",
        "options": "own_options:options",
        "log": "games:log",
        "verify": "games:verify",
        "export": "games:export",
        "archive": "archive:game_archive",
        "rollback": "games:rollback",
        "end": "ending:end",
        "pause": "clocks:pause",
        "resume": "clocks:resume",
        "extend": "clocks:extend",
        "clock": "clocks:clock",
        "replace": "seats:replace",
        "address": "identity:address",
        "freeze": "identity:freeze",
        "observe": "observing:observe",
        "unobserve": "observing:unobserve",
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
        "round": "tournament.rounds:round_command",
        "adjudicate": "tournament.results:adjudicate",
        "void": "tournament.results:void",
        "protests": "tournament.results:list_protests",
        "substitute": "tournament.substitutes:substitute",
        "disqualify": "tournament.substitutes:disqualify",
        "finish": "tournament.rounds:finish",
    },
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
        "run": "service:run",
        "poll": "service:poll",
        "tick": "service:tick",
        "send": "service:send",
        "deliver": "service:deliver",
        "rule": "rules:rule",
        "bench": "bench:app",
        "game": GAMES,
        "mail": MAIL,
        "archive": ARCHIVE,
        "tournament": TOURNAMENT,
        "rating": RATING,
        "stats": STATS,
        "order": group("Look at orders without giving them.", {"check": "orders:check"}),
        "ruling": group("Rulings: positions, orders, and what must be true afterwards.", {"check": "rules:check"}),
    },
    name="mentat",
)


def main() -> NoReturn:
    """Run the command line; the process ends with its exit code."""
    with explained():
        code = app(prog_name="mentat", standalone_mode=False)
    sys.exit(code if isinstance(code, int) else 0)
