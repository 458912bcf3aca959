"""The command `mentat`: what a game master and a script type.

Every command exits 0 on success, 1 when the answer is "no", 2 on wrong usage or configuration, and prints errors on
stderr as one sentence that says what to do.
"""

from __future__ import annotations

import sys
from typing import NoReturn

import typer

from bot.cli import (
    bench,
    clocks,
    demo,
    doctor,
    games,
    identity,
    init,
    kept_mail,
    mail,
    observing,
    orders,
    rules,
    seats,
    service,
    soak,
)
from bot.cli.session import explained

app = typer.Typer(
    name="mentat",
    help="Mentat moderates games of Dune by e-mail: it reads orders, applies the rules and writes the reports.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
)
app.command("demo")(demo.demo)
app.command("soak")(soak.soak_games)
app.command("init")(init.init)
app.command("doctor")(doctor.doctor)
app.command("run")(service.run)
app.command("poll")(service.poll)
app.command("tick")(service.tick)
app.command("send")(service.send)
app.command("deliver")(service.deliver)
app.command("rule")(rules.rule)
for work in (clocks.pause, clocks.resume, clocks.extend, clocks.clock):
    games.app.command()(work)
games.app.command()(seats.replace)
games.app.command()(identity.address)
games.app.command()(identity.freeze)
games.app.command()(observing.observe)
games.app.command()(observing.unobserve)
mail.app.command("list")(kept_mail.list_messages)
mail.app.command()(kept_mail.show)
mail.app.command()(kept_mail.replay)
mail.app.command()(kept_mail.resend)
mail.app.command()(kept_mail.delete)
app.add_typer(bench.app, name="bench")
app.add_typer(games.app, name="game")
app.add_typer(mail.app, name="mail")
app.add_typer(orders.app, name="order")
app.add_typer(rules.app, name="ruling")


def main() -> NoReturn:
    """Run the command line; the process ends with its exit code."""
    with explained():
        code = app(standalone_mode=False)
    sys.exit(code if isinstance(code, int) else 0)
