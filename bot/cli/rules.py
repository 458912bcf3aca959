"""`mentat ruling check` and `mentat rule`: the executable rulebook.

To keep the look-up of a clause fast, ``bot.cli.rule_sets`` and the code that runs rulings are imported only when they
are needed.
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from bot.cli.session import WRONG_USE, Answer, Call, Line, Verbatim, command, fail, styled
from bot.lab.clauses import rulings_citing
from rules.rulesets.rulebook import clause, find, is_clause


@command("ruling check")
def check(
    call: Call,
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE.toml…",
            help="Rulings, or folders of them; - is standard input, which can hold several rulings in one JSON list.",
        ),
    ],
) -> Answer:
    """Run rulings and print PASS or FAIL for each, with the first difference. The exit status is 1 if any failed.
    Clauses that do not exist are reported as warnings.

    Example: `mentat ruling check tests/rulings`, or `mentat ruling check - --json < ruling.toml`
    """

    from bot.lab.rulings import run_ruling

    results = [(name, run_ruling(source)) for name, source in list(_rulings_in(files))]
    failed = [name for name, result in results if not result.passed]
    lines: list[Line] = []
    for name, result in results:
        verdict = styled(f"PASS {name}", "green") if result.passed else styled(f"FAIL {name}", "red")
        lines += [verdict] if result.passed else [verdict, f"     {result.difference}"]
        lines += [styled(f"     warning: {warning}", "yellow") for warning in result.warnings]
    document = [
        {
            "file": name,
            "title": result.title,
            "passed": result.passed,
            "difference": result.difference,
            "steps": list(result.steps),
            "view": result.view,
            "warnings": list(result.warnings),
        }
        for name, result in results
    ]
    lines.append(f"{len(results) - len(failed)} passed, {len(failed)} failed")
    return Answer(lines, document, failed=bool(failed))


STANDARD_INPUT = Path("-")


def _rulings_in(files: Sequence[Path]) -> Iterator[tuple[str, Path | str]]:
    """Yield the name of each ruling in these files and folders, with its path, or with its text if it comes from
    standard input."""
    if files.count(STANDARD_INPUT) > 1:
        fail("Standard input can be read only once; write - once.", WRONG_USE)
    found = [path for given in files for path in (sorted(given.rglob("*.toml")) if given.is_dir() else [given])]
    if not found:
        fail("There is no ruling (*.toml) there.", WRONG_USE)
    for path in found:
        if path != STANDARD_INPUT and not path.is_file():
            fail(f"There is no file {path}; name a ruling (*.toml) or a folder of them.", WRONG_USE)
    for path in found:
        if path == STANDARD_INPUT:
            yield from (("-", text) for text in _texts_in_standard_input())
        else:
            yield str(path), path


def _texts_in_standard_input() -> list[str]:
    try:
        text = sys.stdin.buffer.read().decode("utf-8-sig")
    except UnicodeDecodeError:
        fail("Standard input is not UTF-8 text; write a ruling in TOML there, or a JSON list of rulings.", WRONG_USE)
    try:
        found = json.loads(text)
    except ValueError as error:
        if not _LIST_BEGINS.match(text) or _is_toml(text):
            return [text]
        fail(f"Standard input begins like a JSON list of rulings but is not one: {error}.", WRONG_USE)
    if not isinstance(found, list) or not all(isinstance(ruling, str) for ruling in found):
        fail("The JSON on standard input must be a list of texts, each a whole ruling in TOML.", WRONG_USE)
    return found


_LIST_BEGINS = re.compile(r"\s*(?:\{|\[\s*(?![\w\[]))")
"""The beginning of JSON, but not of a ruling's first table: [start], [[step]]."""


def _is_toml(text: str) -> bool:
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return False
    return True


@command("rule")
def rule(
    call: Call,
    words: Annotated[
        list[str] | None, typer.Argument(metavar="CLAUSE-OR-WORD", help="A clause's id, or words in it.")
    ] = None,
    coverage: Annotated[
        bool, typer.Option("--coverage", help="List all clauses with the number of their tests and rulings.")
    ] = False,
    ruleset: Annotated[
        str, typer.Option("--ruleset", metavar="RULESET", help="With --coverage: the clauses of this rule set only.")
    ] = "",
    options: Annotated[
        str, typer.Option("--options", metavar="RULESET", help="List the options of a rule set and what they mean.")
    ] = "",
    compare: Annotated[
        bool, typer.Option("--compare", help="Print all rule sets, or those named, side by side as Markdown.")
    ] = False,
) -> Answer:
    """Show a clause, its source, and its rulings, or all clauses that contain the words.

    With `--coverage`, list how many tests and rulings each implemented clause has. The exit status is then 1 if a
    clause has none. Example: `mentat rule WBC.X.32`, `mentat rule lasgun shield` or `mentat rule --options ah-basic`
    """
    if coverage:
        from bot.cli.rule_sets import show_coverage

        return show_coverage(ruleset)
    if ruleset:
        fail("--ruleset needs --coverage: `mentat rule --coverage --ruleset ah-basic`.", WRONG_USE)
    if compare:
        from bot.lab.coverage import compare_rule_sets
        from rules.rulesets.ruleset import RULE_SETS

        return Answer(Verbatim(compare_rule_sets(words or RULE_SETS)))
    if options:
        from bot.cli.rule_sets import show_options

        return show_options(options)
    text = " ".join(words or [])
    if not text:
        fail("Name a clause or a word, like `mentat rule lasgun`; or --coverage for all of them.", WRONG_USE)
    found = [clause(text)] if is_clause(text) else find(text)
    if not found:
        fail(f"No clause contains {text!r}; try one word of it, like `mentat rule lasgun`.")
    rulings = {shown.id: rulings_citing(shown.id) for shown in found}
    document = [
        {
            "id": c.id,
            "rule": c.rule,
            "source": c.source,
            "phase": c.phase,
            "tier": c.tier,
            "rulings": [{"file": str(path), "title": title} for path, title in rulings[c.id]],
        }
        for c in found
    ]
    lines: list[Line] = []
    for shown in found:
        lines += [Text.assemble((shown.id, "bold"), f"  {shown.rule}"), styled(f"  {shown.source}", "dim")]
        lines += [f"  ruling: {title} ({path.name})" for path, title in rulings[shown.id]]
    return Answer(lines, document)
