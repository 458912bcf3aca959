"""`mentat demo`: a whole game by mail on this machine."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from bot.cli.session import WRONG_USE, AsJson, answer_json, fail, print_line, read_options
from rules.components import as_faction, faction_name
from rules.components.board import TERRITORIES, TerritoryId
from rules.rulesets.options import RuleSetError

SEED = "arrakis"


def demo(
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where everything is left.")] = Path("mentat-demo"),
    seed: Annotated[str, typer.Option(help="The seed of all chance; the same seed gives the same shuffles.")] = SEED,
    ruleset: Annotated[str, typer.Option(help="The rule set to play by.")] = "wbc-2018",
    turns: Annotated[int, typer.Option(min=0, max=15, help="End after so many turns; 0: as the rules say.")] = 0,
    option: Annotated[
        list[str] | None, typer.Option(help="Change an option of the rule set, like expansion=ixians-tleilaxu.")
    ] = None,
    tournament: Annotated[
        bool, typer.Option("--tournament", help="Play a small tournament: twelve players, two heats and a final.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Play a whole game of Dune by mail on this machine: real IMAP and SMTP servers on loopback, six scripted players.

    Example: `mentat demo --out /tmp/dune --seed spice`, or `mentat demo --tournament` for an event of twelve
    """
    from bot.demo.folder import NotOurs, fresh_folder, leave_behind
    from bot.demo.game import DemoFailed, Progress, play

    try:
        fresh_folder(out)
    except NotOurs as error:
        fail(str(error), WRONG_USE)
    except OSError as error:
        fail(f"{out} cannot be written: {error.strerror}. Name another folder with --out.", WRONG_USE)
    if tournament:
        own_options = read_options(option or [])
        _tournament(out, seed, ruleset, {**own_options, **({"max_turns": turns} if turns else {})}, as_json)
        return
    began = time.monotonic()

    def show(reached: Progress) -> None:
        if as_json:
            return
        held = [
            f"{TERRITORIES[TerritoryId(place)].name}: {', '.join(faction_name(as_faction(f)) for f in who.split(', '))}"
            for place, who in reached.strongholds.items()
            if who
        ]
        where = "the end " if reached.over else f"turn {reached.turn:2} "
        print_line(
            f"{where} {reached.seconds:5.0f} s  {reached.letters:4} letters, {reached.answers:4} answers"
            f"  storm {reached.storm:2}  {'; '.join(held)}"
        )

    if not as_json:
        print_line("Six scripted players and Mentat play Dune by mail, over IMAP and SMTP on this machine.")
    try:
        played = play(out, seed, ruleset, turns or None, show, read_options(option or []))
    except DemoFailed as error:
        fail(str(error))
    except RuleSetError as error:
        fail(str(error), WRONG_USE)
    leave_behind(out, played)
    state, found = played.table.play.state, played.found
    if as_json:
        answer_json(
            {"winner": list(state.winners), "turn": state.turn, "ruleset": ruleset, "letters": played.letters,
             "answers": played.answers, "verified": found.holds, "difference": found.difference, "out": str(out),
             "seconds": round(time.monotonic() - began, 1)}
        )  # fmt: skip
    else:
        winners = " and ".join(faction_name(winner) for winner in state.winners)
        print_line(f"\n{winners} won on turn {state.turn}.", style="bold")
        if found.holds:
            print_line(f"Verified: {found.entries} entries of the log give the same {found.events} events again.")
        print_line(
            f"Open {out / 'index.html'} to watch the game step by step and to read every letter, or look further with"
        )
        print_line(f"  mentat game log demo --as public --config {out / 'config.toml'}")
    if not found.holds:
        fail(f"The record of the game does not hold. {found.difference}")


def _tournament(out: Path, seed: str, ruleset: str, options: Mapping[str, int | str], as_json: bool) -> None:
    """Play the demo of a tournament, and say what came of it."""
    from bot.cli.tournament.reading import print_standings
    from bot.competition.published import encode
    from bot.competition.verifying import verified
    from bot.demo.cup_folder import PAGES, leave_behind
    from bot.demo.game import DemoFailed
    from bot.demo.tournament import CUP, Happened, play

    def show(happened: Happened) -> None:
        if as_json:
            return
        command = f"  {happened.command}" if happened.command else ""
        print_line(f"day {happened.day:3} {happened.seconds:5.0f} s  {happened.told}{command}")

    if not as_json:
        print_line(
            "Twelve scripted players and a substitute play a tournament by mail, over IMAP and SMTP on this machine.\n"
            "That takes some minutes; the days are those of the demo, whose clock goes faster."
        )
    try:
        played = play(out, seed, ruleset, show, options)
    except DemoFailed as error:
        fail(str(error))
    except RuleSetError as error:
        fail(str(error), WRONG_USE)
    leave_behind(out, played)
    found = verified(encode(played.published)).difference
    standings = [(row.rank, row.entrant, row.points) for row in played.published.standings]
    names = {one.handle: one.name for one in played.published.entrants}
    if as_json:
        answer_json(
            {"tournament": CUP, "standings": standings, "letters": played.letters, "answers": played.answers,
             "days": played.days, "verified": not found, "difference": found, "out": str(out),
             "seconds": round(played.seconds, 1)}
        )  # fmt: skip
    else:
        print_line("")
        print_standings(played.published.standings, names)
        if not found:
            print_line("\nVerified: draws, results, standings and ratings follow from the export alone.")
        print_line(f"\nOpen {out / 'index.html'} to read every letter, and the pages of the tournament:")
        print_line(f"  {out / PAGES / 'index.html'}")
        print_line("Check it yourself:")
        print_line(f"  mentat tournament verify {out / (CUP + '.json')}")
    if found:
        fail(f"The export of the tournament does not hold. {found}")
