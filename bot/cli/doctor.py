"""`mentat doctor`: a configuration from end to end, in plain words."""

from __future__ import annotations

from typing import Annotated

import typer

from bot.cli.session import CONFIG, NO, AsJson, Config, answer_json, print_line
from bot.doctor import examine
from bot.monitoring.finding import Finding

_MARKS = {"well": "ok", "note": "note", "wrong": "WRONG", "skipped": "left"}


def doctor(
    config: Config = CONFIG,
    wait: Annotated[
        float, typer.Option(min=0, metavar="SECONDS", help="How long to wait for its own mails; 0 sends none.")
    ] = 120.0,
    as_json: AsJson = False,
) -> None:
    """Look whether everything works: settings, database, mailbox, sending, and mails that it sends to itself.

    Says what is wrong and what to do; exits 1 if anything is. May be asked while `mentat run` is at work.
    Example: `mentat doctor --wait 60`
    """
    found = []
    for finding in examine(config, wait):
        found.append(finding)
        if not as_json:
            _tell(finding)
    wrong = sum(finding.state == "wrong" for finding in found)
    if as_json:
        told = [{"about": one.about, "state": one.state, "told": one.told, "advice": one.advice, **one.facts}
                for one in found]  # fmt: skip
        answer_json({"well": not wrong, "findings": told})
    else:
        print_line("All is well." if not wrong else f"{wrong} thing{'' if wrong == 1 else 's'} to mend.")
    if wrong:
        raise typer.Exit(NO)


def _tell(finding: Finding) -> None:
    style = {"wrong": "red", "note": "yellow"}.get(finding.state, "")
    line = f"{_MARKS[finding.state]:6}{finding.about}: {finding.told}"
    print_line(line, style=style)
    if finding.advice:
        print_line(f"      {finding.advice}")
