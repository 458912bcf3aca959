"""`mentat ruling check` and `mentat rule`: the executable rulebook.

Looking up a clause starts quickly: ``bot.cli.rule_sets`` and the runner of rulings are imported only when they are
needed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from bot.cli.session import WRONG_USE, Answer, Call, Line, Verbatim, command, fail, styled
from bot.lab.clauses import rulings_citing
from rules.rulesets.rulebook import UnknownClause, clause, find


@command("ruling check")
def check(
    call: Call, files: Annotated[list[Path], typer.Argument(metavar="FILE.toml…", help="Rulings, or folders of them.")]
) -> Answer:
    """Run rulings and print PASS or FAIL for each, with the first difference. Exits 1 if any failed.

    Example: `mentat ruling check tests/rulings`
    """

    from bot.lab.rulings import run_ruling

    paths = [path for given in files for path in (sorted(given.rglob("*.toml")) if given.is_dir() else [given])]
    if not paths:
        fail("There is no ruling (*.toml) there.", WRONG_USE)
    for path in paths:
        if not path.is_file():
            fail(f"There is no file {path}; name a ruling (*.toml) or a folder of them.", WRONG_USE)
    results = [(path, run_ruling(path)) for path in paths]
    failed = [path for path, result in results if not result.passed]
    lines: list[Line] = []
    for path, result in results:
        verdict = styled(f"PASS {path}", "green") if result.passed else styled(f"FAIL {path}", "red")
        lines += [verdict] if result.passed else [verdict, f"     {result.difference}"]
    document = [
        {"file": str(path), "title": result.title, "passed": result.passed, "difference": result.difference,
         "steps": list(result.steps), "view": result.view}
        for path, result in results
    ]  # fmt: skip
    lines.append(f"{len(results) - len(failed)} passed, {len(failed)} failed")
    return Answer(lines, document, failed=bool(failed))


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
        bool, typer.Option("--compare", help="Print the rule sets side by side, as Markdown; or those named.")
    ] = False,
) -> Answer:
    """Show a clause, its source, and the rulings that show it; or the clauses that hold the words.

    With `--coverage`, list what the tests and rulings show of the rules that are played; exit 1 if a clause has none.
    Example: `mentat rule WBC.X.32`, `mentat rule lasgun shield` or `mentat rule --options ah-basic`
    """
    if coverage:
        from bot.cli.rule_sets import show_coverage

        return show_coverage(ruleset)
    if ruleset:
        fail("--ruleset goes with --coverage: `mentat rule --coverage --ruleset ah-basic`.", WRONG_USE)
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
    try:
        found = [clause(text)]
    except UnknownClause:
        found = find(text)
    if not found:
        fail(f"No clause has {text!r}; try one word of it, like `mentat rule lasgun`.")
    rulings = {shown.id: rulings_citing(shown.id) for shown in found}
    document = [
        {"id": c.id, "rule": c.rule, "source": c.source, "phase": c.phase, "tier": c.tier,
         "rulings": [{"file": str(path), "title": title} for path, title in rulings[c.id]]}
        for c in found
    ]  # fmt: skip
    lines: list[Line] = []
    for shown in found:
        lines += [Text.assemble((shown.id, "bold"), f"  {shown.rule}"), styled(f"  {shown.source}", "dim")]
        lines += [f"  ruling: {title} ({path.name})" for path, title in rulings[shown.id]]
    return Answer(lines, document)
